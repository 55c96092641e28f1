"""Reading one picture: indices found, read, and put together into physical cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.cards import ALL_FACES
from engine.deck import DOUBLE, Deck
from vision.deckshape import Belief, learn
from vision.pairing import Marks, outline, pair
from vision.patches import both_ways_up
from vision.table import CardShape, Table
from vision.types import (
    NOT_AN_INDEX,
    CardSeen,
    Floats,
    GlyphReader,
    Image,
    IndexBox,
    IndexFinder,
    IndexRead,
)

FOREIGN = 0.8
"""Probability of one face outside the deck from which it is reported instead of masked away."""
EDGE_MM = 20.0
"""How far over the table's edge an index is still looked at; beyond are people and their hands."""
SIZES = 1.9
"""By what factor a deck's index may be larger or smaller than the table's card says."""
_MEMORY = 0.97
"""What is left of a picture's votes on the deck's shape at the next picture of the same table."""
_FLOOR = 1e-6

Region: TypeAlias = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, x1 and y1 just beyond."""


def deck_mask(deck: Deck | None) -> NDArray[np.bool_]:
    """Which CLASSES a deck leaves possible, "not an index" among them; None: all."""
    allowed = set(ALL_FACES if deck is None else deck.faces)
    return np.array([*(f in allowed for f in ALL_FACES), True])


def fit_to_deck(probabilities: Floats, mask: NDArray[np.bool_]) -> tuple[Floats, bool]:
    """Probabilities over what the deck holds, and False; or unchanged, and True, if surely foreign."""
    if np.max(probabilities[~mask], initial=0) >= FOREIGN:
        return probabilities, True
    kept = np.where(mask, probabilities + _FLOOR, 0)
    return np.asarray(kept / kept.sum(), np.float32), False


def combine(probabilities: Floats) -> Floats:
    """One distribution from independent readings (n, classes) of the same card."""
    logs = np.log(probabilities.astype(np.float64) + _FLOOR).sum(axis=0)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum(), np.float32)


class CardReader:
    """Finds and reads the physical cards in pictures of one deck.

    deck: the deck in play; its faces alone are read, a surely different face is reported as
    foreign; None reads all 52. shape: where this deck's cards carry their index, if known; else
    each picture tells by vote, near the expected place (of an enrolled deck; else the usual one), and a
    table's pictures together, near its card's.
    """

    def __init__(
        self,
        finder: IndexFinder,
        reader: GlyphReader,
        deck: Deck | None = DOUBLE,
        shape: CardShape | None = None,
        expected: CardShape | None = None,
    ) -> None:
        self.finder, self.reader, self.shape = finder, reader, shape
        self._expected = expected or CardShape()
        self._mask = deck_mask(deck)
        self._table: Table | None = None
        self._belief = Belief(self._expected)

    def read(self, image: Image, table: Table | None = None, region: Region | None = None) -> list[CardSeen]:
        """Every card that shows an index in a BGR picture, best found first.

        With `table`, the picture is the calibrated camera's full picture, cards have their known size,
        and only the table is looked at; without, scale is taken from the indices themselves. `region`:
        look only there; whatever is found is told in pixels of the whole picture all the same.
        Raises TableError if the table was calibrated for a picture of another shape.
        """
        table = table and table.for_picture(image.shape[1], image.shape[0])
        return self.assemble(self.read_indices(image, self.find(image, table, region)), table)

    def find(self, image: Image, table: Table | None = None, region: Region | None = None) -> list[IndexBox]:
        """The indices that `read` would go on to read."""
        area = _common((0, 0, image.shape[1], image.shape[0]), region)
        x0, y0, x1, y1 = _common(area, table.bounds_px(EDGE_MM) if table else None)
        if x1 <= x0 or y1 <= y0:
            return []
        part = image[y0:y1, x0:x1]
        if table is None:
            return [shifted(b, x0, y0) for b in self.finder.find(part)]
        height = table.index_height(table.mm(((x0 + x1) / 2, (y0 + y1) / 2)))
        boxes = [shifted(b, x0, y0) for b in self.finder.find(part, height)]
        return [b for b in boxes if _fits(b, table)]

    def read_indices(self, image: Image, boxes: Sequence[IndexBox]) -> list[IndexRead]:
        """Read found indices, turned about where only that way up they can be read; drop what is none."""
        found, turned = both_ways_up(image, boxes)
        readings = self.reader.read(found)
        doubtful = np.flatnonzero(readings[:, NOT_AN_INDEX] > 0.5).tolist()
        again = self.reader.read(turned[doubtful])
        reads = [IndexRead(b, p) for b, p in zip(boxes, readings, strict=True)]
        for i, other in zip(doubtful, again, strict=True):
            if other[NOT_AN_INDEX] < 0.5:
                box = boxes[i]
                reads[i] = IndexRead(IndexBox(box.foot, box.top, box.score), other)
        return [r for r in reads if r.probabilities[NOT_AN_INDEX] <= 0.5]

    def assemble(self, reads: Sequence[IndexRead], table: Table | None = None) -> list[CardSeen]:
        """Read indices of one picture as physical cards. `table`: of this picture (`Table.for_picture`)."""
        if not reads:
            return []
        marks = place(reads, table)
        shape = self.shape or self._learnt(marks, table)
        cards = []
        for corners in pair(marks, shape):
            polygon = outline(marks, corners, shape)
            members = [c.row for c in corners]
            if table:
                polygon = table.pixels(polygon * (1, -1))
            probabilities, foreign = fit_to_deck(combine(marks.probabilities[members]), self._mask)
            indices = tuple(reads[i] for i in members)
            cards.append(CardSeen(probabilities, polygon.astype(np.float32), indices, foreign))
        return sorted(cards, key=lambda c: -max(r.box.score for r in c.indices))

    def _learnt(self, marks: Marks, table: Table | None) -> CardShape:
        """The deck's shape by vote of the picture, and of those before it of the same table."""
        if table is None:
            return learn(marks, Belief(self._expected)).shape
        if table is not self._table:
            self._table, self._belief = table, Belief(table.card)
        self._belief = learn(marks, self._belief.faded(_MEMORY))
        return self._belief.shape


def _fits(box: IndexBox, table: Table) -> bool:
    """Whether an index lies on the table and is about as large as one there: decks differ, textures more."""
    at = table.mm(_middle(box))
    return table.holds(at, EDGE_MM) and 1 / SIZES < box.height / table.index_height(at) < SIZES


def _common(a: Region, b: Region | None) -> Region:
    """Where two regions overlap (empty if x1 <= x0 or y1 <= y0)."""
    return a if b is None else (max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))


def shifted(box: IndexBox, x: int, y: int) -> IndexBox:
    (a, b), (c, d) = box.top, box.foot
    return IndexBox((a + x, b + y), (c + x, d + y), box.score)


def _middle(box: IndexBox) -> tuple[float, float]:
    return (box.top[0] + box.foot[0]) / 2, (box.top[1] + box.foot[1]) / 2


def place(reads: Sequence[IndexRead], table: Table | None = None) -> Marks:
    """Indices on the plane that cards are put together on: the table in mm (y down), or the picture."""
    tops = np.array([r.box.top for r in reads], np.float64)
    feet = np.array([r.box.foot for r in reads], np.float64)
    if table:
        tops, feet = table.mm(tops) * (1, -1), table.mm(feet) * (1, -1)
    ups = tops - feet
    heights = np.maximum(np.hypot(*ups.T), 1e-6)
    probabilities = np.stack([r.probabilities for r in reads])
    return Marks((tops + feet) / 2, ups / heights[:, None], heights, probabilities, table is not None)
