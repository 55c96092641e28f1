"""Forms that arrive twice are recorded once: a second tap, a page loaded again, a form sent again later."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from flask import request

T = TypeVar("T")
KEPT = 2000
"""Forms remembered. They are forgotten with the process; so are the pages that they stood on, at the latest
when their session ends."""
KNOWN = "entries"
"""Field that tells how many entries the page knew of: so the same entry made anew is another form."""


class Once:
    """What came of each form, by its sender and all that it says. Entries are made one at a time."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._done: OrderedDict[str, object] = OrderedDict()

    def take(self, record: Callable[[], T]) -> T:
        """What `record` returns, or returned when this very form came before."""
        mark = _mark()
        with self._lock:
            if mark in self._done:
                return self._done[mark]  # type: ignore[return-value]
            found = record()
            if mark:
                self._done[mark] = found
                while len(self._done) > self._kept:
                    self._done.popitem(last=False)
            return found


def _mark() -> str:
    """The form of the present request; "" where it does not tell what its page knew."""
    if KNOWN not in request.form:
        return ""
    said = repr((request.path, sorted(request.form.items(multi=True))))
    return hashlib.sha256(said.encode()).hexdigest()
