"""The loop against a scripted watcher: what it observes at which frame is given, not seen."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from device_samples import picture

from device.cameras.base import Source
from device.cameras.live import LiveSource
from device.errors import UserError
from device.loop import BLACK_FRAMES_SHOWN, TableLoop
from device.recorder import ALIVE, Entry, Recorder
from device.store import Store
from engine import notation
from engine.cards import Seat, Suit, face
from engine.events import BidMade, BookClosed, CardLaid, Event, HandEnded, Reading, TrumpNamed, What
from vision.types import Frame, Image, Observed


class Frames(Source):
    """Given pictures, ten a second, starting at 50 s on the camera's clock."""

    def __init__(self, count: int, black: int = 0, problem: UserError | None = None) -> None:
        super().__init__("frames")
        self.total = count
        self._count, self._black, self._problem = count, black, problem

    def __iter__(self) -> Iterator[Frame]:
        for number in range(self._count):
            image = np.zeros((240, 320, 3), np.uint8) if number < self._black else picture(number)
            yield Frame(image, 50 + number / 10, number)
        self.problem = self._problem


class Scripted:
    """Says at the frame of each number what the script has for it."""

    def __init__(self, script: dict[int, list[What]], last: Sequence[What] = ()) -> None:
        self.script, self.last = script, last
        self.pushed: list[int] = []
        self.bidder: Seat | None = None
        self.trump: Suit | None = None

    def wants(self, at: float) -> bool:
        return True

    def push(self, frame: Frame) -> list[Observed]:
        self.pushed.append(frame.number)
        return [Observed(what, frame.at) for what in self.script.get(frame.number, [])]

    def finish(self) -> list[Observed]:
        return [Observed(what, 60.0) for what in self.last]


class Heard:
    def __init__(self) -> None:
        self.folders: list[Path] = []
        self.all: list[Event] = []
        self.said: list[str] = []
        self.frames = 0

    def begun(self, folder: Path) -> None:
        self.folders.append(folder)

    def events(self, events: Sequence[Event]) -> None:
        self.all += events

    def frame(self, frame: Frame, total: int | None) -> None:
        self.frames += 1

    def say(self, text: str) -> None:
        self.said.append(text)


def laid(card: str) -> CardLaid:
    return CardLaid(card, "N", Reading(face("TH")))


def run(
    source: Source,
    watchers: list[Scripted],
    tmp_path: Path,
    store: Store,
    entries: Sequence[Entry] = (),
    stop: threading.Event | None = None,
) -> Heard:
    heard = Heard()
    makers = iter(watchers)
    recorder = Recorder(tmp_path / "hands", store, tell=heard.say)
    TableLoop(source, lambda _: next(makers), recorder, heard, entries, stop).run()
    return heard


def kinds(folder: Path) -> list[str]:
    return [type(event.what).__name__ for event in notation.read_log(folder / "log.jsonl")]


def test_what_the_watcher_observes_is_recorded_in_order(tmp_path: Path, store: Store) -> None:
    watcher = Scripted({3: [laid("c1")], 5: [laid("c2"), laid("c3")]}, last=[BookClosed(1, "timeout")])
    heard = run(Frames(10), [watcher], tmp_path, store)
    [folder] = heard.folders
    events = notation.read_log(folder / "log.jsonl")
    assert heard.all == events == store.events(folder.name)
    assert kinds(folder) == ["HandStarted", "CardLaid", "CardLaid", "CardLaid", "BookClosed", "HandEnded"]
    assert [event.at for event in events] == [0.0, 0.3, 0.5, 0.5, 10.0, 0.9]
    assert events[-1].what == HandEnded("source ended")
    assert watcher.pushed == list(range(10))
    assert (folder / ALIVE).exists()


class Thinned(Frames):
    """Leaves out what nobody wants, as a video does."""

    def __iter__(self) -> Iterator[Frame]:
        for frame in super().__iter__():
            if self.wants is None or self.wants(frame.at):
                yield frame
            else:
                self.passed += 1


def test_pictures_passed_over_are_counted_to_the_last(tmp_path: Path, store: Store) -> None:
    watcher = Scripted({2: [laid("c1")]})
    watcher.wants = lambda at: at < 50.55  # type: ignore[method-assign]
    recorder = Recorder(tmp_path / "hands", store, tell=Heard().say)
    found = TableLoop(Thinned(10), lambda _: watcher, recorder, Heard()).run()
    assert watcher.pushed == list(range(6))
    assert found.frames == 10


def test_what_a_scorekeeper_enters_comes_in_at_its_time(tmp_path: Path, store: Store) -> None:
    entries = [
        Entry(50.45, BidMade("N", "52")),
        Entry(50.45, BidMade("E", "pass")),
        Entry(float("-inf"), TrumpNamed("H")),
    ]
    watcher = Scripted({4: [laid("c1")], 5: [laid("c2")]})
    heard = run(Frames(10), [watcher], tmp_path, store, entries)
    assert kinds(heard.folders[0]) == [
        "HandStarted", "TrumpNamed", "CardLaid", "BidMade", "BidMade", "CardLaid", "HandEnded",
    ]  # fmt: skip
    assert (watcher.bidder, watcher.trump) == ("N", "H")
    assert [(e.at, e.by) for e in heard.all if e.by == "scorekeeper"] == [
        (0.0, "scorekeeper"), (0.45, "scorekeeper"), (0.45, "scorekeeper"),
    ]  # fmt: skip


def test_after_a_hand_the_next_one_begins_with_what_is_observed(tmp_path: Path, store: Store) -> None:
    first = Scripted({2: [laid("c1")], 4: [HandEnded()]})
    second = Scripted({8: [laid("c1")]})
    heard = run(Frames(12), [first, second], tmp_path, store)
    assert [kinds(folder) for folder in heard.folders] == [
        ["HandStarted", "CardLaid", "HandEnded"], ["HandStarted", "CardLaid", "HandEnded"],
    ]  # fmt: skip
    assert first.pushed[-1] == 4
    assert second.pushed == list(range(5, 12))
    assert len(store.hands()) == 2


def test_the_number_of_hands_can_be_limited(tmp_path: Path, store: Store) -> None:
    heard = Heard()
    recorder = Recorder(tmp_path / "hands", store)
    watcher = Scripted({4: [HandEnded()]})
    loop = TableLoop(Frames(12), lambda _: watcher, recorder, heard, most=1)
    loop.run()
    assert not loop.stop.is_set()  # nobody asked it to stop: a dashboard may go on
    assert watcher.pushed == list(range(5))
    assert heard.all[-1].what == HandEnded()


def test_a_quiet_table_after_a_hand_leaves_no_empty_hand(tmp_path: Path, store: Store) -> None:
    heard = run(Frames(12), [Scripted({4: [HandEnded()]}), Scripted({})], tmp_path, store)
    assert len(heard.folders) == 1


def test_a_source_cut_short_keeps_what_there_was_and_says_so(tmp_path: Path, store: Store) -> None:
    source = Frames(6, problem=UserError("cut short: 6 of 20", where="x.avi", do="Copy it again."))
    with pytest.raises(UserError, match="cut short: 6 of 20") as caught:
        run(source, [Scripted({2: [laid("c1")]})], tmp_path, store)
    [row] = store.hands()
    assert row.ended
    assert str(row.folder) in caught.value.do
    assert notation.read_log(row.folder / "log.jsonl")[-1].what == HandEnded("source cut short")


def test_without_a_single_picture_nothing_is_made(tmp_path: Path, store: Store) -> None:
    with pytest.raises(UserError, match="no picture came"):
        run(Frames(0), [], tmp_path, store)
    assert not (tmp_path / "hands").exists()


def test_black_pictures_are_waited_out(tmp_path: Path, store: Store) -> None:
    count = BLACK_FRAMES_SHOWN + 10
    watcher = Scripted({})
    heard = run(Frames(count, black=count - 2), [watcher], tmp_path, store)
    assert watcher.pushed == [count - 2, count - 1]
    assert [text for text in heard.said if "black" in text]


def test_only_black_pictures_are_an_error_and_leave_nothing(tmp_path: Path, store: Store) -> None:
    with pytest.raises(UserError, match="all 5 pictures are black"):
        run(Frames(5, black=5), [], tmp_path, store)
    assert not (tmp_path / "hands").exists()


def test_stopping_closes_the_hand(tmp_path: Path, store: Store) -> None:
    stop = threading.Event()

    class Stopping(Scripted):
        def wants(self, at: float) -> bool:
            return True

        def push(self, frame: Frame) -> list[Observed]:
            if frame.number == 3:
                stop.set()
            return super().push(frame)

    heard = run(Frames(100), [Stopping({})], tmp_path, store, stop=stop)
    assert heard.frames == 4
    assert heard.all[-1].what == HandEnded("stopped")


class Quick(LiveSource):
    """A camera that is much quicker than its reader: a picture every 2 ms, sixty in all."""

    def __init__(self) -> None:
        super().__init__("quick", stale=0.3, retries=0)
        self.taken = 0

    def _open(self) -> None: ...

    def _read(self) -> tuple[Image, float] | None:
        if self.taken == 60:
            return None
        time.sleep(0.002)
        self.taken += 1
        return picture(self.taken), time.monotonic()

    def _release(self) -> None: ...


def test_a_slow_machine_drops_pictures_counts_them_and_never_lags_behind(
    tmp_path: Path, store: Store
) -> None:
    ages: list[float] = []

    class Slow(Scripted):
        def wants(self, at: float) -> bool:
            return True

        def push(self, frame: Frame) -> list[Observed]:
            ages.append(time.monotonic() - frame.at)
            time.sleep(0.03)
            return super().push(frame)

    source, watcher = Quick(), Slow({})
    loop = TableLoop(source, lambda _: watcher, Recorder(tmp_path / "hands", store), Heard())
    with pytest.raises(UserError, match="no pictures any more"):
        loop.run()
    seen = len(watcher.pushed)
    assert 1 < seen < source.taken
    assert loop.summary.frames == seen
    assert loop.summary.dropped == source.taken - seen
    assert watcher.pushed == sorted(watcher.pushed)
    assert statistics.median(ages) < 0.03  # the picture taken last, however many came before
