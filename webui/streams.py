"""Bounds the open streams: each holds a connection, and everybody else must still get one."""

from __future__ import annotations

import threading
from collections import Counter

from webui.limit import sender

MOST = 400
"""Streams in all."""
FOR_DIRECTORS = 32
"""Streams that players leave to directors, however many players there are."""
OF_ONE = 200
"""Players' streams of one address: a hall's devices behind one router share an address. Half of `MOST`,
so that nobody takes all of them."""
RETRY_SECONDS = 30


class Streams:
    """Counts open streams: players' at most `of_one` an address, and with directors' `most` in all."""

    def __init__(self, of_one: int = OF_ONE, most: int = MOST, for_directors: int = FOR_DIRECTORS) -> None:
        self._most, self._for_directors, self._of_one = most, for_directors, of_one
        self._lock = threading.Lock()
        self._players: Counter[str] = Counter()
        self._directors = 0

    @property
    def open(self) -> int:
        """How many are open."""
        with self._lock:
            return self._players.total() + self._directors

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
