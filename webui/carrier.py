"""Carries the open streams over waitress: one thread for all of them, so that a stream costs a socket.

waitress gives every request a thread until its body ends, and a stream's body never ends. So a task
that finds a `Live` body sends its head, hands it over, and its thread is free. Sending is waitress's
own: what a socket does not take at once, its selector sends later. A receiver that has not taken the
last piece gets no further one meanwhile: then it gets the present (or, a director, what it missed),
and memory stays bounded. One that takes nothing for `channel_timeout` is let go by waitress.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from typing import Any

from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.task import WSGITask

from webui.pulse import Pulse
from webui.sse import Live

log = logging.getLogger(__name__)

RETRY_SECONDS = 0.1
"""How soon a receiver that was behind is looked at again."""
_TASK = "bookwatch.task"


class Line:
    """One stream on its connection."""

    def __init__(self, live: Live, task: Task) -> None:
        self.live, self._task = live, task
        self._lock = threading.Lock()
        self._over = False
        self.behind = True
        """News may be waiting that could not be sent yet."""

    def send(self, grown: bool) -> bool:
        """Sends what is due; False when the connection is gone or the stream failed."""
        channel = self._task.channel
        with self._lock:
            if self._over:
                return False
            try:
                self.behind |= grown
                if channel.total_outbufs_len and channel.connected:
                    self.behind = True
                    return True
                data = self.live.due(self.behind)
                self.behind = False
                if data:
                    self._task.write(data)
                return bool(channel.connected)
            except ClientDisconnected:
                return False
            except Exception:
                log.exception("a live stream failed; its browser will come back")
                self._end()
                return False

    def end(self) -> None:
        """Says that the stream is over and closes the connection when that is sent."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if not self._over:
            self._over = True
            self._task.end_body()

    def due_by(self, now: float) -> bool:
        return self.behind or self.live.beat_at <= now


class Carrier:
    """Sends on all lines; its thread lives while there are any."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self._lock = threading.Lock()
        self._lines: set[Line] = set()
        self._thread: threading.Thread | None = None

    def carry(self, line: Line) -> None:
        """Takes a line over. What is due at once is sent by the caller's thread: it may need drawing."""
        with self._lock:
            self._lines.add(line)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="carrier", daemon=True)
                self._thread.start()
        if not line.send(True):
            self.drop([line])

    def close(self, timeout: float = 5.0) -> None:
        """Ends all streams."""
        self._pulse.close()
        thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def drop(self, lines: Iterable[Line]) -> None:
        """Forgets these lines and gives their places back."""
        for line in lines:
            with self._lock:
                known = line in self._lines
                self._lines.discard(line)
            if known:
                line.live.close()

    def _run(self) -> None:
        told = -1
        while True:
            with self._lock:
                lines = list(self._lines)
                if not lines:
                    self._thread = None
                    return
            if self._pulse.closed:
                for line in lines:
                    line.end()
                self.drop(lines)
                continue
            told = self._round(lines, told)
            now = time.monotonic()
            until = min(now + RETRY_SECONDS if line.behind else line.live.beat_at for line in lines)
            self._pulse.wait(told, max(0.0, until - now))

    def _round(self, lines: list[Line], told: int) -> int:
        """Sends what is due on these lines; returns the newest event that they were told of."""
        try:
            cursor = self._pulse.cursor()
        except Exception:  # a busy store; beats go on
            log.exception("the source cannot be read; trying again")
            cursor = told
        grown, now = cursor != told, time.monotonic()
        self.drop([n for n in lines if (grown or n.due_by(now)) and not n.send(grown)])
        return cursor


class Task(WSGITask):  # type: ignore[misc]
    """A request whose answer may be a stream."""

    live: Live | None = None

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[_TASK] = self
        return environ

    def finish(self) -> None:
        if self.live is None:
            super().finish()
            return
        try:
            self.write(self.live.opening)
        except BaseException:
            self.live.close()
            raise
        self.close_on_finish = False  # the connection lives on, and is no task's any more
        channel = self.channel
        channel.line = Line(self.live, self)
        with channel.requests_lock:  # what was asked behind the stream is never answered
            for late in channel.requests[1:]:
                late.close()
            del channel.requests[1:]
        channel.carrier.carry(channel.line)

    def end_body(self) -> None:
        channel = self.channel
        try:
            if self.chunked_response:
                channel.write_soon(b"0\r\n\r\n")
        except ClientDisconnected:
            return
        channel.close_when_flushed = True
        channel.server.pull_trigger()


def channel_class(carrier: Carrier) -> type:
    """The connections of a server whose streams `carrier` carries."""
    return type("Channel", (Channel,), {"carrier": carrier})


class Channel(HTTPChannel):  # type: ignore[misc]
    task_class = Task
    carrier: Carrier
    line: Line | None = None

    def handle_write(self) -> None:
        # waitress's selector takes no lock where no task runs; here the carrier may be writing.
        with self.outbuf_lock:
            super().handle_write()

    def handle_close(self) -> None:
        super().handle_close()
        if self.line is not None:
            self.carrier.drop([self.line])  # at once: somebody may be waiting for the place

    def received(self, data: bytes) -> bool:
        """Nobody asks anything on a connection that carries a stream."""
        if self.line is not None:
            self.will_close = True
            return False
        return bool(super().received(data))


def hand_over(app: Any) -> Any:
    """The WSGI application with its streams' bodies given to their tasks."""

    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        body: Iterable[bytes] = app(environ, start_response)
        if isinstance(body, Live):
            environ[_TASK].live = body
            return ()
        return body

    return application
