"""Penalties of a round: lateness in minutes, the wrong table, disqualification (comparison.md section 14)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Team, opponents
from engine.rules import RuleSet, cited
from engine.scoring import TEAM_NAMES
from engine.sheet_round import AbsentScore


@dataclass(frozen=True, slots=True)
class Penalty:
    """What a fault of a team in a round costs.

    `team` is at fault. `change_to` gets `change` (below 0: it is deducted). `out`: the team has 0 for
    the round, and `opponents` says what the other team then gets. `director`: the sheet leaves it to
    the director.
    """

    team: Team
    text: str
    clauses: tuple[str, ...]
    change_to: Team | None = None
    change: int = 0
    out: bool = False
    opponents: AbsentScore | None = None
    director: bool = False


def late(team: Team, minutes: int, rules: RuleSet) -> Penalty | None:
    """A team that was not ready for so many whole minutes, as the director fixed them (D-25).

    None when that costs nothing.
    """
    law, name = rules.tournament, TEAM_NAMES[team]
    if minutes <= 0:
        return None
    if not law.late_limit and not law.late_per_minute:
        ids = rules.clauses("tournament.late_limit")
        return Penalty(
            team,
            f"{name} are {_minutes(minutes)} late: the director decides ({cited(ids)})",
            ids,
            director=True,
        )
    if law.late_limit and minutes > law.late_limit:
        ids = rules.clauses("tournament.late_limit") + rules.clauses("tournament.late_opponents")
        text = f"{name} are more than {law.late_limit} minutes late: 0 for the round; "
        text += _for_others(law.late_opponents, team)
        return Penalty(team, f"{text} ({cited(ids)})", ids, out=True, opponents=law.late_opponents)
    amount = law.late_per_minute * max(minutes - law.late_grace, 0)
    if not amount or law.late_charged == "nobody":
        return None
    ids = rules.clauses("tournament.late_per_minute") + rules.clauses("tournament.late_charged")
    grace = ""
    if law.late_grace:
        ids += rules.clauses("tournament.late_grace")
        grace = f", {law.late_grace} of them grace"
    head = f"{name} are {_minutes(minutes)} late{grace}:"
    if law.late_charged == "to_opponents":
        other = opponents(team)
        return Penalty(team, f"{head} {amount} to {TEAM_NAMES[other]} ({cited(ids)})", ids, other, amount)
    return Penalty(team, f"{head} {amount} off their score ({cited(ids)})", ids, team, -amount)


def wrong_table(team: Team, rules: RuleSet) -> Penalty:
    """A team that played at the wrong table."""
    ids, name = rules.clauses("tournament.wrong_table"), TEAM_NAMES[team]
    amount = rules.tournament.wrong_table
    if not amount:
        text = f"{name} played at the wrong table: the director decides ({cited(ids)})"
        return Penalty(team, text, ids, director=True)
    return Penalty(team, f"{name} played at the wrong table: {amount} off ({cited(ids)})", ids, team, -amount)


def disqualified(team: Team, rules: RuleSet) -> Penalty:
    """A team that the director disqualified for the round."""
    ids, law = rules.clauses("tournament.disqualified_opponents"), rules.tournament.disqualified_opponents
    text = f"{TEAM_NAMES[team]} are disqualified: 0 for the round; {_for_others(law, team)} ({cited(ids)})"
    return Penalty(team, text, ids, out=True, opponents=law, director=law == "director")


def _minutes(count: int) -> str:
    return f"{count} minute" + ("s" if count != 1 else "")


def _for_others(what: AbsentScore, team: Team) -> str:
    name = TEAM_NAMES[opponents(team)]
    return {
        "average_of_own": f"{name} have a bye",
        "highest_of_round": f"{name} get the highest score of the round",
        "as_played": f"{name} score as they play against the substitute",
        "director": f"what {name} get is for the director",
    }[what]
