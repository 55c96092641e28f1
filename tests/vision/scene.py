"""Cards laid out on paper: where their indices would be found, without any picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.table import CardShape
from vision.types import CLASSES, Floats, IndexBox, IndexRead


def certain(face: str, sure: float = 0.97, second: str | None = None) -> Floats:
    """Probabilities with most on `face` and the rest on `second`, or spread."""
    p = np.full(len(CLASSES), (1 - sure) / (len(CLASSES) - 1), np.float32)
    if second:
        p[:] = 1e-6
        p[CLASSES.index(second)] = 1 - sure
    p[CLASSES.index(face)] = sure
    return np.asarray(p / p.sum(), np.float32)


@dataclass
class Laid:
    """A card on a plane with y down, in mm: its centre, its turn (degrees, clockwise), its visible corners.

    Corner 0 is the upper left as read, 1 the opposite one; in a deck with four indices 2 is the upper
    right and 3 the lower left.
    """

    face: str
    at: tuple[float, float]
    turn: float = 0.0
    corners: tuple[int, ...] = (0, 1)

    def point(self, right: float, down: float) -> np.ndarray:
        """A point given from the card's centre in the card's own directions."""
        a = np.radians(self.turn)
        return (
            np.array(self.at)
            + right * np.array([np.cos(a), np.sin(a)])
            + down * np.array([-np.sin(a), np.cos(a)])
        )

    def outline(self, shape: CardShape) -> np.ndarray:
        w, h = shape.width / 2, shape.height / 2
        return np.array([self.point(x, y) for x, y in ((-w, -h), (w, -h), (w, h), (-w, h))])


PLACES = {0: (-1, -1), 1: (1, 1), 2: (1, -1), 3: (-1, 1)}
"""By corner: right or left, and below or above the card's middle."""


def piled(cards: list[Laid], shape: CardShape) -> list[Laid]:
    """The same cards one upon the other, the last on top, with the corners that remain to be seen."""
    shown = []
    for n, card in enumerate(cards):
        above = [c.outline(shape).astype(np.float32) for c in cards[n + 1 :]]
        corners = []
        for corner in range(4 if shape.four_indices else 2):
            right, down = PLACES[corner]
            x, y = (shape.width / 2 - shape.index_x), (shape.height / 2 - shape.index_y)
            at = card.point(right * x, down * y)
            if all(cv2.pointPolygonTest(o, (float(at[0]), float(at[1])), True) < -4 for o in above):
                corners.append(corner)
        shown.append(Laid(card.face, card.at, card.turn, tuple(corners)))
    return shown


def indices(
    cards: list[Laid], shape: CardShape, px_per_mm: float, rng: np.random.Generator, noise: float = 0.03
) -> list[IndexRead]:
    """What a finder and a reader would tell, keypoints off by `noise` index heights; in random order."""
    reads = []
    for card in cards:
        for corner in card.corners:
            (right, sign), half = PLACES[corner], shape.index_height / 2
            x, y = right * (shape.width / 2 - shape.index_x), shape.height / 2 - shape.index_y
            top, foot = (card.point(x, sign * (y + d)) for d in (half, -half))
            top, foot = (
                p * px_per_mm + rng.normal(0, noise * shape.index_height * px_per_mm, 2) for p in (top, foot)
            )
            box = IndexBox(
                (float(top[0]), float(top[1])), (float(foot[0]), float(foot[1])), float(rng.uniform(0.5, 0.9))
            )
            reads.append(IndexRead(box, certain(card.face)))
    rng.shuffle(reads)
    return reads
