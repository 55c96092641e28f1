"""Books: who laid what in which order, what was taken back, when a book was closed and who drew it.

What is known of the game here is physical: a seat lays one card to a book, clockwise as a rule; who
won a book leads the next. All of it only weighs in the guess of a seat: a card out of turn is
reported by its seat in the order in which it came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from engine import events as ev
from engine.cards import SEATS, Seat, Suit, next_seat
from engine.play import winning
from vision import seats
from vision.motion import Motion
from vision.seats import Sides
from vision.table import Doubles
from vision.tracking import Card, State
from vision.types import Observed

Closing = Literal["turned", "next_lead"]

IN_TURN = 0.9
"""How often a card comes from the seat whose turn it is."""
WINNER_LEADS = 0.85
TWICE = 0.004
"""How often a seat that has a card in the book lays another."""
APPROACH = 0.9
"""Seconds before a card came to rest in which its hand came."""
GRACE, GRACE_FULL = 0.45, 1.2
"""Seconds until a card missing from an open book counts as taken back, and from a full one."""
FORGOTTEN = 2.5
"""Seconds after which a book none of whose cards can be seen counts as turned."""
AFTER_LEAVING = 1.2
"""Seconds after a book left in which its cards may still turn in the air."""
GATHERING = 0.9
"""Seconds after a book left within which its gatherer's hand is looked for."""


@dataclass(slots=True)
class Laid:
    """A card of a book. `gone_at`: when it left its place, while nothing is concluded yet."""

    id: str
    card: Card
    seat: Seat
    at: float
    back: bool = False
    gone_at: float | None = None


@dataclass(slots=True)
class Book:
    """One book on the table or gathered."""

    number: int
    laid: list[Laid] = field(default_factory=list)
    left_at: float | None = None
    closed: bool = False
    looked_back: float = -np.inf
    gathered: bool = False

    @property
    def standing(self) -> list[Laid]:
        return [x for x in self.laid if not x.back]


class Books:
    """Follows the books of one hand. Every method returns what is to be recorded.

    how: what closes a book: its cards being turned, or the next lead. `name` gives a card its id,
    `read` its reading with pictures.
    """

    def __init__(
        self,
        motion: Motion,
        sides: Sides,
        how: Closing,
        name: Callable[[Card], str],
        observe: Callable[[ev.What, float, Card | None], Observed],
        read: Callable[[Card], ev.Reading],
    ) -> None:
        self._motion, self._sides, self._how = motion, sides, how
        self._name, self._observe, self._read = name, observe, read
        self.books: list[Book] = []
        self.leader: Seat | None = None
        self.trump: Suit | None = None

    @property
    def closed(self) -> int:
        """How many books are closed."""
        return sum(b.closed for b in self.books)

    @property
    def leaving(self) -> bool:
        """Whether cards of the last book are on their way, or have just left."""
        if not self.books:
            return False
        book = self.books[-1]
        if book.left_at is not None:
            return self._motion.at - book.left_at < AFTER_LEAVING
        return any(x.gone_at is not None or x.card.state is State.UNSURE for x in book.standing)

    def of(self, card: Card) -> tuple[Book, Laid] | None:
        """The book a card stands in."""
        for book in reversed(self.books):
            for x in book.laid:
                if x.card is card and not x.back:
                    return book, x
        return None

    # -- laying ---------------------------------------------------------------------------------

    def lay(self, card: Card) -> list[Observed]:
        """A card came to rest in the play area."""
        out: list[Observed] = []
        book = self.books[-1] if self.books else None
        if book is not None and not book.closed and book.left_at is None:
            out += self._before_next(book)
        if book is None or book.closed or book.left_at is not None or len(book.standing) >= 4:
            if book is not None and not book.closed and self._how == "next_lead":
                out += self._close(book, "next_lead", card.rested)
            book = Book(len(self.books) + 1)
            self.books.append(book)
        return [*out, self._lay_in(book, card)]

    def lay_unseen(self, card: Card) -> Observed:
        """A card was found to have lain in the last book, which is leaving."""
        return self._lay_in(self.books[-1], card)

    def short(self) -> Book | None:
        """The last book, if it leaves or has left with fewer than four cards."""
        book = self.books[-1] if self.books else None
        if book is None or book.closed or not 0 < len(book.standing) < 4:
            return None
        moving = any(x.gone_at is not None or x.card.state is State.UNSURE for x in book.standing)
        return book if moving else None

    def _lay_in(self, book: Book, card: Card) -> Observed:
        belief = self.belief(card, book)
        seat = SEATS[int(np.argmax(belief))]
        laid = Laid(self._name(card), card, seat, card.rested)
        book.laid.append(laid)
        what = ev.CardLaid(laid.id, seat, self._read(card), round(float(belief.max()), 4))
        return self._observe(what, card.rested, card)

    def _before_next(self, book: Book) -> list[Observed]:
        """Another card lies there: what became of those that left their places?"""
        out: list[Observed] = []
        there = [x for x in book.standing if x.gone_at is None and x.card.state is not State.UNSURE]
        if not there and book.standing:
            return self._left(book)
        for x in book.standing:
            if x.gone_at is not None:
                out.append(self._back(x))
        return out

    def belief(self, card: Card, book: Book) -> Doubles:
        """(4,) probabilities of the seats for a card that comes next in this book."""
        hand = seats.arm(self._sides, self._motion, card.polygon, card.rested - APPROACH, card.rested + 0.15)
        p = self.turn(book) * seats.in_play(card.centre, card.angle) * hand**1.5
        return np.asarray(p / p.sum())

    def turn(self, book: Book) -> Doubles:
        """(4,) prior over the seats for the next card: clockwise, one a seat, the winner leads."""
        there = [x.seat for x in book.standing]
        if not book.laid:
            leader = self._expected_leader(book)
            if leader is None:
                return np.full(4, 0.25)
            return _mostly([leader], WINNER_LEADS, list(SEATS))
        expected = [x.seat for x in book.laid if x.back and x.seat not in there]
        after = next_seat(book.laid[-1].seat)
        for _ in range(3):
            if after not in there and after not in expected:
                expected.append(after)
                break
            after = next_seat(after)
        prior = _mostly(expected, IN_TURN, [s for s in SEATS if s not in there])
        taken = np.array([s in there for s in SEATS])
        return np.where(taken, TWICE, prior * (1 - TWICE * taken.sum()))

    def _expected_leader(self, book: Book) -> Seat | None:
        if book.number == 1:
            return self.leader
        before = self.books[book.number - 2].standing
        if len(before) != 4:
            return None
        return before[winning([x.card.face for x in before], self.trump)].seat

    # -- leaving --------------------------------------------------------------------------------

    def gone(self, card: Card, at: float) -> None:
        """A card is no longer where it lay; `step` concludes what that means."""
        found = self.of(card)
        if found is not None and found[1].gone_at is None:
            found[1].gone_at = at

    def withdrawn(self, card: Card, at: float) -> list[Observed]:
        """A card was drawn out of the play area, face up."""
        found = self.of(card)
        if found is None or found[0].closed:
            return []
        found[1].gone_at = at
        return [self._back(found[1])]

    def step(self, at: float) -> list[Observed]:
        """Draw the conclusions that time allows."""
        out: list[Observed] = []
        for book in self.books[-2:]:
            if book.left_at is None and book.standing:
                out += self._missing(book, at)
            if book.left_at is not None and not book.gathered and at - book.left_at > GATHERING:
                out += self._gather(book)
        return out

    def _missing(self, book: Book, at: float) -> list[Observed]:
        standing = book.standing
        gone = [x for x in standing if x.gone_at is not None]
        unsure = [x for x in standing if x.gone_at is None and x.card.state is State.UNSURE]
        if len(gone) + len(unsure) == len(standing):
            latest = max(x.card.disturbed_at or at for x in unsure) if unsure else 0.0
            # Cards lie over the places of the last one or two: the rest of the book tells.
            if not unsure or (len(gone) >= 2 and len(unsure) <= 2) or at - latest > FORGOTTEN:
                return self._left(book)
            return []
        if not gone or unsure:
            return []
        plan = self._motion.plan
        there = [x for x in standing if x.gone_at is None]
        if any(self._motion.share_active(plan.spot(x.card.polygon)) > 0 for x in there):
            return []
        grace = GRACE if len(standing) < 4 else GRACE_FULL if len(gone) == 1 else FORGOTTEN
        if any(at - x.card.settled_at < grace for x in there):
            return []  # they were moved too: the book is on its way
        return [self._back(x) for x in gone if x.gone_at is not None and at - x.gone_at > grace]

    def _back(self, x: Laid) -> Observed:
        x.back = True
        at = x.gone_at if x.gone_at is not None else self._motion.at
        return self._observe(ev.CardTakenBack(x.id), at, None)

    def _left(self, book: Book) -> list[Observed]:
        """All cards of the book are off their places: turned and drawn in."""
        times = [x.gone_at or x.card.disturbed_at or self._motion.at for x in book.standing]
        book.left_at = max(times)
        if self._how == "turned":
            return self._close(book, "turned", book.left_at)
        return []

    def _close(self, book: Book, how: Closing, at: float) -> list[Observed]:
        if book.closed:
            return []
        book.closed = True
        return [self._observe(ev.BookClosed(book.number, how), at, None)]

    def _gather(self, book: Book) -> list[Observed]:
        assert book.left_at is not None
        book.gathered = True
        start = min(x.card.last_seen for x in book.standing)
        start = max(start, book.left_at - 1.5)
        counts = np.zeros(4)
        for x in book.standing:
            things = self._motion.approach(self._motion.plan.spot(x.card.polygon), start, book.left_at + 0.1)
            counts += self._sides.counts(things)
        if counts.sum() == 0:
            return []
        seat = SEATS[int(np.argmax(counts))]
        return [self._observe(ev.BookGathered(book.number, seat), book.left_at, None)]

    def finish(self) -> list[Observed]:
        """The end of the pictures: what is plain by now."""
        out: list[Observed] = []
        for book in self.books[-2:]:
            if book.left_at is not None and not book.gathered:
                out += self._gather(book)
        return out


def _mostly(expected: Sequence[Seat], share: float, possible: Sequence[Seat]) -> Doubles:
    """(4,) `share` on the expected seats, the rest on the other possible ones."""
    others = [s for s in possible if s not in expected]
    if not others or not expected:
        share = 1.0 if expected else 0.0
    p = np.zeros(4)
    for s in expected:
        p[SEATS.index(s)] = share / len(expected)
    for s in others:
        p[SEATS.index(s)] = (1 - share) / len(others)
    return p
