"""The demo put together, with a watcher that knows the truth in place of the eye, and small pictures."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from device_samples import picture

from device.cameras.simulated import Simulated
from device.cli import main
from device.commands import play
from engine import notation
from engine.cards import Seat
from engine.events import BidMade, Event, HandStarted
from vision.types import Frame, Observed


class Knowing:
    """Observes exactly what the simulation's own record says, at its time."""

    def __init__(self, truth: list[Event]) -> None:
        self.bidder: Seat | None = None
        self._coming = [e for e in truth if not isinstance(e.what, HandStarted | BidMade)]

    def wants(self, at: float) -> bool:
        return True

    def push(self, frame: Frame) -> list[Observed]:
        observed = []
        while self._coming and self._coming[0].at <= frame.at:
            event = self._coming.pop(0)
            observed.append(Observed(event.what, event.at))
        return observed

    def finish(self) -> list[Observed]:
        return [Observed(event.what, event.at) for event in self._coming]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    def frames(self: Simulated) -> Iterator[Frame]:
        for number in range(int(self.simulation.script.duration) + 1):
            yield Frame(picture(number % 200), float(number), number)

    def maker(source: Simulated, *_: Any) -> Callable[[Frame], Knowing]:
        return lambda _: Knowing(source.simulation.truth)

    monkeypatch.setattr(Simulated, "__iter__", frames)
    monkeypatch.setattr(play, "watcher_maker", maker)


@pytest.mark.usefixtures("known")
def test_the_demo_prints_books_and_the_proof_pair_and_can_keep_the_hand(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["demo", "--seed", "7", "--port", "0", "--exit", "--keep", str(tmp_path / "kept")]
    )
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].startswith("Dashboard: http://127.0.0.1:")
    assert [line[:8] for line in lines if line.startswith("Book ")] == [f"Book {n:2}:" for n in range(1, 21)]
    end = lines[lines.index("") :]
    assert end[1].startswith("PROVEN: Book 3: North laid the queen of spades")
    assert end[2].split()[:3] == ["card", "N", "QS"]
    assert end[3].split()[:3] == ["proof", "N", "TH"]
    assert any(line.startswith("CORRECTED") for line in lines)
    [log] = (tmp_path / "kept" / "hands").glob("*/log.jsonl")
    assert type(notation.read_log(log)[-1].what).__name__ == "HandEnded"


@pytest.mark.usefixtures("known")
def test_the_dashboard_answers_while_the_demo_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[int] = []
    conclude = play._conclude

    def look(flags: Any) -> None:
        with urllib.request.urlopen(urls[0], timeout=10) as answer:
            answers.append(answer.status)
        conclude(flags)

    urls: list[str] = []
    started = play.Dashboard.start

    def start(self: play.Dashboard) -> None:
        urls.append(self.url)
        started(self)

    monkeypatch.setattr(play.Dashboard, "start", start)
    monkeypatch.setattr(play, "_conclude", look)
    result = CliRunner().invoke(main, ["demo", "--seed", "7", "--port", "0", "--exit"])
    assert result.exit_code == 0, result.output
    assert answers == [200]


@pytest.mark.usefixtures("known")
def test_the_demo_for_machines(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["demo", "--seed", "7", "--port", "0", "--exit", "--json"])
    said = [json.loads(line) for line in result.stdout.splitlines()]
    assert said[0]["what"] == "demo"
    assert sum(item["what"] == "book" for item in said) == 20
    assert [item["status"] for item in said if item["what"] == "flag"].count("proven") == 1
    assert said[-1]["what"] == "hand"
