"""The decks pinochle is played with, as counts of faces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.cards import RANKS, SUITS, Face, Rank


@dataclass(frozen=True, slots=True)
class Deck:
    """Which faces there are and how many copies of each."""

    name: str
    ranks: tuple[Rank, ...]
    copies: int

    @property
    def faces(self) -> tuple[Face, ...]:
        return tuple(Face(r, s) for s in SUITS for r in self.ranks)

    @property
    def size(self) -> int:
        return len(self.ranks) * len(SUITS) * self.copies

    def cards(self) -> list[Face]:
        """Every physical card's face, copies next to each other."""
        return [f for f in self.faces for _ in range(self.copies)]


DOUBLE: Final = Deck("double", RANKS, 4)
"""80 cards: A T K Q J in four suits, four copies of each (LV-01, LV-43)."""
SINGLE: Final = Deck("single", (*RANKS, "9"), 2)
"""The 48-card pinochle deck as sold: with nines, two copies of each."""
DECKS: Final = {d.name: d for d in (DOUBLE, SINGLE)}
