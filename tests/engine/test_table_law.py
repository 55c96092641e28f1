"""What the fold takes from each sheet: when books close, who gathers, when meld closes, late corrections."""

from __future__ import annotations

import pytest
from engine_logs import log

from engine import rules
from engine.cards import Team
from engine.events import BidMade, Event, HandEnded, RenegeCalled, ScoreAgreed, What
from engine.hand import HandState, fold
from engine.scoring import score

SETS = rules.available()
START = ("bid N 60", "trump H N")
FOUR = ("lay a N AS", "lay b E KS", "lay c S TS", "lay d W JC")
SWAP = ("back d", "lay e W QS")


def codes(state: HandState) -> set[str]:
    return {p.code for p in state.problems}


def after(events: list[Event], *whats: What) -> list[Event]:
    return events + [Event(len(events) + n, 50.0 + n, what) for n, what in enumerate(whats, 1)]


@pytest.mark.parametrize(
    ("name", "lying", "turned", "led"),
    [
        ("LV", True, False, False), ("GL", True, False, False), ("WS", True, True, False),
        ("EC", True, True, False), ("EC-P", True, True, False), ("NP", False, False, False),
    ],
)  # fmt: skip
def test_until_when_the_fourth_card_may_be_corrected(name: str, lying: bool, turned: bool, led: bool) -> None:
    """LV-100, GL-25, WS-58, EC-54: until the book is closed; NP-53: never."""
    ways = {(): lying, ("close 1",): turned, ("close 1", "lay f N AC"): led}
    for between, allowed in ways.items():
        state = fold(log(*START, *FOUR, *between, *SWAP, ruleset=name))
        stands = [str(p.face) for p in state.books[0].plays if p.seat == "W"]
        assert stands == (["QS"] if allowed else ["JC"]), between
        assert ("taken_back_late" in codes(state)) is not allowed


def test_np_allows_a_correction_until_the_next_card() -> None:
    """NP-52."""
    early = fold(log(*START, *FOUR[:2], "back b", "lay x E QS", ruleset="NP"))
    assert [str(p.face) for p in early.books[0].plays] == ["AS", "QS"]
    late = fold(log(*START, *FOUR[:3], "back b", "lay x E QS", ruleset="NP"))
    assert [str(p.face) for p in late.books[0].plays] == ["AS", "KS", "TS"]


@pytest.mark.parametrize("name", SETS)
def test_the_new_card_laid_first_replaces_the_old_one_and_closes_nothing(name: str) -> None:
    state = fold(log(*START, *FOUR[:3], "lay d W JC", "lay e W QS", "back d", ruleset=name))
    stands = [str(p.face) for p in state.books[0].plays if p.seat == "W"]
    assert len(state.books) == 1
    assert stands == (["JC"] if name == "NP" else ["QS"])
    assert [str(x.face) for x in state.exposed("W")] == (["QS"] if name == "NP" else ["JC"])


@pytest.mark.parametrize(("name", "most"), [("GL", 10), ("NP", 10), ("LV", 0), ("WS", 0)])
def test_a_book_may_lie_ten_seconds(name: str, most: int) -> None:
    """GL-26, GL-30, NP-54."""
    events = log(*START, *FOUR, ruleset=name)
    for wait in (9.0, 30.0):
        closed = [*events, *log("close 1")[1:]]
        last = closed[-1]
        closed[-1] = Event(len(closed), events[-1].at + wait, last.what)
        state = fold(closed)
        assert ("book_lay_long" in codes(state)) == (0 < most < wait)
        said = [p.message for p in state.problems if p.code == "book_lay_long"]
        assert all(("anyone may close it" in text) == (name == "NP") for text in said)
        assert all(("NP-55" if name == "NP" else "GL-30") in text for text in said)


@pytest.mark.parametrize(
    ("name", "winner", "partner", "both"),
    [
        ("LV", set(), {"partner_gathered"}, {"partner_gathered"}), ("EC", set(), set(), set()),
        ("WS", set(), {"partner_gathered"}, {"partner_gathered"}), ("GL", set(), set(), {"two_gatherers"}),
    ],
)  # fmt: skip
def test_who_gathers_books(name: str, winner: set[str], partner: set[str], both: set[str]) -> None:
    """LV-86, WS-24: the winner; EC-24: or the partner; GL-43: one of each team."""
    books = ("book 1: N AS, E KS, S TS, W JS", "book 2: N AC, E KC, S TC, W JC")
    gathered = {"winner_gatherer", "partner_gathered", "two_gatherers", "wrong_gatherer"}
    for seats, expected in (("NN", winner), ("SS", partner), ("NS", both), ("EE", {"wrong_gatherer"})):
        lines = (books[0], f"gather 1 {seats[0]}", books[1], f"gather 2 {seats[1]}")
        assert codes(fold(log(*START, *lines, ruleset=name))) & gathered == expected, seats


@pytest.mark.parametrize("name", SETS)
def test_nobody_melds_before_trump_is_known(name: str) -> None:
    """LV-73, WS-51, EC-47, NP-40."""
    early = ("bid N 60", "meld a E KS", "meld b N KH", "meld c N QH", "meld d S KC")
    found = [p for p in fold(log(*early, ruleset=name)).problems if p.code == "early_meld"]
    assert [p.seq for p in found] == [3]
    assert "East" in found[0].message


@pytest.mark.parametrize(("name", "open_after"), [("LV", 0), ("WS", 0), ("EC", 0), ("GL", 4), ("NP", 1)])
def test_when_meld_closes(name: str, open_after: int) -> None:
    """LV-76, WS-53, EC-49: the first card; NP-41: the bidder's; GL-21: not while meld lies there."""
    hand = ("bid S 60", "trump H S", "meld a S KH", "meld b S QH")
    lines = ("lay c N AS", "lay d E KS", "lay e S TS", "lay f W JS")
    still = [fold(log(*hand, *lines[: n + 1], ruleset=name)).meld_open for n in range(4)]
    assert still == {0: [False] * 4, 1: [True, True, False, False], 4: [True] * 4}[open_after]
    assert not fold(log(*hand, "melded", *lines, ruleset=name)).meld_open


def test_the_rest_of_a_hand_given_to_one_team() -> None:
    """GL-48: the opponents take all remaining tricks."""
    hand = log(*START, "book 1: N AS, E KS, S TS, W JS", ruleset="GL")
    rest: Team = "EW"
    state = fold(after(hand, HandEnded("played", rest)))
    assert state.points == {"NS": 3, "EW": 47}
    assert state.tricks == {"NS": 1, "EW": 19}
    assert "rest_given" in codes(state)
    assert "GL-48" in next(p.message for p in state.problems if p.code == "rest_given")


@pytest.mark.parametrize("name", SETS)
def test_all_cards_must_be_played(name: str) -> None:
    """LV-90, GL-47, WS-27, EC-27."""
    hand = log(*START, "book 1: N AS, E KS, S TS, W JS", "end played", ruleset=name)
    assert "not_all_played" in codes(fold(hand))


def test_a_call_after_both_teams_agreed_the_score_is_late() -> None:
    """LV-15, WS-02, EC-03: both sides check the score; D-29: then no more calls."""
    hand = log(*START, "book 1: N AS, E KS, S TS, W JS", "end out_of_cards")
    call = RenegeCalled("N", "E")
    one = fold(after(hand, ScoreAgreed("NS"), call))
    assert (one.agreed, "call_late" in codes(one)) == ({"NS"}, False)
    both = fold(after(hand, ScoreAgreed("NS"), ScoreAgreed("EW"), call))
    assert "call_late" in codes(both)
    assert "after_end" not in codes(both)


RUNS = tuple(f"meld m{k} N {r}C" for k, r in enumerate("ATKQJATKQJ"))


@pytest.mark.parametrize(
    ("calls", "gl"),
    [
        (("bid E 50", "bid S pass", "bid W pass", "bid N 51", "bid E pass"), 30),
        (("bid E pass", "bid S pass", "bid W pass"), 150),
    ],
)
def test_a_double_run_in_gl_is_declared_on_the_first_bid_or_dropped_on_the_dealer(
    calls: tuple[str, ...], gl: int
) -> None:
    """GL-35 to GL-37, D-34; elsewhere it need not be (NP-29)."""
    for name, worth in (("GL", gl), ("LV", 150), ("NP", 250)):
        state = fold(log(*calls, "trump C N", *RUNS, "melded", ruleset=name))
        assert state.bidder == "N"
        assert state.meld_count("N").total == worth, name


def test_a_declared_double_run_counts_in_full() -> None:
    events = log("bid E 50", "bid S pass", "bid W pass", ruleset="GL")
    more = log("trump C N", *RUNS, "melded")[1:]
    whats: list[What] = [BidMade("N", "51 double run"), BidMade("E", "pass"), *(e.what for e in more)]
    state = fold(after(events, *whats))
    assert state.meld_count("N").total == 150


@pytest.mark.parametrize("name", SETS)
def test_trump_needs_a_marriage_in_the_bidders_meld(name: str) -> None:
    """LV-72, GL-03, WS-36, EC-34, NP-28."""
    good = log("bid N 60", "trump H N", "meld a N KH", "meld b N QH", "melded", "lay c N AS", ruleset=name)
    bad = log("bid N 60", "trump H N", "meld a N KH", "meld b N QD", "melded", "lay c N AS", ruleset=name)
    assert "trump_without_marriage" not in codes(fold(good))
    [said] = [p.message for p in fold(bad).problems if p.code == "trump_without_marriage"]
    assert any(i in said for i in ("LV-72", "GL-03", "WS-36", "EC-34", "NP-28"))


def test_an_undeclared_double_run_is_named_for_the_director() -> None:
    calls = ("bid E 50", "bid S pass", "bid W pass", "bid N 51", "bid E pass")
    state = fold(log(*calls, "trump C N", *RUNS, "melded", ruleset="GL"))
    [said] = [p.message for p in state.problems if p.code == "run_undeclared"]
    assert "2 runs count 30 (GL-36, D-34)" in said


@pytest.mark.parametrize("name", SETS)
def test_the_score_of_a_hand_names_the_clauses_of_its_own_sheet(name: str) -> None:
    hand = (*START, "meld a N KH", "meld b N QH", "melded", "book 1: N AS, E KS, S TS, W JS", "end no_board")
    got = score(fold(log(*hand, ruleset=name)))
    assert got.clauses
    assert all(i.startswith((name[:2], "D-")) for i in got.clauses)
