"""What everybody at the table may see, and nothing else.

The players' pages, streams and API are built from `PublicTable` alone. It holds the cards that lie
face up at this moment and belong to the game (the open book; meld until it is picked up), and facts
that are announced aloud. It never holds a card of a book that is over, a card not yet played, a card
taken back or exposed, a reading's doubt, a picture, a call, a flag, or a ruling.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engine import meld, scoring
from engine.cards import SEATS, STRENGTH, SUITS, TEAMS, Face, Seat, Suit, Team, team_of
from engine.events import BidMade, BookClosed, CardLaid, Event, MeldClosed, MeldLaid
from engine.state import Book, HandState
from webui.names import meld_name

if TYPE_CHECKING:
    from webui.desk import Desk, Judged

Phase: TypeAlias = Literal["auction", "meld", "play", "ended"]


@dataclass(frozen=True, slots=True)
class Call:
    seat: Seat
    call: str


@dataclass(frozen=True, slots=True)
class Laid:
    """A card of the open book. `newest`: it was laid last."""

    face: Face
    newest: bool


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    value: int


@dataclass(frozen=True, slots=True)
class MeldOnTable:
    seat: Seat
    cards: tuple[Face, ...]
    groups: tuple[Group, ...]
    total: int


@dataclass(frozen=True, slots=True)
class TeamSoFar:
    """`meld`: once it is being laid. `points`, `score`: once the hand is over."""

    team: Team
    books: int
    meld: int | None
    points: int | None
    score: int | None


@dataclass(frozen=True, slots=True)
class PublicTable:
    hand: str
    table: str | None
    phase: Phase
    dealer: Seat | None
    calls: tuple[Call, ...]
    bid: int | None
    bidder: Seat | None
    trump: Suit | None
    trump_named: bool
    book: int
    books_in_hand: int
    places: tuple[tuple[Seat, tuple[Laid, ...]], ...]
    leader: Seat | None
    to_play: Seat | None
    meld: tuple[MeldOnTable, ...]
    teams: tuple[TeamSoFar, ...]
    blind: bool
    """The camera cannot see the table at the moment."""


def project(judged: Judged) -> PublicTable:
    """The public view of a hand."""
    state, undone = judged.state, judged.undone
    picked_up = bool(state.plays) or any(
        isinstance(e.what, MeldClosed) and e.seq not in undone for e in judged.events
    )
    phase = _phase(state, picked_up)
    book = _open_book(state)
    plays = book.plays if book else []
    last = max((p.seq for p in plays), default=0)
    bidding = phase == "auction"
    return PublicTable(
        hand=state.hand or judged.info.hand,
        table=state.table,
        phase=phase,
        dealer=state.dealer,
        calls=tuple(Call(seat, call) for seat, call in state.bids) if bidding else (),
        bid=state.bid,
        bidder=state.bidder if state.trump_known or not bidding else None,
        trump=state.trump,
        trump_named=state.trump_known,
        book=min(sum(_over(b) for b in state.books) + 1, state.deck.size // 4),
        books_in_hand=state.deck.size // 4,
        places=tuple(
            (seat, tuple(Laid(p.face, p.seq == last) for p in plays if p.seat == seat)) for seat in SEATS
        ),
        leader=plays[0].seat if plays else None,
        to_play=state.turn if phase == "play" else None,
        meld=meld_on_table(state) if phase == "meld" and not picked_up else (),
        teams=tuple(_team(state, team, phase) for team in TEAMS),
        blind=not state.sight and phase != "ended",
    )


def _over(book: Book) -> bool:
    """Turned or closed: whichever comes first ends the sight of its cards."""
    return book.closed or book.ended is not None


def _open_book(state: HandState) -> Book | None:
    book = state.books[-1] if state.books else None
    return None if book is None or _over(book) or state.ended is not None else book


def _phase(state: HandState, picked_up: bool) -> Phase:
    if state.ended is not None:
        return "ended"
    if picked_up:
        return "play"
    return "meld" if state.trump_known or any(state.meld.values()) else "auction"


def meld_on_table(state: HandState) -> tuple[MeldOnTable, ...]:
    """Each seat's meld as laid: trumps first, groups and sum. Public only while it lies there."""
    order = sorted(SUITS, key=lambda s: s != state.trump)
    found = []
    for seat in SEATS:
        faces = [m.face for m in state.meld[seat] if m.counts != "no"]
        count = meld.count(faces, state.trump, state.rules)
        groups = tuple(Group(meld_name(g.kind, g.sets), g.value) for g in count.groups)
        faces.sort(key=lambda f: (order.index(f.suit), -STRENGTH[f.rank]))
        found.append(MeldOnTable(seat, tuple(faces), groups, count.total))
    return tuple(found)


def _team(state: HandState, team: Team, phase: Phase) -> TeamSoFar:
    takers = Counter(
        team_of(taker) for b in state.books if _over(b) and (taker := b.gathered_by or b.winner) is not None
    )
    over = phase == "ended"
    return TeamSoFar(
        team=team,
        books=takers[team],
        meld=None if phase == "auction" else state.team_meld[team],
        points=state.points[team] if over else None,
        score=scoring.score(state).change[team] if over else None,
    )


def beat(desk: Desk, table: str | None) -> dict[str, Any]:
    """How old the picture of the table is: state, age in seconds (None: nobody knows), and its limit."""
    judged = desk.current(table)
    if judged is None:
        return {"state": "waiting", "age": None, "limit": 0}
    return age(desk, judged, _last_public(judged.events))


def age(desk: Desk, judged: Judged, noted: float | None) -> dict[str, Any]:
    """The age by the camera's own sign of life, else by `noted` (Unix time)."""
    seen = desk.source.seen(judged.info.hand)
    since = seen if seen is not None else noted
    return {
        "state": "ended" if judged.state.ended is not None else "live",
        "age": None if since is None else round(max(0.0, time.time() - since), 1),
        "limit": desk.limit(seen is not None),
    }


def _last_public(events: tuple[Event, ...]) -> float | None:
    """Unix time of the last event that everybody at the table saw or heard."""
    for event in reversed(events):
        if isinstance(event.what, BidMade | MeldLaid | CardLaid | BookClosed) and event.utc:
            return datetime.fromisoformat(event.utc).timestamp()
    return None


def as_json(view: PublicTable) -> dict[str, Any]:
    """The public view for machines; cards as two letters."""
    return {
        "hand": view.hand,
        "table": view.table,
        "phase": view.phase,
        "dealer": view.dealer,
        "calls": [{"seat": c.seat, "call": c.call} for c in view.calls],
        "bid": view.bid,
        "bidder": view.bidder,
        "trump": view.trump,
        "trump_named": view.trump_named,
        "book": view.book,
        "books_in_hand": view.books_in_hand,
        "open_book": {seat: [str(c.face) for c in cards] for seat, cards in view.places if cards},
        "leader": view.leader,
        "to_play": view.to_play,
        "meld": [meld_json(m) for m in view.meld],
        "teams": {
            t.team: {"books": t.books, "meld": t.meld, "points": t.points, "score": t.score}
            for t in view.teams
        },
        "sees_table": not view.blind,
    }


def meld_json(laid: MeldOnTable) -> dict[str, Any]:
    return {
        "seat": laid.seat,
        "cards": [str(f) for f in laid.cards],
        "groups": [{"name": g.name, "value": g.value} for g in laid.groups],
        "total": laid.total,
    }
