"""Which indices belong to one physical card, and where that card lies.

A card shows its index in two opposite corners, in some decks in all four. Two indices of which each
stands where the other says that its card's far corner is, turned by half, are one card: were they
two, each would have to lie above the other there. Everything else is another copy.

Geometry is done on a plane with y down: the picture itself, whose scale is read off each index, or
the calibrated table in millimetres.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vision.table import CardShape, Doubles
from vision.types import NOT_AN_INDEX, Floats


class Marks(NamedTuple):
    """Indices on a plane with y down, as columns.

    centres (n, 2), ups (n, 2) unit vectors from foot to top, heights (n,), probabilities (n, classes).
    in_mm: the plane is the table in millimetres, so every card has the same size on it.
    """

    centres: Doubles
    ups: Doubles
    heights: Doubles
    probabilities: Floats
    in_mm: bool


class Tolerance(NamedTuple):
    """Standard deviations of a true pair.

    length: log of the distance; bearing: degrees; turned: degrees from exactly parallel or opposed;
    ratio: log of the heights' ratio.
    """

    length: float
    bearing: float
    turned: float
    ratio: float


# Measured on pictures with known truth. A finder tells an index's middle far better than its ends, and so
# its height and direction. In a picture, length is told in heights, and perspective comes on top.
ON_TABLE = Tolerance(0.022, 4.2, 8.5, 0.17)
IN_PICTURE = Tolerance(0.1, 4.5, 10.0, 0.18)
_ACCEPT = 17.0  # chi squared, four degrees of freedom; keypoints err more often than by the normal law
_FACES_WORTH = 9.0
"""The most that differing faces can speak against a pair: readings err, if less often where they are sure."""
_ALIKE = 0.1
"""How far faces must agree on cards with four indices, where geometry says less: doubtful readings do."""
_NEARBY = 0.06
"""How far from a vacant corner an index still is that card's, in the length between opposite corners."""
LEFT, RIGHT = 0, 1


class Corner(NamedTuple):
    """An index of a card: its row in `Marks`, and on which side, LEFT or RIGHT as it stands, it is.

    Opposite corners are of the same side; a deck with two indices knows only LEFT.
    """

    row: int
    side: int


class Offers(NamedTuple):
    """Every two indices i < j that point the same or opposite ways, as columns.

    length: distance of their centres in the scale of the pair (index heights, or mm on the table);
    bearing: direction from i to j, degrees from "down" towards "right" as i stands; opposed: they point
    opposite ways; turned: degrees from exactly so; ratio: log of their heights' ratio; agreement: of
    their faces, 0..1.
    """

    i: NDArray[np.intp]
    j: NDArray[np.intp]
    length: Doubles
    bearing: Doubles
    opposed: NDArray[np.bool_]
    turned: Doubles
    ratio: Doubles
    agreement: Doubles


def right_of(ups: Doubles) -> Doubles:
    """The direction to the right of `ups` on a plane with y down."""
    return np.stack((-ups[..., 1], ups[..., 0]), axis=-1)


def offers(marks: Marks) -> Offers:
    """All pairs that could be one card of whatever shape."""
    i, j = np.triu_indices(len(marks.heights), 1)
    across = marks.centres[j] - marks.centres[i]
    opposed = (marks.ups[i] * marks.ups[j]).sum(1) < 0
    up = marks.ups[i] + np.where(opposed, -1.0, 1.0)[:, None] * marks.ups[j]
    norm = np.hypot(*up.T)
    up = up / np.maximum(norm, 1e-9)[:, None]
    right, down = (across * right_of(up)).sum(1), -(across * up).sum(1)
    scale = 1.0 if marks.in_mm else np.sqrt(marks.heights[i] * marks.heights[j])
    amplitude = np.sqrt(marks.probabilities[:, :NOT_AN_INDEX].astype(np.float64))
    every = Offers(
        i.astype(np.intp),
        j.astype(np.intp),
        np.maximum(np.hypot(right, down) / scale, 1e-9),
        np.degrees(np.arctan2(right, down)),
        opposed,
        2 * np.degrees(np.arccos(np.clip(norm / 2, 0, 1))),
        np.abs(np.log(marks.heights[i] / marks.heights[j])),
        (amplitude[i] * amplitude[j]).sum(1),
    )
    keep = (every.turned < 30) & (every.ratio < 0.6)
    return Offers._make(column[keep] for column in every)


def sides(shape: CardShape, in_mm: bool) -> tuple[float, float]:
    """How far a card's indices stand apart across and along it, as lengths in `Offers`."""
    unit = 1.0 if in_mm else shape.index_height
    return (shape.width - 2 * shape.index_x) / unit, (shape.height - 2 * shape.index_y) / unit


def polar(right: float, down: float) -> tuple[float, float]:
    """Length and bearing, as in `Offers`."""
    return float(np.hypot(right, down)), float(np.degrees(np.arctan2(right, down)))


def costs(
    given: Offers, apart: tuple[float, float], in_mm: bool, tolerance: Tolerance | None = None
) -> Doubles:
    """How far each offer is from standing (right, down) `apart` on one card: chi squared, four degrees.

    Differing faces add to it, within limits.
    """
    tolerance = tolerance or (ON_TABLE if in_mm else IN_PICTURE)
    length, bearing = polar(*apart)
    aside = (given.bearing - bearing + 180) % 360 - 180
    return np.asarray(
        (np.log(given.length / length) / tolerance.length) ** 2
        + (aside / tolerance.bearing) ** 2
        + (given.turned / tolerance.turned) ** 2
        + (given.ratio / tolerance.ratio) ** 2
        + np.minimum(-2 * np.log(np.maximum(given.agreement, 1e-9)), _FACES_WORTH)
    )


def pair(marks: Marks, shape: CardShape) -> list[tuple[Corner, ...]]:
    """The corners that were found of each physical card, the surest card first.

    Of those that could be one card, most and best fitting come first; what is left stands alone.
    """
    links = _links(marks, shape)
    alone = [Corner(row, LEFT) for row in range(len(marks.heights))]
    cards: list[tuple[Corner, ...]] = []
    taken: set[int] = set()
    heap = [(-gain, n, card) for n, seed in enumerate(links) for gain, card in [_grown(seed, links, taken)]]
    heapq.heapify(heap)
    while heap:
        _, n, card = heapq.heappop(heap)
        if taken.isdisjoint(c.row for c in card):
            cards.append(card)
            taken |= {c.row for c in card}
        elif card[0].row not in taken:
            gain, card = _grown(card[0], links, taken)
            if len(card) > 1:
                heapq.heappush(heap, (-gain, n, card))
    alone = [corner for corner in alone if corner.row not in taken]
    if shape.four_indices:
        alone = _absorbed(marks, shape, cards, alone)
    return cards + [(corner,) for corner in alone]


def _absorbed(
    marks: Marks, shape: CardShape, cards: list[tuple[Corner, ...]], alone: list[Corner]
) -> list[Corner]:
    """Those alone that stand in no vacant corner of a card that two others fix; the rest join it.

    Two corners tell a card's place far better than a single index, half covered, tells its direction.
    """
    within = _NEARBY * np.hypot(*sides(shape, True))
    for n, card in enumerate(cards):
        polygon, first = outline(marks, card, shape), marks.ups[card[0].row]
        across, along = (polygon[1] - polygon[0]) / shape.width, (polygon[3] - polygon[0]) / shape.height
        held = {(c.side, bool(marks.ups[c.row] @ first < 0)) for c in card}
        faces = np.sqrt(marks.probabilities[[c.row for c in card], :NOT_AN_INDEX].astype(np.float64))
        for other in alone:
            opposed = bool(marks.ups[other.row] @ first < 0)
            if abs(marks.ups[other.row] @ along) < 0.85 * np.hypot(*along):
                continue
            agreement = (faces @ np.sqrt(marks.probabilities[other.row, :NOT_AN_INDEX])).max()
            for corner in (Corner(other.row, LEFT), Corner(other.row, RIGHT)):
                x, y = _printed(corner, opposed, shape)
                off = np.hypot(*(polygon[0] + x * across + y * along - marks.centres[other.row]))
                near = off < within * np.hypot(*across) and agreement > _ALIKE
                if near and (corner.side, opposed) not in held:
                    cards[n] = card = (*card, corner)
                    held.add((corner.side, opposed))
                    alone = [c for c in alone if c.row != other.row]
                    break
    return alone


_Links: TypeAlias = dict[Corner, dict[Corner, tuple[float, bool]]]
"""Of each corner those that may be of its card: at what cost, and whether they point the opposite way."""


def _links(marks: Marks, shape: CardShape) -> _Links:
    across, along = sides(shape, marks.in_mm)
    relations = [(LEFT, LEFT, across, along)]
    if shape.four_indices:
        relations += [(RIGHT, RIGHT, -across, along), (LEFT, RIGHT, 0.0, along), (RIGHT, LEFT, 0.0, along)]
        relations += [(LEFT, RIGHT, across, 0.0), (RIGHT, LEFT, -across, 0.0)]
    given = offers(marks)
    # Of four, those on one side are nearer each other, and off by as many millimetres.
    tolerance = ON_TABLE if marks.in_mm else IN_PICTURE
    if shape.four_indices and marks.in_mm:
        tolerance = tolerance._replace(length=1.5 * tolerance.length)
    links: _Links = {}
    for side_i, side_j, right, down in relations:
        cost, opposed = costs(given, (right, down), marks.in_mm, tolerance), down > 0
        fits = (cost < _ACCEPT) & (given.opposed == opposed)
        if shape.four_indices:  # copies in rows and blocks often stand like that: the faces must agree
            fits &= given.agreement > _ALIKE
        if not opposed:
            fits &= ~_divided(marks, given)
        for k in np.flatnonzero(fits).tolist():
            i, j = Corner(int(given.i[k]), side_i), Corner(int(given.j[k]), side_j)
            links.setdefault(i, {})[j] = links.setdefault(j, {})[i] = (float(cost[k]), opposed)
    return links


def _divided(marks: Marks, given: Offers) -> NDArray[np.bool_]:
    """Offers side by side between which a third index stands the same way: its card covers one of the two."""
    along = marks.centres[given.j] - marks.centres[given.i]
    length = np.maximum((along**2).sum(1), 1e-9)
    third = marks.centres[None] - marks.centres[given.i][:, None]
    share = (third * along[:, None]).sum(2) / length[:, None]
    across = np.abs(third[..., 0] * along[:, None, 1] - third[..., 1] * along[:, None, 0])
    off = across / np.sqrt(length)[:, None] / marks.heights[None]
    same = marks.ups[given.i] @ marks.ups.T > 0.87
    return np.asarray(((share > 0.12) & (share < 0.88) & (off < 0.6) & same).any(axis=1))


def _grown(seed: Corner, links: _Links, taken: set[int]) -> tuple[float, tuple[Corner, ...]]:
    """The best card around a corner, without rows already taken, and what speaks for it."""
    gain, card, places = 0.0, [seed], set()
    for other, (cost, opposed) in sorted(links[seed].items(), key=lambda link: link[1]):
        place = (other.side, opposed)
        if other.row in taken or place in places or any(other not in links[c] for c in card):
            continue
        gain += _ACCEPT - cost
        card.append(other)
        places.add(place)
    return gain, tuple(card)


def outline(marks: Marks, card: tuple[Corner, ...], shape: CardShape) -> Doubles:
    """(4, 2) corners of a card on the marks' plane, clockwise from the upper left of its first index."""
    first = card[0]
    up = marks.ups[first.row]
    scale = 1.0 if marks.in_mm else float(marks.heights[first.row]) / shape.index_height
    here = np.array([_printed(c, bool(marks.ups[c.row] @ up < 0), shape) for c in card])
    seen = marks.centres[[c.row for c in card]]
    here_middle, middle = here.mean(axis=0), seen.mean(axis=0)
    if len(card) > 1:  # the lines between corners tell direction and scale far better than one index
        (x, y), (u, v) = (here - here_middle).T, (seen - middle).T
        right = np.array([x @ u + y @ v, x @ v - y @ u])
        if not marks.in_mm:
            scale = float(np.hypot(*right) / (x @ x + y @ y))
        up = np.array([right[1], -right[0]]) / max(float(np.hypot(*right)), 1e-9)
    corners = (
        np.array([(0, 0), (shape.width, 0), (shape.width, shape.height), (0, shape.height)]) - here_middle
    )
    return np.asarray(middle + scale * (corners[:, :1] * right_of(up) - corners[:, 1:] * up))


def _printed(corner: Corner, opposed: bool, shape: CardShape) -> tuple[float, float]:
    """Where on the card, from its upper left, a corner's index is. `opposed`: it is one of the lower ones."""
    right = (corner.side == RIGHT) != opposed
    x = shape.width - shape.index_x if right else shape.index_x
    return x, shape.height - shape.index_y if opposed else shape.index_y
