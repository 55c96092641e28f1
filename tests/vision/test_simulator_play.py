"""The simulated hand's record is exact: it folds without a problem and holds what was asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from engine.cards import SEATS, Face, face, faces
from engine.deck import DOUBLE
from engine.events import (
    BookClosed,
    BookGathered,
    CardLaid,
    CardTakenBack,
    HandEnded,
    HandStarted,
    MeldClosed,
    MeldLaid,
    TrumpNamed,
)
from engine.hand import fold
from engine.renege import audit
from engine.rules import load
from vision.simulator.choreography import play_hand
from vision.simulator.playing import RENEGE_KINDS, meld_cards, plan_hand, renege_kind
from vision.simulator.script import Behaviours, HandScript
from vision.simulator.table import CONDITIONS


def of(script: HandScript, kind: type) -> list:
    return [e for e in script.events if isinstance(e.what, kind)]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_record_folds_to_eighty_cards_without_a_problem(condition: str, seed: int) -> None:
    script = play_hand(
        seed, replace(CONDITIONS[condition].behaviours, reneges=RENEGE_KINDS, corrections=2, drops=1)
    )
    state = fold(script.events)
    assert state.problems == []
    assert len(state.books) == 20
    assert all(b.closed and len(b.plays) == 4 for b in state.books)
    assert Counter(p.face for b in state.books for p in b.plays) == Counter(DOUBLE.cards())
    for seat in SEATS:
        played = {p.card for b in state.books for p in b.plays if p.seat == seat}
        assert played == set(script.hands[seat])
    assert sum(b.points for b in state.books) == 50


@pytest.mark.parametrize("seed", range(8))
def test_every_injected_renege_is_proven_by_the_record_and_nothing_else_is(seed: int) -> None:
    script = play_hand(seed, Behaviours(reneges=RENEGE_KINDS, corrections=2))
    flags = audit(fold(script.events), load("lv"))
    proven = {(f.book, f.seat, f.kind) for f in flags if f.status == "proven"}
    injected = {(i.book, i.seat, i.detail) for i in script.incidents if i.kind == "renege"}
    assert proven == injected
    assert len(injected) == 3
    assert {f.status for f in flags} <= {"proven", "corrected"}


def test_without_reneges_nothing_is_flagged() -> None:
    for seed in range(8):
        script = play_hand(seed, Behaviours(drops=1))
        assert audit(fold(script.events), load("lv")) == []


def test_a_correction_goes_back_before_the_book_closes_and_another_card_is_laid() -> None:
    for seed in range(6):
        script = play_hand(seed, Behaviours(corrections=2))
        backs = of(script, CardTakenBack)
        assert len(backs) == 2
        for back in backs:
            laid = [e for e in of(script, CardLaid) if e.what.card == back.what.card]
            assert len(laid) == 2, "the card taken back is laid twice: then, and when it is played"
            assert laid[0].at < back.at < laid[1].at
            closed = next(e for e in of(script, BookClosed) if e.at > laid[0].at)
            seat = laid[0].what.seat
            mended = [e for e in of(script, CardLaid) if back.at < e.at < closed.at and e.what.seat == seat]
            assert len(mended) == 1


def test_some_corrections_come_after_the_next_player_and_say_where_they_belong() -> None:
    late = [
        e.what
        for seed in range(12)
        for e in of(play_hand(seed, Behaviours(corrections=2)), CardLaid)
        if e.what.before
    ]
    assert late


def test_same_seed_same_hand_other_seed_another() -> None:
    behaviours = Behaviours(reneges=("BEAT",), corrections=1, sloppy=0.3, pushes=0.3, overlap=0.2)
    a, b = play_hand(5, behaviours), play_hand(5, behaviours)
    assert a.events == b.events
    assert a.strokes == b.strokes
    assert a.incidents == b.incidents
    assert play_hand(6, behaviours).hands != a.hands


def test_behaviours_leave_the_deal_alone() -> None:
    assert play_hand(4, Behaviours(pace=0.6, overlap=0.5)).hands == play_hand(4).hands


def test_the_bidder_melds_trumps_marriage_first_and_trump_is_named_then() -> None:
    for seed in range(6):
        script = play_hand(seed)
        named = of(script, TrumpNamed)[0]
        own = [e for e in of(script, MeldLaid) if e.what.seat == named.what.seat]
        assert [e.what.reading.face for e in own[:2]] == [
            Face("K", named.what.suit),
            Face("Q", named.what.suit),
        ]
        assert own[1].at <= named.at < (own[2].at if len(own) > 2 else 1e9)
        assert all(e.at < of(script, MeldClosed)[0].at for e in of(script, MeldLaid))


def test_meld_is_all_that_counts_and_nothing_more() -> None:
    hand = faces("AS TS KS QS JS KS QH KH AH AD AC JD QS JC TC TC TD TD JH JH")
    assert meld_cards(hand, "S") == Counter(faces("AS TS KS QS JS KS QS KH QH AH AD AC JD JC JH"))


def test_renege_kind_says_why_a_card_was_wrong() -> None:
    hand = faces("JS AS QH TD")
    assert renege_kind(face("QH"), hand, faces("KS"), "D") == "FOLLOW"
    assert renege_kind(face("JS"), hand, faces("KS"), "D") == "BEAT"
    assert renege_kind(face("AS"), hand, faces("KS"), "D") is None
    assert renege_kind(face("JS"), hand, faces("AC"), "D") == "TRUMP"


def test_books_are_told_in_order_of_time_from_start_to_end() -> None:
    script = play_hand(9)
    assert [e.seq for e in script.events] == list(range(1, len(script.events) + 1))
    assert [e.at for e in script.events] == sorted(e.at for e in script.events)
    assert isinstance(script.events[0].what, HandStarted)
    assert isinstance(script.events[-1].what, HandEnded)
    assert 120 < script.duration < 240
    for closed, gathered in zip(of(script, BookClosed), of(script, BookGathered), strict=True):
        assert closed.what.number == gathered.what.number
        assert closed.at < gathered.at


def test_a_card_comes_to_rest_when_the_record_says_so() -> None:
    for condition in CONDITIONS.values():
        script = play_hand(3, condition.behaviours)
        for event in of(script, CardLaid):
            track = script.tracks[event.what.card]
            before, after = track.at(event.at - 0.02), track.at(event.at + 0.005)
            assert before is not None
            assert after is not None
            assert not before.still
            assert after.still


@pytest.mark.parametrize(
    ("behaviours", "kind"),
    [
        (Behaviours(slow=1.0), "hesitation"),
        (Behaviours(sloppy=1.0), "sloppy"),
        (Behaviours(pushes=1.0), "push"),
        (Behaviours(pushes=1.0), "straighten"),
        (Behaviours(overlap=1.0), "overlap"),
        (Behaviours(early_gather=1.0), "early_gather"),
        (Behaviours(drops=2), "drop"),
        (Behaviours(linger=1.0), "linger"),
        (Behaviours(fidgets=1.0), "fidget"),
    ],
)
def test_behaviours_asked_for_happen(behaviours: Behaviours, kind: str) -> None:
    script = play_hand(2, behaviours)
    assert [i for i in script.incidents if i.kind == kind]
    plain = play_hand(2, Behaviours(slow=0.0, linger=0.0, fidgets=0.0))
    assert not plain.incidents


def test_overlapping_cards_land_while_the_last_one_still_slides_but_rest_in_order() -> None:
    script = play_hand(2, Behaviours(overlap=1.0, slow=0.0))
    for n, plan in enumerate(script.plan.books):
        rests = [e.at for e in of(script, CardLaid)][4 * n : 4 * n + 4]
        cards = [e.what.card for e in of(script, CardLaid)][4 * n : 4 * n + 4]
        assert cards == [p.card for p in plan.plays]
        touches = [next(s.t0 for s in script.tracks[c].segments if s.ease == "brake") for c in cards]
        assert rests == sorted(rests)
        assert any(t < r for t, r in zip(touches[1:], rests, strict=False))


def test_a_sloppy_card_lies_far_from_where_a_tidy_one_would() -> None:
    def turned(behaviours: Behaviours) -> float:
        script = play_hand(2, behaviours)
        poses = [script.tracks[e.what.card].at(e.at + 0.01) for e in of(script, CardLaid)]
        return sum(abs((p.pose.angle + 45) % 90 - 45) for p in poses if p) / len(poses)

    assert turned(Behaviours(sloppy=1.0)) > 2 * turned(Behaviours())


def test_plans_are_cheap_and_refuse_nothing_common() -> None:
    for seed in range(30):
        plan = plan_hand(seed, RENEGE_KINDS, corrections=2)
        assert sum(1 for b in plan.books for p in b.plays if p.renege) == 3


def test_a_hand_is_in_one_place_at_a_time() -> None:
    for condition in CONDITIONS.values():
        for seed in range(4):
            script = play_hand(seed, replace(condition.behaviours, linger=0.4, fidgets=0.5, corrections=1))
            for seat in SEATS:
                strokes = [s for s in script.strokes if s.seat == seat]
                for a, b in pairwise(strokes):
                    assert a.t1 <= b.t0 + 1e-9
                for stroke in strokes:
                    times = [k[0] for k in stroke.keys]
                    assert times == sorted(times)
