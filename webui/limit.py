"""Slows guesses down: a few tries for each sender within a while."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address


class Limiter:
    """At most `most` tries within `seconds` for each sender; remembers `senders` of them, the newest."""

    def __init__(
        self,
        most: int = 5,
        seconds: float = 300.0,
        senders: int = 5000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._seconds, self._senders, self._clock = most, seconds, senders, clock
        self._lock = threading.Lock()
        self._tries: OrderedDict[str, deque[float]] = OrderedDict()

    def take(self, address: str) -> float:
        """Counts a try: 0 when it is allowed, else the seconds until the next one is.

        A try counts when it begins, so that many at once gain nothing.
        """
        who, now = sender(address), self._clock()
        with self._lock:
            tries = self._tries.setdefault(who, deque())
            self._tries.move_to_end(who)
            while len(self._tries) > self._senders:
                self._tries.popitem(last=False)
            while tries and now - tries[0] >= self._seconds:
                tries.popleft()
            if len(tries) >= self._most:
                return self._seconds - (now - tries[0])
            tries.append(now)
            return 0.0

    def give_back(self, address: str) -> None:
        """The last try was none; those before it still count."""
        with self._lock:
            if tries := self._tries.get(sender(address)):
                tries.pop()

    def forget(self, address: str) -> None:
        with self._lock:
            self._tries.pop(sender(address), None)


def sender(address: str) -> str:
    """The address, of IPv6 its network: one machine has many addresses there."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    return str(int(ip) >> 64) if isinstance(ip, IPv6Address) else str(ip)
