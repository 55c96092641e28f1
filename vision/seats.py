"""Whose card is it? From where it lies, how it points, and from which side the hand came.

Each gives a likelihood over the four seats; turn order is added by whoever knows it. None of them
is taken for certain: people reach across, and lay cards askew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.cards import SEATS
from vision.motion import Cells, Motion, Plan
from vision.table import Doubles, Table

_REACH = 0.62
"""Beyond this share of the way from the centre to the edge a thing on the table belongs to a side."""
_TOWARDS = {"N": (0.0, 1.0), "E": (1.0, 0.0), "S": (0.0, -1.0), "W": (-1.0, 0.0)}
DIRECTIONS = np.array([_TOWARDS[s] for s in SEATS])
"""(4, 2) unit vectors from the table's centre to N, E, S, W."""
_LEAST_ARM = 4
_STRAY = 0.06


class Sides:
    """Which cells of the plan lie before which seat, near the table's edge."""

    def __init__(self, table: Table, plan: Plan) -> None:
        rows, columns = np.mgrid[0 : plan.rows, 0 : plan.columns]
        corners = np.stack((columns.ravel() * 4 + 1.5, rows.ravel() * 4 + 1.5), axis=1)
        mm = plan.mm(corners)
        reach = np.abs(2 * mm / np.asarray(table.size_mm)).max(axis=1)
        side = np.array([SEATS.index(table.seat(p)) for p in mm])
        side[reach < _REACH] = -1
        grid = side.reshape(plan.rows, plan.columns)
        self._masks = [grid == n for n in range(4)]

    def counts(self, things: Sequence[Cells]) -> Doubles:
        """(4,) cells before each seat, added over all masks."""
        return np.array([float(sum(np.count_nonzero(t & m) for t in things)) for m in self._masks])


def of_counts(counts: Doubles) -> Doubles:
    """Likelihood (4,) of cells counted before each seat: even where there were hardly any."""
    if counts.sum() < _LEAST_ARM:
        return np.full(4, 0.25)
    share = counts / counts.sum() + _STRAY
    return np.asarray(share / share.sum())


def arm(sides: Sides, motion: Motion, polygon: Doubles, start: float, end: float) -> Doubles:
    """Likelihood (4,) from what came in over the edge and reached this polygon between two times."""
    return of_counts(sides.counts(motion.approach(motion.plan.spot(polygon), start, end)))


def in_play(centre: Doubles, angle: float) -> Doubles:
    """Likelihood (4,) of a card in the play area: it lies on its player's side and points that way.

    centre: mm from the table's centre; angle: degrees from North of the card's length. The farther
    from the centre, the plainer; in the middle nothing is told.
    """
    far = float(np.hypot(*centre))
    bearing = DIRECTIONS @ centre / max(far, 1e-6)
    return _softmax(min(far / 30, 3.0) * bearing + 0.5 * _pointing(angle))


def at_side(centre: Doubles, angle: float, size_mm: tuple[float, float]) -> Doubles:
    """Likelihood (4,) of a card that lies before a player, away from the middle."""
    reach = DIRECTIONS @ (2 * centre / np.asarray(size_mm))
    return _softmax(8.0 * reach + 1.2 * _pointing(angle))


def _pointing(angle: float) -> Doubles:
    """(4,) 1 where a card lies along the seat's direction, -1 where across."""
    turn = np.array([0.0, 90.0, 0.0, 90.0]) - angle
    return np.asarray(np.cos(2 * np.radians(turn)))


def _softmax(x: Doubles) -> Doubles:
    weights = np.exp(x - x.max())
    return np.asarray(weights / weights.sum())
