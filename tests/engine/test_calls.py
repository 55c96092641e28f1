"""What calls come to under each sheet, judged from the record."""

from __future__ import annotations

import pytest
from engine_logs import log

from engine import rules
from engine.calls import Verdict, judge, kind_named
from engine.cards import face
from engine.events import Event, RenegeCalled
from engine.hand import fold
from engine.renege import audit
from engine.scoring import score

HAND = ("bid N 60", "trump H N", "meld m1 N KH", "meld m2 N QH", "melded")
OFFENCE = "book 1: N AS, E JC, S TS, W JS"
PROOF = "book 2: N AC, E QS, S KC, W TC"
NEXT = "book 3: N AD, E KD, S TD, W QD"
NAMED = RenegeCalled("N", "E", "follow suit", (face("JC"), face("QS")), 1)


def verdict(name: str, *lines: str, call: RenegeCalled = NAMED) -> Verdict:
    events = log(*HAND, *lines, ruleset=name)
    events.append(Event(len(events) + 1, 99.0, call, "player"))
    state = fold(events)
    return judge(state, state.calls[0], audit(state), state.rules)


@pytest.mark.parametrize("name", rules.available())
def test_a_call_is_proven_by_cards_in_closed_books(name: str) -> None:
    got = verdict(name, OFFENCE, PROOF, NEXT)
    assert (got.proven, got.against) == (True, "EW")
    assert got.flag is not None
    assert got.flag.card.face == face("JC")
    assert got.lacks == ()


@pytest.mark.parametrize("name", rules.available())
def test_a_call_of_a_legal_play_goes_against_the_caller(name: str) -> None:
    clean = RenegeCalled("N", "W", "follow suit", (face("JS"), face("QD")))
    got = verdict(name, OFFENCE, PROOF, NEXT, call=clean)
    assert (got.proven, got.against, got.flag) == (False, "NS", None)
    assert set(got.clauses) & {"LV-111", "GL-34", "WS-61", "EC-57", "NP-58"}


@pytest.mark.parametrize("name", rules.available())
def test_a_call_while_the_proof_is_not_in_a_closed_book_is_not_false(name: str) -> None:
    got = verdict(name, OFFENCE, "lay c21 N AC", "lay c22 E QS")
    assert (got.proven, got.against) == (False, None)
    assert got.flag is not None


def test_where_the_next_card_must_have_been_played_a_call_waits_for_it() -> None:
    """NP-51: aces are known after the book is closed, the call comes with the next card."""
    aces = ("meld a N AS", "meld b N AH", "meld c N AD", "meld d N AC", "end played")
    assert verdict("NP", OFFENCE, PROOF, *aces).proven


def test_meld_alone_proves_nothing_under_np() -> None:
    """NP-56: the card must be played."""
    hand = ("bid S 55", "trump H S", "meld a E KS", "meld b E QS", "melded", "book 1: N AS, E JC, S TS, W KS")
    events = log(*hand, "call S E", ruleset="NP")
    state = fold(events)
    got = judge(state, state.calls[0], audit(state), state.rules)
    assert (got.proven, got.against) == (False, "NS")


def test_what_the_caller_has_to_name_is_asked_for() -> None:
    bare = RenegeCalled("N", "E")
    assert verdict("LV", OFFENCE, PROOF, NEXT, call=bare).lacks == (
        "the kind of renege", "the two cards in the books that prove it",
    )  # fmt: skip
    assert verdict("GL", OFFENCE, PROOF, NEXT, call=bare).lacks == ("two cards of the book in question",)


def test_a_call_on_the_partner_and_one_about_aces_are_for_the_director() -> None:
    assert verdict("LV", OFFENCE, PROOF, NEXT, call=RenegeCalled("N", "S")).against is None
    assert verdict("LV", OFFENCE, PROOF, NEXT, call=RenegeCalled("N", "E", "aces")).against is None


def test_books_out_of_order_cost_their_owner_where_the_sheet_says_so() -> None:
    events = log(*HAND, OFFENCE, PROOF, "call N E", ruleset="EC")
    for name, against in (("EC", "NS"), ("LV", "NS"), ("WS", "NS"), ("GL", "EW"), ("NP", "EW")):
        state = fold(events, rules.load(name))
        flags = audit(state)
        for book in state.books:
            book.closed = True
        got = judge(state, state.calls[0], flags, state.rules, disordered="NS")
        if against == "NS":
            assert got.against == "NS", name
        else:
            assert got.against != "NS", name


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("did not follow suit", "FOLLOW"), ("could have beaten it, higher", "BEAT"), ("overtrump", "BEAT"),
        ("no trump played", "TRUMP"), ("Aces!", "ACES"), ("hm", None),
    ],
)  # fmt: skip
def test_kinds_by_the_callers_words(words: str, kind: str | None) -> None:
    assert kind_named(words) == kind


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("LV", (0, 60)), ("GL", (0, 110)), ("WS", (0, 91)), ("EC", (-60, 50)), ("EC-P", (0, 110)),
        ("NP", (0, 60)),
    ],
)  # fmt: skip
def test_a_confirmed_renege_of_the_bidders_under_every_sheet(name: str, change: tuple[int, int]) -> None:
    hand = ("bid E 60", "trump H E", "melded", OFFENCE, PROOF, "call N E", "rule confirmed")
    got = score(fold(log(*hand, ruleset=name)))
    assert got.result == "renege"
    assert (got.change["EW"], got.change["NS"]) == change


@pytest.mark.parametrize(
    ("name", "result", "change"),
    [
        ("LV", "renege", (60, 0)),
        ("EC", "aces", (60, 0)),
        ("NP", "renege", (60, 0)),
        ("WS", "renege", (91, 0)),
    ],
)  # fmt: skip
def test_undeclared_aces_confirmed_by_the_director(name: str, result: str, change: tuple[int, int]) -> None:
    books = (
        "book 1: E AS, S KS, W JS, N TS", "book 2: E AH, S KH, W JH, N TH",
        "book 3: E AD, S KD, W JD, N TD", "book 4: E AC, S KC, W JC, N TC",
    )  # fmt: skip
    hand = ("bid E 60", "trump H E", "meld m E KH", "melded", *books, "lay z E JS")
    for ruling in (("call N E", "rule confirmed c41"), ("rule confirmed c11",)):
        got = score(fold(log(*hand, *ruling, ruleset=name)))
        assert (got.result, (got.change["NS"], got.change["EW"])) == (result, change)
