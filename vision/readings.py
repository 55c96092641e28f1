"""Ids and readings of the physical cards of one hand, as they are recorded.

A card is named in the order of first sight. It reads as its own pictures say, until the joint reading
of a hand (`vision.decoding`) says more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine import events as ev
from engine.cards import ALL_FACES, SEATS, Seat
from engine.deck import Deck
from vision import decoding
from vision.sightings import Card
from vision.types import Observed

PICTURES = "pictures"
REVISED_BY = 0.02
"""A probability that changes by less is not recorded anew."""
_BETTER_BY = 0.05


@dataclass(slots=True)
class _Known:
    """What is recorded of a card: its id, the reading last recorded, and pictures so far."""

    card: Card
    id: str
    reading: ev.Reading
    pictures: int = 0
    worth: float = 0.0


class Readings:
    """What one hand's cards are called and read as."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._known: dict[int, _Known] = {}

    def named(self, card: Card) -> str | None:
        """The card's id, if it was recorded."""
        known = self._known.get(id(card))
        return known.id if known else None

    def name(self, card: Card) -> str:
        """The card's id: c001, c002 ... in the order of first sight."""
        known = self._known.get(id(card))
        if known is None:
            known = _Known(card, f"c{len(self._known) + 1:03d}", ev.Reading(card.face))
            self._known[id(card)] = known
        return known.id

    def read(self, card: Card) -> ev.Reading:
        """What a named card reads as by itself, its picture named."""
        known = self._known[id(card)]
        p = card.evidence.probabilities
        first, second = np.argsort(-p, kind="stable")[:2]
        known.reading = ev.Reading(
            ALL_FACES[int(first)], rounded(p[first]), ALL_FACES[int(second)], rounded(p[second]),
            self._picture_name(known),
        )  # fmt: skip
        return known.reading

    @staticmethod
    def observe(what: ev.What, at: float, card: Card | None) -> Observed:
        """An event with the picture that its reading names."""
        pictures = {}
        reading = getattr(what, "reading", None)
        if card is not None and card.picture is not None and reading is not None and reading.picture:
            pictures[reading.picture] = card.picture
        return Observed(what, at, pictures)

    def revise(
        self,
        played: Sequence[tuple[Seat, Card]],
        melded: Sequence[tuple[Seat, Card]],
        at: float,
        whole: bool,
    ) -> list[Observed]:
        """Read all cards played so far jointly; with the `whole` hand, the meld they were before too."""
        played = [(seat, card) for seat, card in played if card.evidence.foreign <= 0]
        logs = [card.evidence.logs for _, card in played]
        melded = [m for m in melded if not any(m[1] is c for _, c in played)]
        links: dict[int, int] = {}
        if whole:
            for seat in SEATS:
                mine = [n for n, (s, _) in enumerate(played) if s == seat]
                theirs = [n for n, (s, _) in enumerate(melded) if s == seat]
                pairs = decoding.link([melded[n][1].evidence.logs for n in theirs], [logs[n] for n in mine])
                links |= {theirs[a]: mine[b] for a, b in pairs.items()}
            for a, b in links.items():
                logs[b] = logs[b] + melded[a][1].evidence.logs
        decoded = decoding.decode(logs, self._deck)
        out: list[Observed] = []
        for (_, card), d in zip(played, decoded, strict=True):
            out += self._revised(card, d, at)
        for a, b in sorted(links.items()):
            out += self._revised(melded[a][1], decoded[b], at)
        return out

    def _revised(self, card: Card, d: decoding.Decoded, at: float) -> list[Observed]:
        known = self._known[id(card)]
        old = known.reading
        if d.face == old.face and abs(d.probability - old.probability) < REVISED_BY:
            return []
        before = known.pictures
        name = self._picture_name(known)
        known.reading = ev.Reading(
            d.face, rounded(d.probability), d.second, rounded(d.second_probability), name
        )
        what = ev.ReadingRevised(known.id, known.reading)
        return [self.observe(what, at, card if known.pictures > before else None)]

    @staticmethod
    def _picture_name(known: _Known) -> str:
        """The name of the card's best picture: a new one if it is better than what was recorded."""
        if known.pictures == 0 or known.card.picture_worth > known.worth + _BETTER_BY:
            known.pictures += 1
            known.worth = known.card.picture_worth
        suffix = "" if known.pictures == 1 else f"-{known.pictures}"
        return f"{PICTURES}/{known.id}{suffix}.jpg"


def rounded(p: float) -> float:
    return round(float(p), 4)
