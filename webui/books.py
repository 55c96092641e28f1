"""A hand's cards and books as the director's pages show them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from engine.cards import SEAT_NAMES, Face, Seat
from engine.corrections import undone
from engine.events import Corrected, Event, Reading
from engine.events import Source as Who
from engine.hand import Book
from engine.renege import Seen

ROLES = ("Led", "Second", "Third", "Fourth")


@dataclass(frozen=True, slots=True)
class CardShown:
    """A recorded card with its evidence. `where`: "book 7", "meld" ...; `picture`: its address.

    `entered`: who corrected the face, so that no probability applies.
    """

    card: str
    face: Face
    seat: Seat
    where: str
    probability: float
    second: Face | None
    second_probability: float
    picture: str | None
    entered: Who | None
    role: str = ""
    taken_back: bool = False


@dataclass(frozen=True, slots=True)
class BookShown:
    number: int
    closed: bool
    outcome: str
    cards: tuple[CardShown, ...]


class Showcase:
    """Makes `CardShown` for the cards of one hand."""

    def __init__(self, hand: str, events: tuple[Event, ...]) -> None:
        self._hand = hand
        gone = undone(events)
        self._entered = {
            e.what.card: e.by
            for e in events
            if isinstance(e.what, Corrected) and e.what.face is not None and e.seq not in gone
        }

    def picture(self, name: str | None) -> str | None:
        """Address of an evidence picture, on the director's path."""
        return f"/director/pictures/{quote(self._hand, safe='')}/{quote(name)}" if name else None

    def named(self, seen: Seen, reading: Reading, where: str) -> CardShown:
        """A card as a flag names it."""
        return self._card(seen.card, seen.face, seen.seat, reading, where)

    def _card(
        self,
        card: str,
        face: Face,
        seat: Seat,
        reading: Reading,
        where: str,
        role: str = "",
        back: bool = False,
    ) -> CardShown:
        return CardShown(
            card=card,
            face=face,
            seat=seat,
            where=where,
            probability=reading.probability,
            second=reading.second,
            second_probability=reading.second_probability,
            picture=self.picture(reading.picture),
            entered=self._entered.get(card),
            role=role,
            taken_back=back,
        )

    def book(self, book: Book) -> BookShown:
        return BookShown(
            number=book.number,
            closed=book.closed,
            outcome=_outcome(book),
            cards=tuple(self._cards(book)),
        )

    def _cards(self, book: Book) -> Iterator[CardShown]:
        turn = 0
        for slot in book.slots:
            for play in slot:
                if play.back is not None:
                    role = "Taken back in time"
                elif play.void:
                    role = "Laid too late"
                else:
                    role = ROLES[turn] if turn < len(ROLES) else "Besides"
                    turn += 1
                where = f"book {book.number}"
                yield self._card(
                    play.card, play.face, play.seat, play.reading, where, role, play.back is not None
                )


def _outcome(book: Book) -> str:
    parts = []
    if book.winner:
        points = f"{book.points} point{'' if book.points == 1 else 's'}"
        parts.append(f"{'Won' if book.full else 'Ahead'}: {SEAT_NAMES[book.winner]}, {points}")
    if book.gathered_by:
        parts.append(f"gathered by {SEAT_NAMES[book.gathered_by]}")
    if book.ended:
        parts.append({"turned": "turned", "next_lead": "ended by the next lead", "timeout": "ended by time",
                      "entered": "ended by entry"}[book.ended])  # fmt: skip
    if book.sight_lost:
        parts.append("the camera lost sight during this book")
    return " · ".join(parts) or "No card seen."
