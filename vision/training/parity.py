"""Holds an exported network to the trained one: both on the same pictures, told apart by at most so much.

`pack` does it at every export, before `models.json` is written; a mistake in the export, the halving or the
order of the classes would show here and nowhere else.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import torch
from ultralytics import YOLO

from vision.patches import cut
from vision.training.datasets import scenes
from vision.training.reader import ReaderNet
from vision.types import Floats
from vision.weights import session

SCORE, PLACE, PROBABILITY = 0.02, 0.5, 0.02
"""The most that a score, a place in pixels, a probability may differ: float16 weights cost a little."""
TELLING = 0.05
"""Score from which a detection's place is compared: below it means nothing."""
SIZE = 320


@cache
def drawn() -> tuple[Floats, Floats]:
    """Scenes (n, 3, SIZE, SIZE) RGB 0..1 and patches (m, 3, 64, 40) BGR 0..255 of their indices."""
    images, patches = [], []
    for scene in scenes(4, SIZE, 8, Path("none"), Path("none"), held_out=False, crowd=6):
        images.append(scene.image[..., ::-1].transpose(2, 0, 1) / 255)
        tops = np.array([label.top for label in scene.labels]).reshape(-1, 2)
        feet = np.array([label.foot for label in scene.labels]).reshape(-1, 2)
        patches.append(cut(scene.image, tops, feet))
    return np.asarray(images, np.float32), np.concatenate(patches).transpose(0, 3, 1, 2).astype(np.float32)


def finder(trained: Path, exported: Path) -> str:
    """How far the two differ, in words. Raises SystemExit beyond what is allowed."""
    x, _ = drawn()
    net = YOLO(str(trained)).model.float().eval()
    with torch.no_grad():
        theirs = net(torch.from_numpy(x))
    theirs = np.asarray(theirs[0] if isinstance(theirs, tuple) else theirs)
    ours = session(exported, 0).run(None, {"images": x})[0]
    if ours.shape != theirs.shape:
        raise SystemExit(f"{exported} answers {ours.shape}, {trained} {theirs.shape}")
    score = float(np.abs(ours[:, 4] - theirs[:, 4]).max())
    if ours[:, 4].max() < TELLING:
        print(f"{exported} finds nothing in drawn scenes: only the scores are compared")
    telling = np.maximum(ours[:, 4], theirs[:, 4]) > TELLING
    places = [0, 1, 5, 6, 8, 9]
    off = np.abs(ours[:, places] - theirs[:, places]).transpose(0, 2, 1)[telling]
    place = float(off.max(initial=0))
    return _within("finder", exported, {"score": (score, SCORE), "place in pixels": (place, PLACE)})


def reader(trained: Path, exported: Path) -> str:
    """The same for the reader, in probabilities."""
    _, x = drawn()
    net = ReaderNet()
    net.load_state_dict(torch.load(trained, weights_only=True)["net"])
    with torch.no_grad():
        theirs = net.eval()(torch.from_numpy(x)).softmax(1).numpy()
    ours = torch.from_numpy(session(exported, 0).run(None, {"patches": x})[0]).softmax(1).numpy()
    off = float(np.abs(ours - theirs).max())
    return _within("reader", exported, {"probability": (off, PROBABILITY)})


def _within(name: str, exported: Path, found: dict[str, tuple[float, float]]) -> str:
    for what, (off, most) in found.items():
        if not off <= most:
            raise SystemExit(f"{exported}: a {what} is {off:.4f} off the trained {name}'s; {most} is allowed")
    return f"{name} exported: " + ", ".join(
        f"{what} at most {off:.4f} off" for what, (off, _) in found.items()
    )
