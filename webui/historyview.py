"""Past hands as lists, replays and statistics show them, by what the reader may know.

To everybody a hand is listed once it is over, by what was announced aloud. Its cards are history once
both teams have agreed its score: no renege can be called any more, and the books may be turned over.
Taking the agreement back hides them again. A replay holds the cards that stand, never a reading's
doubt, a card taken back or exposed, a flag, a call or a ruling. The director may look at every hand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any, Final

from engine import play, scoring
from engine.cards import SEAT_NAMES, SEATS, SUIT_NAMES, SUITS, TEAMS, Face, Seat, Suit, Team, team_of
from engine.events import BidMade
from webui.desk import Judged
from webui.names import TEAM_NAMES
from webui.public import MeldOnTable, meld_json, meld_on_table, project
from webui.scoresheet import WORDS

RESULTS: Final = ("made", "set", "not played", "must be played", "decided", "not finished")
UNDECIDED: Final = ("unfinished", "no_bid")
PAUSE_MAX: Final = 120.0
"""Seconds; a longer wait for a card is a dispute or a break, not a player's pace."""
MELD_STEP: Final = 10
"""Width of a bar of the meld distribution, in points."""


@dataclass(frozen=True, slots=True)
class PastHand:
    """A hand in the list. `rulings`: how many stand; None for those who may not know."""

    hand: str
    table: str | None
    started: str | None
    bidder: Seat | None
    bid: int | None
    trump: Suit | None
    trump_named: bool
    result: str
    score: dict[Team, int | None]
    rulings: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """One moment of a replay. `at`: seconds since the hand's start. `book`: 0 before play."""

    at: float
    book: int
    seat: Seat | None
    face: Face | None
    said: str
    taken: dict[Team, int]


@dataclass(frozen=True, slots=True)
class Replay:
    meld: tuple[MeldOnTable, ...]
    steps: tuple[Step, ...]


def listed(judged: Judged, director: bool) -> bool:
    return director or judged.state.ended is not None


def open_cards(judged: Judged, director: bool) -> bool:
    """Whether the reader may see this hand's cards."""
    state = judged.state
    return director or (state.ended is not None and state.agreed == set(TEAMS))


def past(judged: Judged, director: bool) -> PastHand:
    view = project(judged)
    result = scoring.score(judged.state).result
    over = judged.state.ended is not None
    word = "not finished" if result in UNDECIDED else WORDS.get(result, "decided")
    return PastHand(
        hand=view.hand,
        table=view.table,
        started=judged.info.started,
        bidder=view.bidder,
        bid=view.bid,
        trump=view.trump,
        trump_named=view.trump_named,
        result=word if over else "running",
        score={t.team: t.score for t in view.teams},
        rulings=len(judged.state.rulings) if director else None,
    )


def past_json(one: PastHand) -> dict[str, Any]:
    found = {
        "hand": one.hand,
        "table": one.table,
        "started": one.started,
        "bidder": one.bidder,
        "bid": one.bid,
        "trump": one.trump,
        "trump_named": one.trump_named,
        "result": one.result,
        "score": one.score,
    }
    return found if one.rulings is None else {**found, "rulings": one.rulings}


def matches(one: PastHand, wanted: dict[str, str]) -> bool:
    """Whether the hand fits every field that was filled in."""
    text = wanted.get("q", "").casefold()
    return (
        (not text or text in f"{one.hand} {one.table or ''}".casefold())
        and (not (day := wanted.get("date")) or (one.started or "").startswith(day))
        and (not (table := wanted.get("table")) or one.table == table)
        and (not (bidder := wanted.get("bidder")) or one.bidder == bidder)
        and (not (trump := wanted.get("trump")) or (one.trump or "none") == trump)
        and (not (result := wanted.get("result")) or one.result == result)
        and (one.rulings is None or wanted.get("rulings") != "yes" or one.rulings > 0)
    )


def replay(judged: Judged) -> Replay:
    """The hand from its log: calls, trump, meld, every card that stands, every book's taker."""
    state = judged.state
    at = {e.seq: e.at for e in judged.events}
    taken: dict[Team, int] = {"NS": 0, "EW": 0}
    steps: list[Step] = []
    clock = 0.0

    def add(when: float, book: int, said: str, seat: Seat | None = None, face: Face | None = None) -> None:
        nonlocal clock
        clock = max(clock, when)  # a card put in its place later takes the time of its neighbour
        steps.append(Step(round(clock, 2), book, seat, face, said, dict(taken)))

    for event in judged.events:
        if isinstance(event.what, BidMade) and event.seq not in judged.undone:
            add(event.at, 0, f"{SEAT_NAMES[event.what.seat]} says {event.what.call}", event.what.seat)
    if state.trump_known:
        suit = SUIT_NAMES[state.trump] if state.trump else "none"
        add(clock, 0, f"Trump: {suit}", state.bidder)
    laid = meld_on_table(state)
    for one in laid:
        if one.cards:
            last = max(at.get(m.seq, 0.0) for m in state.meld[one.seat])
            add(last, 0, f"{SEAT_NAMES[one.seat]} melds {one.total}", one.seat)
    for book in state.books:
        for n, card in enumerate(book.plays):
            verb = "plays" if n else "leads"
            said = f"Book {book.number}: {SEAT_NAMES[card.seat]} {verb} {card.face.name}"
            add(at.get(card.seq, clock), book.number, said, card.seat, card.face)
        taker = book.gathered_by or book.winner
        if taker and book.full:
            taken[team_of(taker)] += 1
            add(clock + 1, book.number, f"Book {book.number} goes to {SEAT_NAMES[taker]}", taker)
    return Replay(laid, tuple(steps))


def replay_json(replay: Replay) -> dict[str, Any]:
    return {
        "meld": [meld_json(m) for m in replay.meld],
        "steps": [
            {
                "at": s.at,
                "book": s.book,
                "seat": s.seat,
                "card": None if s.face is None else str(s.face),
                "said": s.said,
                "taken": s.taken,
            }
            for s in replay.steps
        ],
    }


def statistics(hands: Iterable[Judged]) -> dict[str, Any]:
    """Figures for charts, from hands whose cards the reader may see. Every chart: labels and values."""
    pace: dict[Seat, list[float]] = defaultdict(list)
    points: Counter[tuple[Team, Suit]] = Counter()
    melds: Counter[int] = Counter()
    made: Counter[int] = Counter()
    lost: Counter[int] = Counter()
    count = 0
    for judged in hands:
        count += 1
        state, camera = judged.state, {e.seq: e.at for e in judged.events if e.by == "camera"}
        for book in state.books:
            cards = book.plays
            for before, card in pairwise(cards):
                if before.seq in camera and card.seq in camera:
                    wait = camera[card.seq] - camera[before.seq]
                    if 0 < wait <= PAUSE_MAX:
                        pace[card.seat].append(wait)
            if taker := book.gathered_by or book.winner:
                for card in cards:
                    points[team_of(taker), card.face.suit] += play.points([card.face])
        if state.meld_seen:
            for total in (one.total for one in meld_on_table(state)):
                melds[total // MELD_STEP * MELD_STEP] += 1
        result = scoring.score(state).result
        if state.bid is not None and result in ("made", "set", "set_unplayed"):
            (made if result == "made" else lost)[state.bid] += 1
    bins = list(range(0, max(melds, default=0) + 1, MELD_STEP)) if melds else []
    bids = sorted({*made, *lost})
    return {
        "hands": count,
        "charts": [
            {
                "id": "pace",
                "title": "Pace per seat",
                "unit": "median seconds from the card before it; leads are left out",
                "labels": [SEAT_NAMES[s] for s in SEATS],
                "series": [{"name": "seconds", "values": [_median(pace[s]) for s in SEATS]}],
            },
            {
                "id": "suits",
                "title": "Points by suit",
                "unit": "points that each team took, without those for the last book",
                "labels": [SUIT_NAMES[s] for s in SUITS],
                "series": [{"name": TEAM_NAMES[t], "values": [points[t, s] for s in SUITS]} for t in TEAMS],
            },
            {
                "id": "meld",
                "title": "Meld of one player",
                "unit": "how many players melded so much in a hand",
                "labels": [f"{b}–{b + MELD_STEP - 1}" for b in bins],
                "series": [{"name": "players", "values": [melds[b] for b in bins]}],
            },
            {
                "id": "bids",
                "title": "Bids made and set",
                "unit": "hands by the bid",
                "labels": [str(b) for b in bids],
                "series": [
                    {"name": "made", "values": [made[b] for b in bids]},
                    {"name": "set", "values": [lost[b] for b in bids]},
                ],
            },
        ],
    }


def _median(waits: list[float]) -> float | None:
    return round(median(waits), 2) if waits else None
