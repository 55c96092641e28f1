"""Which indices belong to one physical card, and where that card lies.

A card shows its index in two opposite corners. Two indices of which each stands where the other
says that its card's far corner is, turned by half, are one card: were they two, each would have to
lie above the other there. Everything else is another copy.

Geometry is done on a plane with y down: the picture itself, whose scale is read off each index, or
the calibrated table in millimetres.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

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
    """Standard deviations of a true pair: log of length, bearing and opposition in degrees, log of ratio."""

    length: float
    bearing: float
    opposite: float
    ratio: float


_ON_TABLE = Tolerance(0.035, 3.0, 5.5, 0.12)  # what a finder's keypoints are off by, measured on photographs
_IN_PICTURE = Tolerance(0.08, 3.5, 8.0, 0.2)  # perspective, and a scale as noisy as the indices' heights
_ACCEPT = 11.3  # 98 % of true pairs (chi squared, four degrees of freedom)
_PRIOR_VOTES = 0.5
_FACES_WORTH = 6.0
"""The most that differing faces can speak against a pair: geometry weighs more, readings err."""


class Offers(NamedTuple):
    """Every two indices i < j that point opposite ways, as columns.

    length: distance of their centres in the scale of the pair (index heights, or mm on the table);
    bearing: direction from i to j, degrees from "down" towards "right" as i stands; opposite:
    degrees from exactly opposed; ratio: log of their heights' ratio; agreement: of their faces, 0..1.
    """

    i: NDArray[np.intp]
    j: NDArray[np.intp]
    length: Doubles
    bearing: Doubles
    opposite: Doubles
    ratio: Doubles
    agreement: Doubles


def right_of(ups: Doubles) -> Doubles:
    """The direction to the right of `ups` on a plane with y down."""
    return np.stack((-ups[..., 1], ups[..., 0]), axis=-1)


def offers(marks: Marks) -> Offers:
    """All pairs that could be one card of whatever shape."""
    i, j = np.triu_indices(len(marks.heights), 1)
    across = marks.centres[j] - marks.centres[i]
    up = marks.ups[i] - marks.ups[j]
    norm = np.hypot(*up.T)
    up = up / np.maximum(norm, 1e-9)[:, None]
    right, down = (across * right_of(up)).sum(1), -(across * up).sum(1)
    scale = 1.0 if marks.in_mm else np.sqrt(marks.heights[i] * marks.heights[j])
    amplitude = np.sqrt(marks.probabilities[:, :NOT_AN_INDEX].astype(np.float64))
    every = Offers(
        i.astype(np.intp),
        j.astype(np.intp),
        np.hypot(right, down) / scale,
        np.degrees(np.arctan2(right, down)),
        2 * np.degrees(np.arccos(np.clip(norm / 2, 0, 1))),
        np.abs(np.log(marks.heights[i] / marks.heights[j])),
        (amplitude[i] * amplitude[j]).sum(1),
    )
    keep = (right > 0) & (down > 0) & (every.opposite < 25) & (every.ratio < 0.5)
    return Offers(*(column[keep] for column in every))


def span(shape: CardShape, in_mm: bool) -> tuple[float, float]:
    """Length and bearing of a whole card's pair, as in `Offers`."""
    right, down = shape.width - 2 * shape.index_x, shape.height - 2 * shape.index_y
    unit = 1.0 if in_mm else shape.index_height
    return float(np.hypot(right, down)) / unit, float(np.degrees(np.arctan2(right, down)))


def estimate_shape(marks: Marks, prior: CardShape) -> CardShape:
    """The card's index size and place, voted on by the indices that may be pairs.

    True pairs all have the same span; false ones (of neighbouring copies) spread. `prior` says where
    to look, and stands where nothing votes. Its width and height are kept.
    """
    shape = prior
    if marks.in_mm and len(marks.heights):
        shape = replace(prior, index_height=float(np.median(marks.heights)))
    votes = offers(marks)
    length, bearing = span(prior, marks.in_mm)
    spread = np.log(votes.length / length), votes.bearing - bearing
    # On the table only the margin differs between decks; in a picture the index's size does too.
    wide, turn = (0.08, 3.0) if marks.in_mm else (0.25, 5.0)
    belief = np.exp(-0.5 * ((spread[0] / wide) ** 2 + (spread[1] / turn) ** 2)) * votes.agreement
    near = (belief > 0.02) & (votes.agreement > 0.5)
    if not near.any():
        return shape
    at = np.stack((spread[0][near] / 0.06, spread[1][near] / 3.0), axis=1)
    kinship = np.exp(-0.5 * ((at[:, None] - at[None]) ** 2).sum(2))
    best = int(np.argmax((kinship @ votes.agreement[near]) * belief[near]))
    weights = kinship[best] * votes.agreement[near]
    share = 1 / (weights.sum() + _PRIOR_VOTES)
    length *= float(np.exp(weights @ spread[0][near] * share))
    bearing += float(weights @ spread[1][near] * share)
    return _shape_of_span(shape, length, np.radians(bearing), marks.in_mm)


def _shape_of_span(shape: CardShape, length: float, bearing: float, in_mm: bool) -> CardShape:
    right, down = length * np.sin(bearing), length * np.cos(bearing)
    if in_mm:
        x, high = (shape.width - right) / 2, shape.index_height
    else:  # one unknown too many: how far from the side an index stands hardly differs between decks
        x, high = shape.index_x, (shape.width - 2 * shape.index_x) / right
        down *= high
    y = (shape.height - down) / 2
    return replace(
        shape,
        index_height=float(high),
        index_x=float(np.clip(x, 2, 0.2 * shape.width)),
        index_y=float(np.clip(y, high / 2, 0.3 * shape.height)),
    )


def pair(marks: Marks, shape: CardShape) -> list[tuple[int, ...]]:
    """Rows of `marks` by physical card: two where both corners were found, else one. Best pairs first."""
    all_offers, tolerance = offers(marks), _ON_TABLE if marks.in_mm else _IN_PICTURE
    length, bearing = span(shape, marks.in_mm)
    geometry = (
        (np.log(all_offers.length / length) / tolerance.length) ** 2
        + ((all_offers.bearing - bearing) / tolerance.bearing) ** 2
        + (all_offers.opposite / tolerance.opposite) ** 2
        + (all_offers.ratio / tolerance.ratio) ** 2
    )
    doubt = np.minimum(-2 * np.log(np.maximum(all_offers.agreement, 1e-9)), _FACES_WORTH)
    cost = geometry + doubt
    cards: list[tuple[int, ...]] = []
    taken: set[int] = set()
    for k in np.argsort(cost, kind="stable"):
        i, j = int(all_offers.i[k]), int(all_offers.j[k])
        if cost[k] > _ACCEPT:
            break
        if i not in taken and j not in taken:
            cards.append((i, j))
            taken |= {i, j}
    return cards + [(i,) for i in range(len(marks.heights)) if i not in taken]


def outline(marks: Marks, card: tuple[int, ...], shape: CardShape) -> Doubles:
    """(4, 2) corners of a card on the marks' plane, clockwise from the upper left of its first index."""
    first = card[0]
    up = marks.ups[first]
    scale = 1.0 if marks.in_mm else marks.heights[first] / shape.index_height
    middle = marks.centres[first]
    x, y = shape.index_x, shape.index_y
    if len(card) == 2:  # the line between the corners tells direction and scale far better than one index
        across = marks.centres[card[1]] - middle
        length, bearing = span(shape, True)
        turn = np.arctan2(*across) - np.radians(bearing)  # of "down": angle from +y towards +x
        up = -np.array([np.sin(turn), np.cos(turn)])
        if not marks.in_mm:
            scale = float(np.hypot(*across)) / length
        middle, x, y = middle + across / 2, shape.width / 2, shape.height / 2
    corners = np.array([(0, 0), (shape.width, 0), (shape.width, shape.height), (0, shape.height)]) - (x, y)
    return np.asarray(middle + scale * (corners[:, :1] * right_of(up) - corners[:, 1:] * up))
