"""From what the tables hand in to each team's result for a round: penalties, byes, absent opponents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from engine.cards import TEAMS, Team, opponents
from engine.penalties import Penalty, disqualified, late, wrong_table
from engine.rotation import Pairing, Seating
from engine.rules import RuleSet, cited
from engine.sheet_round import AbsentScore

ResultKind: TypeAlias = Literal["played", "bye", "no_opponents", "out"]


@dataclass(frozen=True, slots=True)
class TableReport:
    """What a table hands in: totals with all bonuses, and who won the game (None: a tie, or not known).

    late: whole minutes. rulings: what the director fixed as a team's score, where that is left to him.
    """

    seating: Seating
    totals: Mapping[Team, int] = field(default_factory=lambda: {"NS": 0, "EW": 0})
    winner: Team | None = None
    late: Mapping[Team, int] = field(default_factory=dict)
    at_wrong_table: frozenset[Team] = frozenset()
    disqualified: frozenset[Team] = frozenset()
    rulings: Mapping[Team, int] = field(default_factory=dict)

    def name(self, team: Team) -> str:
        return self.seating.ns if team == "NS" else self.seating.ew


@dataclass(frozen=True, slots=True)
class TeamResult:
    """A team's round. `score` None: still open, `waits_for` says for what.

    `won` None: neither (a tie for the director, or a bye that is no win).
    """

    round: int
    team: str
    opponent: str | None
    kind: ResultKind
    score: int | None
    won: bool | None
    waits_for: AbsentScore | None = None
    notes: tuple[str, ...] = ()
    director: bool = False


def faults(report: TableReport, rules: RuleSet) -> list[Penalty]:
    """Every penalty of a table, of both teams."""
    found: list[Penalty] = []
    for team in TEAMS:
        if team in report.disqualified:
            found.append(disqualified(team, rules))
        elif lateness := late(team, report.late.get(team, 0), rules):
            found.append(lateness)
        if team in report.at_wrong_table:
            found.append(wrong_table(team, rules))
    return found


def settle_table(report: TableReport, number: int, rules: RuleSet) -> tuple[TeamResult, TeamResult]:
    """Both teams' results, North-South first. Scores that depend on other tables or rounds stay open."""
    penalties = faults(report, rules)
    totals = {t: report.totals.get(t, 0) for t in TEAMS}
    for p in penalties:
        if p.change_to:
            totals[p.change_to] += p.change
    out = {p.team for p in penalties if p.out}
    winner, note = _winner(report, totals, penalties, out)
    results = []
    for team in TEAMS:
        other = opponents(team)
        notes = tuple(p.text for p in penalties) + ((note,) if note else ())
        one = TeamResult(
            number, report.name(team), report.name(other), "played", totals[team],
            None if winner is None else winner == team, notes=notes,
            director=bool(note) or any(p.director for p in penalties),
        )  # fmt: skip
        if team in out:
            one = replace(one, kind="out", score=0, won=False)
        elif other in out:
            one = _without_opponents(one, next(p for p in penalties if p.team == other and p.out), rules)
        if team in report.rulings:
            one = replace(one, score=report.rulings[team], waits_for=None)
        results.append(one)
    return results[0], results[1]


def settle_round(
    pairing: Pairing, reports: Iterable[TableReport], rules: RuleSet, entered: Mapping[str, int] | None = None
) -> tuple[TeamResult, ...]:
    """Every team's result for a round. `entered`: bye scores that the director fixed.

    Scores that are the highest of the round are filled in; an average of a team's own games waits for
    those games (`engine.standings.filled`).
    """
    results = [r for report in reports for r in settle_table(report, pairing.round, rules)]
    results += [bye(team, pairing.round, rules, (entered or {}).get(team)) for team in pairing.byes]
    played = [r.score for r in results if r.kind == "played" and r.score is not None]
    return tuple(_highest(r, played) for r in results)


def bye(team: str, number: int, rules: RuleSet, entered: int | None = None) -> TeamResult:
    """The round of a team without opponents."""
    law, ids = rules.tournament, rules.clauses("tournament.bye")
    what = {
        "average_of_own": "the average of its own other games",
        "highest_of_round": "the highest score of the round",
        "as_played": "what the director enters",
        "director": "what the director enters",
    }[law.bye]
    note = f"{team} has a bye: {what} ({cited(ids)})"
    waits = law.bye if entered is None else None
    return TeamResult(number, team, None, "bye", entered, True if law.bye_wins else None, waits, (note,))


def average(scores: Sequence[int]) -> int | None:
    """The mean of scores, halves rounded up (D-28); None for no scores."""
    return (2 * sum(scores) + len(scores)) // (2 * len(scores)) if scores else None


def _highest(result: TeamResult, played: Sequence[int]) -> TeamResult:
    if result.waits_for != "highest_of_round":
        return result
    if not played:
        return replace(result, waits_for="director", director=True)
    return replace(result, score=max(played), waits_for=None)


def _without_opponents(one: TeamResult, absent: Penalty, rules: RuleSet) -> TeamResult:
    waits = absent.opponents
    if waits == "as_played":
        return replace(one, won=True)
    won = True if rules.tournament.bye_wins or waits != "average_of_own" else None
    return replace(
        one, kind="no_opponents", score=None, won=won, waits_for=waits, director=waits == "director"
    )


def _winner(
    report: TableReport, totals: Mapping[Team, int], penalties: Sequence[Penalty], out: set[Team]
) -> tuple[Team | None, str]:
    """Who won the table, and what of it is for the director."""
    if len(out) == 2:
        return None, ""
    if out:
        return opponents(next(iter(out))), ""
    higher: Team | None = None
    if totals["NS"] != totals["EW"]:
        higher = "NS" if totals["NS"] > totals["EW"] else "EW"
    if report.winner is None:
        return higher, "" if higher else "equal scores: the director decides who won"
    if any(p.change for p in penalties) and higher != report.winner:
        name = report.name(report.winner)
        return (
            report.winner,
            f"{name} won the game, but not by the scores after penalties: the director decides",
        )
    return report.winner, ""
