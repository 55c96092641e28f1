"""Cards that one hand laid at once: which is the play shows when the other is taken up again.

Two cards that come to rest together, upon each other and before one seat, wait for that a little. What
is left lying is the play, what goes is exposed; if both stay, the play is the one that was seen first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vision.sightings import Card, State
from vision.table import Doubles

AT_ONCE, UPON = 0.15, 60.0
"""Seconds between the rests of two cards laid at once, and millimetres between their middles."""
UNDECIDED = 2.5
"""Seconds for which it may stay open which of the two is the play."""


class Twins:
    """The pairs of one hand. told: (4,) likelihood of the seats for a card."""

    def __init__(self, told: Callable[[Card], Doubles]) -> None:
        self._told = told
        self._exposed: list[tuple[Card, Card]] = []

    def of(self, card: Card, others: Sequence[Card]) -> Card | None:
        """The other card that was laid at once with this one."""
        for other in others:
            if (
                other is not card
                and abs(other.rested - card.rested) < AT_ONCE
                and float(np.hypot(*(other.centre - card.centre))) < UPON
                and self._told(other).argmax() == self._told(card).argmax()
            ):
                return other
        return None

    def expose(self, card: Card, play: Card) -> None:
        """`card` lies there still, but `play` is taken for the play."""
        self._exposed.append((card, play))

    def left(self, is_back: Callable[[Card], bool]) -> list[Card]:
        """Exposed cards that lie there while what was taken for the play is back: they are the play."""
        found = [c for c, play in self._exposed if is_back(play) and c.state is State.LIES]
        self._exposed = [
            (c, play) for c, play in self._exposed if not is_back(play) and c.state is not State.GONE
        ]
        return found
