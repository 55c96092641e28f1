"""Logs on disk: round trip, and messages for lines that cannot be read."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import fields
from pathlib import Path

import pytest
from engine_simulate import simulate
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import face
from engine.events import CardLaid, Event, HandStarted, Reading, RenegeCalled
from engine.notation import KINDS, LogError, event_from_json, event_to_json, read_log, write_event

EVENT = Event(3, 1.5, CardLaid("c1", "N", Reading(face("TH"), 0.9, face("KH"), 0.05, "p/1.jpg")))
LINE = (
    '{"v":1,"seq":3,"at":1.5,"kind":"card_laid","card":"c1","seat":"N","reading":{"face":"TH",'
    '"probability":0.9,"second":"KH","second_probability":0.05,"picture":"p/1.jpg"}}'
)


def test_the_written_form_stays_as_documented() -> None:
    assert event_to_json(EVENT) == LINE
    assert event_from_json(LINE) == EVENT
    call = Event(
        9, 2.0, RenegeCalled("N", "E", "follow", (face("JC"), face("QS")), 4), "player", "2026-05-01T10:00Z"
    )
    assert event_to_json(call) == (
        '{"v":1,"seq":9,"at":2.0,"source":"player","utc":"2026-05-01T10:00Z","kind":"renege_called",'
        '"by":"N","against":"E","what":"follow","cards":["JC","QS"],"book":4}'
    )
    assert event_from_json(event_to_json(call)) == call


def test_whole_hands_round_trip_through_a_file(tmp_path: Path) -> None:
    for seed in range(5):
        events = simulate(seed).events
        path = tmp_path / "log.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for event in events:
                write_event(file, event)
        assert read_log(path) == events


def test_an_event_is_handed_on_at_once() -> None:
    file = io.StringIO()
    write_event(file, EVENT)
    assert file.getvalue() == LINE + "\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"seat":"N"', '"seat":"X"', "card_laid: seat: 'X' is not one of N, E, S, W"),
        ('"seat"', '"saet"', "unknown key 'saet'; did you mean 'seat'"),
        ('"seat":"N",', "", "the key 'seat' is missing"),
        ("card_laid", "card_lade", "did you mean 'card_laid'"),
        ('"TH"', '"TX"', "'TX' is not a card: write rank"),
        ('"face":"TH"', '"face":7', "7 is not a card"),
        ("0.9", "9", "9.0 is not a probability"),
        ("0.9", '"x"', "a number is needed"),
        ('"v":1', '"v":2', "format version 2 is unknown"),
        ('"v":1,', "", "format version None is unknown"),
        ('"seq":3', '"seq":"3"', "seq: a whole number is needed"),
        ('"kind"', '"source":"dog","kind"', "source"),
        ('"kind":"card_laid"', '"kind":["card_laid"]', "unknown kind"),
        ('"card":"c1"', '"card":1', "card: a text is needed"),
        ('{"face"', '[{"face"', "no whole JSON object"),
    ],
)
def test_wrong_lines_say_what_is_wrong(old: str, new: str, said: str) -> None:
    assert old in LINE
    with pytest.raises(LogError) as error:
        event_from_json(LINE.replace(old, new, 1))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.5", "9" * 400),
        ("1.5", "Infinity"),
        ("1.5", "1e999"),
        ('"seq":3', f'"seq":{"9" * 400}'),
        ('"seq":3', f'"seq":{"9" * 5000}'),
        ("p/1.jpg", r"\ud800"),
    ],
)
def test_what_no_log_can_mean_is_refused_with_its_line(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "log.jsonl"
    start = event_to_json(Event(1, 0.0, HandStarted("h", "LV")))
    path.write_text(f"{start}\n{LINE.replace(old, new, 1)}\n", encoding="utf-8")
    with pytest.raises(LogError, match=r"log\.jsonl, line 2: ") as error:
        read_log(path)
    assert len(str(error.value)) < 400


def test_a_line_cut_in_half_names_file_line_and_remedy(tmp_path: Path) -> None:
    start = event_to_json(Event(1, 0.0, HandStarted("h", "LV")))
    path = tmp_path / "log.jsonl"
    path.write_text(f"{start}\n\n{LINE[:60]}", encoding="utf-8")
    with pytest.raises(LogError, match=r"log\.jsonl, line 3: .*stopped in the middle.*delete this last line"):
        read_log(path)
    path.write_text(f"{start}\n{LINE[:60]}\n{LINE}\n", encoding="utf-8")
    with pytest.raises(LogError, match=r"log\.jsonl, line 2: .*mend the line, or delete it and all after"):
        read_log(path)


def test_files_that_are_no_logs(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\xff\xfe\x00video")
    with pytest.raises(LogError, match="not a text file"):
        read_log(path)
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(LogError, match="log is empty"):
        read_log(path)
    with pytest.raises(LogError, match="check the path"):
        read_log(tmp_path)
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(LogError, match="line 1"):
        read_log(path)
    path.write_text("7\n", encoding="utf-8")
    with pytest.raises(LogError, match="must be a JSON object"):
        read_log(path)


def test_every_kind_and_key_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "log-format.md").read_text(encoding="utf-8")
    rows = {line for line in text.splitlines() if line.startswith("| `")}
    for name, kind in KINDS.items():
        row = next((r for r in rows if f"`{name}`" in r), None)
        assert row, f"{name} is missing from docs/log-format.md"
        for field in fields(kind):
            assert re.search(rf"\b{field.name}\b", row), f"{name}.{field.name} is missing"
    examples = [line for line in text.splitlines() if line.startswith('{"v"')]
    assert [event_from_json(line).seq for line in examples] == [1, 2, 3]


@given(st.text(max_size=80), st.integers(0, len(LINE)), st.integers(0, 20))
def test_any_damage_is_an_error_or_an_event(noise: str, at: int, cut: int) -> None:
    for text in (noise, LINE[:at] + noise + LINE[at + cut :]):
        with contextlib.suppress(LogError):
            assert isinstance(event_from_json(text), Event)
