"""The score sheet as on paper: a line for each hand, totals from line to line, as many games as were played.

It holds hands of the day on which the newest one began. What a hand brought is on it once it is over.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Final

from engine import game, scoring
from engine.awards import HandScore
from engine.cards import SEAT_NAMES, SUIT_NAMES, TEAMS, Seat, Suit, Team
from webui.desk import Desk, Judged
from webui.names import TEAM_NAMES
from webui.public import project

WORDS: Final = {
    "made": "made",
    "set": "set",
    "set_unplayed": "not played",
    "must_be_played": "must be played",
}
"""Results in words; any other was decided by a person."""


@dataclass(frozen=True, slots=True)
class Line:
    """`meld`, `points`, `score`, `total` by team; None where it is not known yet."""

    number: int
    hand: str
    dealer: Seat | None
    bidder: Seat | None
    bid: int | None
    trump: Suit | None
    trump_named: bool
    meld: dict[Team, int | None]
    points: dict[Team, int | None]
    score: dict[Team, int | None]
    total: dict[Team, int | None]
    result: str
    agreed: tuple[Team, ...]


@dataclass(frozen=True, slots=True)
class Game:
    lines: tuple[Line, ...]
    over: str


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    table: str | None
    day: str | None
    rules: str
    games: tuple[Game, ...]


def sheet(desk: Desk, table: str | None) -> ScoreSheet:
    newest = desk.current(table)
    if newest is None:
        return ScoreSheet(table, None, "", ())
    day, at = (newest.info.started or "")[:10], newest.info.table
    infos = [i for i in desk.source.hands() if i.table == at and (i.started or "")[:10] == day]
    hands = [judged for i in reversed(infos) if (judged := desk.hand(i.hand)) is not None]
    return ScoreSheet(at, day or None, newest.state.rules.title, tuple(_games(hands)))


def _games(hands: list[Judged]) -> list[Game]:
    games: list[Game] = []
    lines: list[Line] = []
    state = game.begin()
    for judged in hands:
        score = scoring.score(judged.state)
        facts = scoring.facts_of(judged.state)
        done = (
            judged.state.ended is not None
            and facts is not None
            and score.result not in ("unfinished", "no_bid")
        )
        if done and facts:
            state = game.add(state, game.PlayedHand(score, facts, judged.state.tricks), judged.state.rules)
        lines.append(_line(len(lines) + 1, judged, score, state if done else None))
        if state.over:
            games.append(Game(tuple(lines), _over(state)))
            lines, state = [], game.begin()
    if lines:
        games.append(Game(tuple(lines), ""))
    return games


def _over(state: game.GameState) -> str:
    who = f"{TEAM_NAMES[state.winner]} win." if state.winner else "A tie."
    return " ".join([who, *(f"{note[:1].upper()}{note[1:]}." for note in state.notes)])


def _line(number: int, judged: Judged, score: HandScore, state: game.GameState | None) -> Line:
    view = project(judged)
    teams = {t.team: t for t in view.teams}
    return Line(
        number=number,
        hand=view.hand,
        dealer=view.dealer,
        bidder=view.bidder,
        bid=view.bid,
        trump=view.trump,
        trump_named=view.trump_named,
        meld={t: teams[t].meld for t in TEAMS},
        points={t: teams[t].points for t in TEAMS},
        score={t: score.change[t] if state else None for t in TEAMS},
        total={t: state.totals[t] if state else None for t in TEAMS},
        result=WORDS.get(score.result, "decided") if state else "",
        agreed=tuple(t for t in TEAMS if t in judged.state.agreed),
    )


def game_so_far(found: ScoreSheet) -> dict[Team, int] | None:
    """The totals of the game being played, or of the one that ended last; None before a hand is scored."""
    for one in reversed(found.games):
        for line in reversed(one.lines):
            if (north := line.total["NS"]) is not None and (east := line.total["EW"]) is not None:
                return {"NS": north, "EW": east}
    return None


def as_csv(found: ScoreSheet) -> str:
    """One line a hand; UTF-8, a heading first."""
    out = io.StringIO()
    writer = csv.writer(out)
    head = ["day", "table", "game", "number", "hand", "dealer", "bidder", "bid", "trump", "result"]
    writer.writerow(
        [*head, *(f"{what} {team}" for what in ("meld", "points", "score", "total") for team in TEAMS)]
    )
    for n, one in enumerate(found.games, 1):
        for line in one.lines:
            trump = SUIT_NAMES[line.trump] if line.trump else "none" if line.trump_named else ""
            names = (SEAT_NAMES.get(line.dealer or "", ""), SEAT_NAMES.get(line.bidder or "", ""))
            cells = [found.day, _text(found.table), n, line.number, _text(line.hand), *names, line.bid, trump]
            amounts = [by[team] for by in (line.meld, line.points, line.score, line.total) for team in TEAMS]
            writer.writerow([*cells, line.result, *amounts])
    return out.getvalue()


def _text(value: str | None) -> str:
    """A name as text: a spreadsheet must not take it for a formula."""
    value = value or ""
    return f"'{value}" if value[:1] in "=+-@\t\r" and value else value
