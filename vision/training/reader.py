"""The glyph reader: a small network from an upright patch to rank, suit or "not an index".

    python -m vision.training.reader TRAIN_DIR... HELD_OUT_DIR --out runs/reader --minutes 10
        [--resume | --start models/reader.onnx]

Rank and suit have heads of their own, added up per face: what is learnt of kings in spades holds
for kings in hearts.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import argparse
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from engine.cards import ALL_FACES, ALL_RANKS, SUITS
from vision.training import revive
from vision.types import NOT_AN_INDEX, PATCH_HEIGHT, PATCH_WIDTH

BATCH = 256
PEAK_RATE, FURTHER_RATE = 3e-3, 1.5e-3
"""Highest learning rates from scratch, and from an exported network."""


def _block(i: int, o: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.SiLU())


class ReaderNet(nn.Module):
    """uint8-valued float BGR patches (n, 3, 64, 40) in 0..255 to logits (n, 53) over vision.types.CLASSES."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            _block(3, 32, 2), _block(32, 48), nn.MaxPool2d(2),
            _block(48, 96), _block(96, 96), nn.MaxPool2d(2),
            _block(96, 160), _block(160, 192), nn.AvgPool2d((2, 5)), nn.Flatten(),
        )  # fmt: skip
        self.rank = nn.Linear(768, len(ALL_RANKS))
        self.suit = nn.Linear(768, len(SUITS))
        self.none = nn.Linear(768, 1)
        rank_of = torch.tensor([ALL_RANKS.index(f.rank) for f in ALL_FACES])
        suit_of = torch.tensor([SUITS.index(f.suit) for f in ALL_FACES])
        self.register_buffer("rank_of", nn.functional.one_hot(rank_of, len(ALL_RANKS)).float().T)
        self.register_buffer("suit_of", nn.functional.one_hot(suit_of, len(SUITS)).float().T)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        f = nn.functional.dropout(self.features(x / 255 - 0.5), 0.2, self.training)
        return torch.cat([self.rank(f) @ self.rank_of + self.suit(f) @ self.suit_of, self.none(f)], 1)


class Patches:
    """All parts of folders written by `vision.training.datasets`, mapped, not loaded."""

    def __init__(self, *folders: Path):
        names = [name for folder in folders for name in sorted(folder.glob("x*.npy"))]
        if not names:
            raise SystemExit(
                f"no patches in {', '.join(map(str, folders))}: "
                "make them with python -m vision.training.datasets patches"
            )
        self.parts = [np.load(n, mmap_mode="r") for n in names]
        labels = [np.load(n.with_name(n.name.replace("x", "y")).with_suffix(".npz")) for n in names]
        self.y = np.concatenate([z["y"] for z in labels])
        self.h = np.concatenate([z["h"] for z in labels])
        self.starts = np.cumsum([0, *(len(p) for p in self.parts)])

    def __len__(self) -> int:
        return len(self.y)

    def take(self, at: np.ndarray) -> torch.Tensor:
        """Patches at sorted positions, float (n, 3, 64, 40) in 0..255."""
        which = np.searchsorted(self.starts, at, "right") - 1
        x = np.concatenate(
            [
                self.parts[p][at[which == p] - self.starts[p]]
                for p in range(len(self.parts))
                if (which == p).any()
            ]
        )
        return torch.from_numpy(x).permute(0, 3, 1, 2).float().contiguous(memory_format=torch.channels_last)


def augment(x: torch.Tensor) -> torch.Tensor:
    """Cheap changes of light, noise and a bar over an edge, on a batch in 0..255."""
    n = len(x)
    x = x * (1 + 0.4 * (torch.rand(n, 1, 1, 1) - 0.5)) + 60 * (torch.rand(n, 3, 1, 1) - 0.5) * torch.rand(
        n, 1, 1, 1
    )
    if torch.rand(1) < 0.3:
        x = x + torch.randn_like(x) * 14 * torch.rand(n, 1, 1, 1)
    if torch.rand(1) < 0.2:
        x = nn.functional.avg_pool2d(nn.functional.pad(x, (1, 1, 1, 1), "replicate"), 3, 1)
    return x


def predict(net: ReaderNet, data: Patches) -> torch.Tensor:
    """Logits of every patch, (n, 53)."""
    net.eval()
    out = []
    with torch.inference_mode():
        for k in range(0, len(data), 1024):
            out.append(net(data.take(np.arange(k, min(k + 1024, len(data))))))
    net.train()
    return torch.cat(out)


def report(logits: torch.Tensor, data: Patches) -> dict[str, float]:
    """Accuracy over indices by height in pixels, share of "not an index" told, and inventions."""
    guess, truth = logits.argmax(1).numpy(), data.y
    real = truth != NOT_AN_INDEX
    out = {"indices": float((guess == truth)[real].mean()), "none": float((guess == truth)[~real].mean())}
    for lo, hi in ((9, 12), (12, 16), (16, 24), (24, 36), (36, 200)):
        band = real & (data.h >= lo) & (data.h < hi)
        if band.any():
            out[f"{lo}-{hi}px"] = float((guess == truth)[band].mean())
    return out


def temperature(logits: torch.Tensor, truth: np.ndarray) -> float:
    """The one divisor of the logits that makes held-out probabilities honest (Guo et al. 2017)."""
    y = torch.from_numpy(truth.astype(np.int64))
    losses = {t: float(nn.functional.cross_entropy(logits / t, y)) for t in np.geomspace(0.3, 4, 80)}
    return float(min(losses, key=losses.__getitem__))


def _average(mean: list[torch.Tensor], new: list[torch.Tensor], updates: torch.Tensor) -> None:
    """Exponential mean that forgets its first, untrained members soon."""
    keep = min(0.998, (1 + int(updates)) / (20 + int(updates)))
    with torch.no_grad():
        for m, n in zip(mean, new, strict=True):
            if m.dtype.is_floating_point:
                m.lerp_(n, 1 - keep)
            else:
                m.copy_(n)


def batches(count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    while True:
        yield np.sort(rng.integers(0, count, BATCH))


def revived(file: Path, data: Patches) -> ReaderNet:
    """The network of an export, ready to train on."""
    named, convolutions = revive.folded_weights(file)
    net = ReaderNet()
    for head in ("rank", "suit", "none"):
        layer: nn.Linear = getattr(net, head)
        layer.load_state_dict({k: named[f"{head}.{k}"] for k in ("weight", "bias")})
    blocks = [b for b in net.features if isinstance(b, nn.Sequential)]
    pairs: revive.Folded = [(b[0], b[1], *folded) for b, folded in zip(blocks, convolutions, strict=True)]
    at = np.sort(np.random.default_rng(0).choice(len(data), min(4096, len(data)), replace=False))
    revive.unfold(net, pairs, (data.take(at[k : k + 512]) for k in range(0, len(at), 512)))
    return net.train()


def train(
    train_dirs: list[Path],
    held_dir: Path,
    out: Path,
    minutes: float,
    resume: bool = False,
    start: Path | None = None,
) -> Path:
    """Train for `minutes` in all; `resume` goes on with an interrupted run, `start` from an export."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    data, held = Patches(*train_dirs), Patches(held_dir)
    net = (revived(start, data) if start else ReaderNet()).to(memory_format=torch.channels_last)
    rate = FURTHER_RATE if start else PEAK_RATE
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    mean = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=_average, use_buffers=True)
    last = out / "last.pt"
    spent, step = 0.0, 0
    if resume and last.exists():
        kept = torch.load(last, weights_only=True)
        net.load_state_dict(kept["net"])
        mean.load_state_dict(kept["mean"])
        optimizer.load_state_dict(kept["optimizer"])
        spent, step = kept["spent"], kept["step"]
    begun, told = time.monotonic() - spent, time.monotonic()
    rng = np.random.default_rng(step)
    print(
        f"{len(data)} patches, {len(held)} held out, {sum(p.numel() for p in net.parameters())} weights",
        flush=True,
    )
    for at in batches(len(data), rng):
        share = (time.monotonic() - begun) / (60 * minutes)
        if share >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 200) * (0.5 * (1 + math.cos(math.pi * share)) + 0.003)
        x, y = augment(data.take(at)), torch.from_numpy(data.y[at].astype(np.int64))
        with torch.autocast("cpu", torch.bfloat16):
            logits = net(x)
        loss = nn.functional.cross_entropy(logits.float(), y, label_smoothing=0.03)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean.update_parameters(net)
        step += 1
        if time.monotonic() - told > 90:
            scores = " ".join(f"{k} {v:.4f}" for k, v in report(predict(mean.module, held), held).items())
            print(f"step {step} {share:.0%} loss {loss.item():.3f} {scores}", flush=True)
            spent = time.monotonic() - begun
            torch.save(
                {
                    "net": net.state_dict(),
                    "mean": mean.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "spent": spent,
                    "step": step,
                },
                last,
            )
            told = time.monotonic()
    final = out / "reader.pt"
    logits = predict(mean.module, held)
    torch.save(
        {
            "net": mean.module.state_dict(),
            "temperature": temperature(logits, held.y),
            "steps": step,
            "held_out": report(logits, held),
        },
        final,
    )
    print(
        f"done: {step} steps, {report(logits, held)}, temperature {temperature(logits, held.y):.3f}",
        flush=True,
    )
    return final


def export(weights: Path, target: Path) -> dict[str, Any]:
    """Write ONNX, "patches" float (n, 3, 64, 40) BGR 0..255 to "logits" (n, 53); returns the notes."""
    kept = torch.load(weights, weights_only=True)
    net = ReaderNet()
    net.load_state_dict(kept["net"])
    torch.onnx.export(
        net.eval(),
        (torch.zeros(2, 3, PATCH_HEIGHT, PATCH_WIDTH),),
        str(target),
        input_names=["patches"], output_names=["logits"],
        dynamic_axes={"patches": {0: "n"}, "logits": {0: "n"}}, opset_version=17, dynamo=False,
    )  # fmt: skip
    return {k: kept[k] for k in ("temperature", "steps", "held_out")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("train", type=Path, nargs="+")
    parser.add_argument("held_out", type=Path)
    parser.add_argument("--out", type=Path, default=Path("runs/reader"))
    parser.add_argument("--start", type=Path, help="an exported network to go on from")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args()
    train(a.train, a.held_out, a.out, a.minutes, a.resume, a.start)


if __name__ == "__main__":
    main()
