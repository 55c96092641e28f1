"""What follows from a deal that went wrong, under each sheet."""

from __future__ import annotations

import pytest

from engine import deal, rules
from engine.cards import Seat, face
from engine.deal import wrong_count
from engine.events import (
    BidMade,
    BookClosed,
    CardExposed,
    CardLaid,
    CardsCounted,
    DealNoted,
    Event,
    HandEnded,
    HandStarted,
    Reading,
    TrumpNamed,
    What,
)
from engine.hand import fold
from engine.scoring import Facts, score
from engine.state import HandState, Stage

FACTS = Facts(60, "EW", {"NS": 24, "EW": 32}, {"NS": 6, "EW": 4})


@pytest.mark.parametrize(
    ("name", "stage", "counts", "outcome", "clause"),
    [
        ("LV", "before_bidding", {"N": 19, "E": 21}, "second_deck", "LV-58"),
        ("GL", "before_bidding", {"N": 19, "E": 21}, "draw", "GL-45"),
        ("WS", "before_bidding", {"N": 19, "E": 21}, "redeal", "WS-19"),
        ("EC", "before_bidding", {"N": 19, "E": 21}, "redeal", "EC-17"),
        ("NP", "before_bidding", {"N": 19, "E": 21}, "draw", "NP-14"),
        ("NP", "before_bidding", {"N": 18, "E": 22}, "redeal", "NP-15"),
        ("NP", "before_bidding", {"N": 18, "E": 21, "S": 21}, "redeal", "NP-15"),
        ("LV", "before_first_book", {"N": 19, "E": 21}, "redeal", "D-21"),
        ("GL", "before_first_book", {"N": 19, "E": 21}, "director", "GL-46"),
        ("GL", "after_first_book", {"N": 19, "S": 19}, "director", "GL-46"),
        ("WS", "before_first_book", {"N": 19, "E": 21}, "redeal", "WS-19"),
        ("LV", "after_first_book", {"N": 19, "E": 21}, "play_on", "LV-60"),
        ("EC", "after_first_book", {"N": 19, "E": 21}, "play_on", "EC-22"),
        ("EC-P", "after_first_book", {"N": 19, "E": 21}, "play_on", "EC-22"),
        ("NP", "after_first_book", {"N": 19, "E": 21}, "play_on", "NP-18"),
        ("LV", "hand_over", {"N": 19, "E": 21}, "play_on", "LV-60"),
        ("NP", "hand_over", {"N": 20}, "play_on", "NP-17"),
    ],
)  # fmt: skip
def test_a_wrong_number_of_cards(
    name: str, stage: Stage, counts: dict[Seat, int], outcome: str, clause: str
) -> None:
    got = wrong_count(counts, stage, rules.load(name))
    assert got.outcome == outcome
    assert clause in got.clauses
    assert clause in got.text
    assert not any(got.change.values())
    assert got.director == (outcome == "director")


def test_the_deal_passes_after_a_second_misdeal_where_the_sheet_says_so() -> None:
    assert wrong_count({}, "before_bidding", rules.load("LV"), again=True).outcome == "next_dealer"
    assert wrong_count({}, "before_bidding", rules.load("WS"), again=True).outcome == "redeal"


def test_a_misdeal_found_late_sets_the_dealing_team_or_the_short_one() -> None:
    ws = wrong_count({}, "after_first_book", rules.load("WS"), dealer="E", facts=FACTS)
    assert (ws.outcome, ws.change) == ("award", {"NS": 84, "EW": 0})
    other = wrong_count({}, "after_first_book", rules.load("WS"), dealer="S", facts=FACTS)
    assert other.change == {"NS": 0, "EW": 60 + 32}
    assert {"WS-20", "D-21"} <= set(other.clauses)
    gl = wrong_count({"W": 19}, "after_first_book", rules.load("GL"), facts=FACTS)
    assert gl.change == {"NS": 60 + 24 + 50, "EW": 0}
    assert wrong_count({"W": 21}, "after_first_book", rules.load("GL"), facts=FACTS).outcome == "director"


@pytest.mark.parametrize("stage", ["after_first_book", "hand_over"])
def test_what_sets_or_fines_late_does_so_at_the_end_of_the_hand_too(stage: Stage) -> None:
    """GL-46 and WS-20 do not end with the last book; the end is only where a shortage shows itself."""
    gl = wrong_count({"W": 19}, stage, rules.load("GL"), facts=FACTS)
    assert (gl.outcome, gl.change) == ("award", {"NS": 60 + 24 + 50, "EW": 0})
    assert {"GL-46", "GL-31"} <= set(gl.clauses)
    ws = wrong_count({"N": 19, "W": 21}, stage, rules.load("WS"), dealer="E", facts=FACTS)
    assert (ws.outcome, ws.change) == ("award", {"NS": 84, "EW": 0})
    assert "WS-20" in ws.text


def test_at_the_end_nothing_else_costs_and_nobody_pays_for_a_hand_that_was_not_played() -> None:
    gl, ws = rules.load("GL"), rules.load("WS")
    assert wrong_count({"W": 19, "N": 21}, "hand_over", gl, facts=FACTS).outcome == "play_on"
    assert wrong_count({"W": 21}, "hand_over", gl, facts=FACTS).outcome == "play_on"
    assert wrong_count({"W": 20}, "hand_over", ws, dealer="E", facts=FACTS).outcome == "play_on"
    for name in ("GL", "WS"):
        got = entered(name, *BID, HandEnded("no_board"), CardsCounted("S", 19))
        assert {p.code for p in got.problems} >= {"deal_play_on"}
        assert score(got).result == "set_unplayed"


def test_short_and_long_players_pay_at_the_end_of_the_hand() -> None:
    got = wrong_count({"N": 19, "E": 21, "S": 19}, "hand_over", rules.load("NP"))
    assert (got.outcome, got.change) == ("fine", {"NS": -100, "EW": -50})
    assert {"NP-17", "NP-18", "NP-75", "D-22"} <= set(got.clauses)


@pytest.mark.parametrize(
    ("name", "no_cut", "exposed", "packets", "shuffles"),
    [
        ("LV", "redeal", "second_deck", (4, 5), 7),
        ("GL", "director", "director", (4, 5), 3),
        ("WS", "director", "exposed_card", (2, 3, 4, 5), 3),
        ("EC", "director", "redeal", (1, 2, 3, 4), 3),
        ("NP", "director", "director", (4, 5), 3),
    ],
)
def test_shuffle_cut_and_packets(
    name: str, no_cut: str, exposed: str, packets: tuple[int, ...], shuffles: int
) -> None:
    law = rules.load(name)
    assert deal.no_cut(law).outcome == no_cut
    assert deal.card_exposed(law).outcome == exposed
    assert tuple(n for n in range(1, 21) if deal.packet(n, law) is None) == packets
    assert (deal.shuffled(shuffles, law), deal.cut(4, law)) == (None, None)
    few = deal.shuffled(shuffles - 1, law)
    short = deal.cut(3, law)
    assert few is not None
    assert few.director
    assert short is not None
    assert "3 cards" in short.text


def test_a_complaint_that_is_not_upheld_may_cost_fifty() -> None:
    assert deal.complaint("N", True, rules.load("LV")).outcome == "redeal"
    lost = deal.complaint("N", False, rules.load("LV"))
    assert (lost.outcome, lost.change, lost.director) == ("award", {"NS": 50, "EW": 0}, True)
    assert "LV-52" in lost.text
    free = deal.complaint("N", False, rules.load("NP"))
    assert (free.outcome, dict(free.change)) == ("none", {"NS": 0, "EW": 0})
    assert "the sheet is silent" in free.text


def test_the_deal_goes_round_and_in_np_each_deals_once() -> None:
    assert deal.order_of("W") == ("N", "E", "S", "W")
    assert deal.next_dealer("W", rules.load("LV"), 9) == "N"
    assert deal.next_dealer("W", rules.load("NP"), 3) == "N"
    assert deal.next_dealer("W", rules.load("NP"), 4) is None


def entered(name: str, *steps: What, dealer: Seat = "E") -> HandState:
    """A hand whose log holds these events after its start; North has bid 60 and made hearts trump."""
    whats: list[What] = [HandStarted("h", name, dealer), *steps]
    return fold([Event(n, float(n), what) for n, what in enumerate(whats, 1)])


BID: tuple[What, ...] = (BidMade("N", "60"), TrumpNamed("H", "N"))
LAID: tuple[tuple[Seat, str], ...] = (("N", "AS"), ("E", "KS"), ("S", "TS"), ("W", "QS"))
BOOK: tuple[What, ...] = (
    *(CardLaid(f"c{seat}", seat, Reading(face(card))) for seat, card in LAID),
    BookClosed(1, "entered"),
)


def test_facts_of_the_deal_are_entered_and_answered() -> None:
    noted = (DealNoted("shuffled", 5), DealNoted("cut", 10), DealNoted("no_cut"), DealNoted("packet", 3))
    state = entered("LV", *noted)
    said = {p.code: p.message for p in state.problems}
    assert said.keys() == {"deal_director", "deal_redeal"}
    assert "LV-54" in said["deal_redeal"]
    assert [p.seq for p in state.problems] == [2, 4, 5]
    assert entered("WS", DealNoted("packet", 3)).problems == []
    assert {p.code for p in entered("EC", DealNoted("card_exposed")).problems} == {"deal_redeal"}
    assert {p.code for p in entered("LV", DealNoted("complaint_denied")).problems} == {"deal_award"}


def test_counts_are_judged_by_when_they_are_entered() -> None:
    short: tuple[What, ...] = (CardsCounted("S", 19), CardsCounted("W", 20))
    assert {p.code for p in entered("LV", *short).problems} == {"deal_second_deck"}
    assert {p.code for p in entered("LV", *BID, *short).problems} == {"deal_redeal"}
    assert {p.code for p in entered("LV", *BID, *BOOK, *short).problems} == {"deal_play_on"}
    assert entered("LV", CardsCounted("S", 20)).problems == []


def test_what_a_wrong_count_costs_is_in_the_score() -> None:
    gl = score(entered("GL", *BID, *BOOK, CardsCounted("S", 19)))
    assert (gl.result, dict(gl.change)) == ("renege", {"NS": 0, "EW": 110})
    ws = score(entered("WS", *BID, *BOOK, DealNoted("misdeal")))
    assert (ws.result, dict(ws.change)) == ("set", {"NS": 60, "EW": 0})
    ended = (*BID, *BOOK, HandEnded("out_of_cards"))
    late = score(entered("GL", *ended, CardsCounted("S", 19)))
    assert (late.result, dict(late.change)) == ("renege", {"NS": 0, "EW": 110})
    late = score(entered("WS", *ended, CardsCounted("S", 19), dealer="N"))
    assert (late.result, dict(late.change)) == ("set", {"NS": 0, "EW": 60})
    over = (*ended, CardsCounted("N", 19), CardsCounted("E", 21))
    np = score(entered("NP", *over))
    assert dict(np.change) == {"NS": -50, "EW": 60 - 50}
    assert "NP-18" in np.text
    assert sum(line.amount for line in np.lines if line.team == "EW") == 10
    assert dict(score(entered("LV", *over)).change) == {"NS": 0, "EW": 60}


@pytest.mark.parametrize(
    ("name", "binds"), [("LV", False), ("EC", False), ("WS", True), ("GL", True), ("NP", True)]
)
def test_a_card_seen_in_the_deal_binds_only_where_it_is_not_dealt_again(name: str, binds: bool) -> None:
    """LV-50, EC-18, WS-21."""
    state = entered(name, CardExposed("x", "S", Reading(face("KD")), "dealt"), *BID)
    assert [x.card for x in state.exposed("S")] == (["x"] if binds else [])
    assert any(p.code.startswith("deal_") for p in state.problems)
