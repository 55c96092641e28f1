"""What is said of a simulated hand's true record, as it is recorded event by event."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from device.commentary import Commentary, JsonVoice, TextVoice
from engine.cards import ALL_FACES, face
from engine.events import (
    BidMade,
    CardLaid,
    Corrected,
    Event,
    HandStarted,
    MeldClosed,
    MeldLaid,
    Reading,
    TrumpNamed,
    What,
)
from vision.simulator.choreography import Behaviours, play_hand


@pytest.fixture(scope="module")
def truth() -> list[Event]:
    return play_hand(7, Behaviours(reneges=("FOLLOW",), corrections=1)).events


def test_each_book_is_said_once_when_it_closes_and_the_renege_when_it_is_proven(truth: list[Event]) -> None:
    lines: list[str] = []
    commentary = Commentary(TextVoice(lines.append))
    for event in truth:
        commentary.hear([event])
    books = [line for line in lines if line.startswith("Book ")]
    assert [int(line[5:7]) for line in books] == list(range(1, 21))
    assert sum(line.startswith("PROVEN") for line in lines) == 1
    assert sum(line.startswith("CORRECTED") for line in lines) == 1
    proven = next(n for n, line in enumerate(lines) if line.startswith("PROVEN"))
    assert lines[proven + 1].split()[0] == "card"
    assert lines[proven + 2].split()[0] == "proof"
    # It is said with the book that proves it, not at the end of the hand.
    assert lines.index(books[-1]) > proven
    assert sum("Meld " in line for line in lines) == 4
    assert lines[-1].startswith("Hand ended (played): 20 books")


def test_a_correction_is_said_again(truth: list[Event]) -> None:
    said: list[dict[str, Any]] = []
    commentary = Commentary(JsonVoice(said.append))
    commentary.hear(truth[:-1])
    flags = [item for item in said if item["what"] == "flag" and item["status"] == "proven"]
    assert len(flags) == 1
    before = len(said)
    proof = flags[0]["proof"]["card"]
    # Were the proof card another suit, the flag would fall and the book be said anew.
    other = "AC" if flags[0]["proof"]["face"][1] != "C" else "AD"

    commentary.hear([Event(len(truth), truth[-1].at, Corrected(proof, face=face(other)), "director")])
    changed = [item for item in said[before:] if item["what"] == "book"]
    assert [item["book"] for item in changed] == [flags[0]["proof"]["book"]]


def test_json_is_json(truth: list[Event]) -> None:
    said: list[Any] = []
    Commentary(JsonVoice(said.append)).hear(truth)
    assert json.loads(json.dumps(said)) == said
    assert said[-1]["what"] == "hand"
    assert said[-1]["books"] == 20


def test_what_stays_open_is_asked_at_the_end_with_its_picture(truth: list[Event]) -> None:
    """A card that reads as either of two, in the middle of the hand."""
    laid = [n for n, e in enumerate(truth) if isinstance(e.what, CardLaid)]
    doubt = truth[laid[9]]
    assert isinstance(doubt.what, CardLaid)
    mine, other = doubt.what.reading.face, next(f for f in ALL_FACES if f != doubt.what.reading.face)
    reading = Reading(mine, 0.6, other, 0.38, "pictures/c10.jpg")
    events = [replace(e, what=replace(doubt.what, reading=reading)) if e is doubt else e for e in truth]
    lines: list[str] = []
    Commentary(TextVoice(lines.append)).hear(events)
    assert lines[-2] == "Open questions: 1"
    assert lines[-1].endswith("(pictures/c10.jpg)")
    said: list[dict[str, Any]] = []
    Commentary(JsonVoice(said.append)).hear(events)
    assert [q["faces"] for q in said[-1]["questions"]] == [[str(mine), str(other)]]


def test_trump_in_doubt_is_asked_at_once_and_once_and_an_answer_is_said() -> None:
    """The queen beside the bidder's first king was missed: the marriage after it may not be the first."""
    meld: list[What] = [MeldLaid(f"m{n}", "N", Reading(face(f))) for n, f in enumerate(("KC", "KH", "QH"))]
    lead: list[What] = [MeldClosed(), CardLaid("c1", "N", Reading(face("AS"))), TrumpNamed("H", "N")]
    whats: list[What] = [HandStarted("h", "LV", "N"), BidMade("N", "50"), *meld, *lead]
    lines: list[str] = []
    commentary = Commentary(TextVoice(lines.append))
    for n, what in enumerate(whats, 1):
        commentary.hear([Event(n, 3.0 * n, what)])
    assert [line for line in lines if "QUESTION" in line] == ["QUESTION: Trump: hearts or clubs?"]
    commentary.hear([Event(len(whats) + 1, 60.0, TrumpNamed("C", "N"), "scorekeeper")])
    assert sum("QUESTION" in line for line in lines) == 1
    assert [line for line in lines if line.startswith("Bid:")] == [
        "Bid: N for 50. Trump: hearts. Rule set: LV.", "Bid: N for 50. Trump: clubs. Rule set: LV."
    ]  # fmt: skip
