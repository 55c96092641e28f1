"""The round clocks of all tables, gathered from their hands' logs."""

from __future__ import annotations

import threading
from typing import Final

from engine import roundclock
from engine.events import RoundClock
from engine.roundclock import Clock
from webui.source import HandInfo, Source

HANDS: Final = 40
"""A table's newest hands that are asked: many more than a round has."""
KEPT_SECONDS: Final = 12 * 3600
"""A clock not touched for so long is of another day."""


class Clocks:
    """Reads a log again only when it has grown: streams ask very often."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._steps: dict[str, tuple[HandInfo, tuple[tuple[float, RoundClock], ...]]] = {}
        self._clocks: dict[str | None, tuple[int, Clock | None]] = {}

    def at(self, table: str | None, now: float) -> Clock | None:
        """The clock of a table, by the name that its hands bear (None: they bear none); None without one."""
        cursor = self._source.cursor()
        with self._lock:
            kept = self._clocks.get(table)
        if kept is None or kept[0] != cursor:
            of_table = [info for info in self._source.hands() if info.table == table][:HANDS]
            clock = roundclock.fold(step for info in reversed(of_table) for step in self._read(info))
            kept = (cursor, clock)
            with self._lock:
                self._clocks[table] = kept
        clock = kept[1]
        return clock if clock and now - clock.since < KEPT_SECONDS else None

    def _read(self, info: HandInfo) -> tuple[tuple[float, RoundClock], ...]:
        with self._lock:
            kept = self._steps.get(info.hand)
        if kept is None or kept[0] != info:
            kept = (info, roundclock.moments(self._source.events(info.hand)))
            with self._lock:
                self._steps[info.hand] = kept
        return kept[1]
