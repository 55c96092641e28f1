"""The auction in all six rule sets: the ladder, improper calls and what follows from them."""

from __future__ import annotations

import pytest
from engine_logs import log
from hypothesis import given
from hypothesis import strategies as st

from engine import auction, rules
from engine import events as ev
from engine.auction import AuctionState
from engine.cards import SEATS, Seat, team_of
from engine.hand import fold

NAMES = ("LV", "GL", "WS", "EC", "EC-P", "NP")
TEXTS = (
    "50", "51", "52", "55", "59", "60", "61", "65", "70", "100", "105", "110", "49", "0", "pass", "PASS", "",
    "save", "by me", "take 50", "redeal", "misdeal", "stands", "barred", "52 double run", "9" * 5000,
    "²", "-5",
)  # fmt: skip
SEAT = st.sampled_from(SEATS)
CALLS = st.lists(st.tuples(SEAT, st.one_of(st.sampled_from(TEXTS), st.text(max_size=6))), max_size=24)
RULES = st.sampled_from(NAMES).map(rules.load)


def held(name: str, dealer: Seat, *calls: str) -> AuctionState:
    """An auction from calls like "E 50"."""
    pairs: list[tuple[Seat, str]] = []
    for text in calls:
        seat, said = text.split(" ", 1)
        pairs.append((next(s for s in SEATS if s == seat), said))
    return auction.fold(dealer, pairs, rules.load(name))


def kinds(state: AuctionState) -> list[str]:
    return [f.kind for f in state.faults]


@pytest.mark.parametrize("name", NAMES)
def test_the_ladder(name: str) -> None:
    law = rules.load(name).bidding
    steps = [law.minimum]
    while steps[-1] < 120:
        steps.append(law.above(steps[-1]))
    over = [100, 105, 110, 115, 120] if name in ("WS", "EC", "EC-P") else [100, 110, 120]
    assert steps == [*range(50, 60), *range(60, 100, 5), *over]
    assert all(law.on_ladder(s) for s in steps)
    assert held(name, "N").next_bids(3) == [50, 51, 52]


@pytest.mark.parametrize("name", NAMES)
def test_three_passes_drop_the_bid_on_the_dealer(name: str) -> None:
    state = held(name, "N", "E pass", "S p", "W PASS")
    assert (state.bid, state.dropped, kinds(state)) == (("N", 50), True, [])
    text, ids = auction.result(state)
    assert "dropped on North at 50" in text
    assert ids


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_is_final_and_the_auction_ends(name: str) -> None:
    state = held(name, "N", "E 50", "S pass", "W 51", "N 55", "E 60", "S 65")
    assert kinds(state) == ["has_passed"]
    assert "D-32" in state.faults[0].clauses
    done = held(name, "N", "E 50", "S pass", "W 51", "N 55", "E 60", "W pass", "N pass", "S 70")
    assert done.bid == ("E", 60)
    assert kinds(done) == ["after_end"]


@pytest.mark.parametrize(
    ("name", "barred", "turn"),
    [("LV", "SN", "W"), ("WS", "N", "E"), ("EC", "", "E"), ("EC-P", "", "E"), ("NP", "N", "E")],
)
def test_a_first_bid_out_of_turn(name: str, barred: str, turn: Seat) -> None:
    state = held(name, "N", "S 52")
    fault = state.faults[0]
    assert fault.kind == "out_of_turn"
    assert "".join(fault.barred) == barred
    assert "out of turn" in fault.text
    assert (state.turn, state.high) == (turn if name != "LV" else "E", None)
    assert (state.standing is not None) == (name == "NP")


def test_a_bid_out_of_turn_bars_the_player_whose_turn_it_was() -> None:
    state = held("WS", "N", "E 50", "N 55")  # South's partner called in South's turn
    assert state.faults[0].barred == ("S",)
    assert state.turn == "W"
    state = held("LV", "N", "E 50", "N 55")
    assert set(state.barred) == {"N", "S"}
    assert state.turn == "W"
    assert held("LV", "N", "E 50", "N 55", "W pass").bid == ("E", 50)


def test_the_director_may_bar_where_the_sheet_leaves_it_to_him() -> None:
    state = held("EC", "N", "E 50", "W 55", "E barred")
    assert state.faults[0].director
    assert "may bar East" in state.faults[0].text
    assert "E" in state.barred
    assert state.turn == "S"
    assert state.high == ("E", 50)


def test_gl_out_of_turn_freezes_at_the_last_legal_bid_or_gives_a_choice() -> None:
    state = held("GL", "N", "E 50", "S 52", "W 55", "S 60")
    assert (state.faults[0].frozen, state.faults[0].frozen_at) == ("NS", 52)
    assert state.bid is None
    assert state.turn == "E"
    choice = held("GL", "N", "S 50")
    assert (choice.choosing, choice.turn, choice.options) == ("EW", None, ("take bid at 50", "redeal"))
    assert kinds(held("GL", "N", "S 50", "E 55")) == ["out_of_turn", "choice_open"]
    assert held("GL", "N", "S 50", "W take bid at 50").bid == ("W", 50)
    assert held("GL", "N", "S 50", "N take 50").bid is None
    assert held("GL", "N", "S 50", "E redeal").stop == "redeal"
    assert held("GL", "N", "S pass").choosing is None  # a pass out of turn is no bid there


def test_gl_insufficient_bids_are_raised_and_nonstandard_ones_freeze() -> None:
    state = held("GL", "N", "E 60", "S 52", "S pass")
    assert kinds(state) == ["insufficient", "must_raise"]
    assert state.next_min == 65
    assert not state.may_pass
    assert held("GL", "N", "E 60", "S 52", "S 65", "W pass", "E pass").bid == ("S", 65)
    below = held("GL", "N", "E 55", "S 61")  # the bidding had not reached 60: void and replaced
    assert kinds(below) == ["off_ladder"]
    assert not below.barred
    assert "D-10" in below.faults[0].clauses
    above = held("GL", "N", "E 60", "S 61")
    assert above.faults[0].frozen == "NS"
    assert above.faults[0].frozen_at is None
    assert above.turn == "W"


@pytest.mark.parametrize("name", ["LV", "WS", "EC", "EC-P", "NP"])
def test_an_insufficient_bid_is_replaced_before_anyone_else_calls(name: str) -> None:
    state = held(name, "N", "E 60", "S 52")
    assert kinds(state) == ["insufficient"]
    assert state.faults[0].raise_to is None
    assert not state.barred
    early = held(name, "N", "E 60", "S 52", "W 65")
    assert kinds(early) == ["insufficient", "replacement_due"]
    assert early.turn == "S"
    assert not early.barred
    assert held(name, "N", "E 60", "S 52", "S pass").turn == "W"


@pytest.mark.parametrize("name", NAMES)
def test_chatty_calls(name: str) -> None:
    state = held(name, "N", "E I'll save")
    barred = () if name in ("GL", "NP") else ("W",)
    assert kinds(state) == ["chatty"]
    assert state.faults[0].barred == barred
    assert state.turn == "E"
    claimed = auction.call(state, "S", "misdeal")
    assert (claimed.stop == "redeal") == (name == "GL")  # GL-51


def test_np_bid_out_of_turn_stands_until_an_opponent_bids() -> None:
    state = held("NP", "W", "S 51")
    assert state.turn == "E"
    assert state.barred == {"N"}
    assert state.next_min == 50
    assert held("NP", "W", "S 51", "E pass", "W pass").bid == ("S", 51)
    assert kinds(held("NP", "W", "S 51", "S 60")) == ["out_of_turn", "bid_stands"]
    bid_over = held("NP", "W", "S 51", "E 50")
    assert bid_over.turn == "S"
    assert auction.call(bid_over, "S", "stands").high == ("S", 51)
    assert auction.call(bid_over, "S", "55").high == ("S", 55)
    gone = auction.call(auction.call(bid_over, "S", "pass"), "W", "pass")
    assert gone.bid == ("E", 50)
    too_low = held("NP", "W", "S 51", "E 55", "S stands")
    assert kinds(too_low)[-1] == "insufficient"
    assert held("NP", "W", "S 105").standing is None  # no legal bid, so none that could stand
    late = held("NP", "N", "E 50", "W 60", "S pass", "N pass")
    assert late.bid == ("W", 60)


def test_gl_double_runs_are_declared_on_the_first_bid() -> None:
    assert held("GL", "N", "E 52 double run").declared == {"E"}
    late = held("GL", "N", "E 50", "S 51", "W pass", "N pass", "E 52 double run")
    assert late.high == ("E", 52)
    assert not late.declared
    assert kinds(late) == ["late_declaration"]
    assert kinds(held("LV", "N", "E 52 double run")) == ["chatty"]


@given(RULES, SEAT, CALLS)
def test_no_calls_break_it_every_prefix_is_stable_and_it_ends(
    law: rules.RuleSet, dealer: Seat, calls: list[tuple[Seat, str]]
) -> None:
    state = auction.start(dealer, law)
    for n, (seat, text) in enumerate(calls, 1):
        before, state = state, auction.call(state, seat, text)
        assert state == auction.fold(dealer, calls[:n], law)
        assert state.faults[: len(before.faults)] == before.faults
        assert len(state.faults) - len(before.faults) in (0, 1)
        assert before.barred <= state.barred
        assert before.passed <= state.passed
        if before.ended:
            assert (state.bid, state.stop) == (before.bid, before.stop)
        assert all(b.amount > a.amount for a, b in zip(state.bids, state.bids[1:], strict=False))
        assert auction.result(state)[0]
    for fault in state.faults:
        assert fault.text.startswith(tuple("NESW"))
        assert fault.clauses or not fault.director
    for _ in range(12):  # legal calls alone bring it to its end
        if state.ended:
            break
        if state.choosing:
            state = auction.call(state, "N" if state.choosing == "NS" else "E", "redeal")
        else:
            assert state.turn
            assert state.next_min
            assert state.turn not in state.passed | state.barred
            known = len(state.faults)
            state = auction.call(state, state.turn, "pass" if state.may_pass else str(state.next_min))
            assert len(state.faults) == known
    assert state.ended
    assert (state.bid is None) == (state.stop is not None)
    if state.bid and state.dropped:
        assert state.bid == (dealer, law.bidding.dropped_at)
        assert not state.bids


@given(RULES, SEAT, CALLS, st.integers(1, 3))
def test_seat_names_do_not_matter(
    law: rules.RuleSet, dealer: Seat, calls: list[tuple[Seat, str]], turned: int
) -> None:
    def at(seat: Seat) -> Seat:
        return SEATS[(SEATS.index(seat) + turned) % 4]

    one = auction.fold(dealer, calls, law)
    two = auction.fold(at(dealer), [(at(s), text) for s, text in calls], law)
    assert (at(one.bid.seat), one.bid.amount) == two.bid if one.bid else two.bid is None
    assert (one.stop, one.dropped, kinds(one)) == (two.stop, two.dropped, kinds(two))
    assert {at(s) for s in one.barred} == two.barred
    assert [tuple(at(s) for s in f.barred) for f in one.faults] == [f.barred for f in two.faults]
    assert (one.choosing is None) == (two.choosing is None)
    if one.frozen and two.frozen:
        assert {team_of(at("N" if t == "NS" else "E")) for t in one.frozen} == two.frozen


# The bid of a hand


def bid_of(*lines: str) -> tuple[tuple[int | None, str | None], list[str]]:
    state = fold(log(*lines))
    codes = [p.code for p in state.problems if p.code.startswith(("call_", "bidder"))]
    return (state.bid, state.bidder), codes


def test_a_hand_takes_bid_and_bidder_from_its_auction_and_names_improper_calls() -> None:
    legal = ("bid E 50", "bid S 52", "bid W pass", "bid N pass", "bid E pass")
    assert bid_of(*legal) == ((52, "S"), [])
    assert bid_of("bid E 50", "bid W 55", "bid S pass", "bid N pass") == ((50, "E"), ["call_out_of_turn"])
    assert bid_of("bid E 100", "bid S 105", "bid S pass", "bid W pass", "bid N pass") == (
        (100, "E"),
        ["call_off_ladder"],
    )
    assert bid_of("bid S 60") == ((60, "S"), [])  # only the contract was entered


def test_where_the_table_went_on_the_bid_is_what_it_went_on_with() -> None:
    calls = ("bid E 50", "bid W 55", "bid S pass", "bid N pass")
    bid, codes = bid_of(*calls, "trump H W", "lay a W AS")
    assert (bid, codes) == ((55, "W"), ["call_out_of_turn", "bidder_differs"])
    assert bid_of("bid E 61", "bid S pass", "lay a E AS")[0] == (61, "E")


@given(st.lists(st.tuples(SEAT, st.sampled_from(TEXTS)), max_size=12), st.sampled_from(NAMES))
def test_a_hand_with_any_calls_folds(calls: list[tuple[Seat, str]], name: str) -> None:
    whats: list[ev.What] = [ev.HandStarted("h", name, "N"), *(ev.BidMade(seat, text) for seat, text in calls)]
    state = fold([ev.Event(n, float(n), what) for n, what in enumerate(whats, 1)])
    assert (state.bid is None) == (state.bidder is None)
    if state.auction and state.auction.bid:
        assert state.auction.bid == (state.bidder, state.bid)
