"""Patches from photographs with hand-read labels, `dev` parts only, in the form that the reader trains on.

    python -m vision.training.photos OUT --copies 24 [--shared ../shared]

The labels are boxes around indices or whole cards. Where an index lies and which way it stands is the
finder's word: a find whose middle lies in exactly one labelled box takes that box's face. A find on a
whole card that the present reader calls no index (a pip, say) stays that, and one that it reads surely as
another face is left out: labels have errors too.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.patches import cut
from vision.types import CLASSES, NOT_AN_INDEX, Array, GlyphReader, Image, IndexBox

SETS = ("edje-pinochle", "cadyze-table")
SURE_OF_NONE, SURE_OF_OTHER = 0.5, 0.9
MARGIN = 4.0
"""Pixels by which a find's middle may lie outside its box: labels are not exact."""


def labelled(folder: Path) -> Iterator[tuple[Image, list[dict[str, Any]]]]:
    """Each picture of the `dev` part with its labelled boxes. Raises SystemExit if a picture is missing."""
    for entry in json.loads((folder / "annotations.json").read_text()):
        if entry["part"] != "dev":
            continue
        image = cv2.imread(str(folder / entry["image"]))
        if image is None:
            raise SystemExit(f"{folder / entry['image']} is not there or not a picture")
        yield image, [b for b in entry["boxes"] if b.get("face") in CLASSES]


def seen(image: Image, found: list[IndexBox], reader: GlyphReader) -> tuple[Array, Array, Array]:
    """Tops and feet (n, 2) of finds, in pixels, and their readings (n, classes)."""
    tops = np.array([b.top for b in found], np.float64).reshape(-1, 2)
    feet = np.array([b.foot for b in found], np.float64).reshape(-1, 2)
    return tops, feet, reader.read(cut(image, tops, feet)) if found else np.zeros((0, len(CLASSES)))


def indices(boxes: list[dict[str, Any]], tops: Array, feet: Array) -> list[tuple[int, dict[str, Any]]]:
    """(find, box) of each find that lies in exactly one labelled box."""
    out = []
    for k, (x, y) in enumerate((tops + feet) / 2):
        inside = [
            b
            for b in boxes
            if b["x1"] - MARGIN <= x <= b["x2"] + MARGIN and b["y1"] - MARGIN <= y <= b["y2"] + MARGIN
        ]
        if len(inside) == 1:
            out.append((k, inside[0]))
    return out


def judged(read: Array, box: dict[str, Any]) -> int | None:
    """The class to train a find as, None to leave it out; `read`: the present reader's probabilities."""
    labelled_as = CLASSES.index(box["face"])
    if box["box_kind"] == "card" and read[NOT_AN_INDEX] > SURE_OF_NONE:
        return NOT_AN_INDEX
    other = np.delete(read, [labelled_as, NOT_AN_INDEX]).max()
    return None if other > SURE_OF_OTHER else labelled_as


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--copies", type=int, default=24, help="jittered patches an index")
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("BOOKWATCH_SHARED", "../shared")))
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    rng, finder, reader = np.random.default_rng(3), load_finder(), load_reader()
    for part, name in enumerate(SETS):
        x, y, h = [], [], []
        for image, boxes in labelled(a.shared / "data" / name):
            tops, feet, read = seen(image, finder.find(image), reader)
            judgements = [(k, judged(read[k], box)) for k, box in indices(boxes, tops, feet)]
            taken = [(k, c) for k, c in judgements if c is not None]
            at = np.repeat([k for k, _ in taken], a.copies).astype(int)
            x.append(cut(image, tops[at], feet[at], rng))
            y += [c for _, c in taken for _ in range(a.copies)]
            h += list(np.linalg.norm(tops[at] - feet[at], axis=1))
        np.save(a.out / f"x{part:03d}.npy", np.concatenate(x))
        np.savez(a.out / f"y{part:03d}.npz", y=np.array(y, np.uint8), h=np.array(h, np.float32))
        print(f"{name}: {len(y) // a.copies} indices, {len(y)} patches", flush=True)


if __name__ == "__main__":
    main()
