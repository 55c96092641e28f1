"""Where the pages get their data: a small read interface, and its form over hand folders alone.

`device.store.Store` offers nearly the same calls; `webui.stored` adapts it. The folder form needs
no database and no watcher in the same process: it follows the logs as they grow.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from engine import notation
from engine.events import Event, HandEnded, HandStarted, pictures_of

log = logging.getLogger(__name__)

LOG_NAME = "log.jsonl"
ALIVE_NAME = "alive"
"""The recorder touches this file of the hand's folder while fresh pictures arrive."""


@dataclass(frozen=True, slots=True)
class HandInfo:
    """A hand as lists show it. `problem`: why its log could not be read to the end, for people."""

    hand: str
    ruleset: str
    table: str | None = None
    deck: str = "double"
    started: str | None = None
    events: int = 0
    ended: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event, its hand, and its place among all events of the source (`id` only grows)."""

    id: int
    hand: str
    event: Event


class Source(Protocol):
    """What the pages ask. Every call may come from any thread."""

    @property
    def epoch(self) -> str:
        """Names the run of ids that `Arrived.id` counts in; ids of another epoch mean nothing here."""
        ...

    def hands(self) -> list[HandInfo]:
        """All hands, the one that started last first."""
        ...

    def events(self, hand: str, after: int = 0) -> list[Event]:
        """The hand's events with seq > `after`, in order; none for an unknown hand."""
        ...

    def cursor(self) -> int:
        """The id of the event that arrived last; 0 if there is none."""
        ...

    def since(self, cursor: int, limit: int = 500) -> list[Arrived]:
        """Events of all hands with id > `cursor`, in the order of their arrival."""
        ...

    def wait(self, cursor: int, timeout: float) -> bool:
        """Whether an event with id > `cursor` is there, waiting for one up to `timeout` seconds."""
        ...

    def look(self) -> None:
        """Sees now what has been written: what follows must not miss an entry of our own."""
        ...

    def picture(self, hand: str, path: str) -> Path | None:
        """The file of a picture that an event of the hand names; None for any other path."""
        ...

    def seen(self, hand: str) -> float | None:
        """Unix time at which the camera last saw the table of this hand; None if nobody noted it."""
        ...


@dataclass
class _Followed:
    """A log and how far it has been read."""

    folder: Path
    offset: int = 0
    inode: int = 0
    lines: int = 0
    events: list[Event] = field(default_factory=list)
    pictures: set[str] = field(default_factory=set)
    started: float = 0.0
    info: HandInfo | None = None

    @property
    def hand(self) -> str:
        return self.folder.name

    @property
    def problem(self) -> str | None:
        return self.info.problem if self.info else None

    def damaged(self, problem: str) -> None:
        log.error("%s", problem)
        self.info = replace(self.info or HandInfo(self.hand, ""), problem=problem)

    def add(self, event: Event) -> None:
        """Takes the log's next event."""
        what = event.what
        if self.info is None:
            # The hand's time is that of its first event; without a wall clock, that of its folder.
            utc = event.utc
            self.started = datetime.fromisoformat(utc).timestamp() if utc else self.folder.stat().st_mtime
            self.info = HandInfo(self.hand, "", started=utc)
        if isinstance(what, HandStarted):
            self.info = replace(self.info, ruleset=what.ruleset, table=what.table, deck=what.deck)
        if isinstance(what, HandEnded):
            self.info = replace(self.info, ended=True)
        self.pictures.update(pictures_of(what))
        self.events.append(event)
        self.info = replace(self.info, events=len(self.events))


class FolderSource:
    """Follows `home/<hand>/log.jsonl` for every hand folder there is or will be.

    Logs are looked at when somebody asks, at most every `poll` seconds, and only their new bytes are
    read. A last line without its line end is still being written and is left for the next look.
    """

    def __init__(self, home: Path, poll: float = 0.2) -> None:
        self.home = home
        self.poll = poll
        self.epoch = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._looked = float("-inf")
        self._followed: dict[str, _Followed] = {}
        self._arrived: list[Arrived] = []

    def hands(self) -> list[HandInfo]:
        with self._fresh():
            known = [(f.started, n, f.info) for n, f in enumerate(self._followed.values()) if f.info]
        return [info for _, _, info in sorted(known, key=lambda k: k[:2], reverse=True)]

    def events(self, hand: str, after: int = 0) -> list[Event]:
        with self._fresh():
            followed = self._followed.get(hand)
            return [e for e in followed.events if e.seq > after] if followed else []

    def cursor(self) -> int:
        with self._fresh():
            return len(self._arrived)

    def since(self, cursor: int, limit: int = 500) -> list[Arrived]:
        with self._fresh():
            return self._arrived[max(cursor, 0) : max(cursor, 0) + limit]

    def wait(self, cursor: int, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while self.cursor() <= cursor:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(self.poll, left))
        return True

    def look(self) -> None:
        with self._lock:
            self._looked = float("-inf")

    def picture(self, hand: str, path: str) -> Path | None:
        with self._fresh():
            followed = self._followed.get(hand)
            if followed is None or path not in followed.pictures:
                return None
        folder = followed.folder.resolve()
        file = (folder / path).resolve()
        return file if file.is_relative_to(folder) and file.is_file() else None

    def seen(self, hand: str) -> float | None:
        with self._lock:
            followed = self._followed.get(hand)
        if followed is None:
            return None
        try:
            return (followed.folder / ALIVE_NAME).stat().st_mtime
        except OSError:
            return None

    def _fresh(self) -> threading.Lock:
        """The lock, after a look at the logs if the last one is too old."""
        with self._lock:
            if time.monotonic() - self._looked >= self.poll:
                self._look()
                self._looked = time.monotonic()
        return self._lock

    def _look(self) -> None:
        try:
            folders = sorted(p for p in self.home.iterdir() if self._is_new(p))
        except OSError:
            folders = []  # no hand yet: the folder is made by the first one
        for folder in folders:
            if (folder / LOG_NAME).is_file():
                self._followed[folder.name] = _Followed(folder)
        for followed in self._followed.values():
            self._read(followed)

    def _is_new(self, path: Path) -> bool:
        # A name with a dot in front is a hand folder still being made.
        return not path.name.startswith(".") and path.name not in self._followed and path.is_dir()

    def _read(self, followed: _Followed) -> None:
        file = followed.folder / LOG_NAME
        try:
            stat = file.stat()
            if followed.inode not in (0, stat.st_ino) or stat.st_size < followed.offset:
                # The log is append-only; another file in its place is read anew, its events arrive again.
                log.warning("%s was replaced; reading it anew", file)
                followed.offset = followed.lines = 0
                followed.events, followed.pictures, followed.info = [], set(), None
            followed.inode = stat.st_ino
            if stat.st_size == followed.offset or followed.problem:
                return
            with file.open("rb") as stream:
                stream.seek(followed.offset)
                data = stream.read()
        except OSError as error:
            followed.damaged(f"{followed.hand}/{LOG_NAME} cannot be read: {error.strerror}")
            return
        whole = data[: data.rfind(b"\n") + 1]
        followed.offset += len(whole)
        for line in whole.splitlines():
            followed.lines += 1
            if not line.strip():
                continue
            try:
                event = notation.event_from_json(line.decode())
            except ValueError as error:
                followed.damaged(f"{followed.hand}/{LOG_NAME}, line {followed.lines}: {error}")
                return
            followed.add(event)
            self._arrived.append(Arrived(len(self._arrived) + 1, followed.hand, event))
