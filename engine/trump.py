"""How sure trump is where nobody entered it: what the bidder's meld, as read, says of the first marriage.

A marriage card that was missed makes the next marriage look like the first, and a wrong trump makes every
flag that rests on it false at full certainty. Cards that the bidder plays later tell what the bidder held,
and so what may have lain there; whether a play was legal under one trump or another tells nothing here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from engine.cards import SEATS, SUITS, Face, Rank, Seat, Suit
from engine.state import HandState, Melded

ALONE: Final = 0.25
"""How likely a king or queen that lay alone ahead of the marriage had its partner beside it, not recorded:
people lay the marriage that names trump first, and hardly ever one card of another suit ahead of it."""
BOTH_MISSED: Final = 0.0005
"""How likely a whole marriage that lay ahead of the first one recorded was missed."""
NOT_LAID: Final = 0.02
"""How likely a player who holds the cards of a marriage does not meld it."""
SPREAD: Final = 0.2
"""Seconds by which the times at which meld cards came to rest are uncertain."""
MARRIAGE: Final[tuple[Rank, Rank]] = ("K", "Q")
_LIKELY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Doubt:
    """probability: that trump is what the record has. other: the suit it is likeliest otherwise, if any."""

    probability: float
    other: Suit | None = None


def doubt(state: HandState, times: Mapping[int, float]) -> Doubt:
    """How sure the first marriage of the bidder is the one in `state.trump`.

    times: by event number, when each card of meld came to rest, in seconds. A suit's marriage comes first if
    its king and queen lie there and no other marriage was complete before. Where the record has no meld of
    the bidder there is nothing to doubt it by.
    """
    trump, seat = state.trump, state.bidder
    if trump is None or seat is None or not state.meld[seat]:
        return Doubt(1.0)
    held, laid = _Held(state, seat), _laid(state.meld[seat], times)
    own, complete = _first(laid, trump, held)
    probability, other, most = own * _bidder(state), None, 0.0
    for suit in SUITS:
        if suit != trump:
            earlier = _earlier(laid, suit, complete, held)
            probability *= 1 - earlier
            if earlier > most:
                other, most = suit, earlier
    return Doubt(probability, other)


def _bidder(state: HandState) -> float:
    """How sure it is whose meld tells trump: where no bid was entered, it is that of whoever led first."""
    if state.bids or not state.books or not state.books[0].plays:
        return 1.0
    led = state.books[0].plays[0]
    return led.seat_probability if led.seat == state.bidder else 1 - led.seat_probability


class _Card(NamedTuple):
    """A card laid that may be a certain face: how likely it is, and when it came to rest."""

    card: str
    probability: float
    at: float


_Laid: TypeAlias = Mapping[Face, Sequence[_Card]]


def _laid(meld: Sequence[Melded], times: Mapping[int, float]) -> _Laid:
    """The cards that may be kings or queens, by what they may be."""
    found: dict[Face, list[_Card]] = {}
    for m in meld:
        reading = m.reading
        for face, p in ((m.face, reading.probability), (reading.second, reading.second_probability)):
            if face is not None and face.rank in "KQ" and p > 0 and m.counts != "no":
                found.setdefault(face, []).append(_Card(m.card, p, times.get(m.seq, 0.0)))
    return found


def _pairs(laid: _Laid, suit: Suit) -> list[tuple[float, float]]:
    """Each king with each queen of the suit: how likely they are a marriage, and when it was complete."""
    kings, queens = (laid.get(Face(rank, suit), ()) for rank in MARRIAGE)
    return [
        (k.probability * q.probability, max(k.at, q.at)) for k in kings for q in queens if k.card != q.card
    ]


def _alone(laid: _Laid, suit: Suit, held: _Held) -> list[tuple[float, float]]:
    """The same for each card as if its partner lay beside it and was missed."""
    king, queen = (Face(rank, suit) for rank in MARRIAGE)
    return [
        (c.probability * held.missed(partner), c.at)
        for face, partner in ((king, queen), (queen, king))
        for c in laid.get(face, ())
    ]


def _first(laid: _Laid, suit: Suit, held: _Held) -> tuple[float, float]:
    """How sure the suit's marriage lies there, and when the first that is likely was complete."""
    pairs = _pairs(laid, suit)
    likely = [at for p, at in pairs if p >= _LIKELY]
    if likely:
        return max(p for p, _ in pairs), min(likely)
    # The camera told it, but it was corrected or read otherwise since.
    pairs += [*_alone(laid, suit, held), (held.both_missed(suit), math.inf)]
    return max(pairs)


def _earlier(laid: _Laid, suit: Suit, complete: float, held: _Held) -> float:
    """How likely a marriage in `suit` was complete ahead of the one recorded, at `complete`."""
    found = [p * _ahead(at, complete) for p, at in _pairs(laid, suit) + _alone(laid, suit, held)]
    if not any(c.probability >= _LIKELY for rank in MARRIAGE for c in laid.get(Face(rank, suit), ())):
        found.append(held.both_missed(suit))
    return max(found, default=0.0)


def _ahead(at: float, complete: float) -> float:
    """How likely what is recorded at `at` was ahead of what was complete at `complete`."""
    if complete == math.inf:
        return 1.0
    return 1 / (1 + math.exp(min(max((at - complete) / SPREAD, -50.0), 50.0)))


class _Held:
    """What the cards of the books, and others' meld, tell of cards that the bidder held."""

    def __init__(self, state: HandState, seat: Seat) -> None:
        self.state, self.seat = state, seat
        self.plays = [p for p in state.plays if p.seat == seat and p.stands]
        hand = state.deck.size // 4
        self.unseen = max(hand - len(self.plays), 0) / hand

    def played(self, face: Face) -> float:
        """How likely the bidder played the face."""
        not_one = 1.0
        for p in self.plays:
            reading = p.reading
            same = reading.probability if p.face == face else 0.0
            not_one *= 1 - (reading.second_probability if reading.second == face else same)
        return 1 - not_one

    def held(self, face: Face) -> float:
        """How likely what has been seen of the bidder's hand would be if the bidder had held the face."""
        played = self.played(face)
        return played + (1 - played) * (0.0 if self._elsewhere(face) else self.unseen)

    def _elsewhere(self, face: Face) -> bool:
        """Whether other players showed every copy of the face."""
        found = 0
        for seat in SEATS:
            if seat != self.seat:
                played = sum(p.seat == seat and p.stands and p.face == face for p in self.state.plays)
                found += max(played, sum(m.face == face for m in self.state.meld[seat]))
        return found >= self.state.deck.copies

    def missed(self, face: Face) -> float:
        """How likely the face lay, not recorded, beside its partner that was laid ahead of the marriage."""
        if any(m.face == face for m in self.state.meld[self.seat]):
            return ALONE  # it lies there, only later: read late, or laid late
        played = self.played(face)
        return _odds(ALONE, self.held(face), 1 - played * (1 - NOT_LAID))

    def both_missed(self, suit: Suit) -> float:
        """How likely a whole marriage of the suit lay ahead of the one recorded, and none of it was."""
        king, queen = Face("K", suit), Face("Q", suit)
        both = self.played(king) * self.played(queen)
        return _odds(BOTH_MISSED, self.held(king) * self.held(queen), 1 - both * (1 - NOT_LAID))


def _odds(prior: float, likely: float, otherwise: float) -> float:
    """The probability of what had `prior`, where what was seen is so likely under it, and otherwise."""
    return prior * likely / (prior * likely + (1 - prior) * otherwise)
