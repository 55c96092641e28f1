"""Writes the event log that a rule case describes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from engine import cards
from engine import events as ev
from engine.cards import Seat, Suit
from engine.caseform import CaseError
from engine.hand import fold
from engine.state import HandState


class CaseLog:
    """A log grown step by step. Cards get ids of their own in the order in which they come."""

    def __init__(self, ruleset: str, trump: Suit | None, bidder: Seat | None = None) -> None:
        self._whats: list[tuple[ev.What, ev.Source]] = [(ev.HandStarted("case", ruleset), "system")]
        self._cards = 0
        self._lying: dict[tuple[Seat, str], str] = {}
        if trump is not None:
            self.add(ev.TrumpNamed(trump, bidder), "scorekeeper")

    def add(self, what: ev.What, by: ev.Source = "camera") -> None:
        self._whats.append((what, by))

    def state(self) -> HandState:
        log = (ev.Event(n, float(n), what, by) for n, (what, by) in enumerate(self._whats, 1))
        return fold(log)

    def _next(self) -> str:
        self._cards += 1
        return f"c{self._cards}"

    def meld(self, seat: Seat, laid: Iterable[str]) -> None:
        for card in laid:
            self.add(ev.MeldLaid(self._next(), seat, ev.Reading(cards.face(card))))

    def meld_closed(self) -> None:
        self.add(ev.MeldClosed())

    def bid(self, seat: Seat, call: str) -> None:
        self.add(ev.BidMade(seat, call), "scorekeeper")

    def say_trump(self, seat: Seat, suit: Suit) -> None:
        self.add(ev.TrumpNamed(suit, seat), "player")

    def lay(self, seat: Seat, card: str) -> None:
        self._lying[seat, card] = name = self._next()
        self.add(ev.CardLaid(name, seat, ev.Reading(cards.face(card))))

    def take_back(self, seat: Seat, card: str) -> str:
        """The id of the card taken back."""
        if (seat, card) not in self._lying:
            raise CaseError(f"{seat} takes back {card}, which does not lie on the table")
        name = self._lying.pop((seat, card))
        self.add(ev.CardTakenBack(name))
        return name

    def expose(self, seat: Seat, card: str) -> None:
        self.add(ev.CardExposed(self._next(), seat, ev.Reading(cards.face(card)), "shown"))

    def close(self, number: int, how: ev.Closing = "entered") -> None:
        self.add(ev.BookClosed(number, how))

    def gather(self, number: int, seat: Seat) -> None:
        self.add(ev.BookGathered(number, seat))

    def plays(self, plays: Iterable[Any], retracted: Iterable[Any] = ()) -> None:
        """Cards of one book; `retracted`: cards that were taken back before the seat's own play."""
        back = list(retracted)
        for seat, card in plays:
            for other, wrong in back:
                if other == seat:
                    self.lay(seat, wrong)
                    self.take_back(seat, wrong)
            self.lay(seat, card)

    def trick(self, trick: Any) -> None:
        """A closed book of any number; books before it that the case leaves out were not seen."""
        unknown = set(trick) - {"n", "plays", "retracted"}
        if unknown:
            raise CaseError(f"tricks: '{min(unknown)}' is not understood")
        for number in range(len(self.state().books) + 1, trick["n"]):
            self.close(number)
        self.plays(trick["plays"], trick.get("retracted", ()))
        self.close(trick["n"])

    def end(self) -> None:
        self.add(ev.HandEnded())


_SEAT, _CARD, _SUIT = "([NESW])", "([AKQJT2-9][SHDC])", "(spade|heart|diamond|club)"
_PHRASES = {
    "takes": re.compile(rf"{_SEAT}(?: \(holding a {_SUIT}\))? takes {_CARD} back(?: and plays {_CARD})?"),
    "wants": re.compile(rf"{_SEAT} then wants to replace {_CARD} by {_CARD}"),
    "turned in front": re.compile(rf"book turned down in front of {_SEAT}"),
    "turned": re.compile(r"book turned over"),
    "leads": re.compile(rf"{_SEAT} leads {_CARD} while {_SEAT} still has meld on the table"),
    "adds": re.compile(rf"{_SEAT} then adds ({_CARD}(?: {_CARD})*) to the meld"),
    "nothing": re.compile(r"book not turned|next trick not led"),
}


def enact(event: str, log: CaseLog) -> str | None:
    """Add what these words say happened after the first book's cards lay; the card taken back, if any.

    "holding a spade" is entered as a spade shown to the director, "still has meld" as a jack that lies
    there. Raises CaseError for other words.
    """
    taken = None
    for phrase in re.split(r"[;,] ", event):
        for name, pattern in _PHRASES.items():
            m = pattern.fullmatch(phrase)
            if not m:
                continue
            if name == "takes":
                _, suit, old, new = m.groups()
                seat = cards.seat(m[1])
                if suit:
                    log.expose(seat, "J" + suit[0].upper())
                taken = log.take_back(seat, old)
                if new:
                    log.lay(seat, new)
            elif name == "wants":
                taken = log.take_back(cards.seat(m[1]), m[2])
                log.lay(cards.seat(m[1]), m[3])
            elif name == "leads":
                log.meld(cards.seat(m[3]), ["JC"])
                log.lay(cards.seat(m[1]), m[2])
            elif name == "adds":
                log.meld(cards.seat(m[1]), m[2].split())
            elif name.startswith("turned"):
                log.close(1, "turned")
                if m.groups():
                    log.gather(1, cards.seat(m[1]))
            break
        else:
            raise CaseError(f"the event '{phrase}' is not understood")
    return taken
