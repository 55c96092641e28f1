"""What a hand's log comes to: books with their cards, meld, exposed cards, points, problems.

`engine.hand.fold` builds it; everybody else only reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine import events as ev
from engine import meld, play
from engine.auction_state import AuctionState
from engine.cards import SEATS, Face, Seat, Suit, Team, team_of
from engine.deck import DOUBLE, Deck
from engine.events import Reading
from engine.meld import MeldCount
from engine.rules import RuleSet


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the log cannot mean, or that the rules leave to the director. `seq`: the event."""

    seq: int
    code: str
    message: str


@dataclass(slots=True)
class Play:
    """A card laid in a book. `order` counts what happened, corrections put in their places.

    `back`: order of its being taken back in time; `lifted`: taken back when it no longer might be,
    so that it stands; `void`: laid in place of a card that stands. `order_probability`: that it came
    when the record has it.
    """

    card: str
    seat: Seat
    face: Face
    reading: Reading
    seat_probability: float
    book: int
    order: int
    seq: int
    back: int | None = None
    lifted: bool = False
    void: bool = False
    order_probability: float = 1.0

    @property
    def stands(self) -> bool:
        return self.back is None and not self.void


@dataclass(slots=True)
class Book:
    """One trick. A slot is one player's turn in it: all but its last standing card were taken back.

    `ended`: how its end was seen; `closed`: closed in the sense of the rule set.
    """

    number: int
    slots: list[list[Play]] = field(default_factory=list)
    ended: ev.Closing | None = None
    closed: bool = False
    gathered_by: Seat | None = None
    sight_lost: bool = False
    winner: Seat | None = None
    points: int = 0

    @property
    def plays(self) -> list[Play]:
        """The cards that stand, in turn order."""
        return [p for slot in self.slots for p in slot if p.stands]

    @property
    def order_probability(self) -> float:
        """How sure it is that its cards came in this order; a place taken wrongly is another's too."""
        return min((p.order_probability for slot in self.slots for p in slot), default=1.0)

    def slot_of(self, seat: Seat) -> list[Play] | None:
        for slot in self.slots:
            if slot[0].seat == seat:
                return slot
        return None

    @property
    def full(self) -> bool:
        return len(self.slots) > 3 and len({p.seat for p in self.plays}) == 4


@dataclass(frozen=True, slots=True)
class Melded:
    """A card laid as meld. `counts`: "all", "aces" (declared late, LV-76) or "no" (too late)."""

    card: str
    seat: Seat
    face: Face
    reading: Reading
    seq: int
    counts: str = "all"


@dataclass(slots=True)
class Shown:
    """A card seen without being played. `book`: the newest book then, 0 before play; `order`: when.

    `played`: order of the play by which it left the table; None while it still lies there.
    `before_trump`: it was seen before or during bidding.
    """

    card: str
    seat: Seat
    face: Face
    reading: Reading
    book: int
    order: int
    seq: int
    how: str
    played: int | None = None
    played_book: int | None = None
    before_trump: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """A card of a book that nobody saw."""

    book: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Call:
    """A renege call, and how many books were closed when it came."""

    seq: int
    what: ev.RenegeCalled
    closed_books: int


Stage: TypeAlias = Literal["before_bidding", "before_first_book", "after_first_book", "hand_over"]
"""When a wrong number of cards is found: before a bid, after bidding but before the first book is closed,
later, or when the hand is over."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A fact of the deal as entered, or a player's counted cards, and when that was."""

    seq: int
    what: ev.DealNoted | ev.CardsCounted
    stage: Stage


@dataclass(slots=True)
class HandState:
    """Everything that follows from a log. Derived anew by each `fold`; never changed in place.

    `trump_known` with `trump` None: it is known that there is no trump. `trump_probability`: how sure
    `trump` is (`engine.trump`; 1 once a person entered it), and `trump_other` the suit it may be
    instead. `meld_seen`: the log tells
    of meld, so that what was not laid was not declared. `turn`: who lays the next card. `auction`: the
    calls judged; None where none or only the contract was entered. `noted`: facts of
    the deal. `rest`: the team that the director gave all remaining books; `agreed`: teams that agreed
    the hand's score.
    """

    rules: RuleSet
    hand: str = ""
    ruleset: str = ""
    dealer: Seat | None = None
    table: str | None = None
    deck: Deck = DOUBLE
    noted: list[Noted] = field(default_factory=list)
    bids: list[tuple[Seat, str]] = field(default_factory=list)
    auction: AuctionState | None = None
    bid: int | None = None
    bidder: Seat | None = None
    dropped: bool = False
    trump: Suit | None = None
    trump_known: bool = False
    trump_probability: float = 1.0
    trump_other: Suit | None = None
    meld: dict[Seat, list[Melded]] = field(default_factory=lambda: {s: [] for s in SEATS})
    meld_open: bool = True
    meld_seen: bool = False
    books: list[Book] = field(default_factory=list)
    plays: list[Play] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    points: dict[Team, int] = field(default_factory=lambda: {"NS": 0, "EW": 0})
    tricks: dict[Team, int] = field(default_factory=lambda: {"NS": 0, "EW": 0})
    turn: Seat | None = None
    calls: list[Call] = field(default_factory=list)
    rulings: list[tuple[int, ev.RulingMade]] = field(default_factory=list)
    sight: bool = True
    ended: str | None = None
    rest: Team | None = None
    agreed: set[Team] = field(default_factory=set)
    last_seq: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def bidding_team(self) -> Team | None:
        return team_of(self.bidder) if self.bidder else None

    @property
    def closed_books(self) -> int:
        return sum(b.closed for b in self.books)

    @property
    def open_book(self) -> Book | None:
        """The newest book, while it is not closed."""
        return self.books[-1] if self.books and not self.books[-1].closed else None

    def exposed(self, seat: Seat) -> list[Shown]:
        """The seat's cards that lie face up now and are still to be played."""
        return [s for s in self.shown if s.seat == seat and s.played is None]

    def meld_count(self, seat: Seat) -> MeldCount:
        """What the seat's meld on the table is worth; aces declared late count as aces only (LV-76)."""
        laid = self.meld[seat]
        on_time = [m.face for m in laid if m.counts == "all"]
        counted = meld.count(
            on_time, self.trump, self.rules, double_run_declared=self.double_run_declared(seat)
        )
        late = [m.face for m in laid if m.counts == "aces"]
        if not late:
            return counted
        aces = meld.count([f for f in (*on_time, *late) if f.rank == "A"], None, self.rules).groups
        groups = aces + tuple(g for g in counted.groups if g.kind != "aces")
        return MeldCount(sum(g.value for g in groups), groups)

    def double_run_declared(self, seat: Seat) -> bool:
        """False when the seat named trump after bids of its own without declaring a double run (D-34)."""
        if seat != self.bidder or self.auction is None:
            return True
        return seat in self.auction.declared or all(b.seat != seat for b in self.auction.bids)

    @property
    def team_meld(self) -> dict[Team, int]:
        totals: dict[Team, int] = {"NS": 0, "EW": 0}
        for seat in SEATS:
            totals[team_of(seat)] += self.meld_count(seat).total
        return totals

    def seat_of(self, card: str) -> Seat | None:
        """Whose card this is, wherever it was seen last."""
        known: list[Play | Shown | Melded] = [*self.plays, *self.shown]
        known += [m for laid in self.meld.values() for m in laid]
        return next((x.seat for x in reversed(known) if x.card == card), None)

    def book(self, number: int) -> Book | None:
        return self.books[number - 1] if 0 < number <= len(self.books) else None


def winner_of(book: Book, trump: Suit | None) -> Seat | None:
    """Who takes the cards that stand in the book now; None when it is empty."""
    plays = book.plays
    return plays[play.winning([p.face for p in plays], trump)].seat if plays else None


def first_marriage(laid: Iterable[Melded]) -> Suit | None:
    """The suit of the first marriage complete on the table, in the order in which cards were laid."""
    ranks: dict[Suit, set[str]] = {}
    for m in laid:
        have = ranks.setdefault(m.face.suit, set())
        have.add(m.face.rank)
        if {"K", "Q"} <= have:
            return m.face.suit
    return None
