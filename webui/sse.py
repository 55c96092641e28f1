"""Server-sent events: the text format of the WHATWG standard, and what one open stream has to send."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from flask import Response

from webui.pulse import Pulse

RETRY_MS = 2000
"""How long a browser waits before it comes back after a lost connection."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `id` comes back as Last-Event-ID; without it the browser keeps the former one."""

    data: str
    event: str = "message"
    id: str | None = None


class Feed(Protocol):
    """What one receiver is told. No call waits."""

    def news(self) -> Iterable[Message]:
        """What it has not been told yet; of a long arrear a part, then more when asked again."""
        ...

    def beat(self) -> Message:
        """A sign of life."""
        ...


@lru_cache(maxsize=64)
def encode(message: Message) -> bytes:
    """The message's bytes, closed by its empty line.

    A receiver ends a line at CR, LF or CRLF alike, so each of them starts a new `data:` field; an
    id or event name with a line end could forge fields and is refused. Raises ValueError.
    """
    lines: list[str] = []
    for field, value in (("id", message.id), ("event", message.event)):
        if value is None or (field == "event" and value == "message"):
            continue
        if any(c in value for c in "\r\n\0"):
            raise ValueError(f"the {field} of a server-sent event may not hold a line end or NUL: {value!r}")
        lines.append(f"{field}: {value}")
    text = message.data.replace("\r\n", "\n").replace("\r", "\n")
    lines += [f"data: {line}" for line in text.split("\n")]
    return ("\n".join(lines) + "\n\n").encode()


class Live:
    """The body of a stream's response: never waits when it is asked what is due.

    A server that knows it (`webui.carrier`) asks from one thread for all of them; any other iterates
    over it, which holds a thread. Whoever carries it closes it. `every`: seconds between beats, which
    all streams have at the same moments.
    """

    def __init__(self, feed: Feed, pulse: Pulse, every: float, on_close: Callable[[], None]) -> None:
        self._feed, self._pulse, self._every, self._on_close = feed, pulse, every, on_close
        self._closed = False
        self.beat_at = float("-inf")
        """When the next beat is due, by `time.monotonic`."""

    opening = f"retry: {RETRY_MS}\n\n".encode()

    def due(self, grown: bool) -> bytes:
        """What is to be sent now. `grown`: the source may have news, else only a beat can be due."""
        messages = list(self._feed.news()) if grown else []
        now = time.monotonic()
        if now >= self.beat_at:
            messages.append(self._feed.beat())
            self.beat_at = (now // self._every + 1) * self._every
        return b"".join(map(encode, messages))

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._on_close()

    def __iter__(self) -> Iterator[bytes]:
        yield self.opening
        while not self._pulse.closed:
            cursor = self._pulse.cursor()
            if data := self.due(True):
                yield data
            self._pulse.wait(cursor, max(0.0, self.beat_at - time.monotonic()))


def respond(live: Live) -> Response:
    """The response that sends a stream."""
    response = Response(live, mimetype="text/event-stream", direct_passthrough=True)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
