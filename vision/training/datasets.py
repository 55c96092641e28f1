"""Writes training sets: scenes in YOLO pose form for the finder, upright patches for the reader.

python -m vision.training.datasets finder OUT --scenes 30000 --size 416
python -m vision.training.datasets reader OUT --patches 600000
(add --held-out for the decks that are kept for evaluation)
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from vision.patches import cut
from vision.simulator.borrowed import HELD_OUT_FAMILIES, borrowed_decks
from vision.simulator.deckart import DeckArt
from vision.simulator.drawn import EVALUATION_SEEDS, own_deck
from vision.training.scenes import VISIBLE, Label, Scene, SceneMaker
from vision.types import NOT_AN_INDEX, PATCH_HEIGHT, PATCH_WIDTH, Floats, Image

CHANGE_DECKS = 250
"""Scenes after which a worker takes other decks."""
SMALLEST = 9.0
"""Pixels: a lower index is neither sought nor read."""
DEFAULT_ART = Path(os.environ.get("BOOKWATCH_SHARED", "../shared")) / "data" / "card-art"
DEFAULT_CACHE = Path("runs/decks")


def choose_decks(
    rng: np.random.Generator, count: int, art: Path, cache: Path, held_out: bool = False
) -> list[DeckArt]:
    """Own decks, and borrowed ones where `art` is there; training and evaluation never share one."""
    borrowed = [d for d in borrowed_decks(art, cache) if (d.family in HELD_OUT_FAMILIES) == held_out]
    decks: list[DeckArt] = []
    for _ in range(count):
        if borrowed and rng.random() < 0.4:
            decks.append(borrowed[rng.integers(len(borrowed))])
        elif held_out:
            decks.append(own_deck(EVALUATION_SEEDS.start + int(rng.integers(10_000))))
        else:
            decks.append(own_deck(int(rng.integers(EVALUATION_SEEDS.start)), fonts=bool(rng.random() < 0.6)))
    return decks


def scenes(count: int, size: int, seed: int, art: Path, cache: Path, held_out: bool) -> Iterator[Scene]:
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, 77])
    maker = SceneMaker(choose_decks(rng, 12, art, cache, held_out), size, seed)
    for i in range(count):
        if i % CHANGE_DECKS == CHANGE_DECKS - 1:
            maker.replace_decks(choose_decks(rng, 12, art, cache, held_out))
        yield maker.make()


def pose_line(label: Label, size: int) -> str:
    """class cx cy w h, then x y visible of top and foot, all but class and visibility in 0..1."""
    lo, hi = np.clip(label.quad.min(0), 0, size) / size, np.clip(label.quad.max(0), 0, size) / size
    top, foot = np.clip(label.top / size, 0, 1), np.clip(label.foot / size, 0, 1)
    centre, extent = (lo + hi) / 2, hi - lo
    numbers = " ".join(f"{v:.5f}" for v in (*centre, *extent))
    return f"0 {numbers} {top[0]:.5f} {top[1]:.5f} 2 {foot[0]:.5f} {foot[1]:.5f} 2"


def write_finder_part(
    part: int, out: Path, per_part: int, size: int, art: Path, cache: Path, held_out: bool, seed: int
) -> int:
    written = 0
    for i, scene in enumerate(scenes(per_part, size, seed * 1000 + part, art, cache, held_out)):
        name = f"{part:03d}_{i:05d}"
        cv2.imwrite(str(out / "images" / f"{name}.jpg"), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
        lines = [
            pose_line(label, size)
            for label in scene.labels
            if label.visible >= VISIBLE and label.height >= SMALLEST
        ]
        (out / "labels" / f"{name}.txt").write_text("\n".join(lines))
        written += len(lines)
    return written


def patches_of(scene: Scene, rng: np.random.Generator, copies: int) -> tuple[Image, Floats, Floats]:
    """Patches of a scene, their classes and index heights in pixels; a third of them are no index at all."""
    tops, feet, classes = [], [], []
    for label in scene.labels:
        if label.visible < 0.8 or label.height < SMALLEST:
            continue
        for _ in range(copies):
            tops.append(label.top)
            feet.append(label.foot)
            classes.append(label.face)
        roll = rng.random()
        if roll < 0.25:  # upside down
            tops.append(label.foot)
            feet.append(label.top)
        elif roll < 0.5:  # beside it: half an index, wrong size
            away = rng.uniform(0.45, 1.2) * label.height
            turn = rng.uniform(0, 2 * np.pi)
            move = away * np.array([np.cos(turn), np.sin(turn)])
            grow = (label.top - label.foot) * rng.uniform(-0.3, 0.5)
            tops.append(label.top + move + grow)
            feet.append(label.foot + move)
        elif roll < 0.6:  # sideways
            half = (label.top - label.foot) / 2
            half = np.array([-half[1], half[0]]) * rng.choice([-1, 1])
            middle = (label.top + label.foot) / 2
            tops.append(middle + half)
            feet.append(middle - half)
        else:
            continue
        classes.append(NOT_AN_INDEX)
    size = scene.image.shape[0]
    middles = np.array([(la.top + la.foot) / 2 for la in scene.labels]).reshape(-1, 2)
    for _ in range(1 + len(scene.labels) // 6):
        point, height, turn = (
            rng.uniform(0, size, 2),
            np.exp(rng.uniform(2.3, 4.0)),
            rng.uniform(0, 2 * np.pi),
        )
        if len(middles) and np.min(np.linalg.norm(middles - point, axis=1)) < 0.7 * height:
            continue
        half = np.array([np.cos(turn), np.sin(turn)]) * height / 2
        tops.append(point + half)
        feet.append(point - half)
        classes.append(NOT_AN_INDEX)
    tops, feet = np.array(tops).reshape(-1, 2), np.array(feet).reshape(-1, 2)
    heights = np.linalg.norm(tops - feet, axis=1).astype(np.float32)
    return cut(scene.image, tops, feet, rng), np.array(classes, np.uint8), heights


def write_reader_part(
    part: int, out: Path, per_part: int, size: int, art: Path, cache: Path, held_out: bool, seed: int
) -> int:
    rng = np.random.default_rng([seed, part, 9])
    x = np.lib.format.open_memmap(
        out / f"x{part:03d}.npy", "w+", np.uint8, (per_part, PATCH_HEIGHT, PATCH_WIDTH, 3)
    )
    y, h = np.zeros(per_part, np.uint8), np.zeros(per_part, np.float32)
    filled = 0
    for scene in scenes(10**9, size, seed * 1000 + part, art, cache, held_out):
        px, py, ph = patches_of(scene, rng, copies=1 if held_out else 2)
        n = min(len(py), per_part - filled)
        x[filled : filled + n], y[filled : filled + n], h[filled : filled + n] = px[:n], py[:n], ph[:n]
        filled += n
        if filled == per_part:
            break
    x.flush()
    np.savez(out / f"y{part:03d}.npz", y=y, h=h)
    return filled


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("finder", "reader"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=int, default=30_000)
    parser.add_argument("--patches", type=int, default=600_000)
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--art", type=Path, default=DEFAULT_ART)
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    a = parser.parse_args(argv)
    borrowed_decks(a.art, a.cache)  # fill the cache once, before the workers start
    parts = max(a.workers, 1) * 8
    if a.what == "finder":
        (a.out / "images").mkdir(parents=True, exist_ok=True)
        (a.out / "labels").mkdir(exist_ok=True)
        job, per_part = write_finder_part, -(-a.scenes // parts)
    else:
        a.out.mkdir(parents=True, exist_ok=True)
        job, per_part = write_reader_part, -(-a.patches // parts)
    job = partial(
        job,
        out=a.out,
        per_part=per_part,
        size=a.size,
        art=a.art,
        cache=a.cache,
        held_out=a.held_out,
        seed=a.seed,
    )
    started, total = time.monotonic(), 0
    with ProcessPoolExecutor(a.workers) as pool:
        for done, n in enumerate(pool.map(job, range(parts)), 1):
            total += n
            print(f"{done}/{parts} parts, {total} indices, {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
