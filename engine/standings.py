"""Records, ranks and brackets from the results of rounds (LV-06 to LV-11, D-26, D-28)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from engine.rounds import TeamResult, average
from engine.rules import RuleSet, cited


@dataclass(frozen=True, slots=True)
class Record:
    """A team's rounds together. `undecided`: rounds that neither won nor lost; `open`: scores still open."""

    team: str
    wins: int
    points: int
    losses: int = 0
    undecided: int = 0
    open: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A rank. Teams that the sheet cannot part share it and name each other in `tied_with`."""

    rank: int
    record: Record
    tied_with: tuple[str, ...] = ()

    @property
    def team(self) -> str:
        return self.record.team


@dataclass(frozen=True, slots=True)
class Brackets:
    """Both lists are in rank order. `undecided`: teams tied across the cut; the director orders them."""

    winners: tuple[str, ...]
    consolation: tuple[str, ...]
    undecided: tuple[str, ...]
    text: str
    clauses: tuple[str, ...]


def filled(results: Iterable[TeamResult]) -> tuple[TeamResult, ...]:
    """Results of one record with byes filled in that are the average of a team's own played games (D-28).

    Such a score is final when those games are finished; a team that has played none keeps it open.
    """
    given = tuple(results)
    own: dict[str, list[int]] = {}
    for r in given:
        if r.kind == "played" and r.score is not None:
            own.setdefault(r.team, []).append(r.score)
    return tuple(
        replace(r, score=average(own.get(r.team, ())))
        if r.waits_for == "average_of_own" and r.score is None
        else r
        for r in given
    )


def records(results: Iterable[TeamResult], teams: Sequence[str] = ()) -> list[Record]:
    """One record for each team, in the order of `teams` and then of first appearance."""
    by_team: dict[str, list[TeamResult]] = {team: [] for team in teams}
    for r in filled(results):
        by_team.setdefault(r.team, []).append(r)
    return [
        Record(
            team,
            sum(r.won is True for r in mine),
            sum(r.score or 0 for r in mine),
            sum(r.won is False for r in mine),
            sum(r.won is None for r in mine),
            sum(r.score is None for r in mine),
        )
        for team, mine in by_team.items()
    ]


def standings(found: Iterable[Record], rules: RuleSet, broken: Sequence[str] = ()) -> list[Place]:
    """Teams by rank, best first. `broken`: teams in the order in which the director broke their ties.

    The order in which records are given means nothing; tied teams are listed by name.
    """
    order = {team: n for n, team in enumerate(broken)}

    def key(r: Record) -> tuple[int, ...]:
        return tuple(-{"wins": r.wins, "points": r.points}[what] for what in rules.tournament.ranking)

    ranked = sorted(found, key=lambda r: (key(r), order.get(r.team, len(order)), natural(r.team)))
    places: list[Place] = []
    for _, group in groupby(ranked, key=lambda r: (key(r), order.get(r.team, len(order)))):
        tied = list(group)
        rank = len(places) + 1
        for r in tied:
            places.append(Place(rank, r, tuple(o.team for o in tied if o is not r)))
    return places


def brackets(places: Sequence[Place], rules: RuleSet) -> Brackets:
    """The brackets after the first rounds. Without brackets in the sheet all teams are in the first."""
    law = rules.tournament
    ids = rules.clauses("tournament.bracket_size") + rules.clauses("tournament.others_restart")
    teams = [p.team for p in places]
    size = law.bracket_size
    if not size:
        return Brackets(tuple(teams), (), (), f"there are no brackets ({cited(ids)})", ids)
    undecided: tuple[str, ...] = ()
    if len(teams) > size and places[size - 1].rank == places[size].rank:
        undecided = tuple(p.team for p in places if p.rank == places[size].rank)
    text = f"the top {size} keep record and points, the others start over ({cited(ids)})"
    if undecided:
        text += f"; {', '.join(undecided)} are equal at the cut: the director decides"
    return Brackets(tuple(teams[:size]), tuple(teams[size:]), undecided, text, ids)


def natural(name: str) -> tuple[int, int, str]:
    """Numbers in names in the order of numbers: 2 before 10."""
    return (0, int(name), "") if name.isascii() and name.isdigit() and len(name) < 10 else (1, 0, name)
