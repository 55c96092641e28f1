"""What each team gets for a hand: made, set, not played, or stopped by a renege (comparison.md 6, 7, 12).

The amounts are data: each award of the rule set is a list of terms for either side. Every line of a
result says which clause gives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine import deal
from engine.awards import TEAM_NAMES, Facts, HandScore, Line, Result, awarded
from engine.calls import Verdict, judge_call, kind_named
from engine.cards import TEAMS, Seat, Team, opponents, team_of
from engine.penalized import aces_award, played_set, renege_award
from engine.renege import audit
from engine.rules import Award, RuleSet, cited
from engine.state import HandState
from engine.unplayed import certain_set, claimed, contract_note, not_played

__all__ = [
    "TEAM_NAMES", "Facts", "HandScore", "Line", "Result", "aces_award", "certain_set", "facts_of",
    "game_over", "not_played", "played", "played_set", "renege_award", "score",
]  # fmt: skip


def played(facts: Facts, rules: RuleSet) -> HandScore:
    """A hand played to its end: made if meld, points and their sum are enough, else set (LV-02, LV-03)."""
    b, others = facts.bidders, opponents(facts.bidders)
    name, s, m = TEAM_NAMES[b], rules.scoring, rules.meld
    total = facts.meld[b] + facts.points[b]
    for short, key in (
        (facts.meld[b] < m.board and f"{facts.meld[b]} meld is under {m.board}", "meld.board"),
        (facts.points[b] < s.save and f"{facts.points[b]} points are under {s.save}", "scoring.save"),
        (total < facts.bid and f"{total} is under the bid of {facts.bid}", ""),
    ):
        if short:
            why = f"{name} are set: {short}" + (f" ({cited(rules.clauses(key))})" if key else "")
            return awarded("set", why, s.set, "scoring.set", facts, rules)
    award = s.made
    if facts.points[others] < s.save:  # the other team saves nothing (D-07)
        award = Award(award.bidders, ())
    return awarded("made", f"{name} make {facts.bid} with {total}", award, "scoring.made", facts, rules)


def facts_of(state: HandState) -> Facts | None:
    """The hand's facts so far; None while nobody has the bid."""
    if state.bid is None or state.bidder is None:
        return None
    return Facts(state.bid, team_of(state.bidder), state.team_meld, dict(state.points))


def score(state: HandState, rules: RuleSet | None = None) -> HandScore:
    """The score of a hand as its log stands. A hand not ended is "unfinished" and changes nothing."""
    rules = rules or state.rules
    facts = facts_of(state)
    if facts is None:
        return HandScore("no_bid", {"NS": 0, "EW": 0}, (), "nobody has the bid", ())
    if ruled := _ruled_against(state, rules):
        due = aces_award if ruled.aces else renege_award
        found = due(ruled.offender, facts, rules)
        if ruled.verdict is None:
            return found
        ids = tuple(dict.fromkeys((*ruled.verdict.clauses, *found.clauses)))
        return replace(found, text=f"{ruled.verdict.text}; {found.text}", clauses=ids)
    dealt = deal.rulings(state, rules, facts)
    if award := next((r.award for _, r in reversed(dealt) if r.outcome == "award" and r.award), None):
        return award
    result = _finished(state, facts, rules)
    return _fined(result, [r for _, r in dealt if r.outcome == "fine"])


def _finished(state: HandState, facts: Facts, rules: RuleSet) -> HandScore:
    match state.ended:
        case "no_marriage" | "no_board" | "impossible":
            return claimed(state, state.ended, facts, rules)
        case "refused":
            return claimed(state, "no_marriage", facts, rules, refused=True)
        case "played" | "out_of_cards":
            return played(facts, rules)
    text = "the hand is not finished"
    if not state.meld_open and (note := contract_note(facts, rules)):
        text += f"; {note}"
    return HandScore("unfinished", {"NS": 0, "EW": 0}, (), text, ())


def _fined(result: HandScore, fines: Sequence[deal.DealRuling]) -> HandScore:
    """The score with what players with too few or too many cards cost their teams (NP-18)."""
    for fine in fines:
        change = {team: result.change[team] + fine.change[team] for team in TEAMS}
        lines = tuple(
            Line(team, fine.change[team], "wrong number of cards", fine.clauses)
            for team in TEAMS
            if fine.change[team]
        )
        result = replace(
            result, change=change, lines=(*result.lines, *lines), text=f"{result.text}; {fine.text}",
            clauses=(*result.clauses, *fine.clauses),
        )  # fmt: skip
    return result


class _Ruled(NamedTuple):
    """Against whom a ruling stands, whether for undeclared aces, and what the sheet says of the call."""

    offender: Team
    aces: bool = False
    verdict: Verdict | None = None


def _ruled_against(state: HandState, rules: RuleSet) -> _Ruled | None:
    """The latest ruling that stands against a team; of several on one matter the last counts."""
    decided: set[str | int] = set()
    for seq, ruling in reversed(state.rulings):
        call = next((c.what for c in reversed(state.calls) if c.seq < seq), None)
        matter = ruling.card or next((c.seq for c in reversed(state.calls) if c.seq < seq), 0)
        if matter in decided:
            continue
        decided.add(matter)
        if ruling.disordered:
            text = f"the director found the books of {TEAM_NAMES[ruling.disordered]} out of order"
            ids = rules.clauses("call.books_out_of_order")
            return _Ruled(
                ruling.disordered, False, Verdict(False, ruling.disordered, f"{text} ({cited(ids)})", ids)
            )
        if ruling.card is not None:
            seat = state.seat_of(ruling.card)
            if ruling.outcome == "confirmed" and seat:
                return _Ruled(team_of(seat), _about_aces(state, rules, seat, ruling.card))
        elif call and ruling.outcome != "cannot_tell":
            verdict = judge_call(call.by, call.against, ruling.outcome == "confirmed", rules)
            if verdict.against:
                aces = verdict.proven and kind_named(call.what) == "ACES"
                return _Ruled(verdict.against, aces, verdict)
    return None


def _about_aces(state: HandState, rules: RuleSet, seat: Seat, card: str) -> bool:
    """Whether a ruling on this card is one on undeclared aces and not on a play."""
    flags = [f for f in audit(state, rules) if f.seat == seat]
    plays = any(f.kind != "ACES" and f.card.card == card for f in flags)
    return not plays and any(f.kind == "ACES" and card in {x.card for x in f.cards} for f in flags)


def game_over(totals: Mapping[Team, int], bidders: Team | None, rules: RuleSet) -> tuple[bool, Team | None]:
    """Whether the game has ended at these totals, and the winner (LV-05, LV-91). No target: never."""
    if not rules.game.target:
        return False, None
    there = [team for team in TEAMS if totals[team] >= rules.game.target]
    if len(there) == 2:
        return True, bidders
    return bool(there), there[0] if there else None
