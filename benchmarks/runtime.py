"""What the finder costs a tile of 640 pixels under each runtime, and what int8 loses; ratios from one run.

    .venv-train/bin/python benchmarks/runtime.py [--rounds 30] [--weights best.pt] [--without ncnn] [--json]

Needs the extra `train` (ultralytics, torch, onnx) and, for NCNN, `pip install ncnn pnnx`. Without --weights
the export is rebuilt in torch: the same numbers in the same layers. Runtimes take turns tile by
tile, so that what else the machine does falls on all alike; the median counts. int8 is ONNX Runtime's static
quantisation, calibrated on tables that are not measured, the network's last layers left in float.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
import numpy as np
import onnxruntime as ort

from vision.detector import OnnxFinder
from vision.simulator.scenes import Scene, table_scene
from vision.simulator.table import EVALUATION_SEEDS
from vision.types import Image
from vision.weights import locate, session

TILE = 640
CALIBRATED_ON = 6
LOOKED_AT = 3
VISIBLE = 0.85
RUNTIMES = ("ort", "ncnn", "torch", "int8")

Run = Callable[[np.ndarray], Any]


def tables(first: int, count: int) -> list[Scene]:
    return [table_scene(first + n, "mixed", width=1920, height=1080) for n in range(count)]


def tiles(scenes: list[Scene]) -> list[Image]:
    """Tiles with cards in them, from the middle of each picture."""
    cut = []
    for scene in scenes:
        height, width = scene.image.shape[:2]
        for x in (width // 2 - TILE, width // 2):
            y = height // 2 - TILE // 2
            cut.append(np.ascontiguousarray(scene.image[y : y + TILE, x : x + TILE]))
    return cut


def pixels(tile: Image) -> np.ndarray:
    return np.ascontiguousarray(tile[..., ::-1].transpose(2, 0, 1)[None], np.float32) / 255


def torch_weights(given: Path | None, folder: Path, shown: list[Image]) -> Path:
    """The trained weights, or the export's rebuilt in torch."""
    if given:
        return given
    from vision.training.finder import revived

    pictures = folder / "pictures"
    pictures.mkdir()
    for n, tile in enumerate(shown):
        cv2.imwrite(str(pictures / f"{n}.jpg"), tile)
    return revived(locate("finder").file, pictures, folder / "finder.pt")


def torch_run(weights: Path, threads: int) -> Run:
    """Ultralytics' own inference: the network alone, layers fused, as its predictor runs it."""
    import torch
    from ultralytics import YOLO

    model = YOLO(str(weights)).model.float().fuse(verbose=False).eval()

    def run(x: np.ndarray) -> Any:
        torch.set_num_threads(threads)
        with torch.inference_mode():
            return model(torch.from_numpy(x))

    return run


def ncnn_run(weights: Path, folder: Path, threads: int) -> Run:
    import ncnn
    from ultralytics import YOLO

    made = folder / f"{weights.stem}_ncnn_model"
    if not made.is_dir():
        made = Path(YOLO(str(weights)).export(format="ncnn", imgsz=TILE, half=False, device="cpu"))
    net = ncnn.Net()
    net.opt.num_threads = threads
    net.load_param(str(made / "model.ncnn.param"))
    net.load_model(str(made / "model.ncnn.bin"))

    def run(x: np.ndarray) -> Any:
        with net.create_extractor() as extractor:
            extractor.input("in0", ncnn.Mat(x[0]).clone())
            return np.array(extractor.extract("out0")[1])

    return run


def ort_run(file: Path, threads: int) -> Run:
    made = session(file, threads)
    name = made.get_inputs()[0].name
    return lambda x: made.run(None, {name: x})[0]


def quantised(folder: Path, shown: list[Image]) -> Path:
    """The finder in int8, convolutions alone, but for the last block, whose outputs are pixels."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    options = ort.SessionOptions()  # folds the half-precision weights into float ones
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folder / "float.onnx")
    source = ort.InferenceSession(str(locate("finder").file), options, providers=["CPUExecutionProvider"])
    name = source.get_inputs()[0].name

    class Shown(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._rows: Iterator[Image] = iter(shown)

        def get_next(self) -> dict[str, np.ndarray] | None:
            tile = next(self._rows, None)
            return None if tile is None else {name: pixels(tile)}

    import onnx

    graph = onnx.load(str(folder / "float.onnx")).graph
    blocks = [int(n.name.split("/model.")[1].split("/")[0]) for n in graph.node if "/model." in n.name]
    last = [n.name for n in graph.node if f"/model.{max(blocks)}/" in n.name]
    target = folder / "int8.onnx"
    quantize_static(
        str(folder / "float.onnx"), str(target), Shown(),
        quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        per_channel=True, op_types_to_quantize=["Conv"], nodes_to_exclude=last,
    )  # fmt: skip
    return target


def timed(runs: dict[str, Run], shown: list[Image], rounds: int) -> dict[str, float]:
    """Median milliseconds of each, taking turns."""
    inputs = [pixels(t) for t in shown]
    for run in runs.values():
        run(inputs[0])
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for n in range(rounds):
        for name, run in runs.items():
            began = time.perf_counter()
            run(inputs[n % len(inputs)])
            spent[name].append(1000 * (time.perf_counter() - began))
    return {name: float(np.median(times)) for name, times in spent.items()}


def found(file: Path, scenes: list[Scene]) -> dict[str, int]:
    """Of the indices in plain view, how many a finder finds, and how many of its finds are none."""
    finder = OnnxFinder(file, float(locate("finder").facts.get("threshold", 0.25)), threads=1)
    counts = {"indices": 0, "found": 0, "nowhere": 0}
    for scene in scenes:
        truth = [i for c in scene.cards if c.face_up for i in c.indices]
        middles = np.array([i.quad.mean(axis=0) for i in truth])
        heights = np.array([i.height for i in truth])
        boxes = finder.find(scene.image, float(np.median(heights)))
        at = np.array([(np.array(b.top) + b.foot) / 2 for b in boxes]).reshape(-1, 2)
        apart = np.linalg.norm(middles[:, None] - at[None], axis=2) / heights[:, None]
        plain = np.array([i.visible >= VISIBLE for i in truth])
        counts["indices"] += int(plain.sum())
        counts["found"] += int((apart.min(1, initial=9)[plain] < 0.4).sum())
        counts["nowhere"] += int((apart.min(0, initial=9) >= 0.5).sum())
    return counts


def measure(rounds: int, weights: Path | None, without: list[str]) -> dict[str, Any]:
    shown = tiles(tables(EVALUATION_SEEDS, LOOKED_AT))
    learnt = tiles(tables(EVALUATION_SEEDS + 20, CALIBRATED_ON))
    exported = locate("finder").file
    runs: dict[str, Run] = {f"ONNX Runtime, {t} thread(s)": ort_run(exported, t) for t in (1, 2)}
    out: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not {"torch", "ncnn"} <= set(without):
            trained = torch_weights(weights, folder, learnt)
            if "torch" not in without:
                runs |= {f"PyTorch (ultralytics), {t} thread(s)": torch_run(trained, t) for t in (1, 2)}
            if "ncnn" not in without:
                runs |= {f"NCNN, {t} thread(s)": ncnn_run(trained, folder, t) for t in (1, 2)}
        if "int8" not in without:
            small = quantised(folder, learnt)
            runs |= {f"ONNX Runtime int8, {t} thread(s)": ort_run(small, t) for t in (1, 2)}
            scenes = tables(EVALUATION_SEEDS + 40, LOOKED_AT)
            out["found"] = {"float": found(exported, scenes), "int8": found(small, scenes)}
            out["bytes"] = {"float": exported.stat().st_size, "int8": small.stat().st_size}
        x = pixels(shown[0])
        truth = runs["ONNX Runtime, 1 thread(s)"](x)
        out["same_numbers"] = {
            k: round(float(np.abs(_numbers(run(x)).reshape(truth.shape) - truth).max()), 4)
            for k, run in runs.items()
            if k.endswith(", 1 thread(s)")
        }
        times = timed(runs, shown, rounds)
    first = times["ONNX Runtime, 1 thread(s)"]
    out["tiles"] = {k: {"ms": round(v, 1), "ratio": round(v / first, 2)} for k, v in times.items()}
    return out


def _numbers(output: Any) -> np.ndarray:
    """The first array of whatever a runtime gives."""
    while isinstance(output, list | tuple):
        output = output[0]
    return np.asarray(output)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the finder's network under several runtimes.")
    parser.add_argument("--rounds", type=int, default=30, help="tiles timed under each runtime")
    parser.add_argument("--weights", type=Path, help="the trained network (.pt) instead of one rebuilt")
    parser.add_argument("--without", action="append", choices=RUNTIMES[1:], default=[], help="leave this out")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    os.environ.setdefault("YOLO_VERBOSE", "false")
    facts = measure(asked.rounds, asked.weights, asked.without)
    if asked.json:
        print(json.dumps(facts, indent=1))
        return
    print(f"A tile of {TILE} pixels, median of {asked.rounds}:")
    for name, row in facts["tiles"].items():
        print(f"  {name:36} {row['ms']:7.1f} ms   {row['ratio']:.2f}")
    for name, off in facts["same_numbers"].items():
        print(f"  {name:36} largest difference of an output to ONNX Runtime's: {off}")
    for name, row in facts.get("found", {}).items():
        size = facts["bytes"][name] / 1e6
        print(
            f"  {name}: {row['found']} of {row['indices']} indices found, {row['nowhere']} finds are none; "
            f"{size:.1f} MB"
        )


if __name__ == "__main__":
    main()
