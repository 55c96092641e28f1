"""How sure trump is: a marriage card that was missed leads to a question and to suspicions, to no proof."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine_logs import log

from engine import events as ev
from engine.events import Event
from engine.flags import Flag
from engine.hand import HandState, fold
from engine.questions import open_questions
from engine.renege import audit
from engine.trump import ALONE

BID = "bid N 50"
MISSED = ("meld m1 N KC", *["melded"] * 4, "meld m3 N KH", "meld m4 N QH")
"""The queen of clubs beside the first king was missed; two seconds later hearts were laid."""
UNTRUMPED = ("book 1: N AS, E JC, S TS, W KS", "book 2: N AC, E JH, S KC, W TC")
"""If hearts are trump, East did not trump, though holding the jack."""


def seen(*lines: str) -> list[Event]:
    """A log in which the camera told trump as the first marriage that it saw."""
    events = log(BID, *lines)
    first = next(n for n, e in enumerate(events) if isinstance(e.what, ev.CardLaid))
    told = Event(0, events[first].at, ev.TrumpNamed("H", "N"))
    return [replace(e, seq=n) for n, e in enumerate([*events[:first], told, *events[first:]], 1)]


def one(events: list[Event]) -> tuple[HandState, Flag]:
    state = fold(events)
    flags = audit(state)
    assert len(flags) == 1, [f.text for f in flags]
    return state, flags[0]


def answered(events: list[Event], suit: str) -> list[Event]:
    return [*events, Event(len(events) + 1, 99.0, ev.TrumpNamed(suit, "N"), "scorekeeper")]  # type: ignore[arg-type]


def test_a_missed_marriage_card_leads_to_a_suspicion_and_a_question_instead_of_a_proof() -> None:
    state, flag = one(seen(*MISSED, *UNTRUMPED))
    assert (state.trump, state.trump_other) == ("H", "C")
    assert state.trump_probability == pytest.approx(1 - ALONE, abs=0.03)
    assert (flag.kind, flag.status) == ("TRUMP", "suspected")
    assert flag.probability < state.trump_probability
    assert "Suspected: it rests on trump being hearts (7" in flag.text
    assert open_questions(state)[0].text == "Trump: hearts or clubs?"


def test_a_whole_first_marriage_proves_as_it_did() -> None:
    state, flag = one(seen("meld m1 N KH", "meld m2 N QH", *["melded"] * 4, "meld m3 N KC", *UNTRUMPED))
    assert state.trump_probability > 0.99
    assert flag.status == "proven"
    assert open_questions(state) == []


def test_a_person_s_word_on_trump_is_certain_and_outranks_the_camera_before_and_after() -> None:
    events = seen(*MISSED, *UNTRUMPED)
    state, flag = one(answered(events, "H"))
    assert (state.trump_probability, flag.status, open_questions(state)) == (1.0, "proven", [])
    assert audit(fold(answered(events, "C"))) == []
    early = [events[0], Event(0, 0.6, ev.TrumpNamed("C", "N"), "scorekeeper"), *events[1:]]
    state = fold([replace(e, seq=n) for n, e in enumerate(early, 1)])
    assert (state.trump, state.trump_probability, state.bidder) == ("C", 1.0, "N")


def test_only_what_rests_on_trump_carries_its_doubt() -> None:
    follow = ("book 1: N AS, E JC, S TS, W KS", "book 2: N AC, E QS, S JC, W TC")
    _, flag = one(seen(*MISSED, *follow))
    assert (flag.kind, flag.status, flag.probability) == ("FOLLOW", "proven", 1.0)
    # Spades on spades is the lower card under any trump; with a club between only if clubs are not trump.
    beaten = ("book 1: N TS, E QS, S JS, W KS", "book 2: N AC, E AS, S JC, W TC")
    flags = {(f.seat, f.kind): f for f in audit(fold(seen(*MISSED, *beaten)))}
    assert (flags["E", "BEAT"].status, flags["E", "BEAT"].probability) == ("proven", 1.0)
    ruffed = ("book 1: N TS, E QC, S JS, W KS", "book 2: N AD, E TD, S AS, W JD")
    flags = {(f.seat, f.kind): f for f in audit(fold(seen(*MISSED, *ruffed)))}
    assert flags["S", "BEAT"].status == "suspected"


def test_the_partner_card_played_later_makes_it_likelier_missed_and_one_shown_elsewhere_clears_it() -> None:
    before = fold(seen(*MISSED, UNTRUMPED[0])).trump_probability
    played = fold(seen(*MISSED, UNTRUMPED[0], "book 2: N QC, E AC, S KC, W TC")).trump_probability
    assert played < 0.1 < before
    elsewhere = ("book 2: N JD, E QC, S QC, W TD", "book 3: N AD, E QC, S QC, W TD")
    assert fold(seen(*MISSED, UNTRUMPED[0], *elsewhere)).trump_probability > 0.99
    # None of the bidder's other cards was it: ever less is left that could be.
    later = fold(seen(*MISSED, UNTRUMPED[0], "book 2: N JD, E QD, S KD, W TD")).trump_probability
    assert before < later < 0.99


def test_who_followed_suit_says_nothing_of_trump() -> None:
    """The same cards of the bidder, and others that look right or wrong if hearts are trump."""
    right = fold(seen(*MISSED, "book 1: N AS, E JH, S TS, W KS", "book 2: N AD, E JD, S KD, W TD"))
    wrong = fold(seen(*MISSED, "book 1: N AS, E JD, S TS, W KS", "book 2: N AD, E JH, S KD, W TD"))
    assert audit(right) == []
    assert audit(wrong) != []
    assert right.trump_probability == wrong.trump_probability


def test_doubtful_readings_of_the_marriage_and_of_one_before_it_are_counted() -> None:
    assert fold(seen("meld m1 N KH@0.8", "meld m2 N QH@0.9", *UNTRUMPED)).trump_probability == pytest.approx(
        0.72, abs=0.01
    )
    either = fold(seen("meld m1 N KC", "meld m2 N QH@0.6/QC@0.4", "meld m3 N KH", *UNTRUMPED))
    assert either.trump_other == "C"
    assert either.trump_probability < 0.5
    assert open_questions(either)[0].probability == either.trump_probability


def test_marriages_laid_within_a_moment_leave_their_order_open() -> None:
    def state(seconds: float) -> HandState:
        lines = ("meld m1 N KH", "meld m2 N QH", "meld m3 N KC", "meld m4 N QC", *UNTRUMPED)
        events = seen(*lines)
        late = {"m1": 5.0, "m2": 5.0, "m3": 5.0 + seconds, "m4": 5.0 + seconds}
        return fold([replace(e, at=late.get(getattr(e.what, "card", ""), e.at + 10)) for e in events])

    assert state(0.0).trump_probability == pytest.approx(0.5, abs=0.01)
    assert 0.7 < state(0.3).trump_probability < 0.95
    assert state(2.0).trump_probability > 0.99


def test_a_correction_of_the_meld_is_judged_again() -> None:
    """A camera told hearts; the director says that what lay there was a king of diamonds."""
    state = fold(seen("meld m1 N KH", "meld m2 N QH", *UNTRUMPED, "correct m1 KD"))
    assert state.trump_probability < 0.5
    assert [q.about for q in open_questions(state)] == ["trump"]


def test_what_the_eye_could_not_read_counts_and_without_bids_whoever_led() -> None:
    events = seen("meld m1 N KH", "meld m2 N QH", *UNTRUMPED)
    doubtful = [
        replace(e, what=replace(e.what, probability=0.6)) if isinstance(e.what, ev.TrumpNamed) else e
        for e in events
    ]
    assert fold(doubtful).trump_probability == pytest.approx(0.6, abs=0.01)
    unsure = [replace(e, what=replace(e.what, seat_probability=0.7)) if e.seq == 6 else e for e in events]
    assert isinstance(unsure[5].what, ev.CardLaid)
    assert fold(unsure).trump_probability > 0.99
    unbid = [e for e in unsure if not isinstance(e.what, ev.BidMade)]
    unbid = [replace(e, seq=n) for n, e in enumerate(unbid, 1)]
    assert fold(unbid).trump_probability == pytest.approx(0.7, abs=0.01)


def test_trump_that_was_entered_or_only_said_is_not_doubted() -> None:
    assert fold(log("trump H N", *MISSED, *UNTRUMPED)).trump_probability == 1.0
    assert fold(log(BID, "say H N", *UNTRUMPED)).trump_probability == 1.0
