"""What each team gets for a hand: made, set, not played, or stopped by a renege (comparison.md 6, 7, 12).

The amounts are data: each award of the rule set is a list of terms for either side. Every line of a
result says which clause gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from engine.cards import SEAT_NAMES, TEAMS, Seat, Team, opponents, team_of
from engine.rules import ALL_POINTS, Award, RuleSet, Term
from engine.state import HandState

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


def _award(result: Result, why: str, award: Award, key: str, facts: Facts, rules: RuleSet) -> HandScore:
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
    said = ", ".join(i for i in ids if i != "silent") or "the sheet is silent"
    return HandScore(result, change, tuple(lines), f"{why} ({said})", ids)


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


def played(facts: Facts, rules: RuleSet) -> HandScore:
    """A hand played to its end: made if meld, points and their sum are enough, else set (LV-02, LV-03)."""
    b, others = facts.bidders, opponents(facts.bidders)
    name, s, m = TEAM_NAMES[b], rules.scoring, rules.meld
    total = facts.meld[b] + facts.points[b]
    for short, key in (
        (facts.meld[b] < m.board and f"{facts.meld[b]} meld is under {m.board}", "meld.board"),
        (facts.points[b] < s.save and f"{facts.points[b]} points are under {s.save}", "scoring.save"),
        (total < facts.bid and f"{total} is under the bid of {facts.bid}", "scoring.set"),
    ):
        if short:
            ids = ", ".join(rules.clauses(key))
            return _award("set", f"{name} are set: {short} ({ids})", s.set, "scoring.set", facts, rules)
    award = s.made
    if facts.points[others] < s.save:  # the other team saves nothing (D-07)
        award = Award(award.bidders, ())
    return _award("made", f"{name} make {facts.bid} with {total}", award, "scoring.made", facts, rules)


def played_set(team: Team, facts: Facts, rules: RuleSet) -> HandScore:
    """A set of `team`, whoever had the bid (WS-20, D-21)."""
    text = f"a set for {TEAM_NAMES[team]}"
    return _award("set", text, rules.scoring.set, "scoring.set", replace(facts, bidders=team), rules)


Unplayed: TypeAlias = Literal["no_marriage", "no_board", "impossible"]
_REASONS: dict[Unplayed, str] = {
    "no_marriage": "the bidder has no marriage",
    "no_board": "the bidding team has no board",
    "impossible": "meld and all points are less than the bid",
}


def not_played(why: Unplayed, facts: Facts, rules: RuleSet, dropped: bool = False) -> HandScore:
    """The bidder has no marriage, the team no board, or the bid cannot be reached (LV-80, GL-17, NP-30).

    The other team's meld in `facts` is counted without trump where no trump was named. `dropped`: the
    bid was dropped on the dealer (NP-35). An impossible bid is played out where the sheet says so.
    """
    law, name = rules.unplayed, TEAM_NAMES[facts.bidders]
    key, award = f"unplayed.{why}", law.no_board
    if why == "no_marriage":
        award = law.no_marriage
        if dropped and law.no_marriage_dropped:
            key, award = "unplayed.no_marriage_dropped", law.no_marriage_dropped
    elif why == "impossible":
        if law.void is None:
            ids = rules.clauses("unplayed.impossible")
            text = f"{name} cannot reach {facts.bid}, the hand is played out ({', '.join(ids)})"
            return HandScore("play_out", {"NS": 0, "EW": 0}, (), text, ids)
        key, award = "unplayed.void", law.void
    text = f"{name} are set, the hand is not played: {_REASONS[why]}"
    return _award("set_unplayed", text, award, key, facts, rules)


def claim_checked(
    has_marriage: bool,
    team_meld: int,
    why: Unplayed,
    facts: Facts,
    rules: RuleSet,
    *,
    refused: bool = False,
    dropped: bool = False,
) -> HandScore:
    """The bidder said there was no marriage or no board; this is what the cards showed (LV-82, D-12).

    `refused`: the director finds that the hand could have been played (GL-07).
    """
    board = team_meld >= rules.meld.board
    outcome = rules.unplayed.hidden_playable
    hidden = has_marriage if why == "no_marriage" else board
    if not hidden:
        return not_played(why, facts, rules, dropped)
    found = "a marriage was found" if why == "no_marriage" else f"{team_meld} meld was found"
    if outcome == "must_be_played" and board:
        ids = rules.clauses("unplayed.hidden_playable")
        text = f"{found}, with {team_meld} meld: the hand must be played ({', '.join(ids)})"
        return HandScore("must_be_played", {"NS": 0, "EW": 0}, (), text, ids)
    if outcome == "renege" and (refused or why == "no_board"):
        award = rules.penalty.bidders_fault
        text = f"{found} and the hand could have been played: as a renege of {TEAM_NAMES[facts.bidders]}"
        text += f" ({', '.join(rules.clauses('unplayed.hidden_playable'))})"
        return _award("set_unplayed", text, award, "penalty.bidders_fault", facts, rules)
    text = f"{TEAM_NAMES[facts.bidders]} are set, the hand is not played: {found}"
    return _award("set_unplayed", text, rules.unplayed.hidden, "unplayed.hidden", facts, rules)


def certain_set(facts: Facts) -> bool:
    """Whether the bidders' meld and all points together cannot reach the bid (D-20)."""
    return facts.meld[facts.bidders] + ALL_POINTS < facts.bid


def renege_award(offender: Team, facts: Facts, rules: RuleSet) -> HandScore:
    """The hand stops; points are those of closed books (LV-116 to LV-119, D-39)."""
    mine = offender == facts.bidders
    key = "penalty.bidders_fault" if mine else "penalty.others_fault"
    award = rules.penalty.bidders_fault if mine else rules.penalty.others_fault
    return _award("renege", f"renege of {TEAM_NAMES[offender]}", award, key, facts, rules)


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
        text = f"aces not declared: for the director; proposed: {found.text} ({', '.join(ids)})"
        return replace(found, text=text, clauses=(*ids, *found.clauses))
    return _award("aces", f"{TEAM_NAMES[offender]} did not declare aces", own, key, facts, rules)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rule set makes of a call; the director rules. `against`: the team that would pay."""

    proven: bool
    against: Team | None
    text: str
    clauses: tuple[str, ...]


def judge_call(
    by: Seat, against: Seat, proven: bool, rules: RuleSet, disordered: Team | None = None
) -> Verdict:
    """`proven`: whether the books prove a renege of `against`; `disordered`: a team's books out of order."""
    if disordered and rules.call.books_out_of_order == "owner":
        ids = rules.clauses("call.books_out_of_order")
        text = f"the books of {TEAM_NAMES[disordered]} are out of order: the renege goes against them"
        return Verdict(proven, disordered, f"{text} ({', '.join(ids)})", ids)
    if proven:
        ids = rules.clauses("renege.evidence")
        text = f"proven: the renege of {SEAT_NAMES[against]} goes against {TEAM_NAMES[team_of(against)]}"
        return Verdict(True, team_of(against), f"{text} ({', '.join(ids)})", ids)
    ids = rules.clauses("call.unproven")
    if rules.call.unproven == "nobody":
        return Verdict(False, None, f"not proven; no penalty ({', '.join(ids)})", ids)
    text = f"not proven: the call of {SEAT_NAMES[by]} counts as a renege of {TEAM_NAMES[team_of(by)]}"
    return Verdict(False, team_of(by), f"{text} ({', '.join(ids)})", ids)


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
    if offender := _ruled_against(state):
        return renege_award(offender, facts, rules)
    match state.ended:
        case "no_marriage" | "no_board" | "impossible":
            return not_played(state.ended, facts, rules, state.dropped)
        case "played" | "out_of_cards":
            return played(facts, rules)
    return HandScore("unfinished", {"NS": 0, "EW": 0}, (), "the hand is not finished", ())


def _ruled_against(state: HandState) -> Team | None:
    """The team against which a ruling stands; of several on one matter the last counts."""
    decided: set[str | int] = set()
    for seq, ruling in reversed(state.rulings):
        call = next((c for c in reversed(state.calls) if c.seq < seq), None)
        matter = ruling.card or (call.seq if call else 0)
        if matter in decided:
            continue
        decided.add(matter)
        if ruling.disordered:
            return ruling.disordered
        if ruling.card is not None:
            seat = state.seat_of(ruling.card)
            if ruling.outcome == "confirmed" and seat:
                return team_of(seat)
        elif call and ruling.outcome == "confirmed":
            return team_of(call.what.against)
        elif call and ruling.outcome == "denied" and state.rules.call.unproven == "caller":
            return team_of(call.what.by)
    return None


def game_over(totals: Mapping[Team, int], bidders: Team | None, rules: RuleSet) -> tuple[bool, Team | None]:
    """Whether the game has ended at these totals, and the winner (LV-05, LV-91). No target: never."""
    if not rules.game.target:
        return False, None
    there = [team for team in TEAMS if totals[team] >= rules.game.target]
    if len(there) == 2:
        return True, bidders
    return bool(there), there[0] if there else None
