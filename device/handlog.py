"""The hand folder: `log.jsonl`, one event a line, and `pictures/`.

A line is written by one `write` and flushed to the disk before the event counts as recorded. A
writer that dies in the middle leaves at most one unfinished last line; the next one to open the
log sets that line aside in `log.jsonl.torn-N`, so that nothing is lost silently. The file is
locked while it is written or mended, so that a page and a camera may record the same hand.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from device.errors import UserError
from device.store import Store
from engine import notation
from engine.events import Event, HandEnded, HandStarted, Source, What

try:
    import fcntl
except ImportError:  # not a POSIX system: one writer at a time is then up to the user
    fcntl = None  # type: ignore[assignment]

LOG = "log.jsonl"
PICTURES = "pictures"
DRAFT_SECONDS = 60.0


def now_utc() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class HandLog:
    """Appends to one hand's log. `last` is the newest event's seq, `torn` the file of a line set aside.

    Opening mends an unfinished last line. Raises UserError when the log is damaged otherwise.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / LOG
        self.last = 0
        self.torn: Path | None = None
        self._size = 0
        self._others: list[Event] = []
        with self._locked() as fd:
            self._catch_up(fd)

    @classmethod
    def start(cls, hands: Path, started: HandStarted, *, at: float = 0.0, utc: str | None = None) -> HandLog:
        """Makes `hands/<hand id>/` with its first event. The folder appears whole or not at all."""
        folder = hands / started.hand
        draft = hands / f".{started.hand}.draft"
        try:
            (draft / PICTURES).mkdir(parents=True)
            event = Event(1, at, started, "system", utc or now_utc())
            with open(draft / LOG, "xb") as file:
                file.write(notation.event_to_json(event).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            draft.rename(folder)
        except OSError:
            _remove_draft(draft)
            raise
        return cls(folder)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        fd = os.open(self.path, os.O_RDWR | os.O_APPEND)
        try:
            if fcntl is not None:
                fcntl.flock(fd, fcntl.LOCK_EX)
            yield fd
        finally:
            os.close(fd)

    def _catch_up(self, fd: int) -> list[Event]:
        """Reads what was appended since this object last looked; sets an unfinished last line aside."""
        with open(self.path, "rb") as file:
            file.seek(self._size)
            new = file.read()
        whole = new.rfind(b"\n") + 1
        if whole < len(new):
            self._set_aside(new[whole:])
            os.ftruncate(fd, self._size + whole)
            os.fsync(fd)
        events = []
        for line in new[:whole].splitlines():
            try:
                event = notation.event_from_json(line.decode())
            except ValueError as error:
                raise UserError(
                    f"line {self.last + 1} of the log is damaged ({error})",
                    where=str(self.path),
                    do="Mend or remove that line by hand, keeping a copy; the lines before it are good.",
                ) from error
            if event.seq != self.last + 1:
                raise UserError(
                    f"event {event.seq} follows event {self.last}: events are missing or doubled",
                    where=f"{self.path}, line {self.last + 1}",
                    do="Restore the log from a copy; the lines before it are good.",
                )
            events.append(event)
            self.last = event.seq
        self._size += whole
        return events

    def _set_aside(self, rest: bytes) -> None:
        number = 1
        while (torn := self.path.with_name(f"{LOG}.torn-{number}")).exists():
            number += 1
        torn.write_bytes(rest)
        self.torn = torn

    def append(self, what: What, at: float, by: Source = "camera", utc: str | None = None) -> Event:
        """Records one event; when this returns, it is on the disk.

        Raises OSError (a full disk, say) with the log as it was before.
        """
        with self._locked() as fd:
            self._others += self._catch_up(fd)
            event = Event(self.last + 1, round(at, 3), what, by, utc or now_utc())
            line = notation.event_to_json(event).encode() + b"\n"
            try:
                if os.write(fd, line) != len(line):
                    raise OSError(28, "No space left on device", str(self.path))
                os.fsync(fd)
            except OSError:
                os.ftruncate(fd, self._size)
                raise
            self._size += len(line)
            self.last = event.seq
        return event

    def others(self) -> list[Event]:
        """What other writers had appended before this one's last event, once."""
        events, self._others = self._others, []
        return events

    def write_picture(self, name: str, data: bytes) -> None:
        """Writes an evidence picture, `name` relative to the folder; it appears whole or not at all."""
        file = self.folder / name
        draft = file.with_name(f".{file.name}.draft")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(data)
            draft.replace(file)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def events(self) -> list[Event]:
        """All events, read again from the disk."""
        return notation.read_log(self.path)


def _remove_draft(draft: Path) -> None:
    (draft / LOG).unlink(missing_ok=True)
    for folder in (draft / PICTURES, draft):
        if folder.is_dir():
            folder.rmdir()


def _is_hand(path: Path) -> bool:
    return not path.name.startswith(".") and (path / LOG).is_file()


def catch_up(hands: Path, store: Store) -> list[str]:
    """Brings the store level with the hand folders, after a crash or a lost store.

    Returns what was found amiss, in plain words: unfinished lines that were set aside, hands whose
    recording stopped before their end, folders that cannot be read.
    """
    notes: list[str] = []
    if not hands.is_dir():
        return notes
    for draft in hands.glob(".*.draft"):
        if time.time() - draft.stat().st_mtime > DRAFT_SECONDS:  # a younger one may be another recorder's
            _remove_draft(draft)
    known = {row.hand: row for row in store.hands()}
    for folder in sorted(path for path in hands.iterdir() if _is_hand(path)):
        try:
            log = HandLog(folder)
        except (UserError, OSError) as error:
            notes.append(str(error))
            continue
        if log.torn:
            notes.append(f"{folder.name}: the last line was unfinished and was set aside in {log.torn.name}.")
        row = known.get(folder.name)
        if log.last and (row is None or row.events < log.last):
            events = log.events()
            store.append(folder, events)
            if not any(isinstance(event.what, HandEnded) for event in events):
                notes.append(
                    f"{folder.name}: the recording stopped after event {log.last}; what is there is kept."
                )
    return notes
