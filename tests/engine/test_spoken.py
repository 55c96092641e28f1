"""The log read aloud and heard again."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from engine_simulate import Habits, simulate
from engine_strategies import WHAT, numbered
from hypothesis import given, settings
from hypothesis import strategies as st
from test_all_sets import judged

from engine import events as ev
from engine.cards import face
from engine.events import Event, Reading
from engine.hand import fold
from engine.notation import LogError
from engine.spoken import hear, say

ANY_TEXT = st.text(max_size=12)
WITH_TEXTS: st.SearchStrategy[Any] = st.one_of(
    WHAT,
    st.builds(ev.HandStarted, ANY_TEXT, ANY_TEXT, st.none(), st.none() | ANY_TEXT, ANY_TEXT),
    st.builds(ev.SightLost, ANY_TEXT),
    st.builds(ev.BidMade, st.just("N"), ANY_TEXT),
    st.builds(ev.MeldLaid, ANY_TEXT, st.just("S"), st.just(Reading(face("TH")))),
    st.builds(ev.CardTakenBack, ANY_TEXT),
    st.builds(ev.HandEnded, ANY_TEXT),
)
SOURCE = st.sampled_from(["camera", "director", "scorekeeper", "player", "system"])


def unpictured(event: Event) -> Event:
    """The event without what is not said: its picture."""
    what = event.what
    reading = getattr(what, "reading", None)
    if isinstance(reading, Reading):
        what = dataclasses.replace(what, reading=dataclasses.replace(reading, picture=None))  # type: ignore[type-var]
    return dataclasses.replace(event, what=what)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(WITH_TEXTS, SOURCE), max_size=25))
def test_whatever_is_said_is_heard(log: list[tuple[Any, Any]]) -> None:
    events = [Event(n, float(n - 1), what, by) for n, (what, by) in enumerate(log, 1)]
    text = say(events)
    assert hear(text) == [unpictured(e) for e in events]
    assert say(hear(text)) == text


@pytest.mark.parametrize("seed", range(6))
def test_a_hand_heard_is_judged_as_the_one_that_was_played(seed: int) -> None:
    events = simulate(seed, Habits(misread=0.1, wrong_seat=0.05), "GL").events
    heard = hear(say(events))
    assert judged(fold(heard)) == judged(fold(events))


def test_a_hand_reads_like_a_hand() -> None:
    whats: list[Any] = [
        ev.HandStarted("2-7", "LV", "N", "3"),
        ev.BidMade("E", "50"),
        ev.BidMade("S", "pass"),
        ev.TrumpNamed("H", "E"),
        ev.MeldLaid("c1", "E", Reading(face("KH"))),
        ev.MeldClosed(),
        ev.CardLaid("c2", "E", Reading(face("AS"))),
        ev.CardLaid("c3", "S", Reading(face("TS"), 0.8, face("KS"), 0.2)),
        ev.CardTakenBack("c3"),
        ev.BookClosed(1, "turned"),
        ev.RenegeCalled("E", "S", "follow suit", (face("JC"), face("QS")), 1),
        ev.HandEnded("played"),
    ]
    assert say(numbered(whats)) == (
        "Hand 2-7, rules LV, dealer North, table 3. [camera]\n"
        "East bids 50. [camera]\n"
        "South passes. [camera]\n"
        "Trump is hearts, named by East. [camera]\n"
        "East melds the king of hearts.\n"
        "Meld is picked up.\n"
        "East lays the ace of spades.\n"
        "South lays the ten of spades (sure 0.8, or the king of spades 0.2), card c3.\n"
        "Card c3 is taken back.\n"
        "Book 1 is turned.\n"
        "East calls a renege of South, in book 1, cards the jack of clubs and the queen of spades, "
        '"follow suit". [camera]\n'
        "The hand ends, played. [camera]\n"
    )


@pytest.mark.parametrize("line", ["East lays the ace.", "North dances.", "East lays the ace of spades", "x"])
def test_what_is_no_sentence_is_named_with_its_line(line: str) -> None:
    with pytest.raises(LogError, match=r"hand\.txt, line 2: .*write it like"):
        hear(f"Meld is picked up.\n{line}\n", "hand.txt")
