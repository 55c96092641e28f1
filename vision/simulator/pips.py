"""Suit pips as outlines, and where the pips of a number card stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.cards import Suit
from vision.simulator.glyphs_drawn import Curve, bezier, crop
from vision.types import Image

_SIDE: Final = 400
"""Pixels of height of the masks made here; they are scaled down to use."""


@dataclass(frozen=True, slots=True)
class PipStyle:
    """Shapes of the four pips; widths are in heights."""

    spade_width: float = 0.85
    spade_waist: float = 0.62
    """How far down the spade is widest."""
    spade_stem: float = 0.3
    heart_width: float = 0.9
    heart_notch: float = 0.16
    heart_full: float = 0.55
    """How round the heart's lower sides are."""
    diamond_width: float = 0.78
    diamond_hollow: float = 0.12
    """How far the diamond's sides bend inwards; 0 for straight."""
    club_width: float = 0.95
    club_leaf: float = 0.25
    """Radius of a leaf."""
    club_stem: float = 0.24


def random_style(rng: np.random.Generator, reach: float = 1.0) -> PipStyle:
    """Shapes as playing cards have them. `reach`: how far from the middle of the usual, 1 for the usual."""

    def u(low: float, high: float) -> float:
        middle, half = (low + high) / 2, (high - low) / 2 * reach
        return float(rng.uniform(middle - half, middle + half))

    return PipStyle(
        spade_width=u(0.72, 0.98),
        spade_waist=u(0.55, 0.66),
        spade_stem=u(0.16, 0.36),
        heart_width=u(0.8, 1.05),
        heart_notch=u(0.1, 0.22),
        heart_full=u(0.4, 0.75),
        diamond_width=u(0.64, 0.9),
        diamond_hollow=max(0.0, u(-0.06, 0.18)),
        club_width=u(0.84, 1.04),
        club_leaf=u(0.225, 0.275),
        club_stem=u(0.14, 0.3),
    )


def pip_mask(style: PipStyle, suit: Suit) -> Image:
    """Ink of an upright pip, uint8 0 or 255, cropped to the ink, about _SIDE pixels high."""
    canvas: Image = np.zeros((_SIDE + 20, 2 * _SIDE), np.uint8)
    if suit == "H":
        b = style.heart_full
        half = bezier((0, style.heart_notch), (0.12, -0.12), (1, -0.16), (1, 0.3), (1, 0.3 + b * 0.5),
                      (0.3 + b * 0.1, 0.55 + b * 0.3), (0, 1))  # fmt: skip
        _fill(canvas, _mirrored(half), style.heart_width)
    elif suit == "D":
        h = style.diamond_hollow
        half = bezier((0, 0), (0.33 - h, 0.167), (0.67 - h, 0.333 + h / 4), (1, 0.5),
                      (0.67 - h, 0.667 - h / 4), (0.33 - h, 0.833), (0, 1))  # fmt: skip
        _fill(canvas, _mirrored(half), style.diamond_width)
    elif suit == "S":
        w = style.spade_waist
        half = bezier(
            (0, 0), (0.16, 0.26), (1, w - 0.22), (1, w), (1, w + 0.32), (0.3, w + 0.24), (0.04, 0.7)
        )
        _fill(canvas, _mirrored(half), style.spade_width)
        _stem(canvas, style.spade_stem)
    else:
        r = style.club_leaf
        out = style.club_width / 2 - r
        for x, y in ((0.0, r), (-out, 0.6), (out, 0.6), (0.0, 0.5)):
            radius = r if y != 0.5 else r * 0.55
            center = (round((_SIDE + x * _SIDE) * 16), round((10 + y * _SIDE) * 16))
            cv2.circle(canvas, center, round(radius * _SIDE * 16), 255, -1, shift=4)
        _stem(canvas, style.club_stem)
    return crop(canvas)


def _mirrored(half: Curve) -> Curve:
    return np.concatenate([half, half[::-1] * (-1, 1)])


def _stem(canvas: Image, flare: float) -> None:
    half = bezier((0.035, 0.55), (0.04, 0.8), (flare * 0.5, 0.95), (flare, 1))
    _fill(canvas, _mirrored(half), 2 * 0.5)


def _fill(canvas: Image, outline: Curve, width: float) -> None:
    points = outline * (width / 2 * _SIDE, _SIDE) + (_SIDE, 10)
    cv2.fillPoly(canvas, [np.round(points * 16).astype(np.int32)], 255, shift=4)


_ROWS: Final = {
    1: ((), (1 / 2,)),
    2: ((), (0, 1)),
    3: ((), (0, 1 / 2, 1)),
    4: ((0, 1), ()),
    5: ((0, 1), (1 / 2,)),
    6: ((0, 1 / 2, 1), ()),
    7: ((0, 1 / 2, 1), (1 / 4,)),
    8: ((0, 1 / 2, 1), (1 / 4, 3 / 4)),
    9: ((0, 1 / 3, 2 / 3, 1), (1 / 2,)),
    10: ((0, 1 / 3, 2 / 3, 1), (1 / 6, 5 / 6)),
}
"""Heights of the pips in the two outer columns and in the middle one."""


def pip_places(count: int) -> list[tuple[float, float]]:
    """Where the pips of a number card stand: (x, y), x -1 left to 1 right, y 0 top row to 1 bottom row.

    Pips below the middle stand on their heads.
    """
    outer, middle = _ROWS[count]
    return [(x, y) for y in outer for x in (-1.0, 1.0)] + [(0.0, y) for y in middle]
