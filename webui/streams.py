"""Bounds the open streams, each of which holds a thread: pages must always find a free one."""

from __future__ import annotations

import threading
from collections import Counter

from webui.limit import sender
from webui.serve import THREADS

FOR_PAGES = 32
"""Threads that no stream may hold."""
FOR_DIRECTORS = 16
"""Streams that players leave to directors, however many players there are."""
OF_ONE = 8
"""Players' streams of one address: a browser needs one for all its tabs."""
RETRY_SECONDS = 30


class Streams:
    """Counts open streams: players' at most `of_one` an address, and with directors' `most` in all."""

    def __init__(
        self, most: int = THREADS - FOR_PAGES, for_directors: int = FOR_DIRECTORS, of_one: int = OF_ONE
    ) -> None:
        self._most, self._for_directors, self._of_one = most, for_directors, of_one
        self._lock = threading.Lock()
        self._players: Counter[str] = Counter()
        self._directors = 0

    def open_player(self, address: str) -> bool:
        """Takes a place for a player's stream; False when there is none. Give it back by `close_player`."""
        who = sender(address)
        with self._lock:
            players = self._players.total()
            full = players + max(self._directors, self._for_directors) >= self._most
            if full or self._players.get(who, 0) >= self._of_one:
                return False
            self._players[who] += 1
            return True

    def close_player(self, address: str) -> None:
        who = sender(address)
        with self._lock:
            self._players[who] -= 1
            self._players += Counter()  # drops whoever has none left

    def open_director(self) -> bool:
        """The same for a director's stream."""
        with self._lock:
            if self._players.total() + self._directors >= self._most:
                return False
            self._directors += 1
            return True

    def close_director(self) -> None:
        with self._lock:
            self._directors -= 1
