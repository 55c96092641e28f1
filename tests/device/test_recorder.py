from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from device import handlog
from device.errors import UserError
from device.handlog import HandLog, catch_up
from device.recorder import ALIVE, HandSettings, Recorder, new_hand_id
from device.store import Store
from engine import notation
from engine.cards import face
from engine.events import BookClosed, CardLaid, Event, HandEnded, HandStarted, Reading, TrumpNamed
from vision.types import Observed


def laid(number: int, picture: bool = False) -> Observed:
    name = f"pictures/c{number}.jpg" if picture else None
    pictures = {name: np.full((8, 6, 3), 200, np.uint8)} if name else {}
    return Observed(
        CardLaid(f"c{number}", "N", Reading(face("TH"), 0.9, picture=name)), 100.0 + number, pictures
    )


@pytest.fixture
def recorder(tmp_path: Path, store: Store) -> Recorder:
    return Recorder(tmp_path / "hands", store, HandSettings(table="table 7", dealer="S"))


def log_of(recorder: Recorder) -> list[Event]:
    assert recorder.folder is not None
    return notation.read_log(recorder.folder / "log.jsonl")


def test_a_hand_is_recorded_in_folder_and_store_alike(recorder: Recorder, store: Store) -> None:
    recorder.begin(100.0)
    recorder.record(laid(2, picture=True))
    recorder.record(Observed(TrumpNamed("H"), 103.0), by="scorekeeper")
    recorder.finish()
    events = log_of(recorder)
    assert [(e.seq, e.at, e.by) for e in events] == [
        (1, 0.0, "system"), (2, 2.0, "camera"), (3, 3.0, "scorekeeper"),
    ]  # fmt: skip
    assert events[0].what == HandStarted(recorder.folder.name, "lv", "S", "table 7")  # type: ignore[union-attr]
    assert all(event.utc and event.utc.endswith("Z") for event in events)
    assert store.events(recorder.folder.name) == events  # type: ignore[union-attr]
    file = store.picture(recorder.folder.name, "pictures/c2.jpg")  # type: ignore[union-attr]
    assert file is not None
    assert file.read_bytes().startswith(b"\xff\xd8")


def test_hand_names_sort_by_time_and_are_safe_paths() -> None:
    name = new_hand_id("../table 7")
    assert "/" not in name
    assert " " not in name
    assert name != new_hand_id("../table 7")


def test_nothing_is_left_when_the_folder_cannot_be_made(tmp_path: Path, store: Store) -> None:
    (tmp_path / "hands").write_text("a file is in the way")
    with pytest.raises(UserError, match="cannot be recorded"):
        Recorder(tmp_path / "hands", store).begin(0.0)
    assert store.hands() == []


def test_a_draft_of_a_hand_is_removed_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        HandLog.start(tmp_path, HandStarted("h1", "lv"))
    assert list(tmp_path.iterdir()) == []


def test_an_unfinished_last_line_is_set_aside(tmp_path: Path) -> None:
    log = HandLog.start(tmp_path, HandStarted("h1", "lv"))
    log.append(BookClosed(1, "turned"), 5.0)
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + b'{"v":1,"seq":3,"at"')
    again = HandLog(tmp_path / "h1")
    assert again.last == 2
    assert again.torn == tmp_path / "h1" / "log.jsonl.torn-1"
    assert again.torn.read_bytes() == b'{"v":1,"seq":3,"at"'
    assert log.path.read_bytes() == whole
    assert again.append(HandEnded(), 6.0).seq == 3
    log.path.write_bytes(log.path.read_bytes() + b"{")
    assert HandLog(tmp_path / "h1").torn == tmp_path / "h1" / "log.jsonl.torn-2"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"v":1,"seq":2,\n', "line 2"),
        (b'{"v":1,"seq":7,"at":1,"kind":"hand_ended"}\n', "event 7 follows event 1"),
    ],
)
def test_other_damage_is_refused_and_left_alone(tmp_path: Path, line: bytes, message: str) -> None:
    log = HandLog.start(tmp_path, HandStarted("h1", "lv"))
    damaged = log.path.read_bytes() + line
    log.path.write_bytes(damaged)
    with pytest.raises(UserError, match=message):
        HandLog(tmp_path / "h1")
    assert log.path.read_bytes() == damaged


def test_two_writers_of_a_log_take_turns(tmp_path: Path) -> None:
    HandLog.start(tmp_path, HandStarted("h1", "lv"))

    def write() -> None:
        log = HandLog(tmp_path / "h1")
        for number in range(25):
            log.append(BookClosed(number, "turned"), float(number))

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.seq for event in HandLog(tmp_path / "h1").events()] == list(range(1, 77))


def test_what_a_director_enters_meanwhile_is_heard_and_stored(recorder: Recorder, store: Store) -> None:
    recorder.begin(100.0)
    recorder.record(laid(2))
    assert recorder.folder is not None
    HandLog(recorder.folder).append(TrumpNamed("H"), 2.5, "director")
    heard = recorder.record(laid(3))
    assert [(event.seq, event.by) for event in heard] == [(3, "director"), (4, "camera")]
    assert store.events(recorder.folder.name) == log_of(recorder)


def test_a_full_disk_pauses_the_recording_and_loses_nothing(
    recorder: Recorder, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    recorder.tell = said.append
    recorder.begin(100.0)
    recorder.record(laid(2))
    write = os.write

    def short(fd: int, data: bytes) -> int:
        return write(fd, data[:10])

    monkeypatch.setattr(os, "write", short)
    assert recorder.record(laid(3)) == []
    assert recorder.record(laid(4)) == []
    assert recorder.paused
    assert [event.seq for event in log_of(recorder)] == [1, 2]  # no trace of the ten bytes
    with pytest.raises(UserError, match="2 observations could not be written"):
        recorder.finish()
    monkeypatch.undo()
    assert [event.seq for event in recorder.retry(force=True)] == [3, 4]
    assert not recorder.paused
    assert [event.at for event in log_of(recorder)] == [0.0, 2.0, 3.0, 4.0]
    assert len(store.events(recorder.folder.name)) == 4  # type: ignore[union-attr]
    assert [text.split(":")[0] for text in said] == ["Recording pauses", "Recording goes on"]


def fill(path: Path) -> int:
    """Writes until there is no room; how many bytes went in."""
    size = 0
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                size += file.write(b"x" * 512)
        except OSError:
            return size


@pytest.mark.slow
def test_a_really_full_disk(tmp_path: Path, store: Store) -> None:
    """A tmpfs of a few pages, where mounting is allowed."""
    small = tmp_path / "small"
    small.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        recorder = Recorder(small / "hands", store, tell=lambda _: None)
        recorder.begin(100.0)
        recorder.record(laid(2, picture=True))
        filler = small / "filler"
        assert fill(filler) > 0
        number = 3
        while not recorder.paused:  # the log's last page still has room
            recorder.record(laid(number))
            number += 1
        on_disk = len(log_of(recorder))
        recorder.record(laid(number, picture=True))
        assert len(log_of(recorder)) == on_disk
        assert not list(small.rglob("*.draft"))
        filler.unlink()
        recorder.retry(force=True)
        assert [event.seq for event in log_of(recorder)] == list(range(1, number + 1))
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_while_the_disk_is_full_the_queue_is_bounded(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.recorder.WAITING_MAX", 3)
    recorder.tell = lambda _: None
    recorder.begin(100.0)
    monkeypatch.setattr(os, "write", lambda *_: 0)
    for number in range(2, 8):
        recorder.record(laid(number))
    monkeypatch.undo()
    recorder.retry(force=True)
    assert recorder.lost == 3
    assert [event.what.card for event in log_of(recorder)[1:]] == ["c5", "c6", "c7"]  # type: ignore[union-attr]


def test_a_store_that_fails_is_caught_up_later(
    recorder: Recorder, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder.begin(100.0)

    def refuse(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(store, "append", refuse)
    recorder.record(laid(2))
    monkeypatch.undo()
    recorder.record(laid(3))
    assert len(store.events(recorder.folder.name)) == 3  # type: ignore[union-attr]


def test_a_fresh_picture_is_told(recorder: Recorder) -> None:
    recorder.alive()
    recorder.begin(0.0)
    recorder.alive()
    assert recorder.folder is not None
    stamp = (recorder.folder / ALIVE).stat().st_mtime_ns
    recorder.alive()  # within the second: not again
    assert (recorder.folder / ALIVE).stat().st_mtime_ns == stamp


WRITER = """
import sys
from pathlib import Path
from device.recorder import Recorder
from device.store import Store
from engine.events import BookClosed
from vision.types import Observed
home = Path(sys.argv[1])
recorder = Recorder(home / "hands", Store(home / "bookwatch.db"))
recorder.begin(0.0)
for number in range(100000):
    recorder.record(Observed(BookClosed(number, "turned"), float(number)))
    print(number, flush=True)
"""


def test_a_killed_recorder_leaves_a_log_that_opens(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    seen = [int(process.stdout.readline()) for _ in range(20)]
    os.kill(process.pid, signal.SIGKILL)
    seen += [int(line) for line in process.stdout.read().split()]
    process.stdout.close()
    process.wait(10)
    [folder] = (tmp_path / "hands").iterdir()
    with open(folder / "log.jsonl", "ab") as file:  # as if the kill had come in the middle of a line
        file.write(b'{"v":1,"seq":')
    store = Store(tmp_path / "bookwatch.db")
    notes = catch_up(tmp_path / "hands", store)
    assert any("set aside in log.jsonl.torn-1" in note for note in notes)
    events = HandLog(folder).events()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len(events) >= len(seen) + 1  # whatever was reported as recorded is there
    assert store.events(folder.name) == events
    store.close()


def test_a_lost_store_is_filled_again_from_the_folders(recorder: Recorder, tmp_path: Path) -> None:
    recorder.begin(100.0)
    recorder.record(laid(2, picture=True))
    fresh = Store(tmp_path / "fresh.db")
    [note] = catch_up(recorder.hands, fresh)
    assert "stopped after event 2" in note
    assert recorder.folder is not None
    assert fresh.events(recorder.folder.name) == log_of(recorder)
    assert catch_up(recorder.hands, fresh) == []
    fresh.close()


def test_old_drafts_go_and_young_ones_stay(tmp_path: Path, store: Store) -> None:
    old, young = tmp_path / ".old.draft", tmp_path / ".young.draft"
    for draft in (old, young):
        (draft / "pictures").mkdir(parents=True)
        (draft / "log.jsonl").write_text("{")
    past = time.time() - 2 * handlog.DRAFT_SECONDS
    os.utime(old, (past, past))
    catch_up(tmp_path, store)
    assert not old.exists()
    assert young.exists()


def test_a_folder_that_cannot_be_read_does_not_hide_the_others(
    recorder: Recorder, store: Store, tmp_path: Path
) -> None:
    recorder.begin(0.0)
    bad = recorder.hands / "bad"
    bad.mkdir()
    (bad / "log.jsonl").write_text("no event\n")
    [note] = catch_up(recorder.hands, store)
    assert "line 1" in note
    assert "bad" in note
