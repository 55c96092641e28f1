"""An event undone by a later one: as if it had never been recorded."""

from __future__ import annotations

from typing import Any

import pytest
from engine_strategies import numbered

from engine.events import BidMade, DealerNamed, HandStarted, RulingMade, ScoreAgreed, TrumpNamed, Undone
from engine.hand import fold

START = HandStarted("h", "LV", "N")
CALLS = [BidMade("E", "50"), BidMade("S", "51"), BidMade("W", "pass")]


def folded(*whats: Any) -> Any:
    return fold(numbered([START, *whats]))


@pytest.mark.parametrize(
    "what", [*CALLS, TrumpNamed("H", "E"), RulingMade("denied", "c1"), ScoreAgreed("NS")]
)
def test_what_is_undone_never_was(what: Any) -> None:
    without, undone = folded(*CALLS), folded(*CALLS, what, Undone(5))
    for name in ("bids", "bid", "bidder", "trump", "trump_known", "rulings", "agreed", "problems"):
        assert getattr(undone, name) == getattr(without, name), name
    assert undone.last_seq == 6


def test_a_later_call_takes_the_place_of_an_undone_one() -> None:
    state = folded(*CALLS[:2], Undone(3), BidMade("S", "pass"))
    assert state.bids == [("E", "50"), ("S", "pass")]
    assert state.problems == []


def test_undoing_may_be_undone_again_and_again() -> None:
    assert folded(*CALLS, Undone(4), Undone(5)).bids == folded(*CALLS).bids
    assert folded(*CALLS, Undone(4), Undone(5), Undone(6)).bids == folded(*CALLS[:2]).bids


@pytest.mark.parametrize("seq", [1, 0, -3, 6, 99, 5])
def test_what_cannot_be_undone_is_named(seq: int) -> None:
    state = folded(*CALLS, Undone(seq))
    assert state.bids == folded(*CALLS).bids
    assert [(p.seq, p.code) for p in state.problems] == [(5, "not_undone")]


def test_the_last_dealer_named_holds() -> None:
    assert folded().dealer == "N"
    assert folded(DealerNamed("E"), DealerNamed("W")).dealer == "W"
    assert folded(DealerNamed("E"), DealerNamed("W"), Undone(3)).dealer == "E"
    calls = [BidMade("S", "50"), BidMade("W", "51")]
    assert folded(*calls, DealerNamed("E")).problems == []
    assert folded(*calls).problems[0].code == "call_out_of_turn"
