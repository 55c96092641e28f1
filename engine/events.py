"""The record: everything that happened at the table, in the order in which it was recorded.

An event says what was seen, called or ruled; never what is legal. The log is append-only: a
mistake is mended by a later event (`Corrected`, `ReadingRevised`, `PlaceRevised`), and every view is derived
from the whole log again. `engine.notation` writes and reads events as JSON Lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.cards import Face, Seat, Suit, Team

Source: TypeAlias = Literal["camera", "director", "scorekeeper", "player", "system"]
DealFact: TypeAlias = Literal[
    "shuffled", "cut", "no_cut", "packet", "card_exposed", "complaint_upheld", "complaint_denied", "misdeal"
]
Closing: TypeAlias = Literal["turned", "next_lead", "timeout", "entered"]
ClockStep: TypeAlias = Literal["started", "paused", "resumed", "ended"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a source says a card is. `picture` is a path relative to the hand's folder."""

    face: Face
    probability: float = 1.0
    second: Face | None = None
    second_probability: float = 0.0
    picture: str | None = None


@dataclass(frozen=True, slots=True)
class HandStarted:
    hand: str
    ruleset: str
    dealer: Seat | None = None
    table: str | None = None
    deck: str = "double"


@dataclass(frozen=True, slots=True)
class DealerNamed:
    """Who deals, where the hand's start did not say so or said it wrong; the last one holds."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DealNoted:
    """A fact of shuffle, cut or deal that somebody enters; `engine.deal` says what follows.

    number: of shuffles, of cards left by the cut, or of cards dealt at a time.
    """

    what: DealFact
    number: int | None = None


@dataclass(frozen=True, slots=True)
class CardsCounted:
    """How many cards a player was dealt, as counted now: those played are counted too (LV-57, NP-13)."""

    seat: Seat
    number: int


@dataclass(frozen=True, slots=True)
class BidMade:
    """A call in the auction: a number, "pass", or what was improperly said."""

    seat: Seat
    call: str


@dataclass(frozen=True, slots=True)
class TrumpNamed:
    """What fixes trump is the bidder's first marriage (LV-74); None: no trump.

    probability: of what only the eye can know: that no marriage lay ahead of it among cards that were seen
    and could not be read. How sure the marriage's own cards are stands in their readings.
    """

    suit: Suit | None
    seat: Seat | None = None
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class MeldLaid:
    """One card laid face up as meld. `card` names this physical card for the rest of the log."""

    card: str
    seat: Seat
    reading: Reading


@dataclass(frozen=True, slots=True)
class MeldRemoved:
    """A meld card taken back while meld was still open: it was not melded after all."""

    card: str


@dataclass(frozen=True, slots=True)
class MeldClosed:
    """Meld was counted and picked up; what lies there now is each seat's meld."""


@dataclass(frozen=True, slots=True)
class CardLaid:
    """A card came to rest in the play area.

    `seat_probability` says how sure it is that this seat laid it, `order_probability` that it came
    when the record has it: after the cards recorded before it, and ahead of those after it. `before`
    puts a card that was missed in its place: ahead of the card with that id, in the same book. `book`
    does so where no card follows it: the card was the book's last so far, or nothing was seen of that
    book.
    """

    card: str
    seat: Seat
    reading: Reading
    seat_probability: float = 1.0
    before: str | None = None
    book: int | None = None
    order_probability: float = 1.0


@dataclass(frozen=True, slots=True)
class CardTakenBack:
    """A laid card left the open book for its player's hand (play-law section 4)."""

    card: str


@dataclass(frozen=True, slots=True)
class CardExposed:
    """A card of a seat was seen without being played: dropped, flashed, shown on purpose."""

    card: str
    seat: Seat
    reading: Reading
    how: Literal["dropped", "flashed", "shown", "dealt"] = "dropped"


@dataclass(frozen=True, slots=True)
class BookClosed:
    number: int
    how: Closing


@dataclass(frozen=True, slots=True)
class BookGathered:
    """`seat` drew the book's four cards to its pile."""

    number: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class ReadingRevised:
    """The joint reading of a book or hand says better what a card is."""

    card: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class PlaceRevised:
    """The book as a whole says better whose a laid card is and when it came; as in `CardLaid`."""

    card: str
    seat: Seat
    seat_probability: float
    order_probability: float
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A person's correction of the record. Exactly one of the changes is given.

    `withdrawn`: no such card was ever laid. `before`: the card's place is ahead of that card,
    in its book.
    """

    card: str
    face: Face | None = None
    seat: Seat | None = None
    before: str | None = None
    withdrawn: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class RenegeCalled:
    """A player calls a renege (LV-106): on whom, of what kind, shown by which cards (LV-108, LV-109)."""

    by: Seat
    against: Seat
    what: str = ""
    cards: tuple[Face, ...] = ()
    book: int | None = None


@dataclass(frozen=True, slots=True)
class RulingMade:
    """The director's decision on a seat's card, or on the last call when `card` is None.

    `disordered`: the team whose books were found out of order (LV-112).
    """

    outcome: Literal["confirmed", "denied", "cannot_tell"]
    card: str | None = None
    why: str = ""
    disordered: Team | None = None


@dataclass(frozen=True, slots=True)
class BooksAudited:
    """A team's turned books, spread face up before the director one by one, the pile's first book first.

    `spread`: each book's cards; `pictures`: of each, relative to the hand's folder. What they come to is
    `engine.bookaudit`'s affair, against the record as it then stands.
    """

    team: Team
    spread: tuple[tuple[Face, ...], ...]
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SightLost:
    """The camera could not see the table from here on."""

    why: str


@dataclass(frozen=True, slots=True)
class SightRegained:
    pass


@dataclass(frozen=True, slots=True)
class HandEnded:
    """`how`: "played" when all books are in, else why the hand stopped.

    `rest`: the team to which the director gave all books not yet played (GL-48).
    """

    how: str = "played"
    rest: Team | None = None


@dataclass(frozen=True, slots=True)
class ScoreAgreed:
    """A team's scorekeeper has checked the hand's score and agrees (LV-14, LV-15, WS-02, EC-03, NP-43)."""

    team: Team


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The director's clock of the round at the hand's table (LV-36); `engine.roundclock` reads it.

    It goes on from hand to hand, whichever hand's log it stands in. minutes: of the round, where it
    is started.
    """

    what: ClockStep
    minutes: int | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """The event with number `entry` was a mistake: all is judged as if it had never been recorded.

    It may itself be undone by a later one. A hand's start cannot be undone.
    """

    entry: int
    why: str = ""


What: TypeAlias = (
    HandStarted | DealerNamed | DealNoted | CardsCounted | BidMade | TrumpNamed | MeldLaid | MeldRemoved
    | MeldClosed | CardLaid | CardTakenBack | CardExposed | BookClosed | BookGathered | ReadingRevised
    | PlaceRevised | Corrected | RenegeCalled | RulingMade | BooksAudited | SightLost | SightRegained
    | HandEnded | ScoreAgreed | RoundClock | Undone
)  # fmt: skip


def pictures_of(what: What) -> tuple[str, ...]:
    """The pictures that an event names, relative to the hand's folder."""
    if isinstance(what, BooksAudited):
        return tuple(p for p in what.pictures if p)
    reading: Reading | None = getattr(what, "reading", None)
    return (reading.picture,) if reading and reading.picture else ()


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log.

    seq: 1, 2, 3 ... within the hand, no gaps. at: seconds since the hand's start on a monotonic
    clock (video time for a recording). utc: wall time for people, ISO 8601. by: who says so.
    """

    seq: int
    at: float
    what: What
    by: Source = "camera"
    utc: str | None = None
