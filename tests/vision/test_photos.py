"""The installed networks on real photographs of a pinochle deck: a smoke test of the whole eye.

The full figures are `benchmarks/photos.py`'s.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.deck import SINGLE
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.weights import models_folder

SHARED = Path(os.environ.get("BOOKWATCH_SHARED") or Path(__file__).resolve().parents[3] / "shared")
PHOTOS = SHARED / "data" / "edje-pinochle"


@pytest.fixture(scope="module")
def reader() -> CardReader:
    if not (models_folder() / "models.json").exists():
        pytest.skip("the networks are not installed (models/models.json)")
    return CardReader(load_finder(threads=1), load_reader(threads=1), SINGLE)


def alone(part: str) -> list[dict[str, Any]]:
    """Photographs of one card."""
    if not PHOTOS.is_dir():
        pytest.skip(f"no photographs in {PHOTOS}; set BOOKWATCH_SHARED")
    entries = json.loads((PHOTOS / "annotations.json").read_text(encoding="utf-8"))
    return [e for e in entries if e["part"] == part and len(e["boxes"]) == 1]


def test_real_cards_are_read(reader: CardReader) -> None:
    entries = alone("dev")[::12]
    right = 0
    for entry in entries:
        image = np.asarray(cv2.imread(str(PHOTOS / entry["image"])), np.uint8)
        box = entry["boxes"][0]
        inside = [
            c
            for c in reader.read(image)
            if box["x1"] < c.center[0] < box["x2"] and box["y1"] < c.center[1] < box["y2"]
        ]
        right += bool(inside) and str(max(inside, key=lambda c: c.probability).face) == box["face"]
    assert len(entries) >= 8
    assert right >= 0.9 * len(entries) - 1


def test_a_picture_without_cards_is_read_as_empty(reader: CardReader) -> None:
    rng = np.random.default_rng(1)
    felt = rng.normal((60, 110, 50), 6, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    assert reader.read(felt) == []
