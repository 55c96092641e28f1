"""The fold: slots and corrections, closings, gaps, turns, and named problems for what cannot be."""

from __future__ import annotations

import pytest
from engine_logs import log

from engine import events as ev
from engine.events import Event
from engine.hand import HandState, fold

BOOK1 = "book 1: N AS, E KS, S TS, W QS"


def state(*lines: str) -> HandState:
    return fold(log("trump H N", *lines))


def codes(*lines: str) -> list[str]:
    return [p.code for p in state(*lines).problems]


def faces(s: HandState, number: int) -> str:
    return " ".join(f"{p.seat}:{p.face}" for p in s.books[number - 1].plays)


def test_books_points_and_turn() -> None:
    s = state(BOOK1, "lay c N AC")
    assert (s.books[0].winner, s.books[0].points, s.points, s.tricks) == (
        "N", 3, {"NS": 3, "EW": 0}, {"NS": 1, "EW": 0},
    )  # fmt: skip
    assert s.turn == "E"
    assert s.open_book is s.books[1]
    assert state().turn == "N"
    assert state(BOOK1).turn == "N"


def test_a_replacement_takes_the_turn_of_the_card_taken_back() -> None:
    s = state("lay a N KS", "lay b E JC", "lay c S TS", "back b", "lay d E AS", "lay e W QS", "close 1")
    assert faces(s, 1) == "N:KS E:AS S:TS W:QS"
    assert s.books[0].winner == "E"
    assert [str(x.face) for x in s.exposed("E")] == ["JC"]
    assert s.problems == []


def test_a_new_card_may_lie_beside_the_old_before_that_is_picked_up() -> None:
    lines = ("lay a N KS", "lay b E JC", "lay d E AS")
    assert codes(*lines) == ["two_cards"]
    assert faces(state(*lines, "back b", "lay c S TS"), 1) == "N:KS E:AS S:TS"
    # After the fourth card the new one looks like a lead, until the old one is picked up.
    full = ("lay a N KS", "lay b E JC", "lay c S TS", "lay e W QS", "lay d E AS")
    assert codes(*full) == ["lead_out_of_turn"]
    s = state(*full, "back b")
    assert (faces(s, 1), len(s.books), s.problems) == ("N:KS E:AS S:TS W:QS", 1, [])


def test_the_winner_who_leads_and_then_corrects_has_led() -> None:
    s = state("lay a N KS", "lay b E AS", "lay c S TS", "lay d W QS", "lay e E KC", "back b", "lay f E JS")
    assert faces(s, 1) == "N:KS E:JS S:TS W:QS"
    assert faces(s, 2) == "E:KC"


def test_what_the_camera_missed_is_entered_in_its_place() -> None:
    s = state("lay a N KS", "lay c S TS", "lay d W QS", "close 1", "lay e S AC", "lay b E JS before c")
    assert faces(s, 1) == "N:KS E:JS S:TS W:QS"
    assert s.gaps == []
    s = state("lay a N KS", "lay b E JS", "lay c S TS", "close 1", "lay e S AC", "lay d W QS in 1")
    assert faces(s, 1) == "N:KS E:JS S:TS W:QS"
    s = state(BOOK1, "close 2", "lay x N KC", *(f"lay y{n} {p} in 2" for n, p in enumerate(("N AC", "E KC"))))
    assert faces(s, 2) == "N:AC E:KC"
    assert faces(s, 3) == "N:KC"


def test_gaps_name_the_seats_that_were_not_seen() -> None:
    s = state("lay a N KS", "lay c S TS", "close 1", "lay e S AC")
    assert [(g.book, g.seat) for g in s.gaps] == [(1, "E"), (1, "W")]
    assert state("lay a N KS", "lay c S TS").gaps == []


def test_a_card_withdrawn_was_never_there() -> None:
    s = state("lay a N KS", "lay x N AH", "lay b E JS", "withdraw x")
    assert faces(s, 1) == "N:KS E:JS"
    assert s.problems == []


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["back zz"], "not_on_table"),
        (["correct zz AS"], "unknown_card"),
        (["revise zz AS"], "unknown_card"),
        (["lay a N AS before zz"], "unknown_card"),
        (["close 3"], "no_such_book"),
        (["gather 1 N"], "no_such_book"),
        ([BOOK1, "close 1"], "closed_twice"),
        (["lay a N AS", "lay a N AS"], "laid_twice"),
        (["meld a N AS", "meld a N AS"], "laid_twice"),
        (["unmeld zz"], "not_on_table"),
        (["lay a N AS", "meld b E KS"], "late_meld"),
        (["lay a N AS", "lay b W KS", "lay c E QS", "lay d S TS"], "out_of_turn"),
        (["lay a E AS", "lay b S KS", "lay c W QS", "lay d N TS"], "lead_out_of_turn"),
        (["lay a N AS", "lay b N KS"], "two_cards"),
        (["lay a N 9S"], "foreign_card"),
        ([f"book {n}: N AS, E KS, S TS, W QS" for n in range(1, 6)], "too_many_copies"),
        ([BOOK1, "gather 1 E"], "wrong_gatherer"),
        (["end played", "lay a N AS"], "after_end"),
        (["lay a N AS in 9"], "no_such_book"),
    ],
)
def test_what_cannot_be_is_a_named_problem(lines: list[str], code: str) -> None:
    assert code in codes(*lines)


def test_problems_of_the_log_itself() -> None:
    events = log("trump H N")
    assert [p.code for p in fold(events[1:]).problems] == ["no_start", "seq"]
    assert [p.code for p in fold([events[0], events[0]]).problems] == ["second_start", "seq"]
    assert [p.code for p in fold(log(ruleset="XX")).problems] == ["unknown_rules"]
    assert "choose from" in fold(log(ruleset="XX")).problems[0].message
    assert [p.code for p in fold([Event(1, 0, ev.HandStarted("h", "LV", deck="tarot"))]).problems] == [
        "unknown_deck"
    ]
    assert fold([]).problems[0].code == "no_start"


def test_lv_closes_a_book_when_it_is_turned_and_not_before() -> None:
    s = state("lay a N AS", "lay b E KS", "lay c S TS", "lay d W QS", "led 1", "lay e N AC")
    assert not s.books[0].closed
    assert s.points["NS"] == 0
    assert state("lay a N AS", "lay b E KS", "lay c S TS", "lay d W QS", "gather 1 N").books[0].closed
    # A later book turned: the earlier one cannot lie there any more.
    s = state(
        "lay a N AS", "lay b E KS", "lay c S TS", "lay d W QS", "led 1", "book 2: N AC, E KC, S TC, W QC"
    )
    assert s.books[0].closed


def test_trump_comes_from_the_bidders_first_marriage_and_outranks_what_was_said() -> None:
    lines = ("bid S 50", "say D S", "meld a S KC", "meld b S QC", "meld c S KD", "meld d S QD")
    s = fold(log(*lines))
    assert (s.trump, s.bidder, s.bid) == ("C", "S", 50)
    assert fold(log("bid S 50", "say D S")).trump == "D"
    assert fold(log(*lines, "trump D S")).trump == "D"


def test_the_bid_is_the_highest_number_or_drops_on_the_dealer() -> None:
    s = fold(log("bid E 50", "bid S 52", "bid W pass", "bid N pass", "bid E pass"))
    assert (s.bid, s.bidder, s.dropped) == (52, "S", False)
    s = fold(log("bid E pass", "bid S pass", "bid W pass"))
    assert (s.bid, s.bidder, s.dropped) == (50, "N", True)


def test_meld_taken_back_while_open_does_not_count_and_picked_up_does() -> None:
    assert state("meld a N KH", "meld b N QH", "unmeld b").meld_count("N").total == 0
    assert state("meld a N KH", "meld b N QH", "melded", "unmeld b").meld_count("N").total == 4


def test_leftover_cards_go_with_the_last_book_turned() -> None:
    s = state(BOOK1, "book 2: N JC, E QC, S JC, W AC", "end out_of_cards")
    assert s.points == {"NS": 3, "EW": 47}


def test_cards_unseen_while_sight_was_lost_are_marked() -> None:
    s = state("lay a N AS", "blind", "lay b E KS", "sees", "lay c S TS")
    assert s.books[0].sight_lost
    assert s.sight
