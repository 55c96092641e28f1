"""From what the eye observed to the record: the hand's log, its pictures, the store.

A full disk does not end a game. Recording pauses, what is observed waits in memory (a bounded
queue, pictures and all), and is written in order as soon as there is room again.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import cv2

from device.errors import UserError
from device.handlog import HandLog, now_utc
from device.store import Store
from engine.cards import Seat
from engine.events import Event, HandEnded, HandStarted
from vision.types import Observed

log = logging.getLogger(__name__)

WAITING_MAX = 400
"""Observations kept while the disk is full: about two hands."""
JPEG_QUALITY = 92


@dataclass(frozen=True, slots=True)
class HandSettings:
    """What is known about a hand before its first card."""

    ruleset: str = "lv"
    deck: str = "double"
    table: str | None = None
    dealer: Seat | None = None


def new_hand_id(table: str | None = None) -> str:
    """A name that sorts by time and is new: `2026-11-30T14-05-09-table-1-3f2a`."""
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in table or "")
    return "-".join(part for part in (time, name, secrets.token_hex(2)) if part)


class Recorder:
    """Records hands, one after the other, under `hands`.

    The hand folder is made with the first observation or `begin`, never before a picture was
    read. `tell` gets a sentence whenever recording pauses or goes on.
    """

    def __init__(
        self,
        hands: Path,
        store: Store,
        settings: HandSettings | None = None,
        tell: Callable[[str], None] = log.warning,
    ) -> None:
        self.hands = hands
        self.store = store
        self.settings = settings or HandSettings()
        self.tell = tell
        self.lost = 0
        self._log: HandLog | None = None
        self._origin = 0.0
        self._waiting: deque[tuple[Observed, str]] = deque()  # with the wall time of the observation
        self._unstored: list[Event] = []

    @property
    def folder(self) -> Path | None:
        """The folder of the hand being recorded, or of the last one."""
        return self._log.folder if self._log else None

    @property
    def paused(self) -> bool:
        return bool(self._waiting)

    def begin(self, at: float, started: HandStarted | None = None) -> Event:
        """Starts a hand at `at` seconds on the frames' clock. Raises UserError when it cannot be written."""
        settings = self.settings
        started = started or HandStarted(
            new_hand_id(settings.table), settings.ruleset, settings.dealer, settings.table, settings.deck
        )
        try:
            self._log = HandLog.start(self.hands, started)
        except OSError as error:
            raise UserError(
                f"the hand cannot be recorded: {error.strerror or error}",
                where=str(self.hands / started.hand),
                do="Make room or choose another folder with --home.",
            ) from error
        self._origin = at
        events = self._log.events()
        self._to_store(events)
        return events[0]

    def record(self, observed: Observed) -> list[Event]:
        """Writes an observation, after any that still wait. Returns the events that are on disk now."""
        if self._log is None:
            raise RuntimeError("begin() starts a hand before anything is recorded")
        if len(self._waiting) == WAITING_MAX:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append((observed, now_utc()))
        return self.retry() if len(self._waiting) > 1 else self._drain()

    def retry(self) -> list[Event]:
        """Tries to write what waits; cheap when nothing does."""
        waited = len(self._waiting)
        events = self._drain() if waited else []
        if waited and not self._waiting:
            note = f" {self.lost} were lost while the disk was full." if self.lost else ""
            self.tell(f"Recording goes on: {waited} observations written.{note}")
        return events

    def _drain(self) -> list[Event]:
        assert self._log is not None
        written: list[Event] = []
        try:
            while self._waiting:
                observed, utc = self._waiting[0]
                for name, image in observed.pictures.items():
                    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
                    self._log.write_picture(name, data.tobytes())
                written.append(self._log.append(observed.what, observed.at - self._origin, utc=utc))
                self._waiting.popleft()
        except OSError as error:
            if len(self._waiting) == 1:
                self.tell(
                    f"Recording pauses: {error.strerror or error}, at {self._log.folder}. Make room; what happens "
                    "meanwhile is kept in memory and written as soon as there is room."
                )
        self._to_store(written)
        return written

    def _to_store(self, events: list[Event]) -> None:
        """The log is the record; a store that cannot keep up is filled again later."""
        assert self._log is not None
        self._unstored += events
        if not self._unstored:
            return
        try:
            self.store.append(self._log.folder, self._unstored)
            self._unstored = []
        except (sqlite3.Error, OSError) as error:
            log.warning("The store lags behind the log (%s); it is brought level later.", error)

    def end(self, at: float, how: str) -> list[Event]:
        """Closes the hand unless it was closed. Raises UserError when something still waits to be written."""
        if self._log is None:
            return []
        ended = any(isinstance(event.what, HandEnded) for event in self._log.events())
        events = self.retry() if ended else self.record(Observed(HandEnded(how), at))
        if self._waiting:
            raise UserError(
                f"{len(self._waiting)} observations could not be written: the disk is full",
                where=str(self._log.folder),
                do="Make room. The hand is complete up to its last line.",
            )
        return events
