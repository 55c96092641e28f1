"""What the director's page of one hand shows."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import SEAT_NAMES, TEAMS, Face, Seat, Suit
from engine.exposure import breaches
from engine.flags import Kind
from engine.hand import HandState
from engine.questions import trump_question
from webui.books import BookShown, Showcase
from webui.claims import KIND_WORDS, ClaimShown, claim
from webui.desk import Judged
from webui.names import TEAM_NAMES
from webui.proof import FlagShown, flags_of, open_call, progress
from webui.public import MeldOnTable, meld_on_table
from webui.trail import Entry, trail


@dataclass(frozen=True, slots=True)
class Tick:
    """A book in the scrubber."""

    number: int
    closed: bool
    flagged: bool


@dataclass(frozen=True, slots=True)
class HandPage:
    hand: str
    table: str | None
    ruleset: str
    progress: str
    trump: Suit | None
    trump_named: bool
    bid: int | None
    bidder: Seat | None
    team_lines: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    flags: tuple[FlagShown, ...]
    flagged_cards: frozenset[str]
    books: tuple[Tick, ...]
    book: BookShown | None
    previous: int | None
    next: int | None
    meld: tuple[MeldOnTable, ...]
    faces: tuple[Face, ...]
    called: bool
    claim: ClaimShown | None
    kinds: dict[Kind, str]
    trail: tuple[Entry, ...]


def hand_page(judged: Judged, number: int | None = None) -> HandPage:
    """The page with book `number` opened; by default the book of the first flag, else the newest."""
    state = judged.state
    flags = tuple(flags_of(judged))
    serious = [f for f in flags if f.status != "corrected" and f.book]
    flagged = {f.book for f in serious}
    if number is None and state.books:
        number = serious[0].book if serious else state.books[-1].number
    book = state.book(number) if number else None
    last = len(state.books)
    return HandPage(
        hand=judged.info.hand,
        table=state.table,
        ruleset=state.rules.title,
        progress=progress(state),
        trump=state.trump,
        trump_named=state.trump_known,
        bid=state.bid,
        bidder=state.bidder,
        team_lines=_team_lines(state),
        notes=_notes(state),
        problems=_problems(judged),
        flags=flags,
        flagged_cards=frozenset(f.offence.card for f in serious),
        books=tuple(Tick(b.number, b.closed, b.number in flagged) for b in state.books),
        book=Showcase(judged.info.hand, judged.events).book(book) if book else None,
        previous=book.number - 1 if book and book.number > 1 else None,
        next=book.number + 1 if book and book.number < last else None,
        meld=meld_on_table(state) if any(state.meld.values()) else (),
        faces=state.deck.faces,
        called=open_call(state) is not None,
        claim=claim(judged, state.calls[-1]) if state.calls else None,
        kinds=KIND_WORDS,
        trail=tuple(trail(judged.events)),
    )


def _team_lines(state: HandState) -> tuple[str, ...]:
    lines = []
    for team in TEAMS:
        meld = state.team_meld[team]
        lines.append(
            f"{TEAM_NAMES[team]}: meld {meld}, {state.tricks[team]} books, {state.points[team]} points"
        )
    return tuple(lines)


def _notes(state: HandState) -> tuple[str, ...]:
    notes = []
    if asked := trump_question(state):
        notes.append(
            f"{asked.text} The first marriage seen is {asked.probability:.0%} sure. Until trump is entered "
            "on the scorekeeper's page, no renege that rests on it is proven."
        )
    if not state.sight and state.ended is None:
        notes.append("The camera cannot see the table at the moment.")
    for gap in state.gaps:
        notes.append(f"Book {gap.book}: the card of {SEAT_NAMES[gap.seat]} was not seen.")
    notes += [f"Exposed card: {duty.text} No penalty follows by itself." for duty in breaches(state)]
    return tuple(notes)


def _problems(judged: Judged) -> tuple[str, ...]:
    found = [judged.info.problem] if judged.info.problem else []
    found += [f"{p.message[0].upper()}{p.message[1:]} (event {p.seq})." for p in judged.state.problems]
    if len(found) > 8:
        found = [*found[:8], f"And {len(found) - 8} more of this kind."]
    return tuple(found)
