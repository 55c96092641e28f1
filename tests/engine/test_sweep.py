"""Boston, pinochle, 48 and the board; totals as the scorekeeper adds them (LV-14, WS-04, EC-04)."""

from __future__ import annotations

import pytest

from engine import rules
from engine.cards import Team
from engine.scoring import Facts, played
from engine.sweep import after_hand

BEFORE: dict[Team, int] = {"NS": 100, "EW": 120}


def standing(
    name: str, books: int, points: int, bid: int = 60, meld: int = 40, before: int = 100, hands: int = 0
) -> tuple[dict[Team, int], bool, Team | None, Team | None, str]:
    law = rules.load(name)
    facts = Facts(bid, "NS", {"NS": meld, "EW": 20}, {"NS": points, "EW": 50 - points})
    score = played(facts, law)
    now = after_hand(
        score, facts, {"NS": books, "EW": 20 - books}, {"NS": before, "EW": 120}, law, hands=hands
    )
    assert now.totals["NS"] == before + score.change["NS"]
    return dict(now.final), now.over, now.winner, now.sweep, now.text


@pytest.mark.parametrize(
    ("name", "books", "final", "over"),
    [
        ("LV", 20, 600, True), ("WS", 20, 450, True), ("EC", 20, 600, True), ("EC-P", 20, 600, True),
        ("GL", 20, 690, True), ("NP", 20, 690, False),
        ("LV", 19, 190, False), ("WS", 19, 190, False), ("EC", 19, 190, False), ("GL", 19, 690, True),
        ("NP", 19, 690, False),
    ],
)  # fmt: skip
def test_what_a_sweep_brings(name: str, books: int, final: int, over: bool) -> None:
    got, ended, winner, sweep, text = standing(name, books, 50)
    assert (got["NS"], ended) == (final, over)
    assert winner == ("NS" if over else None)
    assert (sweep is not None) == (final > 190)
    assert not text or any(i in text for i in ("D-18", "WS-67", "EC-59", "GL-40", "NP-62"))


def test_lv_says_that_its_rule_is_a_proposal() -> None:
    assert "proposal" in standing("LV", 20, 50)[4]
    assert "proposal" not in standing("WS", 20, 50)[4]


def test_a_total_above_the_target_is_not_lowered() -> None:
    assert standing("WS", 20, 50, before=300)[0]["NS"] == 490
    assert standing("WS", 20, 50, before=260)[0]["NS"] == 450
    assert standing("EC", 20, 50, before=450)[0]["NS"] == 640


def test_four_hands_of_a_mini_tournament_go_on() -> None:
    final, over, winner, sweep, text = standing("EC", 20, 50, before=0, hands=4)
    assert (final["NS"], over, winner, sweep) == (190, False, None, "NS")
    assert "EC-61" in text


def test_bidders_who_are_set_have_no_boston_but_the_others_may() -> None:
    assert standing("WS", 20, 50, bid=95)[3] is None
    final, over, winner, sweep, _ = standing("WS", 0, 0)
    assert (sweep, winner, over) == ("EW", "EW", True)
    assert final["EW"] == max(120 + 60 + 20 + 50, 350) + 100


def test_both_over_the_target_the_bidders_win_and_np_has_no_target() -> None:
    assert standing("GL", 12, 28, before=440)[1:3] == (True, "NS")
    assert standing("NP", 12, 28, before=900)[1:3] == (False, None)
