"""What the director's pages write: events, by way of a small interface."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from device.handlog import HandLog
from device.store import Store
from engine.events import Event, What
from engine.events import Source as Who


class Writer(Protocol):
    """Appends to a hand's record. Raises LookupError for an unknown hand, OSError on a full disk."""

    def append(self, hand: str, what: What, by: Who) -> Event: ...

    def keep_picture(self, hand: str, name: str, data: bytes) -> None:
        """Keeps a picture, `name` relative to the hand's folder, for an event that will name it."""
        ...


class FolderWriter:
    """Appends to `home/<hand>/log.jsonl`, beside a recorder that may be writing it too.

    The log is the record. A store that fails catches up from the log at the next start.
    """

    def __init__(self, home: Path, store: Store | None = None) -> None:
        self.home = home
        self.store = store

    def append(self, hand: str, what: What, by: Who) -> Event:
        folder = self._folder(hand)
        log = HandLog(folder)
        # The hand's clock is the camera's; an entry takes the time of what was recorded last.
        event = log.append(what, log.events()[-1].at, by)
        if self.store is not None:
            self.store.follow(folder, [event])  # refused now, it would be made twice
        return event

    def keep_picture(self, hand: str, name: str, data: bytes) -> None:
        HandLog(self._folder(hand)).write_picture(name, data)

    def _folder(self, hand: str) -> Path:
        folder = self.home / hand
        if folder.parent != self.home or hand.startswith(".") or not folder.is_dir():
            raise LookupError(f"there is no hand '{hand}'")
        return folder
