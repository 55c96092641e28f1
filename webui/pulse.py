"""Waiting for news: one thread waits for the source, others wait for that thread."""

from __future__ import annotations

import logging
import threading
import time

from webui.source import Source

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0


class Pulse:
    """Wakes its waiters when the source has grown. Its thread lives while somebody waits."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._changed = threading.Condition()
        self._waiters = 0
        self._thread: threading.Thread | None = None
        self._cursor = -1
        self.closed = False

    def cursor(self) -> int:
        """The source's newest event, to wait from."""
        return self._source.cursor()

    def close(self) -> None:
        """Wakes everybody; nobody waits any more."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def wait(self, cursor: int, timeout: float) -> bool:
        """Whether the source has an event with id > `cursor`, waiting for one up to `timeout` seconds.

        False at once when closed.
        """
        with self._changed:
            self._waiters += 1
            try:
                if self._thread is None and not self.closed:
                    self._cursor = cursor
                    self._thread = threading.Thread(target=self._follow, name="pulse", daemon=True)
                    self._thread.start()
                self._changed.wait_for(lambda: self.closed or self._cursor > cursor, timeout)
                return self._cursor > cursor
            finally:
                self._waiters -= 1

    def _follow(self) -> None:
        while True:
            before = self._cursor
            try:
                grown = self._source.wait(self._cursor, LOOK_SECONDS)
                cursor = self._source.cursor() if grown else self._cursor
            except Exception:  # the thread must outlive a busy or vanished store; streams go on beating
                log.exception("the source cannot be followed; trying again")
                time.sleep(LOOK_SECONDS)
                cursor = self._cursor
            with self._changed:
                if cursor > self._cursor:
                    self._cursor = cursor
                    self._changed.notify_all()
                if self.closed or (cursor == before and not self._waiters):
                    self._thread = None
                    return
