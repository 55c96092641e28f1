"""Scores of hands, calls and penalties under LV, and that their lines say why."""

from __future__ import annotations

import pytest
from engine_logs import log
from hypothesis import given
from hypothesis import strategies as st

from engine import rules, unplayed
from engine.calls import judge_call
from engine.cards import Team
from engine.hand import fold
from engine.scoring import Facts, aces_award, game_over, played, renege_award, score

LV = rules.load("LV")


def facts(bid: int, meld: tuple[int, int], points: tuple[int, int], bidders: Team = "NS") -> Facts:
    return Facts(bid, bidders, {"NS": meld[0], "EW": meld[1]}, {"NS": points[0], "EW": points[1]})


@pytest.mark.parametrize(
    ("bid", "meld", "points", "result", "change", "why"),
    [
        (60, (34, 22), (28, 22), "made", (62, 44), "LV-02"),
        (60, (34, 22), (25, 25), "set", (0, 107), "LV-92"),
        (50, (60, 30), (19, 31), "set", (0, 111), "LV-03"),
        (50, (19, 30), (31, 19), "set", (0, 80), "LV-02"),
        (50, (24, 26), (31, 19), "made", (55, 0), "D-07"),
        (50, (24, 16), (28, 22), "made", (52, 22), "D-07"),
    ],
)
def test_played_hands(
    bid: int, meld: tuple[int, int], points: tuple[int, int], result: str, change: tuple[int, int], why: str
) -> None:
    got = played(facts(bid, meld, points), LV)
    assert (got.result, tuple(got.change[t] for t in ("NS", "EW"))) == (result, change)
    assert why in got.text
    assert all(line.clauses for line in got.lines)


@given(st.integers(50, 200), st.integers(0, 300), st.integers(0, 300), st.integers(0, 50), st.booleans())
def test_seats_names_do_not_matter_and_lines_add_up(
    bid: int, mine: int, theirs: int, points: int, stopped: bool
) -> None:
    one = facts(bid, (mine, theirs), (points, 50 - points), "NS")
    two = facts(bid, (theirs, mine), (50 - points, points), "EW")
    a = renege_award("NS", one, LV) if stopped else played(one, LV)
    b = renege_award("EW", two, LV) if stopped else played(two, LV)
    assert (a.result, a.change["NS"], a.change["EW"]) == (b.result, b.change["EW"], b.change["NS"])
    for team in ("NS", "EW"):
        assert sum(line.amount for line in a.lines if line.team == team) == a.change[team]


def test_a_proven_call_costs_the_offender_and_an_unproven_one_the_caller() -> None:
    proven = judge_call("N", "E", True, LV)
    assert (proven.proven, proven.against) == (True, "EW")
    false = judge_call("N", "E", False, LV)
    assert (false.proven, false.against) == (False, "NS")
    assert "LV-111" in false.text
    disorder = judge_call("N", "E", True, LV, disordered="NS")
    assert disorder.against == "NS"
    assert "LV-112" in disorder.text


HAND = (
    "bid N 60", "trump H N", "meld m1 N AH", "meld m2 N TH", "meld m3 N KH", "meld m4 N QH", "meld m5 N JH",
    "meld m6 N KS", "meld m7 N QS", "melded",
    "book 1: N AS, E JC, S TS, W JS", "book 2: N AC, E QS, S KC, W TC",
)  # fmt: skip


def test_a_hand_in_play_has_no_score_and_a_confirmed_renege_stops_it() -> None:
    assert score(fold(log("trump H"))).result == "no_bid"
    assert score(fold(log(*HAND))).result == "unfinished"
    called = (*HAND, "call N E")
    assert score(fold(log(*called))).result == "unfinished"
    got = score(fold(log(*called, "rule confirmed c12")))
    assert (got.result, dict(got.change)) == ("renege", {"NS": 60, "EW": 0})
    assert score(fold(log(*called, "rule confirmed"))).change["NS"] == 60
    assert "LV-108" in score(fold(log(*called, "rule confirmed"))).text
    got = score(fold(log(*called, "rule denied")))
    assert "LV-111" in got.text
    assert (got.result, dict(got.change)) == ("renege", {"NS": 0, "EW": 60})
    assert score(fold(log(*called, "rule cannot_tell"))).result == "unfinished"
    assert score(fold(log(*called, "rule confirmed c12", "rule denied c12"))).result == "unfinished"


def test_hands_that_are_not_played() -> None:
    start = ("bid N 60", "meld a E KS", "meld b E QS", "melded")
    for how in ("no_board", "no_marriage"):
        got = score(fold(log(*start, f"end {how}")))
        assert (got.result, dict(got.change)) == ("set_unplayed", {"NS": 0, "EW": 60})
        assert "not played" in got.text
    assert (
        unplayed.claim_checked(True, 26, "no_marriage", facts(60, (0, 0), (0, 0)), LV).result
        == "must_be_played"
    )
    assert (
        unplayed.claim_checked(True, 16, "no_marriage", facts(60, (16, 0), (0, 0)), LV).result
        == "set_unplayed"
    )


def test_the_game_ends_at_five_hundred_and_the_bidders_win_a_double_finish() -> None:
    assert game_over({"NS": 499, "EW": 0}, "NS", LV) == (False, None)
    assert game_over({"NS": 500, "EW": 0}, "EW", LV) == (True, "NS")
    assert game_over({"NS": 515, "EW": 503}, "EW", LV) == (True, "EW")


EXAMPLE = Facts(60, "NS", {"NS": 24, "EW": 18}, {"NS": 10, "EW": 14})
"""comparison.md section 12: bid 60, meld 24 and 18, points 10 and 14 when play stops."""


@pytest.mark.parametrize(
    ("name", "bidders_renege", "others_renege"),
    [
        ("LV", (0, 60), (84, 0)), ("GL", (0, 128), (134, 0)), ("WS", (0, 91), (74, 0)),
        ("EC", (-60, 50), (74, -60)), ("EC-P", (0, 110), (134, 0)), ("NP", (0, 78), (84, 0)),
    ],
)  # fmt: skip
def test_renege_awards_of_all_sheets(
    name: str, bidders_renege: tuple[int, int], others_renege: tuple[int, int]
) -> None:
    law = rules.load(name)
    for offender, due in (("NS", bidders_renege), ("EW", others_renege)):
        got = renege_award(offender, EXAMPLE, law)  # type: ignore[arg-type]
        assert (got.change["NS"], got.change["EW"]) == due
        assert any(i.startswith(name[:2]) for i in got.clauses)


@pytest.mark.parametrize(
    ("name", "made", "bidders_set"),
    [
        ("LV", (62, 44), (0, 107)), ("GL", (62, 44), (0, 107)), ("WS", (62, 44), (0, 107)),
        ("EC", (62, 44), (-60, 47)), ("EC-P", (62, 44), (0, 107)), ("NP", (62, 44), (0, 107)),
    ],
)  # fmt: skip
def test_played_hands_of_all_sheets(name: str, made: tuple[int, int], bidders_set: tuple[int, int]) -> None:
    law = rules.load(name)
    for points, due in (((28, 22), made), ((25, 25), bidders_set)):
        got = played(facts(60, (34, 22), points), law)
        assert (got.change["NS"], got.change["EW"]) == due


def test_aces_have_their_own_penalty_in_ec_and_none_printed_in_ws() -> None:
    for name in ("EC", "EC-P"):
        got = aces_award("NS", facts(60, (35, 22), (25, 21)), rules.load(name))
        assert (got.result, dict(got.change)) == ("aces", {"NS": 0, "EW": 103})
        got = aces_award("EW", facts(60, (35, 22), (25, 21)), rules.load(name))
        assert dict(got.change) == {"NS": 60 + 35 + 25, "EW": 0}
        assert "EC-50" in got.text
    ws = aces_award("NS", EXAMPLE, rules.load("WS"))
    assert (ws.result, ws.change["EW"]) == ("renege", 91)
    assert "for the director; proposed" in ws.text
    assert "D-08" in ws.clauses
    assert aces_award("NS", EXAMPLE, rules.load("NP")).change["EW"] == 78


def test_decisions_stand_in_the_sentence_where_they_mattered() -> None:
    assert "D-05" in played(facts(90, (40, 24), (35, 15)), LV).text
    assert "D-05" not in played(facts(90, (40, 24), (25, 25)), LV).text
    assert "D-07" not in played(facts(60, (34, 22), (28, 22)), LV).text
    assert "D-04" in renege_award("NS", EXAMPLE, rules.load("NP")).text
    assert "D-04" not in renege_award("EW", EXAMPLE, rules.load("NP")).text
