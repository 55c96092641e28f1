"""What the eye passes on: indices, cards and pictures, in image and table coordinates.

Image coordinates are pixels of the full-resolution picture, x right, y down. Table coordinates
are millimetres from the table's centre, x to East, y to North. Pictures are BGR uint8 arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.cards import ALL_FACES, Face
from engine.events import What

Image: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float32]
Array: TypeAlias = NDArray[Any]
"""Numbers of any kind, where geometry mixes them."""

CLASSES: tuple[str, ...] = (*(str(f) for f in ALL_FACES), "none")
"""The glyph reader's classes; the last is "not an index"."""
NOT_AN_INDEX = len(CLASSES) - 1
PATCH_WIDTH, PATCH_HEIGHT = 40, 64
"""Pixels of an upright patch; the index itself is PATCH_HEIGHT / PATCH_PAD high."""
PATCH_PAD = 1.5


@dataclass(frozen=True, slots=True)
class IndexBox:
    """Where a corner index lies: the middle of its upper edge (`top`) and of its lower edge (`foot`).

    The rank glyph's head points from foot to top. Image pixels.
    """

    top: tuple[float, float]
    foot: tuple[float, float]
    score: float

    @property
    def height(self) -> float:
        """Pixels from foot to top."""
        return float(np.hypot(self.top[0] - self.foot[0], self.top[1] - self.foot[1]))


@dataclass(frozen=True, slots=True)
class IndexRead:
    """An index and what the reader says it is: probabilities over CLASSES, summing to one."""

    box: IndexBox
    probabilities: Floats


@dataclass(frozen=True, slots=True)
class CardSeen:
    """One physical card found in one picture.

    `probabilities` runs over CLASSES after pairing the card's indices and masking to the deck.
    `polygon`: the card's four corners in image pixels, clockwise from its upper left as read.
    `foreign`: the reader is confident that this face is not of the deck in play.
    """

    probabilities: Floats
    polygon: Floats
    indices: tuple[IndexRead, ...]
    foreign: bool = False

    @property
    def face(self) -> Face:
        return ALL_FACES[int(np.argmax(self.probabilities[:NOT_AN_INDEX]))]

    @property
    def probability(self) -> float:
        return float(np.max(self.probabilities[:NOT_AN_INDEX]))

    @property
    def second(self) -> tuple[Face, float]:
        order = np.argsort(self.probabilities[:NOT_AN_INDEX])
        return ALL_FACES[int(order[-2])], float(self.probabilities[order[-2]])

    @property
    def center(self) -> tuple[float, float]:
        x, y = self.polygon.mean(axis=0)
        return float(x), float(y)


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture from a camera. `at`: seconds, monotonic. `number` counts every frame offered."""

    image: Image
    at: float
    number: int = 0
    meta: dict[str, float] = field(default_factory=dict)


class IndexFinder(Protocol):
    """Finds card indices of any face in a picture of any size."""

    def find(self, image: Image, index_height: float | None = None) -> list[IndexBox]:
        """`index_height`: about how high indices are in this picture, in pixels, if that is known."""
        ...


class GlyphReader(Protocol):
    """Reads upright patches, uint8 (n, PATCH_HEIGHT, PATCH_WIDTH, 3), as probabilities (n, len(CLASSES))."""

    def read(self, patches: Image) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Observed:
    """Something that happened on the table, with the pictures that its readings name.

    `at`: seconds on the frames' clock when it happened (for a laid card: when it came to rest).
    `pictures`: file name (as in `Reading.picture`) to picture.
    """

    what: What
    at: float
    pictures: dict[str, Image] = field(default_factory=dict)
