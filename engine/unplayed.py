"""Hands that are not played: no marriage, no board, an impossible bid, and what was found after all."""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias

from engine import meld
from engine.awards import TEAM_NAMES, Facts, HandScore, awarded
from engine.cards import SUITS, Face, Seat, Suit, Team, opponents, partner, team_of
from engine.rules import ALL_POINTS, RuleSet, cited
from engine.state import HandState

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
            text = f"{name} cannot reach {facts.bid}, the hand is played out ({cited(ids)})"
            return HandScore("play_out", {"NS": 0, "EW": 0}, (), text, ids)
        key, award = "unplayed.void", law.void
    text = f"{name} are set, the hand is not played: {_REASONS[why]}"
    return awarded("set_unplayed", text, award, key, facts, rules)


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
        text = f"{found}, with {team_meld} meld: the hand must be played ({cited(ids)})"
        return HandScore("must_be_played", {"NS": 0, "EW": 0}, (), text, ids)
    if outcome == "renege" and (refused or why == "no_board"):
        award = rules.penalty.bidders_fault
        text = f"{found} and the hand could have been played: as a renege of {TEAM_NAMES[facts.bidders]}"
        text += f" ({cited(rules.clauses('unplayed.hidden_playable'))})"
        return awarded("set_unplayed", text, award, "penalty.bidders_fault", facts, rules)
    text = f"{TEAM_NAMES[facts.bidders]} are set, the hand is not played: {found}"
    return awarded("set_unplayed", text, rules.unplayed.hidden, "unplayed.hidden", facts, rules)


def certain_set(facts: Facts) -> bool:
    """Whether the bidders' meld and all points together cannot reach the bid (D-20)."""
    return facts.meld[facts.bidders] + ALL_POINTS < facts.bid


def contract_note(facts: Facts, rules: RuleSet) -> str:
    """What a bid that cannot be reached means (GL-17, NP-30, D-20); "" while it can be."""
    if not certain_set(facts):
        return ""
    total = facts.meld[facts.bidders] + ALL_POINTS
    ids = cited(rules.clauses("unplayed.impossible"))
    what = "the hand is void" if rules.unplayed.impossible == "void" else "it is played out and a sure set"
    return f"{TEAM_NAMES[facts.bidders]} can reach {total} of {facts.bid} at most: {what} ({ids})"


def claimed(
    state: HandState, why: Unplayed, facts: Facts, rules: RuleSet, *, refused: bool = False
) -> HandScore:
    """The bidder's side said the hand cannot be played, and the cards it showed may say otherwise.

    Without shown cards the claim stands. Without a marriage there is no trump, so the others' meld is
    counted without it; one that is found becomes trump where the sheet says so (GL-06).
    """
    if why == "no_marriage" and not rules.trump.marriage_needed:
        ids = rules.clauses("trump.marriage_needed")
        text = f"no marriage is needed to name trump: the hand must be played ({cited(ids)})"
        return HandScore("must_be_played", {"NS": 0, "EW": 0}, (), text, ids)
    if why == "impossible" or state.bidder is None:
        return not_played(why, facts, rules, state.dropped)
    own = _cards(state, state.bidder)
    other = _cards(state, partner(state.bidder))
    suits = [s for s in SUITS if {Face("K", s), Face("Q", s)} <= own.keys()]
    trump = state.trump
    if why == "no_marriage":
        trump = suits[0] if len(suits) == 1 and rules.unplayed.hidden_playable == "renege" else None
        facts = Facts(facts.bid, facts.bidders, _meld(state, facts, trump, rules), facts.points)
    if not any(x.seat == state.bidder and x.how == "shown" for x in state.shown) and not refused:
        return not_played(why, facts, rules, state.dropped)
    candidates: list[Suit | None] = [trump] if trump else [*suits] or [None]
    best = max(
        sum(meld.count(cards.elements(), suit, rules).total for cards in (own, other)) for suit in candidates
    )
    return claim_checked(bool(suits), best, why, facts, rules, refused=refused, dropped=state.dropped)


def _cards(state: HandState, seat: Seat) -> Counter[Face]:
    """What the seat certainly held: its meld, and the cards it showed (which may be the same)."""
    melded = Counter(m.face for m in state.meld[seat])
    return melded | Counter(x.face for x in state.shown if x.seat == seat and x.book == 0)


def _meld(state: HandState, facts: Facts, trump: Suit | None, rules: RuleSet) -> dict[Team, int]:
    """Both teams' meld if this were trump."""
    total: dict[Team, int] = {facts.bidders: facts.meld[facts.bidders], opponents(facts.bidders): 0}
    for seat, laid in state.meld.items():
        if team_of(seat) != facts.bidders:
            total[team_of(seat)] += meld.count([m.face for m in laid], trump, rules).total
    return total
