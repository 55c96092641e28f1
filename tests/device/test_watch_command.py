"""`bookwatch watch` with a watcher that sees nothing: sources, what is kept of them, how it ends."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from device.cameras import open_source
from device.cli import main
from device.commands import watch as watching
from device.config import Settings
from device.errors import UserError
from engine import notation
from engine.cards import Seat
from engine.events import HandEnded
from vision.types import Frame, Observed


class Blind:
    bidder: Seat | None = None

    def __init__(self, on_frame: Callable[[Frame], None] = lambda _: None) -> None:
        self._on_frame = on_frame

    def wants(self, at: float) -> bool:
        return True

    def push(self, frame: Frame) -> list[Observed]:
        self._on_frame(frame)
        return []

    def finish(self) -> list[Observed]:
        return []


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    def maker(*_: Any) -> Callable[[Frame], Blind]:
        return lambda _: Blind()

    monkeypatch.setattr(watching, "watcher_maker", maker)


def watch(home: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["--home", str(home), "watch", *map(str, arguments)])


@pytest.mark.usefixtures("blind")
def test_a_whole_video_is_recorded(tmp_path: Path, video: Path) -> None:
    result = watch(tmp_path, video, "--json", "--dealer", "e")
    assert result.exit_code == 0, result.output
    said = [json.loads(line) for line in result.stdout.splitlines()]
    assert [item["what"] for item in said] == ["begun", "hand", "summary"]
    assert said[-1]["frames"] == 60
    [folder] = (tmp_path / "hands").iterdir()
    first, *_, last = notation.read_log(folder / "log.jsonl")
    assert first.what.dealer == "E"  # type: ignore[union-attr]
    assert last.what == HandEnded("source ended")


@pytest.mark.usefixtures("blind")
def test_a_video_cut_short_is_told_and_its_hand_is_closed(
    tmp_path: Path, video: Path, cut: Callable[[Path, float], Path]
) -> None:
    result = watch(tmp_path / "home", cut(video, 0.5))
    assert result.exit_code == 2
    assert "the video is cut short" in result.stderr
    [folder] = (tmp_path / "home" / "hands").iterdir()
    assert str(folder) in result.stderr
    assert notation.read_log(folder / "log.jsonl")[-1].what == HandEnded("source cut short")
    assert not list(folder.glob("*.draft"))


def test_without_calibration_nothing_is_recorded(
    tmp_path: Path, video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "card_reader", lambda _: None)
    result = watch(tmp_path, video)
    assert result.exit_code == 2
    assert "the table is not calibrated" in result.stderr
    assert "--corners" in result.stderr
    assert not (tmp_path / "hands").exists()


@pytest.mark.parametrize("corners", ["1,2 3,4", "a,b c,d e,f g,h", "1,2,3 1,2 3,4 5,6"])
def test_corners_must_be_four_points(tmp_path: Path, video: Path, corners: str) -> None:
    result = watch(tmp_path, video, "--corners", corners)
    assert result.exit_code == 2
    assert "write four corners" in result.stderr


def test_corners_given_outrank_the_videos_own_and_the_settings(tmp_path: Path, video: Path) -> None:
    from device.calibration import calibrated
    from device.cameras import open_source
    from device.config import Settings, StoreSettings, TableSettings

    given = ((40.0, 20.0), (280.0, 20.0), (280.0, 220.0), (40.0, 220.0))
    store = StoreSettings(folder=tmp_path)
    settings = Settings(table=TableSettings(corners=given), store=store)
    beside = video.with_suffix(".table.json")
    own = [[50, 30], [270, 30], [270, 210], [50, 210]]
    with open_source(str(video)) as source:
        frame = next(iter(source))
        assert calibrated(source, frame, settings).corners.tolist() == [list(p) for p in given]
        with pytest.raises(UserError, match="not calibrated"):
            calibrated(source, frame, Settings(store=store))
        try:
            beside.write_text(json.dumps({"corners": own, "size_mm": 800}))
            assert calibrated(source, frame, settings).corners.tolist() == own
            assert calibrated(source, frame, settings, given=True).corners.tolist() != own
        finally:
            beside.unlink()


def test_a_signal_closes_the_hand(tmp_path: Path, video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(frame: Frame) -> None:
        if frame.number == 10:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(watching, "watcher_maker", lambda *_: lambda _: Blind(interrupt))
    result = watch(tmp_path, video, "--json")
    assert result.exit_code == 0, result.output
    [folder] = (tmp_path / "hands").iterdir()
    assert notation.read_log(folder / "log.jsonl")[-1].what == HandEnded("stopped")
    assert json.loads(result.stdout.splitlines()[-1])["frames"] == 11


def test_a_watch_takes_the_table_that_was_set_up_and_shows_its_picture(
    tmp_path: Path, video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from device.calibration import Calibration, save
    from device.config import Settings, StoreSettings
    from device.viewfinder import Viewfinder

    finder = Viewfinder(Settings(store=StoreSettings(folder=tmp_path)))
    wanted, left = tmp_path / "view" / "wanted", tmp_path / "view" / "frame.jpg"
    tables, shown = [], []

    class Looked(Blind):
        def wants(self, at: float) -> bool:
            return True

        def push(self, frame: Frame) -> list[Observed]:
            shown.append((finder.watched(), left.exists()))
            wanted.touch()  # as a page does
            return []

    monkeypatch.setattr("device.viewfinder._EVERY", 0.0)
    monkeypatch.setattr(watching, "card_reader", lambda _: None)
    monkeypatch.setattr(watching, "TableWatcher", lambda table, *_: tables.append(table) or Looked())
    corners = ((40.0, 20.0), (280.0, 20.0), (280.0, 220.0), (40.0, 220.0))
    save(tmp_path, Calibration(corners, 320, 240, 700.0, 700.0))
    result = watch(tmp_path, video)
    assert result.exit_code == 0, result.output
    assert tables[0].corners.tolist() == [list(c) for c in corners]
    assert tables[0].size_mm == (700.0, 700.0)
    assert shown[0] == (True, False)
    assert shown[-1] == (True, True)
    assert not left.exists(), "nothing stays behind"
    assert not finder.watched()


def test_a_table_found_again_after_a_bump_is_the_next_hands_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "card_reader", lambda _: None)
    source = open_source("sim:7?width=640&height=360")
    make = watching.watcher_maker(source, Settings())
    frame = Frame(np.zeros((360, 640, 3), np.uint8), 0.0)
    first, second = make(frame), make(frame)
    assert first is not second
    assert first.table is second.table  # type: ignore[attr-defined]
