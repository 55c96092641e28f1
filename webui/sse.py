"""Server-sent events: the text format of the WHATWG standard and a response that streams it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from flask import Response

RETRY_MS = 2000
"""How long a browser waits before it comes back after a lost connection."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `id` comes back as Last-Event-ID; without it the browser keeps the former one."""

    data: str
    event: str = "message"
    id: str | None = None


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


def stream(messages: Iterable[Message]) -> Response:
    """A response that sends `messages` as they come. Its end (the browser left) closes the iterable."""

    def body() -> Iterator[bytes]:
        yield f"retry: {RETRY_MS}\n\n".encode()
        for message in messages:
            yield encode(message)

    response = Response(body(), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
