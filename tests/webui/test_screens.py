"""docs/screens.md: every screen at the three sizes, and no picture too large for a page of documentation."""

from __future__ import annotations

import re
from pathlib import Path

import cv2

DOCS = Path(__file__).parents[2] / "docs"
SIZES = {"phone": (780, 1688), "tablet": (820, 1180), "screen": (1920, 1080)}
"""Pixels; a phone has two for each of its page."""


def test_every_screen_is_shown_at_three_sizes() -> None:
    shown = re.findall(r"\((images/[^)]+)\)", (DOCS / "screens.md").read_text(encoding="utf-8"))
    names = {Path(path).stem.rpartition("-")[0] for path in shown}
    assert {"director", "proof", "table", "bids", "casual", "set-up"} <= names
    assert sorted(shown) == sorted(f"images/{name}-{size}.webp" for name in names for size in SIZES)
    for path in shown:
        file = DOCS / path
        assert file.stat().st_size < 150_000, path
        height, width = cv2.imread(str(file)).shape[:2]
        assert (width, height) == SIZES[file.stem.rpartition("-")[2]], path
