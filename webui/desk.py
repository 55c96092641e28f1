"""The hands behind the pages: folded, judged, and kept as long as their logs have not grown."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import current_app

from engine.corrections import undone
from engine.events import Event, What
from engine.events import Source as Who
from engine.hand import HandState, fold
from engine.renege import Flag, audit
from webui import public
from webui.clocks import Clocks
from webui.once import Once
from webui.pulse import Pulse
from webui.source import HandInfo, Source
from webui.writing import Writer

log = logging.getLogger(__name__)

KEPT = 200
"""Judged hands kept in memory."""
LISTED = 60
"""Hands that the director's list shows: the newest ones."""
ALIVE_LIMIT = 15.0
"""Seconds without a fresh picture after which a page is stale, where the recorder notes pictures."""
QUIET_LIMIT = 180.0
"""The same where only events tell: a table may think for a while."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A hand at one length of its log."""

    info: HandInfo
    events: tuple[Event, ...]
    state: HandState
    flags: tuple[Flag, ...]

    @property
    def undone(self) -> frozenset[int]:
        """Numbers of the events that were undone."""
        return undone(self.events)


def judge(info: HandInfo, events: tuple[Event, ...], threshold: float) -> Judged:
    state = fold(events)
    return Judged(info, events, state, tuple(audit(state, state.rules, threshold)))


class Desk:
    def __init__(self, source: Source, *, threshold: float, writer: Writer | None) -> None:
        self.source = source
        self.threshold = threshold
        self.writer = writer
        self.pulse = Pulse(source)
        self.once = Once()
        self.clocks = Clocks(source)
        self._lock = threading.Lock()
        self._judged: OrderedDict[str, Judged] = OrderedDict()
        self._current: dict[str | None, tuple[int, Judged]] = {}

    def record(self, writer: Writer, hand: str, what: What, by: Who) -> Event:
        """Appends an entry; whoever asks next gets the hand with it. Raises LookupError and OSError."""
        event = writer.append(hand, what, by)
        self.source.look()
        return event

    def close(self) -> None:
        """Ends all streams."""
        self.pulse.close()

    def hand(self, hand: str) -> Judged | None:
        """The hand as its log stands now; None if there is no such hand."""
        info = next((i for i in self.source.hands() if i.hand == hand), None)
        return self._judge(info) if info else None

    def hands(self) -> list[Judged]:
        """The newest hands, the newest first."""
        return [self._judge(info) for info in self.source.hands()[:LISTED]]

    def current(self, table: str | None = None) -> Judged | None:
        """The hand that began last at `table`, or at any."""
        cursor = self.source.cursor()
        with self._lock:
            kept = self._current.get(table)
        if kept and kept[0] == cursor:
            return kept[1]
        info = next((i for i in self.source.hands() if table is None or i.table == table), None)
        if info is None:
            return None
        judged = self._judge(info)
        with self._lock:
            self._current[table] = (cursor, judged)
        return judged

    def _judge(self, info: HandInfo) -> Judged:
        with self._lock:
            kept = self._judged.get(info.hand)
            if kept and kept.info == info:
                self._judged.move_to_end(info.hand)
                return kept
        events = tuple(self.source.events(info.hand))
        judged = judge(info, events, self.threshold)
        with self._lock:
            self._judged[info.hand] = judged
            self._judged.move_to_end(info.hand)
            while len(self._judged) > KEPT:
                self._judged.popitem(last=False)
        return judged

    def limit(self, noted: bool) -> float:
        """Seconds after which a table counts as not seen any more; `noted`: the recorder notes each look."""
        return ALIVE_LIMIT if noted else QUIET_LIMIT

    def ages(self) -> dict[str, dict[str, Any]]:
        """For the director: how old the sight of each table's present hand is."""
        ages: dict[str, dict[str, Any]] = {}
        tables: set[str | None] = set()
        for info in self.source.hands()[:LISTED]:
            if info.table in tables and info.table is not None:
                continue
            tables.add(info.table)
            judged = self._judge(info)
            last = next((e.utc for e in reversed(judged.events) if e.by == "camera" and e.utc), None)
            noted = datetime.fromisoformat(last).timestamp() if last else None
            ages[judged.info.hand] = public.age(self, judged, noted)
        return ages


def desk() -> Desk:
    """The desk of the application that answers now."""
    found: Desk = current_app.extensions["bookwatch"]
    return found
