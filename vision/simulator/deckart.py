"""What a drawn deck is: a picture of every face with its indices, and of its back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.cards import Face
from vision.types import Floats, Image


@dataclass(frozen=True, slots=True)
class CardArt:
    """A card's picture, BGRA uint8 (height, width, 4), transparent outside its rounded corners.

    indices: float32 (n, 4, 2), the corners of each index (rank and pip glyph together, tightly)
    in pixels of the picture, in the order upper left, upper right, lower right, lower left *as
    read upright*: for the index in the card's lower right corner, "upper left" is the point
    nearest the card's lower right corner.
    """

    image: Image
    indices: Floats


class DeckArt(Protocol):
    """A deck's look. `family` groups decks that resemble each other, to keep training and test apart."""

    @property
    def name(self) -> str: ...

    @property
    def family(self) -> str: ...

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of a card."""
        ...

    def faces(self) -> tuple[Face, ...]:
        """The faces that this deck can show (a borrowed deck may lack usable courts)."""
        ...

    def art(self, face: Face) -> CardArt: ...

    def back(self) -> Image:
        """BGRA, as large as the faces."""
        ...
