"""Amounts of a rule sheet applied to a hand: what each team gets, line by line, and by which clause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.cards import Team, opponents
from engine.rules import Award, RuleSet, Term, cited

Result: TypeAlias = Literal[
    "made", "set", "set_unplayed", "renege", "aces", "must_be_played", "play_out", "unfinished", "no_bid",
]  # fmt: skip
TEAM_NAMES: dict[Team, str] = {"NS": "North-South", "EW": "East-West"}


@dataclass(frozen=True, slots=True)
class Line:
    """One amount of the score and where it comes from."""

    team: Team
    amount: int
    text: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HandScore:
    """`change`: what is added to each team's score for this hand. `text`: the result in a sentence."""

    result: Result
    change: Mapping[Team, int]
    lines: tuple[Line, ...]
    text: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a hand's score depends on. `points`: trick points, the last book's two included."""

    bid: int
    bidders: Team
    meld: Mapping[Team, int]
    points: Mapping[Team, int]


def awarded(result: Result, why: str, award: Award, key: str, facts: Facts, rules: RuleSet) -> HandScore:
    """`award` (the sheet's value `key`) for these facts; `why` begins the sentence.

    A decision is cited only where it made a difference.
    """
    ids = tuple(i for i in rules.clauses(key) if _matters(i, award, facts, rules))
    lines = []
    change: dict[Team, int] = {"NS": 0, "EW": 0}
    for team, terms in ((facts.bidders, award.bidders), (opponents(facts.bidders), award.others)):
        for term in terms:
            amount = term.amount(facts.bid, facts.meld[team], facts.points[team])
            change[team] += amount
            lines.append(Line(team, amount, _said(term, facts, team), ids))
        if not terms:
            lines.append(Line(team, 0, "nothing", ids))
    return HandScore(result, change, tuple(lines), f"{why} ({cited(ids)})", ids)


def _matters(decision: str, award: Award, facts: Facts, rules: RuleSet) -> bool:
    """Whether a decision that fills a silence made a difference here; clauses always count."""
    others = opponents(facts.bidders)
    meld, points = facts.meld[others], facts.points[others]
    match decision:
        case "D-04":  # meld of any size where the clause prints no test
            sides = ((facts.bidders, award.bidders), (others, award.others))
            return any(
                term.what == "meld" and not term.only_from and 0 < facts.meld[team] < rules.meld.board
                for team, terms in sides
                for term in terms
            )
        case "D-05":  # low points do not cost the others their meld
            return points < rules.scoring.save <= meld
        case "D-07":  # what the others lose in a hand that is made
            return points < rules.scoring.save or 0 < meld < rules.meld.board
    return True


def _said(term: Term, facts: Facts, team: Team) -> str:
    value = {"bid": facts.bid, "meld": facts.meld[team], "points": facts.points[team]}.get(term.what)
    if value is None:
        return f"{term} points"
    sign = "minus " if term.sign < 0 else ""
    if value < term.at_least:
        return f"{sign}{term.what} {value}, raised to {term.at_least}"
    lost = " (too little)" if value < term.only_from else ""
    return f"{sign}{term.what} {value}{lost}"
