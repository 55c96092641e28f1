"""Rule cases of kind `bid`: calls in order, and what they come to."""

from __future__ import annotations

from typing import Any, Final

from engine import auction, cards
from engine.auction import AuctionState, Fault
from engine.cards import opponents, partner, team_of
from engine.caseform import Given, Got, Handler
from engine.rules import RuleSet


def bid(given: Given, expect: dict[str, Any], law: RuleSet) -> Got:
    calls = [(cards.seat(seat), str(text)) for seat, text in given["calls"]]
    state = auction.fold(cards.seat(given["dealer"]), calls, law)
    got: Got = {
        "legal": not state.faults,
        "winner": state.bid.seat if state.bid else None,
        "bid": state.bid.amount if state.bid else None,
        "names_trump": state.bid.seat if state.bid else None,
        "dropped": state.dropped,
        "current_bid": state.high.amount if state.high else None,
        "next_to_call": state.turn,
        "next_legal_min": state.next_min,
        "stop": state.stop,
    }
    return got | _fault(state, state.faults[0]) if state.faults else got


def _fault(state: AuctionState, fault: Fault) -> Got:
    """What the first improper call of the case led to."""
    got: Got = {
        "illegal_call_index": fault.index,
        "reason": fault.reason,
        "director": fault.director,
        "barred": list(fault.barred),
        "silenced": [seat for seat in fault.barred if seat == partner(fault.seat)],
        "must_correct_to_at_least": fault.raise_to,
        "team_frozen": fault.frozen,
        "frozen_at": fault.frozen_at,
        "bid_stands": fault.stands,
        "choosing_team": fault.choosing,
        "opponents_choice": list(state.options),
    }
    if fault.stands:
        side = opponents(team_of(fault.seat))
        got["may_be_changed_if"] = f"{' or '.join(side)} bids {state.rules.bidding.minimum} or more"
    return got


KINDS: Final[dict[str, Handler]] = {"bid": bid}
