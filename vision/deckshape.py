"""A deck's card, learnt from pictures: how large its index is, where it stands, and in how many corners.

True pairs of indices on a card all stand equally far apart, chance neighbours do not: so pairs vote.
What was learnt is a `Belief`, which grows with the pictures of a table.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vision.pairing import IN_PICTURE, Marks, Offers, costs, offers, polar, sides
from vision.table import CardShape, Doubles

_FAIR_CHANCE = 0.05
"""The chance of a pair, as `costs` tell it, from which its indices rather vote than not."""
_FEWEST_FOUR = 1.2
"""Votes from which cards may have four indices: more than neighbouring copies give by chance."""
_PRIOR_LENGTH, _PRIOR_BEARING = 0.5, 4.0
"""What the usual card weighs against pairs: their bearing is noisy, and differs little between decks."""


class Belief(NamedTuple):
    """What is known of a deck's card, and how many votes stand behind it.

    heights, pairs: votes for the index's size and place; four, two: about how many indices spoke for
    four indices on a card, and how many stood in opposite corners, as they do on either.
    """

    shape: CardShape
    heights: float = 0.0
    pairs: float = 0.0
    four: float = 0.0
    two: float = 0.0

    def faded(self, share: float) -> Belief:
        """With that share of its votes."""
        return Belief(self.shape, *(share * votes for votes in self[1:]))


def learn(marks: Marks, belief: Belief) -> Belief:
    """The belief after a picture: the index's size and place, and in how many corners it stands.

    An index and another turned by half straight below it are one card with indices in all corners: of
    two other cards one would cover the index of the other. Indices in opposite corners fit either deck.
    True pairs all have the same span; false ones (of neighbouring copies) spread. What was believed
    says where to look, and stands where nothing votes. A card's width and height are kept.
    """
    if not len(marks.heights):
        return belief
    belief = _with_place(marks, _with_height(marks, belief))
    given, shape = offers(marks), belief.shape
    across, along = sides(shape, marks.in_mm)
    unit = 1.0 if marks.in_mm else shape.index_height
    diagonal = np.exp(-0.5 * costs(given, (across, along), marks.in_mm)) * given.opposed
    straight = np.exp(-0.5 * costs(given, (0.0, along), marks.in_mm, IN_PICTURE)) * given.opposed
    # Copies laid side by side stand nearly like that: the last index of one and the first of the next.
    beside = np.exp(-0.5 * costs(given, (-2 * shape.index_x / unit, along), marks.in_mm, IN_PICTURE))
    four = belief.four + _partnered(marks, given, straight, beside)
    two = belief.two + _partnered(marks, given, diagonal, np.zeros_like(diagonal))
    many = four > _FEWEST_FOUR and four > two / 2
    if many:  # straight below each other they tell the card's height without any bearing
        length = np.hypot(across, along)
        along += float(straight @ (given.length - along) / (straight.sum() + 1))
        shape = _shape_of_span(shape, length, np.arccos(min(along / length, 0.95)), marks.in_mm)
    return Belief(replace(shape, four_indices=many), belief.heights, belief.pairs, four, two)


def _partnered(marks: Marks, given: Offers, chance: Doubles, otherwise: Doubles) -> float:
    """About how many indices have a partner among offers, by their chances as that and otherwise."""
    best = np.zeros(len(marks.heights))
    vote = chance / (chance + otherwise + _FAIR_CHANCE)
    np.maximum.at(best, given.i, vote)
    np.maximum.at(best, given.j, vote)
    return float(best.sum())


def _with_height(marks: Marks, belief: Belief) -> Belief:
    """On the table indices tell their height; as long as no pair told its place, that tells it too."""
    if not marks.in_mm:
        return belief
    shape, seen = belief.shape, len(marks.heights)
    heights = belief.heights + seen
    high = shape.index_height + (float(np.median(marks.heights)) - shape.index_height) * seen / heights
    x, y = shape.index_x, shape.index_y
    if not belief.pairs:  # margins hardly differ between decks, and an index grows in width as in height
        x, y = x * high / shape.index_height, y + (high - shape.index_height) / 2
    return belief._replace(shape=_checked(shape, high, x, y), heights=heights)


def _with_place(marks: Marks, belief: Belief) -> Belief:
    """The index's place, voted on by the indices that may be pairs."""
    shape, votes = belief.shape, offers(marks)
    length, bearing = polar(*sides(shape, marks.in_mm))
    spread = np.log(votes.length / length), votes.bearing - bearing
    # On the table only the margin differs between decks; in a picture the index's size does too.
    wide, turn, kin = (0.07, 4.0, 0.03) if marks.in_mm else (0.25, 6.0, 0.06)
    likely = np.exp(-0.5 * ((spread[0] / wide) ** 2 + (spread[1] / turn) ** 2)) * votes.agreement
    near = (likely > 0.02) & (votes.agreement > 0.5) & votes.opposed
    if not near.any():
        return belief
    at = np.stack((spread[0][near] / kin, spread[1][near] / 5.0), axis=1)
    kinship = np.exp(-0.5 * ((at[:, None] - at[None]) ** 2).sum(2))
    best = int(np.argmax((kinship @ votes.agreement[near]) * likely[near]))
    weights = kinship[best] * votes.agreement[near]
    pairs = belief.pairs + float(weights.sum())
    length *= float(np.exp(weights @ spread[0][near] / (pairs + _PRIOR_LENGTH)))
    bearing += float(weights @ spread[1][near] / (pairs + _PRIOR_BEARING))
    return belief._replace(shape=_shape_of_span(shape, length, np.radians(bearing), marks.in_mm), pairs=pairs)


def _shape_of_span(shape: CardShape, length: float, bearing: float, in_mm: bool) -> CardShape:
    right, down = length * np.sin(bearing), length * np.cos(bearing)
    if in_mm:
        x, high = (shape.width - right) / 2, shape.index_height
    else:  # one unknown too many: how far from the side an index stands hardly differs between decks
        x, high = shape.index_x, (shape.width - 2 * shape.index_x) / right
        down *= high
    return _checked(shape, high, x, (shape.height - down) / 2)


def _checked(shape: CardShape, high: float, x: float, y: float) -> CardShape:
    """The shape with its index of a height at a place, within what decks are printed like."""
    return replace(
        shape,
        index_height=float(high),
        index_x=float(np.clip(x, 2, 0.25 * shape.width)),
        index_y=float(np.clip(y, high / 2, 0.3 * shape.height)),
    )
