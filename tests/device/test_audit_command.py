"""`bookwatch audit`: pictures of a team's spread books against a hand's log."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner, Result

from device.cli import main
from engine.cards import Face, face, team_of
from engine.events import BookClosed, BookGathered
from engine.hand import fold
from engine.notation import write_event
from vision.simulator.camera import Effects
from vision.simulator.choreography import play_hand
from vision.simulator.drawn import own_deck
from vision.simulator.motions import Pose, Segment, Track
from vision.simulator.script import Behaviours, HandScript
from vision.simulator.stage import Stage

SEED = 1000001
HAND = play_hand(SEED, Behaviours())


def books_of(team: str) -> list[list[Face]]:
    keepers = {e.what.number: e.what.seat for e in HAND.events if isinstance(e.what, BookGathered)}
    books = fold(HAND.events).books
    return [[p.face for p in b.plays] for b in books if team_of(keepers[b.number]) == team]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for event in HAND.events:
            write_event(file, event)
    return path


def spread(cards: list[Face], path: Path) -> Path:
    """A picture of one book, its cards side by side before the camera."""
    stage = Stage(SEED, own_deck(SEED), Effects())
    script = HandScript(SEED, replace(HAND.plan, faces={f"c{n}": c for n, c in enumerate(cards)}))
    for n in range(len(cards)):
        pose = Pose(-150.0 + 100 * n, 0.0, 0.0)
        track = script.tracks[f"c{n}"] = Track()
        track.add(Segment(-2.0, -1.0, pose, pose, n))
    assert cv2.imwrite(str(path), stage.picture(script, 0.0))
    return path


def audit(*args: str | Path) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, args)])


@pytest.mark.slow
def test_drawn_books_are_read_and_a_swapped_card_and_a_moved_book_are_told(log: Path, tmp_path: Path) -> None:
    books = books_of("NS")[:3]
    honest = [spread(book, tmp_path / f"{n}.png") for n, book in enumerate(books)]
    other = next(c for c in map(face, ("QS", "JD", "QH")) if c not in books[1])
    changed = spread([other, *books[1][1:]], tmp_path / "changed.png")
    told = json.loads(audit(log, honest[0], honest[1], honest[2], "--team", "NS", "--json").output)
    assert told["spread"] == [[str(c) for c in book] for book in books]
    assert {d["kind"] for d in told["differences"]} <= {"missing"}
    told = json.loads(audit(log, honest[0], changed, honest[2], "--team", "NS", "--json").output)
    (found,) = [d for d in told["differences"] if d["kind"] == "contents"]
    assert (found["book"], found["place"]) == (told["recorded"][1]["number"], 2)
    assert (found["lacking"], found["foreign"]) == ([str(books[1][0])], [str(other)])
    told = json.loads(audit(log, honest[1], honest[2], honest[0], "--team", "NS", "--json").output)
    (moved,) = [d for d in told["differences"] if d["kind"] == "moved"]
    assert (moved["book"], moved["place"]) == (told["recorded"][0]["number"], 3)


def test_a_log_without_closed_books_is_refused(log: Path, tmp_path: Path) -> None:
    with log.open("w", encoding="utf-8") as file:
        for event in HAND.events:
            if isinstance(event.what, BookClosed):
                break
            write_event(file, event)
    result = audit(log, tmp_path / "any.png", "--team", "EW")
    assert result.exit_code == 2
    assert "no closed book" in result.output
