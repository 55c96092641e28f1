"""Meld against the best partition found by trial, and the identities that the tables print."""

from __future__ import annotations

from collections import Counter

import engine_judge as judge
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import meld, rules
from engine.cards import SUITS, Face, Suit, faces
from engine.deck import DOUBLE

LV = rules.load("LV")
LAID = st.lists(st.sampled_from(DOUBLE.cards()), max_size=20)


@given(LAID, st.sampled_from(SUITS))
def test_counting_equals_the_best_partition(laid: list[Face], trump: Suit) -> None:
    expected = judge.meld_value([f"{f}" for f in laid], trump)
    assert meld.count(laid, trump, LV).total == expected or max(Counter(laid).values()) > 4


@given(st.permutations(DOUBLE.cards()), st.integers(0, 20), st.none() | st.sampled_from(SUITS))
def test_groups_are_made_of_laid_cards_once_in_a_class(
    pack: list[Face], size: int, trump: Suit | None
) -> None:
    laid = pack[:size]
    counted = meld.count(laid, trump, LV)
    assert counted.total == sum(g.value for g in counted.groups)
    used: dict[str, Counter[Face]] = {}
    for group in counted.groups:
        kind = "marriages" if "marriage" in group.kind or group.kind == "run" else group.kind
        used.setdefault(kind, Counter()).update(group.cards)
        assert group.clauses
    for cards in used.values():
        assert cards <= Counter(laid)


@given(LAID, LAID, st.sampled_from(SUITS))
def test_more_cards_never_count_less(laid: list[Face], more: list[Face], trump: Suit) -> None:
    assert meld.count(laid + more, trump, LV).total >= meld.count(laid, trump, LV).total


@pytest.mark.parametrize(
    ("cards", "trump", "total"),
    [
        ("KS QS KH QH KD QD KC QC", "H", 24),
        ("KS QS AH TH KH QH JH KD QD KC QC", "H", 35),
        ("KS QS KH QH KD QD KC QC", None, 22),
        ("QS QS QS QS JD JD JD JD", "H", 300),
        ("AS TS KS QS JS", "H", 2),
        ("AH TH KH QH JH " * 4, "H", 300),
        ("", "H", 0),
    ],
)
def test_printed_values(cards: str, trump: Suit | None, total: int) -> None:
    assert meld.count(faces(cards), trump, LV).total == total


def test_five_copies_by_a_misreading_break_nothing() -> None:
    assert meld.count(faces("QS JD " * 5), "H", LV).total == 300
    assert meld.count(faces("AH TH KH QH JH " * 5), "H", LV).total >= 300
