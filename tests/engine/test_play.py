"""Legal plays against brute force, duties against legality, winners of identical cards."""

from __future__ import annotations

import engine_judge as judge
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import play
from engine.cards import SUITS, Face, Suit, face, faces
from engine.deck import DOUBLE
from engine.renege import duties

FACE = st.sampled_from(DOUBLE.faces)
HAND = st.lists(FACE, min_size=1, max_size=20)
TABLE = st.lists(FACE, max_size=3)
TRUMP = st.sampled_from(SUITS)


@given(HAND, TABLE, TRUMP)
def test_legal_plays_equal_the_independent_list(hand: list[Face], table: list[Face], trump: Suit) -> None:
    expected = judge.may_play([str(f) for f in hand], [str(f) for f in table], trump)
    assert {str(f) for f in play.legal(hand, table, trump)} == expected


@given(HAND, TABLE, st.none() | TRUMP)
def test_the_witness_test_equals_legality(hand: list[Face], table: list[Face], trump: Suit | None) -> None:
    """Completeness (play-law 6.1): a card is illegal exactly if some card of the hand is a witness."""
    legal = play.legal(hand, table, trump)
    assert legal
    for card in hand:
        found = duties(table, card, trump)
        witness = any(x.suit == d.suit and x.strength > d.above for x in hand for d in found)
        assert witness == (card not in legal)


@given(HAND, HAND, TABLE, TRUMP)
def test_more_cards_never_undo_a_proof(
    known: list[Face], more: list[Face], table: list[Face], trump: Suit
) -> None:
    for card in known:
        if card not in play.legal(known, table, trump):
            assert card not in play.legal(known + more, table, trump)


@given(FACE, TABLE, TRUMP)
def test_four_copies_are_as_good_as_one(card: Face, table: list[Face], trump: Suit) -> None:
    assert play.legal([card] * 4, table, trump) == play.legal([card], table, trump)
    four = [card] * 4
    assert play.winning(four, trump) == 0
    assert all(
        not duties(four[:n], card, trump) or card in play.legal(four, four[:n], trump) for n in (1, 2, 3)
    )


@given(st.lists(FACE, min_size=1, max_size=4), TRUMP)
def test_the_winner_is_that_of_pairwise_comparison(table: list[Face], trump: Suit) -> None:
    seats = list(zip("NESW", (str(f) for f in table), strict=False))
    assert "NESW"[play.winning(table, trump)] == judge.taker(seats, trump)


@given(st.permutations(DOUBLE.cards()))
def test_all_books_of_a_pack_count_fifty(pack: list[Face]) -> None:
    books = [pack[n : n + 4] for n in range(0, 80, 4)]
    assert sum(play.points(book, n == 19) for n, book in enumerate(books)) == 50


def test_no_trump_has_no_duty_to_trump() -> None:
    assert play.legal(faces("AH KD"), faces("QS"), None) == faces("AH KD")
    assert play.winning(faces("QS AH AD AC"), None) == 0


def test_exposed_cards_bind_only_where_they_are_legal() -> None:
    hand, table = faces("AS QS JS"), faces("KS")
    legal = play.legal(hand, table, "H")
    assert play.bound(legal, faces("JS")) == faces("AS")
    assert play.bound(play.legal(hand, [], "H"), faces("JS QS")) == faces("QS JS")


def test_the_partner_of_an_exposed_card_leads_another_suit_unless_forced() -> None:
    assert play.leads(faces("AD QD TC"), faces("KD")) == faces("TC")
    assert play.leads(faces("AD QD"), faces("KD")) == faces("AD QD")
    assert play.leads(faces("AD QD TC"), faces("KD AC")) == faces("AD QD TC")


def test_an_empty_book_has_no_winner() -> None:
    with pytest.raises(ValueError, match="empty book"):
        play.winner([], "H")


GOLDEN = (
    # hand, table, trump, number of legal faces
    ("AS AS TS KS QS JS AH TH KH QH JH AD TD KD QD JD AC TC KC QC", "", "H", 19),
    ("AS AS TS KS QS JS AH TH KH QH", "KS", "H", 2),
    ("AS AS TS KS QS JS AH TH KH QH", "KS JH", "H", 5),
    ("AS AS TS KS QS JS AH TH KH QH", "KD KH", "H", 2),
    ("AS AS TS KS QS JS AH TH KH QH", "KD AH", "H", 4),
    ("AS AS TS KS QS JS", "KD AH", "H", 5),
)


@pytest.mark.parametrize(("hand", "table", "trump", "number"), GOLDEN)
def test_golden_counts_of_legal_plays(hand: str, table: str, trump: Suit, number: int) -> None:
    assert len(play.legal(faces(hand), faces(table), trump)) == number


def test_a_duty_names_the_card_that_makes_it() -> None:
    kinds = {d.kind: d for d in duties(faces("KS QH AH"), face("KH"), "H")}
    assert kinds["FOLLOW"].by == 0
    assert kinds["BEAT"].by == 2
    assert duties([], face("KH"), "H") == []
    assert [d.kind for d in duties(faces("KH"), face("QS"), "H")] == ["FOLLOW"]
