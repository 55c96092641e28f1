"""How sure trump is where nobody entered it: what the bidder's meld, as read, says of the first marriage.

A marriage card that was missed makes the next marriage look like the first, and a wrong trump makes every
flag that rests on it false at full certainty. Cards that the bidder plays later tell what the bidder held,
and so what may have lain there; whether a play was legal under one trump or another tells nothing here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.cards import SEATS, SUITS, Face, Seat, Suit
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
_SEEN: Final = 0.5


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
    held = _Held(state, seat)
    laid = [m for m in state.meld[seat] if m.counts != "no"]
    own, complete = _first(laid, trump, times, held)
    probability, other, most = own * _bidder(state), None, 0.0
    for suit in SUITS:
        if suit != trump:
            earlier = _earlier(laid, suit, times, complete, held)
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


def _first(laid: list[Melded], suit: Suit, times: Mapping[int, float], held: _Held) -> tuple[float, float]:
    """How sure the suit's marriage lies there, and when the first that is likely was complete."""
    pairs = [
        (_is(k, Face("K", suit)) * _is(q, Face("Q", suit)), max(_time(k, times), _time(q, times)))
        for k in laid
        for q in laid
        if k is not q
    ]
    best = max((p for p, _ in pairs), default=0.0)
    if best < _SEEN:  # told by the camera, but corrected or read otherwise since
        best = max(best, _lone(laid, suit, held))
        return best, max((_time(m, times) for m in laid), default=math.inf)
    return best, min(at for p, at in pairs if p >= _SEEN)


def _earlier(
    laid: list[Melded], suit: Suit, times: Mapping[int, float], complete: float, held: _Held
) -> float:
    """How likely a marriage in `suit` was complete ahead of the one recorded, at `complete`."""
    king, queen = Face("K", suit), Face("Q", suit)
    found = 0.0
    for m in laid:
        ahead = _ahead(_time(m, times), complete)
        found = max(
            found, _is(m, king) * held.missed(queen) * ahead, _is(m, queen) * held.missed(king) * ahead
        )
        for other in laid:
            if other is not m:
                both = _ahead(max(_time(m, times), _time(other, times)), complete)
                found = max(found, _is(m, king) * _is(other, queen) * both)
    if not any(_is(m, f) >= _SEEN for m in laid for f in (king, queen)):
        found = max(found, held.both_missed(suit))
    return found


def _lone(laid: list[Melded], suit: Suit, held: _Held) -> float:
    king, queen = Face("K", suit), Face("Q", suit)
    alone = [max(_is(m, king) * held.missed(queen), _is(m, queen) * held.missed(king)) for m in laid]
    return max([*alone, held.both_missed(suit)])


def _is(card: Melded, face: Face) -> float:
    if card.face == face:
        return card.reading.probability
    return card.reading.second_probability if card.reading.second == face else 0.0


def _time(card: Melded, times: Mapping[int, float]) -> float:
    return times.get(card.seq, 0.0)


def _ahead(at: float, complete: float) -> float:
    """How likely what is recorded at `at` was ahead of what was complete at `complete`."""
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
