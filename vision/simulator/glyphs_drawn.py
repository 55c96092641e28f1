"""Rank glyphs drawn by stroke: serif and sans, thin and bold, wide and narrow, on any machine.

A glyph is a handful of strokes in a unit box (x right, y down, cap line 0, base line 1). A stroke's
thickness follows its direction, as a broad pen's does, so that one skeleton gives many faces.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Image

Point: TypeAlias = tuple[float, float]
Curve: TypeAlias = NDArray[np.float64]

CAP: Final = 200
"""Pixels from cap line to base line in the masks made here; they are scaled down to use."""
_MARGIN: Final = 80
DIGITS_AND_LETTERS: Final = "A234567890J1QK"


class Glyphs(Protocol):
    """Where rank glyphs come from."""

    def mask(self, character: str) -> Image:
        """Ink of one of `DIGITS_AND_LETTERS`, uint8 0 or 255, cropped to the ink, cap height CAP."""
        ...


@dataclass(frozen=True, slots=True)
class GlyphStyle:
    """How the strokes are drawn; lengths in cap heights."""

    width: float = 0.62
    """Width of a middling letter."""
    thick: float = 0.14
    """Thickness of upright strokes."""
    thin: float = 0.11
    """Thickness of level strokes."""
    serif: float = 0.0
    """How far a serif reaches past its stem; 0 for none."""
    serif_thick: float = 0.05
    bracket: float = 0.0
    """Height of the wedge that joins serif and stem."""
    square: float = 2.0
    """Exponent of the super-ellipses that bowls are made of: 2 is round, 3 squarish."""
    slanted_thin: bool = False
    """The rising strokes of A and K are thin, as in a book face."""
    flat_three: bool = False
    open_four: bool = False
    curved_seven: bool = False
    straight_six: bool = False
    one_base: bool = False
    j_bar: int = 1
    """Bar of the J: 0 none, 1 to the left, 2 to both sides."""
    j_drop: float = 0.0
    q_tail: int = 0
    """0 straight through the bowl, 1 outside, 2 a wave under the bowl."""
    k_joined: bool = True
    """The K's leg springs from its arm (else both from the stem)."""
    round_ends: bool = False


_WIDTHS: Final = {
    "A": 1.12, "2": 0.9, "3": 0.9, "4": 1.0, "5": 0.9, "6": 0.92, "7": 0.88, "8": 0.92, "9": 0.92,
    "0": 0.92, "1": 0.42, "J": 0.78, "Q": 1.12, "K": 1.05,
}  # fmt: skip
Stroke: TypeAlias = tuple[Curve, float]
"""Points and a factor on the thickness."""
Serif: TypeAlias = tuple[float, float]
"""A stem's end; y 0 or 1."""


def _line(*points: Point) -> list[Curve]:
    return [np.array(pair, float) for pair in itertools.pairwise(points)]


def bezier(start: Point, *rest: Point) -> Curve:
    """A chain of cubic Bezier curves: three further points each."""
    t = np.linspace(0, 1, 25)[:, None]
    out: list[Curve] = []
    p0 = np.array(start, float)
    for i in range(0, len(rest), 3):
        p1, p2, p3 = (np.array(p, float) for p in rest[i : i + 3])
        out.append((1 - t) ** 3 * p0 + 3 * (1 - t) ** 2 * t * p1 + 3 * (1 - t) * t**2 * p2 + t**3 * p3)
        p0 = p3
    return np.concatenate(out)


def _oval(center: Point, radii: Point, square: float) -> Curve:
    t = np.linspace(0, 2 * np.pi, 73)
    c, s = np.cos(t), np.sin(t)
    p = 2 / square
    x = center[0] + radii[0] * np.sign(c) * np.abs(c) ** p
    y = center[1] + radii[1] * np.sign(s) * np.abs(s) ** p
    return np.stack([x, y], 1)


def _skeleton(ch: str, s: GlyphStyle) -> tuple[list[Stroke], list[Serif]]:
    rising = 0.55 if s.slanted_thin else 1.0

    def plain(*curves: Curve) -> list[Stroke]:
        return [(c, 1.0) for c in curves]

    def turned(strokes: list[Stroke]) -> list[Stroke]:
        return [(1.0 - c, k) for c, k in strokes]

    if ch == "A":
        strokes = [
            (np.array([(0.5, 0), (0, 1)], float), rising),
            (np.array([(0.5, 0), (1, 1)], float), 1.0),
            (np.array([(0.26, 0.67), (0.74, 0.67)], float), 1.0),
        ]
        return strokes, [(0, 1), (1, 1)]
    if ch == "2":
        bowl = bezier((0, 0.27), (0, -0.09), (0.97, -0.09), (0.97, 0.27), (0.97, 0.52), (0.12, 0.68), (0, 1))
        return plain(bowl, *_line((0, 1), (1, 1))), []
    if ch == "3" and s.flat_three:
        low = bezier((0.42, 0.4), (0.85, 0.38), (1, 0.5), (1, 0.69), (1, 1.1), (0.02, 1.1), (0, 0.77))
        return plain(*_line((0.06, 0), (0.95, 0), (0.42, 0.4)), low), []
    if ch == "3":
        high = bezier((0.04, 0.23), (0.05, -0.08), (0.94, -0.08), (0.94, 0.24), (0.94, 0.42), (0.7, 0.465),
                       (0.38, 0.465))  # fmt: skip
        low = bezier((0.38, 0.465), (0.75, 0.465), (1, 0.54), (1, 0.72), (1, 1.1), (0.02, 1.1), (0, 0.75))
        return plain(high, low), []
    if ch == "4" and s.open_four:
        return plain(*_line((0.42, 0), (0, 0.72), (1, 0.72)), *_line((0.72, 0.34), (0.72, 1))), [(0.72, 1)]
    if ch == "4":
        up = (np.array([(0.74, 0), (0, 0.71)], float), rising)
        return [up, *plain(*_line((0, 0.71), (1, 0.71)), *_line((0.74, 0), (0.74, 1)))], [(0.74, 1)]
    if ch == "5":
        bowl = bezier((0.08, 0.45), (0.35, 0.3), (1, 0.3), (1, 0.67), (1, 1.1), (0.03, 1.1), (0, 0.79))
        return plain(*_line((0.93, 0), (0.14, 0), (0.08, 0.45)), bowl), []
    if ch in "69":
        if s.straight_six:
            stem = np.array([(0.66, 0), (0.06, 0.55)], float)
        else:
            stem = bezier((0.93, 0.2), (0.86, -0.08), (0, -0.16), (0, 0.68))
        strokes = plain(stem, _oval((0.5, 0.69), (0.5, 0.31), s.square))
        return (strokes if ch == "6" else turned(strokes)), []
    if ch == "7":
        if s.curved_seven:
            leg = bezier((1, 0), (0.62, 0.3), (0.4, 0.62), (0.38, 1))
        else:
            leg = np.array([(1, 0), (0.34, 1)], float)
        return plain(*_line((0, 0), (1, 0)), leg), []
    if ch == "8":
        high, low = _oval((0.5, 0.23), (0.43, 0.23), s.square), _oval((0.5, 0.73), (0.5, 0.27), s.square)
        return plain(high, low), []
    if ch == "0":
        return plain(_oval((0.5, 0.5), (0.5, 0.5), s.square)), []
    if ch == "1":
        strokes = plain(*_line((0.75, 0), (0.75, 1)))
        strokes.append((np.array([(0.75, 0), (0, 0.2)], float), 0.8))
        return strokes, [(0.75, 1)] if s.one_base or s.serif else []
    if ch == "J":
        x, foot = (0.72 if s.j_bar == 2 else 1.0), 0.68
        hook = bezier((x, foot), (x, 1.11), (0, 1.11), (0, foot + s.j_drop))
        strokes = plain(*_line((x, 0), (x, foot)), hook)
        if s.j_bar:
            strokes += plain(*_line((x - 0.42, 0), (1.0, 0)))
        return strokes, [] if s.j_bar else [(x, 0)]
    if ch == "Q":
        bowl = _oval((0.5, 0.5), (0.5, 0.5), s.square)
        tail = [
            np.array([(0.5, 0.68), (1.02, 1.05)], float),
            np.array([(0.7, 0.84), (1.06, 1.1)], float),
            bezier((0.35, 0.8), (0.55, 0.66), (0.65, 1.12), (1.05, 0.98)),
        ][s.q_tail]
        return plain(bowl, tail), []
    if ch == "K":
        join = (0.36, 0.45) if s.k_joined else (0.05, 0.5)
        upper = (np.array([(0.96, 0), (0.06, 0.62 if s.k_joined else 0.54)], float), rising)
        lower = (np.array([join, (1, 1)], float), 1.0)
        return [*plain(*_line((0, 0), (0, 1))), upper, lower], [(0, 0), (0, 1), (0.96, 0), (1, 1)]
    raise ValueError(f"no glyph for {ch!r}: one of {DIGITS_AND_LETTERS}")


@dataclass(frozen=True, slots=True)
class DrawnGlyphs:
    """Glyphs from strokes; see `GlyphStyle`."""

    style: GlyphStyle

    def mask(self, character: str) -> Image:
        """See `Glyphs.mask`."""
        s = self.style
        strokes, serifs = _skeleton(character, s)
        wide = s.width * _WIDTHS[character]
        # Heavy pens leave small counters: widen the letter rather than fill it.
        wide = max(wide, s.thick + 0.13 if character == "1" else s.thick * 2.5)
        box = np.array([wide - s.thick, 1 - s.thin])
        offset = np.array([s.thick, s.thin]) / 2

        def place(curve: Curve) -> Curve:
            pixels: Curve = (curve * box + offset) * CAP + _MARGIN
            return pixels

        size = (CAP + 2 * _MARGIN, int(wide * CAP) + 2 * _MARGIN)
        canvas: Image = np.zeros(size, np.uint8)
        for curve, factor in strokes:
            _ink(canvas, place(curve), s, factor, curve[[0, -1], 1])
        if not s.round_ends:
            # Slanted strokes are drawn past cap line and base line and cut level there.
            canvas[:_MARGIN] = 0
            if character != "Q":
                canvas[_MARGIN + CAP :] = 0
        for x, y in serifs if s.serif or character == "1" else []:
            end = place(np.array([(x, y)], float))[0]
            _serif(canvas, float(end[0]), y == 1, s)
        return crop(canvas)


def _ink(canvas: Image, points: Curve, s: GlyphStyle, factor: float, end_y: Curve) -> None:
    """Draw a stroke. `points`: pixels; `end_y`: y of its two ends in the unit box."""
    step = np.diff(points, axis=0)
    length = np.hypot(step[:, 0], step[:, 1])
    keep = length > 1e-6
    points = np.concatenate([points[:1], points[1:][keep]])
    step = step[keep] / length[keep, None]
    closed = bool(np.hypot(*(points[0] - points[-1])) < 1)
    straight = len(points) == 2
    tangent = np.concatenate([step[:1], (step[:-1] + step[1:]), step[-1:]])
    if closed:
        tangent[0] = tangent[-1] = step[0] + step[-1]
    tangent /= np.hypot(tangent[:, 0], tangent[:, 1])[:, None]
    pen = np.hypot(s.thick * tangent[:, 1], s.thin * tangent[:, 0])[:, None] * factor * CAP / 2
    normal = np.stack([-tangent[:, 1], tangent[:, 0]], 1)
    across: Curve = normal * pen
    ends = points.copy()
    if straight:
        dx, dy = step[0]
        if abs(dy) > 0.5 and not s.round_ends:
            # Cut level, and carried over the lines where the canvas is cut off.
            across = np.array([[1.0, 0.0]]) * pen / abs(dy)
            reach = s.thin * CAP / 2
            for end, sign in ((0, -1), (1, 1)):
                if end_y[end] == 0:
                    ends[end, 1] -= reach
                elif end_y[end] == 1:
                    ends[end] += sign * reach * step[0] / abs(dy)
        elif abs(dx) > 0.9 and not s.round_ends:
            over = s.thick * CAP / 2 * step[:1]
            ends = points + np.concatenate([-over, over])
    outline = np.concatenate([ends + across, (ends - across)[::-1]])
    if closed:
        for a, b, u, v in zip(ends, ends[1:], across, across[1:], strict=False):
            _fill(canvas, np.array([a + u, b + v, b - v, a - u]))
    else:
        _fill(canvas, outline)
    if s.round_ends and not closed:
        for p, w in ((points[0], pen[0, 0]), (points[-1], pen[-1, 0])):
            cv2.circle(canvas, (round(p[0] * 16), round(p[1] * 16)), round(w * 16), 255, -1, shift=4)


def _serif(canvas: Image, x: float, at_base: bool, s: GlyphStyle) -> None:
    reach = (s.thick / 2 + max(s.serif, 0.06)) * CAP
    y, into = (_MARGIN + CAP, -1) if at_base else (_MARGIN, 1)
    h = s.serif_thick * CAP * into
    _fill(canvas, np.array([(x - reach, y), (x + reach, y), (x + reach, y + h), (x - reach, y + h)]))
    if s.bracket:
        b, half = s.bracket * CAP * into, s.thick / 2 * CAP
        _fill(canvas, np.array([(x - reach, y + h), (x + reach, y + h), (x + half, y + h + b),
                                (x - half, y + h + b)]))  # fmt: skip


def _fill(canvas: Image, polygon: Curve) -> None:
    cv2.fillPoly(canvas, [np.round(polygon * 16).astype(np.int32)], 255, shift=4)


def crop(mask: Image) -> Image:
    """The mask cut to its ink."""
    ys, xs = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return mask[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]


def rank_mask(glyphs: Glyphs, rank: str, narrow: float, spacing: float = 0.1) -> Image:
    """Ink of a rank, "T" as a 10 whose digits are narrowed by `narrow` and `spacing` cap heights apart."""
    if rank != "T":
        return glyphs.mask(rank)
    pair = [glyphs.mask("1"), glyphs.mask("0")]
    high = max(m.shape[0] for m in pair)
    pair = [
        cv2.resize(m, (max(8, round(m.shape[1] * narrow)), high), interpolation=cv2.INTER_AREA) for m in pair
    ]
    space = np.zeros((high, max(2, round(spacing * CAP))), np.uint8)
    return np.hstack([pair[0], space, pair[1]])


def random_style(rng: np.random.Generator) -> GlyphStyle:
    """A style as playing cards have it: mostly upright sans and slab faces, some book faces."""

    def chance(p: float) -> bool:
        return bool(rng.random() < p)

    uniform: Callable[[float, float], float] = lambda a, b: float(rng.uniform(a, b))  # noqa: E731
    width = uniform(0.46, 0.8)
    thick = uniform(0.085, 0.25) if chance(0.75) else uniform(0.07, 0.12)
    kind = str(rng.choice(["sans", "slab", "book"], p=[0.5, 0.25, 0.25]))
    low, high = {"sans": (0.75, 1.0), "slab": (0.6, 1.0), "book": (0.3, 0.55)}[kind]
    thin = max(0.05, thick * uniform(low, high))
    serif = 0.0 if kind == "sans" else uniform(0.05, 0.11)
    return GlyphStyle(
        width=width,
        thick=thick,
        thin=thin,
        serif=serif,
        serif_thick=thin * (uniform(0.6, 1.0) if kind == "slab" else uniform(0.5, 0.9)),
        bracket=uniform(0.03, 0.08) if kind == "book" else 0.0,
        square=uniform(1.9, 2.5) if chance(0.7) else uniform(2.5, 3.6),
        slanted_thin=kind == "book" or (kind == "slab" and chance(0.3)),
        flat_three=chance(0.25),
        open_four=chance(0.2),
        curved_seven=chance(0.35),
        straight_six=chance(0.15),
        one_base=chance(0.25),
        j_bar=_pick(rng, (0.35, 0.3, 0.35)),
        j_drop=uniform(0.0, 0.08),
        q_tail=_pick(rng, (0.45, 0.3, 0.25)),
        k_joined=chance(0.75),
        round_ends=kind == "sans" and chance(0.2),
    )


def _pick(rng: np.random.Generator, weights: Sequence[float]) -> int:
    return int(rng.choice(len(weights), p=weights))
