"""Where a seat's meld lies: rows and fans of overlapping cards before the player."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.cards import Seat
from vision.simulator.motions import SEAT_ANGLE, Pose, place

CARD_WIDTH = 63.5
ROWS = (-216.0, -316.0)
"""How far from the centre the rows lie, as the seat sees them (v)."""
WIDEST = (330.0, 420.0)
FAN_RADIUS = 135.0


def lay_out(rng: np.random.Generator, seat: Seat, sizes: Sequence[int]) -> list[list[Pose]]:
    """Poses for groups of these sizes, each card overlapping the one before so that its corner shows.

    Groups fill the row nearer to the centre first. A row that would be too wide is pushed closer
    together, as people do.
    """
    step = float(rng.uniform(17, 24))
    fans = bool(rng.random() < 0.4)
    rows: list[list[int]] = [[], []]
    row = 0
    for n, size in enumerate(sizes):
        used = sum(_width(sizes[m], step) + 10 for m in rows[row])
        if row == 0 and used + _width(size, step) > WIDEST[0]:
            row = 1
        rows[row].append(n)
    poses: dict[int, list[Pose]] = {}
    for v, widest, members in zip(ROWS, WIDEST, rows, strict=True):
        if not members:
            continue
        gap = float(rng.uniform(6, 16))
        fixed = len(members) * CARD_WIDTH + gap * (len(members) - 1)
        steps = sum(sizes[m] - 1 for m in members)
        tight = min(step, (widest - fixed) / steps) if steps else step
        total = fixed + tight * steps
        u = -total / 2 + float(rng.normal(0, 6))
        for m in members:
            width = _width(sizes[m], tight)
            middle, depth = u + width / 2, v + float(rng.normal(0, 3))
            lean = float(rng.normal(0, 2.5))
            fan = fans and sizes[m] >= 3
            poses[m] = [
                _pose(rng, seat, middle, depth, lean, k, sizes[m], tight, fan) for k in range(sizes[m])
            ]
            u += width + gap
    return [poses[n] for n in range(len(sizes))]


def _width(size: int, step: float) -> float:
    return CARD_WIDTH + (size - 1) * step


def _pose(
    rng: np.random.Generator,
    seat: Seat,
    u: float,
    v: float,
    lean: float,
    k: int,
    size: int,
    step: float,
    fan: bool,
) -> Pose:
    along = (k - (size - 1) / 2) * step
    if fan:
        a = along / FAN_RADIUS
        du, dv, angle = FAN_RADIUS * math.sin(a), FAN_RADIUS * (math.cos(a) - 1), -math.degrees(a)
    else:
        du, dv, angle = along, along * math.sin(math.radians(lean)), 0.0
    jitter = rng.normal(0, 1.0, 3)
    x, y = place(seat, u + du + float(jitter[0]), v + dv + float(jitter[1]))
    return Pose(x, y, SEAT_ANGLE[seat] + angle + lean + float(jitter[2]))
