"""Meld over time: cards laid face up before the players until they are picked up again.

The phase is found without being told: before the first book, what lies face up before a seat is
its meld. `vision.melds` groups the cards of a single still.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine import events as ev
from engine.cards import ALL_FACES, SEATS, Face, Seat, Suit
from vision import seats
from vision.motion import Motion
from vision.readings import Readings
from vision.seats import Sides
from vision.sightings import Card, State
from vision.table import Doubles, Table
from vision.types import Observed

BESIDE = 80.0
"""Cards whose middles are nearer than this, in mm, mostly are one player's."""
APPROACH = 1.5
PICKED_UP = 2.5
"""Seconds after the last card left until meld counts as picked up, if play does not begin sooner."""
REMOVED = 3.0
"""Seconds after which a card missing beside others of its seat was not melded after all."""


@dataclass(slots=True)
class Melded:
    """A card of a seat's meld."""

    id: str
    card: Card
    seat: Seat
    gone_at: float | None = None


class MeldWatch:
    """Follows the meld of one hand. Methods return what is to be recorded."""

    def __init__(
        self,
        table: Table,
        motion: Motion,
        sides: Sides,
        readings: Readings,
    ) -> None:
        self._table, self._motion, self._sides = table, motion, sides
        self._readings = readings
        self.melded: list[Melded] = []
        self._unread: list[tuple[Seat, Card]] = []
        self.closed = False

    @property
    def lying(self) -> list[Melded]:
        return [m for m in self.melded if m.gone_at is None]

    def beside(self, card: Card) -> bool:
        """Whether the card lies beside meld."""
        return any(np.hypot(*(m.card.centre - card.centre)) < BESIDE for m in self.lying)

    def lay(self, card: Card) -> list[Observed]:
        """A card lies face up before a player."""
        seat = self._whose(card)
        melded = Melded(self._readings.name(card), card, seat)
        self.melded.append(melded)
        return [
            self._readings.observe(ev.MeldLaid(melded.id, seat, self._readings.read(card)), card.rested, card)
        ]

    def belief(self, card: Card) -> Doubles:
        """(4,) probabilities of the seats."""
        p = seats.at_side(card.centre, card.angle, self._table.size_mm)
        p = p * seats.arm(self._sides, self._motion, card.polygon, card.rested - APPROACH, card.rested + 0.15)
        for m in self.lying:
            if np.hypot(*(m.card.centre - card.centre)) < BESIDE:
                p[SEATS.index(m.seat)] *= 2
        return np.asarray(p / p.sum())

    def gone(self, card: Card, at: float) -> None:
        for m in self.melded:
            if m.card is card and m.gone_at is None:
                m.gone_at = at

    def step(self, at: float) -> list[Observed]:
        """Draw the conclusions that time allows."""
        if self.closed or not self.melded:
            return []
        if all(m.gone_at is not None or m.card.state is State.UNSURE for m in self.melded):
            latest = max(m.gone_at or m.card.disturbed_at or at for m in self.melded)
            return self.close() if at - latest > PICKED_UP else []
        out = []
        for seat in SEATS:
            lying = [m for m in self.lying if m.seat == seat]
            gone = [m for m in self.melded if m.seat == seat and m.gone_at is not None]
            if lying and all(m.card.state is State.LIES for m in lying):
                for m in gone:
                    if m.gone_at is not None and at - m.gone_at > REMOVED:
                        self.melded.remove(m)
                        out.append(self._readings.observe(ev.MeldRemoved(m.id), m.gone_at, None))
        return out

    def close(self) -> list[Observed]:
        """Meld is over: it was picked up, or the first book begins."""
        if self.closed or not self.melded:
            self.closed = True
            return []
        self.closed = True
        times = [m.gone_at or m.card.disturbed_at or self._motion.at for m in self.melded]
        return [self._readings.observe(ev.MeldClosed(), max(times), None)]

    def leave_unread(self, card: Card) -> None:
        """A card that lay there is gone, or covered, and was never read well enough to be recorded."""
        if not self.closed:
            self._unread.append((self._whose(card), card))

    def first_marriage(self, seat: Seat) -> tuple[Suit, float] | None:
        """The suit of the first king and queen that the seat laid, in the order in which cards came to rest,
        and how likely no card that could not be read made another marriage before."""
        laid: set[Face] = set()
        for m in sorted((m for m in self.melded if m.seat == seat), key=lambda m: m.card.rested):
            suit = m.card.face.suit
            laid.add(m.card.face)
            if {Face("K", suit), Face("Q", suit)} <= laid:
                unread = [c for s, c in self._unread if s == seat and c.rested <= m.card.rested]
                return suit, float(np.prod([1 - _completes(c, laid, suit) for c in unread]))
        return None

    def _whose(self, card: Card) -> Seat:
        return SEATS[int(np.argmax(self.belief(card)))]


def _completes(card: Card, laid: set[Face], but: Suit) -> float:
    """How likely the card made a marriage with one of those laid, in another suit than `but`."""
    p = dict(zip(ALL_FACES, card.evidence.probabilities, strict=True))
    alone = [f for f in laid if f.suit != but and f.rank in "KQ"]
    return float(sum(p[Face("Q" if f.rank == "K" else "K", f.suit)] for f in alone))
