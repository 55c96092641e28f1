"""Which cards of a still picture lie together: each seat's, or heap by heap where no table is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from engine.cards import SEAT_NAMES, SEATS, Face, Seat
from vision.table import Table
from vision.types import CardSeen

GAP = 0.6
"""Cards nearer to each other than this share of a card's width lie together."""


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that lie together. `seat` is None where no table says whose they are."""

    name: str
    seat: Seat | None
    cards: tuple[CardSeen, ...]

    @property
    def faces(self) -> list[Face]:
        """The faces read, cards foreign to the deck left out, ace to lowest, suit by suit."""
        order = Counter(c.face for c in self.cards if not c.foreign)
        return sorted(order.elements(), key=lambda f: ("SHDC".index(f.suit), -f.strength))


def by_seat(cards: Sequence[CardSeen], table: Table) -> list[Group]:
    """One group for each seat with cards before it; cards in the play area or off the table are nobody's."""
    areas = [table.area(table.mm(c.center)) for c in cards]
    groups = []
    for seat in SEATS:
        own = tuple(c for c, area in zip(cards, areas, strict=True) if area == seat)
        if own:
            groups.append(Group(SEAT_NAMES[seat], seat, own))
    return groups


def by_place(cards: Sequence[CardSeen], gap: float = GAP) -> list[Group]:
    """Cards that touch, or nearly, in groups named 1, 2, ... as one reads: from above, then from the left."""
    if not cards:
        return []
    polygons = np.stack([c.polygon for c in cards]).astype(np.float64)
    near = _apart(polygons) < gap * _widths(polygons)
    i, j = np.nonzero(near)
    count, label = connected_components(
        coo_array((np.ones(len(i)), (i, j)), shape=near.shape), directed=False
    )
    members = [[cards[k] for k in np.flatnonzero(label == g).tolist()] for g in range(count)]
    band = float(np.median(_widths(polygons))) * 2

    def reading_order(group: list[CardSeen]) -> tuple[int, float]:
        x, y = np.mean([c.center for c in group], axis=0)
        return int(y // band), float(x)

    members.sort(key=reading_order)
    return [Group(str(n), None, tuple(group)) for n, group in enumerate(members, 1)]


def _widths(polygons: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(polygons[:, 1] - polygons[:, 0], axis=1))


def _apart(polygons: np.ndarray) -> np.ndarray:
    """(n, n) how far convex polygons (n, 4, 2) are apart: the widest gap along any side's normal."""
    sides = np.roll(polygons, -1, axis=1) - polygons
    normals = np.stack((-sides[..., 1], sides[..., 0]), axis=-1)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    # along[i, s, j, c]: corner c of polygon j along normal s of polygon i
    along = np.einsum("isx,jcx->isjc", normals, polygons)
    low, high = along.min(-1), along.max(-1)
    own = np.arange(len(polygons))
    own_low, own_high = low[own, :, own][:, :, None], high[own, :, own][:, :, None]
    gaps = np.maximum(low - own_high, own_low - high).max(axis=1)
    return np.asarray(np.maximum(gaps, gaps.T))
