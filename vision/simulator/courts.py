"""Court figures of our own: a bust with crown or cap, hair, patterned robe and a thing in its hand.

They need not be fine art. They are there to be busy, in the colours and with the double end of a
printed court, so that a finder learns to leave them alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.cards import Rank
from vision.simulator.backs import Colour
from vision.simulator.glyphs_drawn import Curve
from vision.types import Image

_SCALE: Final = 2
_PALETTES: Final[tuple[tuple[Colour, ...], ...]] = (
    ((40, 30, 215), (150, 70, 30), (30, 200, 240), (25, 25, 25)),
    ((60, 60, 190), (120, 90, 60), (90, 190, 220), (50, 45, 45)),
    ((50, 40, 200), (60, 120, 40), (60, 190, 235), (30, 30, 30)),
    ((180, 110, 60), (120, 70, 40), (210, 190, 160), (60, 40, 30)),
    ((70, 70, 200), (60, 50, 170), (150, 160, 235), (40, 30, 120)),
)


@dataclass(frozen=True, slots=True)
class CourtStyle:
    """What the twelve figures of a deck share. `palette`: four colours, the last for lines."""

    palette: tuple[Colour, ...]
    paper: Colour
    line: int
    slanted: bool
    """The two ends meet along a diagonal, else along a level line."""
    plain: bool
    """No figure but a big ornament, as in cheap or modern decks."""


def random_style(rng: np.random.Generator, paper: Colour) -> CourtStyle:
    """A style for a deck."""
    palette = _PALETTES[rng.choice(len(_PALETTES), p=[0.5, 0.15, 0.15, 0.1, 0.1])]
    return CourtStyle(palette, paper, int(rng.integers(2, 5)), rng.random() < 0.6, rng.random() < 0.12)


class _Painter:
    """Fills and outlines polygons given in panel widths, from the panel's upper left corner."""

    def __init__(self, image: Image, style: CourtStyle, rng: np.random.Generator) -> None:
        self.image, self.style, self.rng = image, style, rng
        self.unit = image.shape[1]
        self.line = style.palette[3]

    def colour(self) -> Colour:
        return self.style.palette[self.rng.integers(3)]

    def _points(self, outline: Curve) -> list[np.ndarray]:
        return [np.round(outline * self.unit * 16).astype(np.int32)]

    def fill(self, outline: Curve, colour: Colour, outlined: bool = True) -> None:
        points = self._points(outline)
        cv2.fillPoly(self.image, points, colour, shift=4)
        if outlined:
            cv2.polylines(self.image, points, True, self.line, self.style.line, cv2.LINE_AA, shift=4)

    def stroke(self, outline: Curve, thick: float = 1.0, colour: Colour | None = None) -> None:
        cv2.polylines(self.image, self._points(outline), False, colour or self.line,
                      max(1, round(thick * self.style.line)), cv2.LINE_AA, shift=4)  # fmt: skip

    def patterned(self, outline: Curve) -> None:
        """Fill with stripes, chequers, lozenges or dots in two colours."""
        one, two = self.rng.choice(4, 2, replace=False)
        colours = [*self.style.palette[:3], self.style.paper]
        low = np.floor(outline.min(0) * self.unit).astype(int)
        high = np.ceil(outline.max(0) * self.unit).astype(int) + 1
        low, high = np.maximum(low, 0), np.minimum(high, [self.image.shape[1], self.image.shape[0]])
        if (high <= low).any():
            return
        y, x = np.mgrid[low[1] : high[1], low[0] : high[0]].astype(np.float32)
        period = float(self.rng.uniform(0.03, 0.08)) * self.unit
        angle = float(self.rng.uniform(0, np.pi))
        u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        kind = self.rng.integers(4)
        if kind == 0:
            on = np.mod(u, period) < period / 2
        elif kind == 1:
            on = (np.mod(u, period) < period / 2) ^ (np.mod(v, period) < period / 2)
        elif kind == 2:
            on = (np.mod(u + v, period) < 0.25 * period) | (np.mod(u - v, period) < 0.25 * period)
        else:
            on = np.hypot(np.mod(u, period) - period / 2, np.mod(v, period) - period / 2) < period * 0.3
        tile = np.where(on[..., None], np.array(colours[one], np.uint8), np.array(colours[two], np.uint8))
        mask = np.zeros(tile.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round((outline * self.unit - low) * 16).astype(np.int32)], 255, shift=4)
        part = self.image[low[1] : high[1], low[0] : high[0]]
        part[mask > 0] = tile[mask > 0]
        cv2.polylines(
            self.image, self._points(outline), True, self.line, self.style.line, cv2.LINE_AA, shift=4
        )


def _oval(x: float, y: float, rx: float, ry: float, start: float = 0.0, stop: float = 2 * np.pi) -> Curve:
    t = np.linspace(start, stop, 40)
    return np.stack([x + rx * np.cos(t), y + ry * np.sin(t)], 1)


def _shape(*points: tuple[float, float]) -> Curve:
    return np.array(points, float)


def draw_court(rank: Rank, style: CourtStyle, rng: np.random.Generator, width: int, height: int) -> Image:
    """A double-ended figure that fills a panel, BGR (height, width, 3)."""
    w, h = width * _SCALE, height * _SCALE
    panel: Image = np.full((h, w, 3), style.paper, np.uint8)
    painter = _Painter(panel, style, rng)
    half = h / w / 2
    if style.plain:
        _ornament(painter, half)
    else:
        _figure(painter, rank, half)
    turned = panel[::-1, ::-1]
    lower = np.zeros((h, w), np.uint8)
    tilt = float(rng.uniform(-0.5, 0.5)) * w if style.slanted else 0.0
    cut = np.array([(0, h / 2 - tilt / 2), (w, h / 2 + tilt / 2), (w, h), (0, h)])
    cv2.fillPoly(lower, [np.round(cut).astype(np.int32)], 1)
    panel = np.where(lower[..., None] > 0, turned, panel)
    seam = np.round(cut[:2]).astype(int)
    cv2.line(panel, tuple(seam[0]), tuple(seam[1]), style.palette[3], style.line, cv2.LINE_AA)
    small: Image = cv2.resize(panel, (width, height), interpolation=cv2.INTER_AREA)
    return small


def _ornament(p: _Painter, half: float) -> None:
    for ring in range(int(p.rng.integers(2, 6)), 0, -1):
        p.fill(_oval(0.5, half, 0.09 * ring, 0.11 * ring), p.colour())
    p.patterned(_oval(0.5, half, 0.12, 0.16))


def _figure(p: _Painter, rank: Rank, half: float) -> None:
    rng = p.rng
    x = 0.5 + float(rng.uniform(-0.06, 0.12))
    head = float(rng.uniform(0.105, 0.135))
    top = head * (1.9 if rank != "J" else 1.6) + 0.01
    chin = top + head * 1.15
    # Robe: shoulders down to below the middle, in bands from the neck outwards.
    deep = half + 0.35
    left, right = float(rng.uniform(-0.02, 0.1)), float(rng.uniform(0.9, 1.02))
    shoulder = chin + head * 0.9
    p.patterned(
        _shape((x - 0.08, chin), (left, shoulder), (0, deep), (1, deep), (right, shoulder), (x + 0.08, chin))
    )
    bands = int(rng.integers(3, 6))
    for band in range(bands, 0, -1):
        spread = band / bands
        edge = _shape((x - 0.07, chin - 0.02), (x - 0.44 * spread, deep), (x + 0.44 * spread, deep),
                      (x + 0.07, chin - 0.02))  # fmt: skip
        if rng.random() < 0.6:
            p.patterned(edge)
        else:
            p.fill(edge, p.colour())
    p.patterned(_shape((x - 0.04, chin), (x - 0.05, deep), (x + 0.05, deep), (x + 0.04, chin)))
    for side in (-1.0, 1.0):  # sleeves
        elbow = x + side * float(rng.uniform(0.3, 0.5))
        sleeve = _shape((x + side * 0.18, shoulder), (elbow, shoulder + 0.12), (elbow - side * 0.1, deep),
                        (x + side * 0.05, half - 0.02), (elbow - side * 0.14, shoulder + 0.14))  # fmt: skip
        p.patterned(sleeve)
    _held(p, rank, x, chin, half)
    # Hair, then face, then crown.
    hair = p.colour() if rng.random() < 0.7 else p.style.paper
    for side in (-1.0, 1.0):
        length = head * float(rng.uniform(1.1, 1.7))
        for lock in range(4):
            p.fill(
                _oval(x + side * head * (0.75 + 0.14 * lock), top + length * 0.45, head * 0.3, length), hair
            )
    collar = _oval(x, chin + 0.01, head * 1.2, head * 0.45)
    p.patterned(collar)
    p.fill(_oval(x, top, head * 0.8, head * 1.2), p.style.paper)
    if rank == "K":
        cheek, tip = (0.75 * head, top + 0.35 * head), (0.45 * head, chin + 0.08)
        p.fill(_shape((x - cheek[0], cheek[1]), (x, top + head * 0.55), (x + cheek[0], cheek[1]),
                      (x + tip[0], tip[1]), (x, chin + 0.11), (x - tip[0], tip[1])), hair)  # fmt: skip
        for curl in (-0.4, -0.15, 0.1, 0.35):
            p.stroke(_shape((x + curl * head, top + head * 0.6), (x + curl * head * 0.8, chin + 0.08)))
    for side in (-1.0, 1.0):
        p.stroke(_oval(x + side * head * 0.34, top - head * 0.1, head * 0.2, head * 0.1))
        p.stroke(_oval(x + side * head * 0.34, top - head * 0.3, head * 0.24, head * 0.12, np.pi, 2 * np.pi))
        p.fill(_oval(x + side * head * 0.34, top - head * 0.1, head * 0.06, head * 0.07), p.line)
    p.stroke(
        _shape(
            (x, top - head * 0.1), (x + head * 0.1, top + head * 0.3), (x - head * 0.05, top + head * 0.32)
        )
    )
    mouth = p.style.palette[0]
    p.stroke(_oval(x, top + head * 0.5, head * 0.22, head * 0.08, 0, np.pi), 1.5, mouth)
    _crown(p, rank, x, top - head * 0.75, head)


def _crown(p: _Painter, rank: Rank, x: float, brow: float, head: float) -> None:
    wide = head * 1.15
    if rank == "J":
        p.fill(_shape((x - wide, brow), (x - wide * 1.2, brow - head * 0.6), 
                      (x + wide * 0.9, brow - head * 0.8), (x + wide * 1.2, brow)), p.colour())  # fmt: skip
        p.patterned(
            _shape(
                (x - wide, brow),
                (x + wide, brow),
                (x + wide, brow + head * 0.25),
                (x - wide, brow + head * 0.25),
            )
        )
        return
    points = [(x - wide, brow)]
    teeth = 5 if rank == "K" else 3
    for tooth in range(teeth):
        a = x - wide * 1.2 + 2.4 * wide * (tooth + 0.5) / teeth
        b = x - wide * 1.2 + 2.4 * wide * (tooth + 1) / teeth
        points += [(a, brow - head * (1.0 if rank == "K" else 0.7)), (b, brow - head * 0.45)]
    p.fill(_shape(*points[:-1], (x + wide, brow)), p.style.palette[2])
    p.patterned(_shape((x - wide, brow - head * 0.2), (x + wide, brow - head * 0.2),
                       (x + wide, brow + head * 0.1), (x - wide, brow + head * 0.1)))  # fmt: skip
    if rank == "Q":
        for bead in np.linspace(-1, 1, 5):
            p.fill(_oval(x + wide * float(bead), brow - head * 0.3, head * 0.13, head * 0.13), p.colour())


def _held(p: _Painter, rank: Rank, x: float, chin: float, half: float) -> None:
    rng = p.rng
    side = -1.0 if x > 0.55 else float(rng.choice([-1.0, 1.0]))
    hand = (x + side * float(rng.uniform(0.28, 0.36)), half - float(rng.uniform(0.06, 0.16)))
    top = (hand[0] + side * 0.04, max(0.05, chin - float(rng.uniform(0.1, 0.3))))
    if side < 0:
        top = (top[0], max(top[1], 0.34))  # below the suit pip
    if rank == "Q":
        p.stroke(_shape(hand, top), 2, p.style.palette[1])
        for turn in np.linspace(0, 2 * np.pi, 5, endpoint=False):
            p.fill(
                _oval(top[0] + 0.035 * np.cos(turn), top[1] + 0.035 * np.sin(turn), 0.03, 0.03), p.colour()
            )
        p.fill(_oval(*top, 0.02, 0.02), p.style.palette[2])
    else:
        blade = 0.022 if rank == "K" else 0.012
        p.fill(_shape((hand[0] - blade, hand[1]), (top[0] - blade, top[1]), (top[0], top[1] - 0.05),
                      (top[0] + blade, top[1]), (hand[0] + blade, hand[1])), p.style.paper)  # fmt: skip
        guard = _oval(hand[0], hand[1] - 0.035, 0.08, 0.015)
        p.fill(guard, p.style.palette[2])
    p.fill(_oval(*hand, 0.05, 0.035), p.style.paper)
    for finger in (-0.025, 0.0, 0.025):
        p.stroke(_shape((hand[0] + finger, hand[1] - 0.03), (hand[0] + finger, hand[1] + 0.03)))
