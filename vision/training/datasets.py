"""Writes training sets: scenes in YOLO pose form for the finder, upright patches for the reader.

python -m vision.training.datasets scenes OUT --scenes 30000 --size 416
python -m vision.training.datasets patches OUT --scenes-dir SCENES --copies 3
(add --held-out for the decks that are kept for evaluation)
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from engine.cards import Rank
from vision.patches import cut
from vision.simulator import courts
from vision.simulator.borrowed import HELD_OUT_FAMILIES, borrowed_decks
from vision.simulator.deckart import DeckArt
from vision.simulator.drawn import EVALUATION_SEEDS, own_deck
from vision.training.scenes import VISIBLE, Label, Scene, SceneMaker
from vision.types import NOT_AN_INDEX, Array, Image

CHANGE_DECKS, CHANGED = 24, 2
"""After so many scenes a worker changes so many decks: drawing a deck costs as much as ten scenes."""
PANELS = 64
"""Court pictures that a worker draws once and gives to all its decks: most of a deck's cost."""
SMALLEST = 9.0
"""Pixels: a lower index is neither sought nor read."""
DEFAULT_ART = Path(os.environ.get("BOOKWATCH_SHARED", "../shared")) / "data" / "card-art"
DEFAULT_CACHE = Path("runs/decks")


class Decks:
    """Own decks, and borrowed ones where `art` is there; training and evaluation never share one."""

    def __init__(self, rng: np.random.Generator, art: Path, cache: Path, held_out: bool) -> None:
        self._rng, self._held_out = rng, held_out
        self._borrowed = [
            d for d in borrowed_decks(art, cache) if (d.family in HELD_OUT_FAMILIES) == held_out
        ]
        self._panels: dict[Rank, list[Image]] = {}

    def choose(self, count: int) -> list[DeckArt]:
        rng = self._rng
        decks: list[DeckArt] = []
        for _ in range(count):
            if self._borrowed and rng.random() < 0.3:
                decks.append(self._borrowed[rng.integers(len(self._borrowed))])
            elif self._held_out:
                decks.append(own_deck(EVALUATION_SEEDS.start + int(rng.integers(10_000))))
            else:
                seed = int(rng.integers(EVALUATION_SEEDS.start))
                decks.append(own_deck(seed, bool(rng.random() < 0.75), self._panel))
        return decks

    def _panel(self, rank: Rank) -> Image:
        drawn = self._panels.setdefault(rank, [])
        if len(drawn) < PANELS // 3:
            style = courts.random_style(self._rng, (250, 252, 254))
            drawn.append(courts.draw_court(rank, style, self._rng, 240, 380))
        return drawn[self._rng.integers(len(drawn))]


def scenes(
    count: int, size: int, seed: int, art: Path, cache: Path, held_out: bool, crowd: int
) -> Iterator[Scene]:
    cv2.setNumThreads(1)
    box = Decks(np.random.default_rng([seed, 77]), art, cache, held_out)
    decks = box.choose(8)
    maker = SceneMaker(decks, size, seed, crowd=crowd)
    for i in range(count):
        if i % CHANGE_DECKS == CHANGE_DECKS - 1:
            decks = decks[CHANGED:] + box.choose(CHANGED)
            maker.replace_decks(decks)
        yield maker.make()


def pose_line(label: Label, size: int) -> str:
    """face cx cy w h, then x y visible of top and foot, all but face and visibility in 0..1."""
    lo, hi = np.clip(label.quad.min(0), 0, size) / size, np.clip(label.quad.max(0), 0, size) / size
    top, foot = np.clip(label.top / size, 0, 1), np.clip(label.foot / size, 0, 1)
    centre, extent = (lo + hi) / 2, hi - lo
    numbers = " ".join(f"{v:.5f}" for v in (*centre, *extent))
    return f"{label.face} {numbers} {top[0]:.5f} {top[1]:.5f} 2 {foot[0]:.5f} {foot[1]:.5f} 2"


def write_scenes(
    part: int,
    out: Path,
    per_part: int,
    size: int,
    art: Path,
    cache: Path,
    held_out: bool,
    seed: int,
    crowd: int,
) -> int:
    written = 0
    for i, scene in enumerate(scenes(per_part, size, seed * 1000 + part, art, cache, held_out, crowd)):
        name = f"{part:03d}_{i:05d}"
        written += write_scene(out, name, scene.image, scene.labels)
    return written


def write_scene(out: Path, name: str, image: Image, labels: Sequence[Label], quality: int = 95) -> int:
    """A square picture and its label file, in YOLO pose form; how many indices were labelled."""
    cv2.imwrite(str(out / "images" / f"{name}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    taught = [label for label in labels if label.visible >= VISIBLE and label.height >= SMALLEST]
    lines = [pose_line(label, image.shape[0]) for label in taught]
    (out / "labels" / f"{name}.txt").write_text("\n".join(lines))
    return len(lines)


class Index(NamedTuple):
    """An index as a scene's label file gives it: face, and top and foot in pixels."""

    face: int
    top: Array
    foot: Array

    @property
    def height(self) -> float:
        return float(np.linalg.norm(self.top - self.foot))


def read_scene(image_file: Path) -> tuple[Image, list[Index]]:
    image = cv2.imread(str(image_file))
    if image is None:
        raise SystemExit(f"{image_file} is not a picture: make the scenes again")
    text = image_file.parent.parent / "labels" / f"{image_file.stem}.txt"
    rows = [np.array(line.split(), np.float32) for line in text.read_text().splitlines()]
    scale = np.array(image.shape[1::-1], np.float32)
    return image, [Index(int(r[0]), r[5:7] * scale, r[8:10] * scale) for r in rows]


def patches_of(
    image: Image, indices: Sequence[Index], rng: np.random.Generator, copies: int
) -> tuple[Image, Array, Array]:
    """Patches of a scene, their classes and index heights in pixels; some of them are no index at all."""
    tops, feet, classes = [], [], []

    def add(top: Array, foot: Array, cls: int = NOT_AN_INDEX) -> None:
        tops.append(top)
        feet.append(foot)
        classes.append(cls)

    for face, top, foot in indices:
        for _ in range(copies):
            add(top, foot, face)
        middle, half = (top + foot) / 2, (top - foot) / 2
        roll = rng.random()
        if roll < 0.3:  # upside down
            add(foot, top)
        elif roll < 0.6:  # beside it, and of a wrong size
            turn = rng.uniform(0, 2 * np.pi)
            away = rng.uniform(0.45, 1.2) * 2 * np.linalg.norm(half)
            move = away * np.array([np.cos(turn), np.sin(turn)])
            add(middle + move + half * rng.uniform(0.6, 1.6), middle + move - half)
        elif roll < 0.7:  # sideways
            across = np.array([-half[1], half[0]]) * rng.choice([-1, 1])
            add(middle + across, middle - across)
    middles = np.array([(i.top + i.foot) / 2 for i in indices]).reshape(-1, 2)
    for _ in range(1 + len(indices) // 5):
        point, height = rng.uniform(0, image.shape[0], 2), np.exp(rng.uniform(2.3, 4.0))
        if len(middles) and np.min(np.linalg.norm(middles - point, axis=1)) < 0.7 * height:
            continue
        turn = rng.uniform(0, 2 * np.pi)
        half = np.array([np.cos(turn), np.sin(turn)]) * height / 2
        add(point + half, point - half)
    top, foot = np.array(tops).reshape(-1, 2), np.array(feet).reshape(-1, 2)
    heights = np.linalg.norm(top - foot, axis=1).astype(np.float32)
    return cut(image, top, foot, rng), np.array(classes, np.uint8), heights


def write_patches(part: int, out: Path, files: Sequence[Path], parts: int, copies: int, seed: int) -> int:
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, part, 9])
    made = [patches_of(*read_scene(file), rng, copies) for file in files[part::parts]]
    x, y, h = (np.concatenate(column) for column in zip(*made, strict=True))
    np.save(out / f"x{part:03d}.npy", x)
    np.savez(out / f"y{part:03d}.npz", y=y, h=h)
    return len(y)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("scenes", "patches"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=int, default=30_000)
    parser.add_argument("--scenes-dir", type=Path)
    parser.add_argument("--copies", type=int, default=3, help="jittered patches an index")
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--crowd", type=int, default=2, help="groups of cards a scene, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--art", type=Path, default=DEFAULT_ART)
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    a = parser.parse_args(argv)
    parts = max(a.workers, 1) * 8
    a.out.mkdir(parents=True, exist_ok=True)
    if a.what == "scenes":
        borrowed_decks(a.art, a.cache)  # fill the cache once, before the workers start
        (a.out / "images").mkdir(exist_ok=True)
        (a.out / "labels").mkdir(exist_ok=True)
        job = partial(
            write_scenes, out=a.out, per_part=-(-a.scenes // parts), size=a.size, art=a.art, cache=a.cache,
            held_out=a.held_out, seed=a.seed, crowd=a.crowd,
        )  # fmt: skip
    else:
        if a.scenes_dir is None or not (files := sorted((a.scenes_dir / "images").glob("*.jpg"))):
            parser.error("patches are cut from scenes: give --scenes-dir, a folder written by `scenes`")
        job = partial(
            write_patches, out=a.out, files=files, parts=parts, copies=a.copies, seed=a.seed
        )  # fmt: skip
    started, total = time.monotonic(), 0
    # Forked workers would inherit OpenCV's locked thread pool and hang.
    with ProcessPoolExecutor(a.workers, multiprocessing.get_context("spawn")) as pool:
        for done, n in enumerate(pool.map(job, range(parts)), 1):
            total += n
            print(f"{done}/{parts} parts, {total} indices, {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
