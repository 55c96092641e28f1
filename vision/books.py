"""Books: who laid what in which order, what was taken back, when a book was closed and who drew it.

What is known of the game here is physical: a seat lays one card to a book, clockwise as a rule; who
won a book leads the next. All of it only weighs in the guess of seats and order (`vision.turns`): a
card out of turn is reported by its seat in the order in which it came. Once a book is closed it is
weighed again as a whole, and once more when the next one tells who led it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np

from engine import events as ev
from engine.cards import SEATS, Seat, Suit
from engine.play import winning
from vision import seats, turns
from vision.motion import Motion
from vision.readings import REVISED_BY, Readings, rounded
from vision.seats import Sides
from vision.sightings import Card, State
from vision.table import Doubles
from vision.types import Observed

Closing = Literal["turned", "next_lead"]

SHORT, SHORT_AND_ODD = 0.8, 0.5
"""How far the order of a book that lacks cards can be trusted; and one that the wrong seat led besides."""
ARM = 1.5
"""How much more an arm tells than a card's place: the exponent of its likelihood."""
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
    """A card of a book. `gone_at`: when it left its place, while nothing is concluded yet.

    told: (4,) likelihood of the seats from place and arm. seat_probability, order_probability: as last
    recorded.
    """

    id: str
    card: Card
    seat: Seat
    at: float
    told: Doubles
    seat_probability: float = 1.0
    order_probability: float = 1.0
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

    how: what closes a book: its cards being turned, or the next lead.
    """

    def __init__(
        self,
        motion: Motion,
        sides: Sides,
        how: Closing,
        readings: Readings,
    ) -> None:
        self._motion, self._sides, self._how = motion, sides, how
        self._readings = readings
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

    @property
    def lying(self) -> list[Card]:
        """The cards of the book that is being laid."""
        book = self.books[-1] if self.books else None
        return [] if book is None or book.left_at is not None else [x.card for x in book.standing]

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
        return out + self._lay_in(book, card)

    def lay_unseen(self, card: Card) -> list[Observed]:
        """A card was found to have lain in the last book, which is leaving."""
        return self._lay_in(self.books[-1], card)

    def short(self) -> Book | None:
        """The last book, if it leaves or has left with fewer than four cards."""
        book = self.books[-1] if self.books else None
        if book is None or book.closed or not 0 < len(book.standing) < 4:
            return None
        moving = any(x.gone_at is not None or x.card.state is State.UNSURE for x in book.standing)
        return book if moving else None

    def _lay_in(self, book: Book, card: Card) -> list[Observed]:
        laid = Laid(self._readings.name(card), card, SEATS[0], card.rested, self.told(card))
        book.laid.append(laid)
        standing = book.standing
        placed = self._weigh(book).cards[-1]
        laid.seat = placed.seat
        laid.seat_probability = rounded(placed.seat_probability)
        laid.order_probability = rounded(placed.order_probability)
        before = None
        if placed.place < len(standing) - 1 and not any(x.back for x in book.laid):
            before = standing[placed.place].id
            book.laid.insert(placed.place, book.laid.pop())
        what = ev.CardLaid(
            laid.id, laid.seat, self._readings.read(card), laid.seat_probability, before,
            order_probability=laid.order_probability,
        )  # fmt: skip
        return [self._readings.observe(what, card.rested, card), *self._place(book, None)]

    def _before_next(self, book: Book) -> list[Observed]:
        """Another card lies there: what became of those that left their places?"""
        out: list[Observed] = []
        there = [x for x in book.standing if x.gone_at is None and x.card.state is State.LIES]
        if book.standing and (not there or _is_leaving(book)):
            return self._left(book)
        for x in book.standing:
            if x.gone_at is not None:
                out.append(self._back(x))
        return out

    # -- seats and order ------------------------------------------------------------------------

    def told(self, card: Card) -> Doubles:
        """(4,) likelihood of the seats from where the card lies and which arm brought it.

        An arm seen by a card that may have lain there before says the less.
        """
        hand = seats.arm(self._sides, self._motion, card.polygon, card.rested - APPROACH, card.rested + 0.15)
        p = seats.in_play(card.centre, card.angle) * hand ** (ARM * (1 - card.late))
        return np.asarray(p / p.sum())

    def _weigh(self, book: Book, after: Doubles | None = None) -> turns.Weighed:
        """The book's cards placed, in the order of `standing`. after: likelihood of who led the next book."""
        standing = book.standing
        backs = [x for x in book.laid if x.back]
        came = []
        for x in standing:
            rested = x.card.rested
            for back in backs:  # what replaces a card has its turn
                if (
                    back.gone_at is not None
                    and back.gone_at < x.at
                    and SEATS[int(x.told.argmax())] == back.seat
                ):
                    rested = back.at
            came.append(turns.Came(rested, x.card.late, x.told))
        return turns.weigh(
            came, self._leads(book), lambda order: self._wins([standing[n] for n in order]), after
        )

    def _wins(self, laid: Sequence[Laid]) -> int:
        return winning([x.card.face for x in laid], self.trump)

    def _leads(self, book: Book) -> Doubles:
        """(4,) prior of who leads the book."""
        if book.number == 1:
            return turns.expected(self.leader)
        before = self.books[book.number - 2].standing
        if len(before) != 4:
            return turns.expected(None)
        winner = before[self._wins(before)]
        order = min(x.order_probability for x in before)
        return turns.expected(winner.seat, winner.seat_probability * order)

    def _settle(self, book: Book) -> list[Observed]:
        """Weigh a closed book as a whole, and the one before now that it is told who led this."""
        out: list[Observed] = []
        if book.number > 1 and self.books[book.number - 2].standing and self.trump is not None:
            led = self._weigh(book).led
            out += self._place(self.books[book.number - 2], led)
        return out + self._place(book, None)

    def _place(self, book: Book, after: Doubles | None) -> list[Observed]:
        """Record what weighing a book says differently from before."""
        standing = book.standing
        cards = list(self._weigh(book, after).cards)
        orders = [p.order_probability for p in cards]
        if book.closed and len(standing) < 4:
            first = next(p for p in cards if p.place == 0)
            odd = self._leads(book)[SEATS.index(first.seat)] < 0.5 and book.number > 1
            orders = [p * (SHORT_AND_ODD if odd else SHORT) for p in orders]
        moved = {} if any(x.back for x in book.laid) else _moves(standing, cards)
        out: list[Observed] = []
        ahead = sorted(zip(cards, orders, standing, strict=True), key=lambda c: -c[0].place)
        for placed, order, x in ahead:
            seat_probability, order_probability = rounded(placed.seat_probability), rounded(order)
            changed = max(
                abs(seat_probability - x.seat_probability), abs(order_probability - x.order_probability)
            )
            if placed.seat == x.seat and changed < REVISED_BY and x.id not in moved:
                continue
            x.seat, x.seat_probability, x.order_probability = placed.seat, seat_probability, order_probability
            what = ev.PlaceRevised(x.id, x.seat, seat_probability, order_probability, moved.get(x.id))
            out.append(self._readings.observe(what, self._motion.at, None))
        if moved:
            book.laid = [x for _, _, x in reversed(ahead)]
        return out

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
        if _is_leaving(book):
            return self._left(book)
        return [self._back(x) for x in gone if x.gone_at is not None and at - x.gone_at > grace]

    def next_lead(self, book: Book) -> Card | None:
        """The card of a full book that left which lies in its place as if it had not: the winner's next lead.

        A copy laid where the last one lay looks like that card put back. What others have there still is
        the book itself, not yet turned.
        """
        if len(book.standing) < 4:
            return None
        began = min((x.gone_at for x in book.standing if x.gone_at is not None), default=np.inf)
        x = book.standing[self._wins(book.standing)]
        here = seats.in_play(x.card.centre, x.card.angle).argmax()
        lies = x.card.state is State.LIES and x.card.settled_at > began and here == SEATS.index(x.seat)
        return x.card if lies else None

    def _back(self, x: Laid) -> Observed:
        x.back = True
        at = x.gone_at if x.gone_at is not None else self._motion.at
        return self._readings.observe(ev.CardTakenBack(x.id), at, None)

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
        return [self._readings.observe(ev.BookClosed(book.number, how), at, None), *self._settle(book)]

    def close_last(self) -> list[Observed]:
        """The last book of the hand has left: no lead follows that would close it."""
        book = self.books[-1]
        assert book.left_at is not None
        return self._close(book, "turned", book.left_at)

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
        return [self._readings.observe(ev.BookGathered(book.number, seat), book.left_at, None)]

    def finish(self) -> list[Observed]:
        """The end of the pictures: what is plain by now."""
        out: list[Observed] = []
        for book in self.books[-2:]:
            if book.left_at is not None and not book.gathered:
                out += self._gather(book)
        return out


def _is_leaving(book: Book) -> bool:
    """Whether two of a full book's cards are off their places: nobody takes two back, it is being turned."""
    off = [x for x in book.standing if x.gone_at is not None or x.card.state is State.UNSURE]
    return len(book.standing) >= 4 and len(off) > 1


def _moves(standing: Sequence[Laid], cards: Sequence[turns.Placed]) -> dict[str, str]:
    """Which cards are to be put ahead of which, from the last place to the first."""
    now = [x.id for x in standing]
    wanted = [
        x.id for _, x in sorted(zip((p.place for p in cards), standing, strict=True), key=lambda c: c[0])
    ]
    moved: dict[str, str] = {}
    for card, then in reversed(list(pairwise(wanted))):
        if now.index(card) > now.index(then) or now.index(card) + 1 != now.index(then):
            now.remove(card)
            now.insert(now.index(then), card)
            moved[card] = then
    return moved
