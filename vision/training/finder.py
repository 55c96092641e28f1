"""The index finder: YOLO nano pose, one class, two keypoints (top and foot of an index).

    python -m vision.training.finder DATA_DIR HELD_OUT_DIR --name finder --minutes 25 [--resume]

Ultralytics trains on CPU with one thread fewer than there are cores and in float32; here with all
cores and bfloat16 autocast, which more than doubles the images a second.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
import ultralytics.nn.tasks as tasks
from ultralytics import YOLO

from engine.cards import ALL_FACES
from vision.training import revive

THREADS = int(os.environ["OMP_NUM_THREADS"])
RECIPE: dict[str, Any] = {
    "batch": 32, "device": "cpu", "workers": 0, "amp": False, "plots": False,
    # The generator turns, scales and lights its scenes; a mirrored glyph would teach errors.
    "mosaic": 0, "mixup": 0, "fliplr": 0, "flipud": 0, "degrees": 0, "scale": 0.15, "translate": 0.05,
    "erasing": 0, "auto_augment": None, "hsv_h": 0.01, "hsv_s": 0.3, "hsv_v": 0.2,
    "optimizer": "AdamW", "lr0": 0.002, "lrf": 0.02, "cos_lr": True, "warmup_epochs": 0.3,
    "warmup_bias_lr": 0,  # ultralytics' 0.1 is meant for SGD: it undoes what a revived network knows
    "weight_decay": 0.0005, "single_cls": True,
}  # fmt: skip


def _float32(o: Any) -> Any:
    if torch.is_tensor(o):
        return o.float() if o.dtype == torch.bfloat16 else o
    if isinstance(o, dict):
        return {k: _float32(v) for k, v in o.items()}
    if isinstance(o, list | tuple):
        return type(o)(_float32(v) for v in o)
    return o


def use_all_cores_and_bfloat16() -> None:
    plain = tasks.BaseModel._predict_once

    def fast(self: Any, x: torch.Tensor, *a: Any, **k: Any) -> Any:
        if not self.training:
            return plain(self, x, *a, **k)
        with torch.autocast("cpu", torch.bfloat16):
            return _float32(plain(self, x.contiguous(memory_format=torch.channels_last), *a, **k))

    tasks.BaseModel._predict_once = fast


def _on_start(trainer: Any) -> None:
    trainer.model.to(memory_format=torch.channels_last)
    torch.set_num_threads(THREADS)


def revived(file: Path, pictures: Path, target: Path) -> Path:
    """Write the network of an export as weights to go on from; `pictures` set its normalisation."""
    named, _ = revive.folded_weights(file)
    scratch = tasks.PoseModel("yolo11n-pose.yaml", nc=1, data_kpt_shape=[2, 3], verbose=False)
    pairs: revive.Folded = []
    with torch.no_grad():
        for name, module in scratch.named_modules():
            if hasattr(module, "bn") and hasattr(module, "conv"):
                pairs.append(
                    (module.conv, module.bn, named[f"{name}.conv.weight"], named[f"{name}.conv.bias"])
                )
            elif isinstance(module, torch.nn.Conv2d) and f"{name}.bias" in named and module.bias is not None:
                module.weight.copy_(named[f"{name}.weight"])
                module.bias.copy_(named[f"{name}.bias"])
    files = sorted(pictures.glob("*.jpg"))
    files = files[:: max(1, len(files) // 96)]
    if not files:
        raise SystemExit(f"no pictures in {pictures}: run python -m vision.training.datasets scenes")

    def batches() -> Iterator[torch.Tensor]:
        for k in range(0, len(files), 8):
            images = [np.asarray(cv2.imread(str(f)))[..., ::-1] for f in files[k : k + 8]]
            yield torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / 255

    revive.unfold(scratch, pairs, batches())
    target.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"model": scratch.half(), "epoch": -1, "train_args": {"task": "pose"}}, target)
    return target


def describe(data: Path, held_out: Path) -> Path:
    """The data description that ultralytics wants."""
    text = (
        f"path: {data.resolve()}\ntrain: images\nval: {(held_out / 'images').resolve()}\n"
        "kpt_shape: [2, 3]\nflip_idx: [0, 1]\nnames:\n"
        + "".join(f"  {i}: {f}\n" for i, f in enumerate(ALL_FACES))
    )
    path = data / "data.yaml"
    path.write_text(text)
    return path


def train(
    data: Path,
    held_out: Path,
    name: str,
    epochs: int,
    size: int,
    model: str,
    minutes: float | None,
    resume: bool,
) -> Path:
    use_all_cores_and_bfloat16()
    project = Path("runs").resolve()
    last = project / name / "weights" / "last.pt"
    if model.endswith(".onnx"):
        model = str(revived(Path(model), data / "images", project / name / "start.pt"))
    net = YOLO(str(last) if resume and last.exists() else model)
    net.add_callback("on_train_start", _on_start)
    if resume and last.exists():
        net.train(resume=True)
    else:
        limit = {"time": minutes / 60} if minutes else {}
        net.train(
            data=str(describe(data, held_out)), epochs=epochs, imgsz=size, project=str(project), name=name,
            exist_ok=True, **limit, **RECIPE,
        )  # fmt: skip
    return project / name / "weights" / "best.pt"


def export(weights: Path, target: Path) -> None:
    """Write ONNX with free input size (input "images" float (n, 3, h, w) RGB 0..1)."""
    made = YOLO(str(weights)).export(format="onnx", dynamic=True, opset=17, simplify=True, device="cpu")
    Path(made).replace(target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("held_out", type=Path)
    parser.add_argument("--name", default="finder")
    parser.add_argument("--model", default="yolo11n-pose.yaml", help="or a .pt or .onnx file to go on from")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--minutes", type=float, help="stop after this time instead of after --epochs")
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args()
    train(a.data, a.held_out, a.name, a.epochs, a.size, a.model, a.minutes, a.resume)


if __name__ == "__main__":
    main()
