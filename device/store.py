"""The store: every event of every hand in one SQLite file, so that pages can ask across hands.

The hand folders are the record; the store repeats them and can be filled again from them
(`device.handlog.catch_up`). It is append-only: triggers refuse to change or delete an event.
One connection writes, under a lock; each reading thread has a connection of its own (WAL).
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from device.errors import UserError
from engine import notation
from engine.events import Event, HandStarted, pictures_of

log = logging.getLogger(__name__)
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE hands (
            hand TEXT PRIMARY KEY, folder TEXT NOT NULL, ruleset TEXT NOT NULL, table_name TEXT,
            deck TEXT NOT NULL, started TEXT) STRICT""",
        """CREATE TABLE events (
            id INTEGER PRIMARY KEY AUTOINCREMENT, hand TEXT NOT NULL REFERENCES hands (hand),
            seq INTEGER NOT NULL, at REAL NOT NULL, utc TEXT, kind TEXT NOT NULL, line TEXT NOT NULL,
            UNIQUE (hand, seq)) STRICT""",
        """CREATE TABLE pictures (
            hand TEXT NOT NULL REFERENCES hands (hand), path TEXT NOT NULL, seq INTEGER NOT NULL,
            PRIMARY KEY (hand, path, seq)) STRICT""",
        """CREATE TRIGGER events_stay BEFORE UPDATE ON events
            BEGIN SELECT RAISE(ABORT, 'events are append-only: record a correction instead'); END""",
        """CREATE TRIGGER events_remain BEFORE DELETE ON events
            BEGIN SELECT RAISE(ABORT, 'events are append-only: record a correction instead'); END""",
    ),
)
"""Statements that bring a store from `user_version` n to n + 1."""

BUSY_MS = 5000


@dataclass(frozen=True, slots=True)
class HandRow:
    """A hand as the store lists it. `folder` is the hand folder; `last` is its newest event's id."""

    hand: str
    folder: Path
    ruleset: str
    table: str | None
    deck: str
    started: str | None
    events: int
    last: int
    ended: bool


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event with its hand and its place among all events of the store (`id` only grows)."""

    id: int
    hand: str
    event: Event


class Store:
    """Opens (and, if need be, makes or migrates) the store at `path`. Raises UserError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._grown = threading.Condition()
        self._readers = threading.local()
        self._open_readers: list[sqlite3.Connection] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect()
            self._migrate()
        except (sqlite3.Error, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            if isinstance(error, FileExistsError | NotADirectoryError):
                reason = "what should be its folder is a file"
            raise UserError(
                f"the store cannot be opened ({(reason or str(error)).lower()})",
                where=str(path),
                do="Check that the folder can be written and the disk has room; a damaged store may be moved "
                "away and is filled again from the hand folders by `bookwatch recover`.",
            ) from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_MS / 1000, check_same_thread=False, isolation_level=None
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    def _migrate(self) -> None:
        have = self._writer.execute("PRAGMA user_version").fetchone()[0]
        if have > len(MIGRATIONS):
            raise UserError(
                f"the store is of a newer Bookwatch (version {have}, this one knows {len(MIGRATIONS)})",
                where=str(self.path),
                do="Update Bookwatch, or choose another folder with --home.",
            )
        if have == len(MIGRATIONS):
            return
        with self._writing() as connection:
            have = connection.execute("PRAGMA user_version").fetchone()[
                0
            ]  # another process may have been first
            for number, statements in enumerate(MIGRATIONS[have:], have + 1):
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={number}")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")
        with self._grown:
            self._grown.notify_all()

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None:
            connection = self._readers.connection = self._connect()
            connection.execute("PRAGMA query_only=ON")
            with self._lock:
                self._open_readers.append(connection)
        return connection

    def append(self, folder: Path, events: Iterable[Event]) -> None:
        """Adds events of one hand in one transaction; those already there are left alone.

        The hand is `folder`'s name; its first event must be HandStarted.
        """
        hand = folder.name
        with self._writing() as connection:
            for event in events:
                what = event.what
                if isinstance(what, HandStarted):
                    connection.execute(
                        "INSERT INTO hands VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                        (hand, str(folder), what.ruleset, what.table, what.deck, event.utc),
                    )
                connection.execute(
                    "INSERT INTO events (hand, seq, at, utc, kind, line) VALUES (?, ?, ?, ?, ?, ?)"
                    " ON CONFLICT (hand, seq) DO NOTHING",
                    (
                        hand,
                        event.seq,
                        event.at,
                        event.utc,
                        type(what).__name__,
                        notation.event_to_json(event),
                    ),
                )
                for picture in pictures_of(what):
                    connection.execute(
                        "INSERT INTO pictures VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                        (hand, picture, event.seq),
                    )

    def follow(self, folder: Path, events: Iterable[Event]) -> bool:
        """As `append`, but a store that fails is logged: the log is the record. Whether it took them."""
        try:
            self.append(folder, events)
        except (sqlite3.Error, OSError) as error:
            log.warning(
                "The store lags behind the log (%s); %s is not in the store yet, and is brought level later.",
                error, folder.name,
            )  # fmt: skip
            return False
        return True

    def hands(self) -> list[HandRow]:
        """All hands, the one that started last first."""
        rows = self._reader().execute(
            "SELECT h.hand, h.folder, h.ruleset, h.table_name, h.deck, h.started, COUNT(e.id), MAX(e.id),"
            " SUM(e.kind = 'HandEnded') > 0 FROM hands h JOIN events e USING (hand)"
            " GROUP BY h.hand ORDER BY MIN(e.id) DESC"
        )
        return [HandRow(r[0], Path(r[1]), r[2], r[3], r[4], r[5], r[6], r[7], bool(r[8])) for r in rows]

    def hand(self, hand: str) -> HandRow | None:
        return next((row for row in self.hands() if row.hand == hand), None)

    def events(self, hand: str, after: int = 0) -> list[Event]:
        """The hand's events with seq > `after`, in order."""
        rows = self._reader().execute(
            "SELECT line FROM events WHERE hand = ? AND seq > ? ORDER BY seq", (hand, after)
        )
        return [notation.event_from_json(row[0]) for row in rows]

    def since(self, cursor: int, limit: int = 500) -> list[StoredEvent]:
        """Events of all hands with id > `cursor`, in the order in which they were stored."""
        rows = self._reader().execute(
            "SELECT id, hand, line FROM events WHERE id > ? ORDER BY id LIMIT ?", (cursor, limit)
        )
        return [StoredEvent(r[0], r[1], notation.event_from_json(r[2])) for r in rows]

    def cursor(self) -> int:
        """The id of the newest event, 0 for an empty store."""
        row = self._reader().execute("SELECT COALESCE(MAX(id), 0) FROM events").fetchone()
        return int(row[0])

    def wait(self, cursor: int, timeout: float, poll: float = 0.5) -> bool:
        """Waits until there is an event with id > `cursor`, from this or another process.

        Returns whether there is one; False after `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        while self.cursor() <= cursor:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._grown:
                self._grown.wait(min(poll, left))
        return True

    def picture(self, hand: str, path: str) -> Path | None:
        """The file of a picture that some event of the hand names; None for any other path."""
        row = (
            self._reader()
            .execute(
                "SELECT h.folder FROM pictures p JOIN hands h USING (hand) WHERE p.hand = ? AND p.path = ?",
                (hand, path),
            )
            .fetchone()
        )
        if row is None:
            return None
        folder = Path(row[0]).resolve()
        file = (folder / path).resolve()
        return file if file.is_relative_to(folder) and file.is_file() else None

    def close(self) -> None:
        with self._lock:
            for connection in (*self._open_readers, self._writer):
                connection.close()
            self._open_readers.clear()
