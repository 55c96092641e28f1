"""Scenes for the finder from photographs with hand-read labels, `dev` parts only, in YOLO pose form.

    python -m vision.training.phototiles SCENES [--webcam 24] [--close 6] [--shared ../shared]

Tiles are cut from each photograph turned and scaled anew, and written beside the drawn scenes. The labels
are boxes around indices; which way an index stands is a find's word, or else the reader's, who tries all
directions for the labelled face. A labelled index whose direction stays unknown is painted over; one that
is found and read without a label is taught: labels leave some out.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.detector import OnnxFinder, load_finder
from vision.glyphs import load_reader
from vision.patches import cut
from vision.training.datasets import write_scene
from vision.training.photos import indices, labelled, seen
from vision.training.scenes import Label
from vision.types import CLASSES, NOT_AN_INDEX, Array, GlyphReader, Image

SIDE = 416
WIDE = 0.62
"""An index's width in its heights, as a rule."""
DIRECTIONS = np.radians(np.arange(0, 360, 10))
SURE, NO_INDEX, SEEN = 0.3, 0.5, 0.4
"""Probability of the labelled face from which a direction is believed; of "not an index" from which an
unlabelled find is none; the finder's score from which one is looked at."""
HEIGHTS = (14.0, 56.0)
"""Between which an index's height in a tile is drawn, in pixels."""


def stood(image: Image, box: dict[str, Any], reader: GlyphReader) -> tuple[Array, Array] | None:
    """Top and foot of a labelled index that was not found, None if in no direction the face is read."""
    middle = np.array([box["x1"] + box["x2"], box["y1"] + box["y2"]]) / 2
    ups = np.stack((np.sin(DIRECTIONS), -np.cos(DIRECTIONS)), axis=1)
    size = (box["x2"] - box["x1"] + box["y2"] - box["y1"]) / ((1 + WIDE) * np.abs(ups).sum(1))
    half = ups * size[:, None] / 2
    read = reader.read(cut(image, middle + half, middle - half))[:, CLASSES.index(box["face"])]
    best = int(np.argmax(read))
    return (middle + half[best], middle - half[best]) if read[best] > SURE else None


def marked(
    image: Image, boxes: list[dict[str, Any]], finder: OnnxFinder, reader: GlyphReader
) -> tuple[Image, list[tuple[int, Array, Array]]]:
    """The photograph, unclear indices painted over, and face, top and foot of every other one."""
    image, marks = image.copy(), []
    tops, feet, read = seen(image, [b for b in finder.find(image) if b.score > SEEN], reader)
    mine: dict[int, int] = {}
    for k, box in indices(boxes, tops, feet):
        if read[k, CLASSES.index(box["face"])] > SURE:
            mine[id(box)] = k
    for box in boxes:
        if id(box) in mine:
            k = mine[id(box)]
            marks.append((CLASSES.index(box["face"]), tops[k], feet[k]))
        elif (way := stood(image, box, reader)) is not None:
            marks.append((CLASSES.index(box["face"]), *way))
        else:
            x0, y0, x1, y1 = (max(0, int(box[side])) for side in ("x1", "y1", "x2", "y2"))
            image[y0:y1, x0:x1] = cv2.blur(image[y0:y1, x0:x1], (25, 25))
    for k, (x, y) in enumerate((tops + feet) / 2):
        inside = any(b["x1"] <= x <= b["x2"] and b["y1"] <= y <= b["y2"] for b in boxes)
        if not inside and read[k, NOT_AN_INDEX] < NO_INDEX:
            marks.append((int(read[k, :NOT_AN_INDEX].argmax()), tops[k], feet[k]))
    return image, marks


def tiles(
    image: Image, marks: list[tuple[int, Array, Array]], count: int, rng: np.random.Generator
) -> Iterator[tuple[Image, list[Label]]]:
    """Cuts of a photograph around one of its indices, turned and scaled by chance."""
    for _ in range(count):
        _, top, foot = marks[rng.integers(len(marks))]
        height = np.exp(rng.uniform(*np.log(HEIGHTS)))
        scale, turn = height / np.linalg.norm(top - foot), rng.uniform(0, 2 * np.pi)
        scale = min(scale, 1.6)
        c, s = scale * np.cos(turn), scale * np.sin(turn)
        matrix = np.array([[c, -s], [s, c]])
        shift = rng.uniform(0.2, 0.8, 2) * SIDE - matrix @ ((top + foot) / 2)
        how = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
        source, full = image, np.column_stack((matrix, shift))
        while scale < 0.55:  # warping thins without a mean
            source = cv2.resize(source, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            scale, full = scale * 2, full @ np.diag([2.0, 2.0, 1.0])
        grey = tuple(float(v) for v in rng.uniform(0, 255, 3))
        tile = cv2.warpAffine(source, full, (SIDE, SIDE), flags=how, borderValue=grey)
        if rng.random() < 0.3:
            tile = cv2.GaussianBlur(tile, (0, 0), rng.uniform(0.4, 1.2))
        gain, lift = rng.uniform(0.75, 1.2), rng.uniform(-25, 25)
        tile = cv2.convertScaleAbs(tile, alpha=gain, beta=lift) if lift >= 0 else cv2.subtract(tile, -lift)
        labels = []
        for face, t, f in marks:
            t, f = matrix @ t + shift, matrix @ f + shift
            up = (t - f) / 2
            across = WIDE * np.array([-up[1], up[0]])
            middle = (t + f) / 2
            if not ((middle > 2) & (middle < SIDE - 2)).all():
                continue
            quad = np.array([middle + up - across, middle + up + across,
                             middle - up + across, middle - up - across])  # fmt: skip
            labels.append(Label(face, quad, 1.0))
        yield np.asarray(tile, np.uint8), labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="a folder written by `datasets scenes`")
    parser.add_argument("--webcam", type=int, default=24, help="tiles of a photograph with many cards")
    parser.add_argument("--close", type=int, default=6, help="tiles of a photograph of one or two cards")
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("BOOKWATCH_SHARED", "../shared")))
    a = parser.parse_args()
    rng, finder, reader = np.random.default_rng(5), load_finder(), load_reader()
    written = 0
    for n, (image, boxes) in enumerate(labelled(a.shared / "data" / "cadyze-table")):
        clear, marks = marked(image, boxes, finder, reader)
        if not marks:
            continue
        for k, (tile, labels) in enumerate(tiles(clear, marks, a.webcam if len(boxes) > 4 else a.close, rng)):
            name = f"photo_{n:03d}_{k:02d}"
            write_scene(a.out, name, tile, labels, quality=92)
            written += 1
    print(f"{written} tiles")


if __name__ == "__main__":
    main()
