"""What a fault costs: reneges, undeclared aces, a set of the team that dealt wrongly (comparison.md 12)."""

from __future__ import annotations

from dataclasses import replace

from engine.awards import TEAM_NAMES, Facts, HandScore, awarded
from engine.cards import Team
from engine.rules import RuleSet, cited


def played_set(team: Team, facts: Facts, rules: RuleSet) -> HandScore:
    """A set of `team`, whoever had the bid (WS-20, D-21)."""
    text = f"a set for {TEAM_NAMES[team]}"
    return awarded("set", text, rules.scoring.set, "scoring.set", replace(facts, bidders=team), rules)


def renege_award(offender: Team, facts: Facts, rules: RuleSet) -> HandScore:
    """The hand stops; points are those of closed books (LV-116 to LV-119, D-39)."""
    mine = offender == facts.bidders
    key = "penalty.bidders_fault" if mine else "penalty.others_fault"
    award = rules.penalty.bidders_fault if mine else rules.penalty.others_fault
    return awarded("renege", f"renege of {TEAM_NAMES[offender]}", award, key, facts, rules)


def aces_award(offender: Team, facts: Facts, rules: RuleSet) -> HandScore:
    """Aces around not declared: as a renege, or with a penalty of its own (EC-50, D-08).

    Where the sheet prints the duty but no penalty (WS-54) this is what the director may award.
    """
    mine = offender == facts.bidders
    key = "penalty.aces_bidders_fault" if mine else "penalty.aces_others_fault"
    own = rules.penalty.aces_bidders_fault if mine else rules.penalty.aces_others_fault
    if rules.renege.aces != "own_penalty" or own is None:
        found = renege_award(offender, facts, rules)
        if rules.renege.aces != "director":
            return found
        ids = rules.clauses("renege.aces")
        text = f"aces not declared: for the director; proposed: {found.text} ({cited(ids)})"
        return replace(found, text=text, clauses=(*ids, *found.clauses))
    return awarded("aces", f"{TEAM_NAMES[offender]} did not declare aces", own, key, facts, rules)
