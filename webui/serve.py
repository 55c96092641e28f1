"""Serves the dashboard by waitress: one process, one thread for each open stream."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

import waitress
from flask import Flask
from waitress import wasyncore
from waitress.task import ThreadedTaskDispatcher

from webui.desk import Desk

THREADS = 128
"""Streams and requests served at once. An idle thread costs little; a lacking one makes a page hang."""


class _Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """Ends the streams before it waits for its threads: else a stream ends when its browser goes."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> Any:
        self._desk.close()
        return super().shutdown(cancel_pending, timeout)


class Server:
    """A bound server. `run()` serves until Ctrl-C or `close()`, which may come from another thread."""

    def __init__(self, app: Flask, host: str, port: int, threads: int) -> None:
        self._map: dict[int, Any] = {}
        self._dispatcher = _Dispatcher(app.extensions["bookwatch"])
        self._inner: Any = waitress.create_server(
            app,
            map=self._map,
            _dispatcher=self._dispatcher,
            host=host,
            port=port,
            connection_limit=4 * threads,
            ident=None,
            max_request_body_size=app.config["MAX_CONTENT_LENGTH"],
            # A stream is never idle for longer than a beat; a vanished browser is let go by the next one.
            channel_timeout=60,
        )
        self._dispatcher.set_thread_count(threads)
        self.effective_port = int(self._inner.effective_port)
        self._running = threading.Event()
        self._ended = threading.Event()

    def run(self) -> None:
        self._running.set()
        try:
            self._inner.run()
        finally:
            self._ended.set()

    def close(self) -> None:
        """Ends the streams, lets answers finish (up to five seconds), and stops listening."""
        self._dispatcher.shutdown()
        if self._running.is_set() and not self._ended.is_set():
            # Sockets are closed in the thread that waits on them. If it wakes between taking the order
            # and the pull, the trigger is closed already and the pull finds no socket.
            with contextlib.suppress(OSError):
                self._inner.trigger.pull_trigger(lambda: wasyncore.close_all(self._map))
            self._ended.wait(5)
        else:
            wasyncore.close_all(self._map)


def server(app: Flask, host: str = "127.0.0.1", port: int = 8765, threads: int = THREADS) -> Server:
    """Binds `host`:`port`; port 0 takes a free one. Raises OSError."""
    return Server(app, host, port, threads)


def address(host: str, port: int) -> str:
    """The address to tell people: for 0.0.0.0 that of this machine."""
    if host in ("0.0.0.0", "::"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # sends nothing: only asks which way out would be taken
                host = probe.getsockname()[0]
            except OSError:
                host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
