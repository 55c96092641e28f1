"""From what the eye observed to the record: the hand's log, its pictures, the store.

A full disk does not end a game. Recording pauses, what is observed waits in memory (a bounded
queue, pictures and all), and is written in order as soon as there is room again.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import cv2

from device.errors import UserError
from device.handlog import HandLog, now_utc
from device.store import Store
from engine.cards import Seat
from engine.events import Event, HandStarted, Source, What
from vision.types import Observed

log = logging.getLogger(__name__)

WAITING_MAX = 400
"""Observations kept while the disk is full: about two hands."""
RETRY_SECONDS = 1.0
JPEG_QUALITY = 92
ALIVE = "alive"
"""File of the hand folder whose time says when a fresh picture last came."""


@dataclass(frozen=True, slots=True)
class HandSettings:
    """What is known about a hand before its first card."""

    ruleset: str = "lv"
    deck: str = "double"
    table: str | None = None
    dealer: Seat | None = None


def new_hand_id(table: str | None = None) -> str:
    """A name that sorts by time and is new: `2026-11-30T14-05-09-table-1-3f2a`."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in table or "")
    return "-".join(part for part in (stamp, name, secrets.token_hex(2)) if part)


class Entry(NamedTuple):
    """What a person enters while a hand is watched, at `at` seconds on the frames' clock."""

    at: float
    what: What
    by: Source = "scorekeeper"


class _Waiting(NamedTuple):
    log: HandLog
    at: float
    observed: Observed
    by: Source
    utc: str


class Recorder:
    """Records hands, one after the other, under `hands`.

    `tell` gets a sentence whenever recording pauses or goes on.
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
        self.paused = False
        self.lost = 0
        self._log: HandLog | None = None
        self._origin = 0.0
        self._touched = 0.0
        self._tried = 0.0
        self._waiting: deque[_Waiting] = deque()
        self._unstored: list[tuple[Path, Event]] = []

    @property
    def folder(self) -> Path | None:
        """The folder of the hand being recorded, or of the last one."""
        return self._log.folder if self._log else None

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
        event = self._log.events()[0]
        self._unstored.append((self._log.folder, event))
        self._to_store()
        return event

    def alive(self) -> None:
        """Says, by touching a file of the hand's folder once a second, that fresh pictures arrive."""
        now = time.monotonic()
        if self._log is None or now - self._touched < 1.0:
            return
        self._touched = now
        try:
            (self._log.folder / ALIVE).touch()
        except OSError as error:
            log.debug("cannot touch %s: %s", ALIVE, error)

    def record(self, observed: Observed, by: Source = "camera") -> list[Event]:
        """Writes an observation, or what a person entered, after any that still wait.

        Returns the events that came to the disk, others' among them; none while recording pauses.
        """
        if self._log is None:
            raise RuntimeError("begin() starts a hand before anything is recorded")
        if len(self._waiting) == WAITING_MAX:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append(_Waiting(self._log, observed.at - self._origin, observed, by, now_utc()))
        return self.retry()

    def retry(self, force: bool = False) -> list[Event]:
        """Writes what waits: at once, or while recording pauses every second or so unless forced."""
        now = time.monotonic()
        if not self._waiting or (self.paused and not force and now - self._tried < RETRY_SECONDS):
            return []
        self._tried = now
        waited = len(self._waiting)
        written: list[Event] = []
        try:
            while self._waiting:
                written += self._write(self._waiting[0])
                self._waiting.popleft()
        except OSError as error:
            if not self.paused:
                self.tell(
                    f"Recording pauses: {error.strerror or error}, at {self._waiting[0].log.folder}. Make "
                    "room; what happens meanwhile is kept in memory and written when there is room."
                )
            self.paused = True
        else:
            if self.paused:
                lost = f"; {self.lost} older ones were lost" if self.lost else ""
                self.tell(f"Recording goes on: {waited} observations written{lost}.")
            self.paused = False
        self._to_store()
        return written

    def _write(self, waiting: _Waiting) -> list[Event]:
        """Returns the event, after those that others (a director's page, say) wrote meanwhile."""
        for name, image in waiting.observed.pictures.items():
            _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            waiting.log.write_picture(name, data.tobytes())
        event = waiting.log.append(waiting.observed.what, waiting.at, waiting.by, waiting.utc)
        events = [*waiting.log.others(), event]
        self._unstored += [(waiting.log.folder, e) for e in events]
        return events

    def _to_store(self) -> None:
        """The log is the record; a store that cannot keep up is filled again later."""
        by_hand = groupby(self._unstored, key=itemgetter(0))
        if all(self.store.follow(folder, [event for _, event in events]) for folder, events in by_hand):
            self._unstored = []

    def finish(self) -> list[Event]:
        """Writes what waits, now. Raises UserError when that cannot be done."""
        events = self.retry(force=True)
        if self._waiting:
            raise UserError(
                f"{len(self._waiting)} observations could not be written: the disk is full",
                where=str(self._waiting[0].log.folder),
                do="Make room. The hand is complete up to its last line.",
            )
        return events
