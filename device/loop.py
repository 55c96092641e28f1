"""The loop at the table: take a frame, let the watcher look, record what it observed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from device.cameras.base import Source, is_black
from device.errors import UserError
from device.recorder import Entry, Recorder
from engine.cards import Seat, Suit
from engine.events import BidMade, Event, HandEnded, TrumpNamed
from vision.types import Frame, Observed

BLACK_FRAMES_SHOWN = 50
"""After so many black frames at the start, the listener is told."""


class Watcher(Protocol):
    """Follows one hand; `vision.watch.TableWatcher`. `bidder`, once known, names trump and leads.

    `trump`: as a person entered it.
    """

    trump: Suit | None

    @property
    def bidder(self) -> Seat | None: ...

    @bidder.setter
    def bidder(self, seat: Seat | None) -> None: ...

    def wants(self, at: float) -> bool: ...

    def push(self, frame: Frame) -> list[Observed]: ...

    def finish(self) -> list[Observed]: ...


class Listener(Protocol):
    """Hears what happens while a table is watched."""

    def begun(self, folder: Path) -> None:
        """A hand's folder was made."""

    def events(self, events: Sequence[Event]) -> None:
        """These events are on the disk."""

    def frame(self, frame: Frame, total: int | None) -> None:
        """A frame was dealt with; `total` frames are expected, if known."""

    def say(self, text: str) -> None:
        """A sentence for the person at the table."""


@dataclass(slots=True)
class Summary:
    """What a watch came to.

    frames: all that came, looked at or not; seconds: of the source's clock, from first to last frame.
    """

    frames: int = 0
    dropped: int = 0
    events: int = 0
    seconds: float = 0.0
    hands: list[Path] = field(default_factory=list)


class TableLoop:
    """Watches one source to its end, or until `stop` is set.

    `make_watcher(frame)` is called with the first frame of every hand; entries belong to the
    first hand. A hand that ends is closed, and what is observed next begins another. The hand
    folder is made when the first picture that shows anything was read, not before. `most`: end after
    so many hands.
    """

    def __init__(
        self,
        source: Source,
        make_watcher: Callable[[Frame], Watcher],
        recorder: Recorder,
        listener: Listener,
        entries: Sequence[Entry] = (),
        stop: threading.Event | None = None,
        most: int | None = None,
    ) -> None:
        self.source = source
        self.recorder = recorder
        self.listener = listener
        self.stop = stop or threading.Event()
        self.summary = Summary()
        self._make_watcher = make_watcher
        self._entries = sorted(entries, key=lambda entry: entry.at)
        self._most = most
        self._watcher: Watcher | None = None
        self._high = 0
        self._open = False
        self._began = 0.0

    def run(self) -> Summary:
        """Raises UserError when no picture could be read, and at the end for a source that was cut short."""
        first: float | None = None
        at = 0.0
        self.source.wants = lambda at: self._watcher is None or self._watcher.wants(at)
        for taken, frame in enumerate(self._seen(), 1):
            if first is None:
                first = frame.at
                self._watcher = self._make_watcher(frame)
                self._begin(frame.at)
            watcher = self._watcher = self._watcher or self._make_watcher(frame)
            at = frame.at
            self._enter(at)
            if self._record(watcher.push(frame)):
                self._watcher = None
            self.recorder.alive()
            self._written(self.recorder.retry())
            self.summary.frames = taken
            self.summary.seconds = at - first
            self.summary.dropped = self.source.dropped
            self.listener.frame(frame, self.source.total)
            enough = self._watcher is None and len(self.summary.hands) == self._most
            if enough or self.stop.is_set():
                break
        if first is None:
            raise self.source.problem or UserError(
                "no picture came from this source", where=self.source.name, do="Check the camera or file."
            )
        self.summary.frames += self.source.passed
        if self._watcher is not None:
            self._record(self._watcher.finish())
        if self._open:
            self._written(self.recorder.record(Observed(HandEnded(self._why_ended()), at), "system"))
        self._written(self.recorder.finish())
        if self.source.problem:
            problem = self.source.problem
            kept = f"What could be read is recorded in {self.recorder.folder}."
            raise UserError(problem.what, where=problem.where, do=f"{kept} {problem.do}")
        return self.summary

    def _seen(self) -> Iterator[Frame]:
        """The source's frames from the first that shows anything."""
        frames = iter(self.source)
        black = 0
        for black, frame in enumerate(frames, 1):
            if not is_black(frame.image):
                yield frame
                break
            if black == BLACK_FRAMES_SHOWN:
                self.listener.say(
                    f"{self.source.name}: the picture is black. Is the lens covered, the light on?"
                )
            if self.stop.is_set():
                return
        else:
            if black:
                raise UserError(
                    f"all {black} pictures are black",
                    where=self.source.name,
                    do="Uncover the lens, switch the light on, or check the exposure.",
                )
        yield from frames

    def _begin(self, at: float) -> None:
        event = self.recorder.begin(at)
        self._open, self._began, self._high = True, at, 0
        assert self.recorder.folder is not None
        self.summary.hands.append(self.recorder.folder)
        self.listener.begun(self.recorder.folder)
        self._written([event])

    def _enter(self, at: float) -> None:
        while self._open and self._entries and self._entries[0].at <= at:
            entry = self._entries.pop(0)
            when = max(entry.at, self._began)
            self._written(self.recorder.record(Observed(entry.what, when), entry.by))

    def _record(self, observations: Sequence[Observed]) -> bool:
        """Records in order; True when the hand ended with them."""
        ended = False
        for observed in observations:
            if not self._open:
                self._begin(observed.at)
            self._written(self.recorder.record(observed))
            if isinstance(observed.what, HandEnded):
                self._open, ended = False, True
        return ended

    def _written(self, events: Sequence[Event]) -> None:
        if events:
            self._tell_watcher(events)
            self.summary.events += len(events)
            self.listener.events(events)

    def _tell_watcher(self, events: Sequence[Event]) -> None:
        """Passes the highest bidder so far, and trump, as people entered them, on to the watcher."""
        for event in events:
            what = event.what
            if self._watcher is None:
                return
            if isinstance(what, TrumpNamed) and event.by != "camera":
                self._watcher.trump = what.suit
            if isinstance(what, BidMade) and what.call.strip().isdecimal() and int(what.call) > self._high:
                self._high, self._watcher.bidder = int(what.call), what.seat

    def _why_ended(self) -> str:
        if self.source.problem:
            return "source cut short"
        return "stopped" if self.stop.is_set() else "source ended"
