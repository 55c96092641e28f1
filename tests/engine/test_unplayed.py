"""Hands that are not played, and what was found after all, under every sheet (comparison.md 6)."""

from __future__ import annotations

import pytest
from engine_logs import log

from engine import rules
from engine.cards import face
from engine.events import CardExposed, Event, HandEnded, Reading
from engine.hand import fold
from engine.scoring import Facts, HandScore, score
from engine.unplayed import certain_set, claim_checked, contract_note, not_played

SETS = ("LV", "GL", "WS", "EC", "EC-P", "NP")


def facts(bid: int, bidders: int, others: int) -> Facts:
    return Facts(bid, "NS", {"NS": bidders, "EW": others}, {"NS": 0, "EW": 0})


def change(got: HandScore) -> tuple[int, int]:
    return got.change["NS"], got.change["EW"]


@pytest.mark.parametrize(
    ("why", "others", "due"),
    [
        ("no_marriage", 14, ((0, 60), (0, 74), (0, 60), (-60, 0), (0, 60), (0, 74))),
        ("no_marriage", 22, ((0, 82), (0, 82), (0, 82), (-60, 22), (0, 82), (0, 82))),
        ("no_board", 14, ((0, 60), (0, 74), (0, 60), (-60, 0), (0, 60), (0, 60))),
        ("no_board", 22, ((0, 82), (0, 82), (0, 82), (-60, 22), (0, 82), (0, 82))),
    ],
)
def test_a_set_without_play(why: str, others: int, due: tuple[tuple[int, int], ...]) -> None:
    for name, amounts in zip(SETS, due, strict=True):
        got = not_played(why, facts(60, 0, others), rules.load(name))  # type: ignore[arg-type]
        assert (got.result, change(got)) == ("set_unplayed", amounts), name
        assert any(i.startswith((name[:2], "D-")) for i in got.clauses)


def test_a_bid_dropped_on_the_dealer_has_its_own_clause_in_np() -> None:
    np = rules.load("NP")
    assert change(not_played("no_marriage", facts(50, 0, 14), np, dropped=True)) == (0, 50)
    assert "NP-35" in not_played("no_marriage", facts(50, 0, 14), np, dropped=True).text
    assert change(not_played("no_marriage", facts(50, 0, 14), np)) == (0, 64)


@pytest.mark.parametrize(
    ("name", "with_board", "without"),
    [
        ("LV", "must_be_played", (0, 85)), ("WS", "must_be_played", (0, 85)),
        ("NP", "must_be_played", (0, 85)), ("EC", (-60, 75), (-60, 75)), ("EC-P", (0, 135), (0, 135)),
        ("GL", (0, 85), (0, 85)),
    ],
)  # fmt: skip
def test_a_marriage_was_found(name: str, with_board: str | tuple[int, int], without: tuple[int, int]) -> None:
    law, known = rules.load(name), facts(60, 0, 25)
    got = claim_checked(True, 26, "no_marriage", known, law)
    assert (got.result if isinstance(with_board, str) else change(got)) == with_board
    assert change(claim_checked(True, 12, "no_marriage", known, law)) == without


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("LV", "must_be_played"), ("WS", "must_be_played"), ("NP", "must_be_played"), ("EC", (-60, 75)),
        ("EC-P", (0, 135)), ("GL", (0, 135)),
    ],
)  # fmt: skip
def test_a_board_was_found(name: str, due: str | tuple[int, int]) -> None:
    got = claim_checked(True, 26, "no_board", facts(60, 26, 25), rules.load(name))
    assert (got.result if isinstance(due, str) else change(got)) == due


def test_refusing_a_playable_hand_is_a_renege_in_gl() -> None:
    got = claim_checked(True, 26, "no_marriage", facts(55, 24, 12), rules.load("GL"), refused=True)
    assert change(got) == (0, 55 + 12 + 50)
    assert "GL-07" in got.text
    assert "GL-31" in got.text


def test_an_impossible_bid_is_void_or_played_out() -> None:
    known = facts(90, 35, 14)
    assert certain_set(known)
    assert not certain_set(facts(85, 35, 14))
    for name, amounts in (("GL", (0, 104)), ("NP", (0, 90))):
        assert change(not_played("impossible", known, rules.load(name))) == amounts
        assert "void" in contract_note(known, rules.load(name))
    for name in ("LV", "WS", "EC", "EC-P"):
        got = not_played("impossible", known, rules.load(name))
        assert (got.result, change(got)) == ("play_out", (0, 0))
        assert "D-20" in contract_note(known, rules.load(name))
    assert contract_note(facts(85, 35, 14), rules.load("GL")) == ""


def test_decisions_are_named_only_where_they_mattered() -> None:
    gl = rules.load("GL")
    assert "D-04" in not_played("impossible", facts(90, 35, 14), gl).text
    assert "D-04" not in not_played("impossible", facts(90, 35, 24), gl).text


OTHERS = ("meld a E KS", "meld b E QS", "meld c E KH", "meld d E QH", "meld e E KD", "meld f E QD",
          "meld g E KC", "meld h E QC")  # fmt: skip
"""A round house: 22 without trump, 24 with it (LV-81)."""


def shown(name: str, cards: str, how: str = "no_marriage") -> HandScore:
    """The hand of the bidder North is laid open with these cards, after bidding 60."""
    events = log("bid N 60", *OTHERS, "melded", ruleset=name)
    for k, text in enumerate(cards.split()):
        card = CardExposed(f"s{k}", "N", Reading(face(text)), "shown")
        events.append(Event(len(events) + 1, 50.0, card))
    events.append(Event(len(events) + 1, 60.0, HandEnded(how), "scorekeeper"))
    return score(fold(events))


@pytest.mark.parametrize(
    ("name", "nothing", "marriage", "playable"),
    [
        ("LV", (0, 82), (0, 82), "must_be_played"),
        ("WS", (0, 82), (0, 82), "must_be_played"),
        ("NP", (0, 82), (0, 82), "must_be_played"),
        ("EC", (-60, 22), (-60, 72), (-60, 72)),
        ("EC-P", (0, 82), (0, 132), (0, 132)),
        ("GL", (0, 82), (0, 84), (0, 84)),
    ],
)
def test_the_shown_hand_decides_from_the_record(
    name: str, nothing: tuple[int, int], marriage: tuple[int, int], playable: str | tuple[int, int]
) -> None:
    """Without trump the others' round house is 22; in GL the marriage found becomes trump (GL-06): 24."""
    assert change(shown(name, "AS KS TS JH")) == nothing
    assert change(shown(name, "KS QS TS JH")) == marriage
    got = shown(name, "KS QS AS AH AD AC KH KD KC")
    assert (got.result if isinstance(playable, str) else change(got)) == playable


def test_a_refused_hand_is_the_directors_finding() -> None:
    assert change(shown("GL", "KS QS AS AH AD AC KH KD KC", "refused")) == (0, 60 + 24 + 50)


def test_a_hand_whose_bid_cannot_be_reached_says_so_while_it_is_open() -> None:
    hand = ("bid N 90", "trump H N", "meld a N KH", "meld b N QH", "melded", "lay c N AS")
    assert "GL-17" in score(fold(log(*hand, ruleset="GL"))).text
    assert "sure set" in score(fold(log(*hand, ruleset="LV"))).text
