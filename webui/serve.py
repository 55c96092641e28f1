"""Serves the dashboard by waitress: one process, a few threads for pages, one for all live streams."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from typing import Any

import waitress
from flask import Flask
from waitress import wasyncore
from waitress.server import BaseWSGIServer
from waitress.task import ThreadedTaskDispatcher

from webui.bodies import parser
from webui.carrier import Carrier, channel_class, hand_over
from webui.streams import MOST

THREADS = 8
"""Requests served at once; streams hold none of them (see `webui.carrier`)."""
FOR_PAGES = 200
"""Connections that streams leave to pages and their pictures."""
# A hall's tablets that come at once wait a moment for a thread: no reason for a line of the log each.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)


class _Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """Ends the streams too, also where waitress itself ends on Ctrl-C."""

    def __init__(self, carrier: Carrier) -> None:
        super().__init__()
        self._carrier = carrier

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> Any:
        self._carrier.close()
        return super().shutdown(cancel_pending, timeout)


class Server:
    """A bound server. `run()` serves until Ctrl-C or `close()`, which may come from another thread."""

    def __init__(self, app: Flask, host: str, port: int, threads: int) -> None:
        self._map: dict[int, Any] = {}
        carrier = Carrier(app.extensions["bookwatch"].pulse)
        self._dispatcher = _Dispatcher(carrier)
        self._inner: Any = waitress.create_server(
            hand_over(app),
            map=self._map,
            _dispatcher=self._dispatcher,
            host=_one_of(host),
            port=port,
            connection_limit=MOST + FOR_PAGES,
            asyncore_use_poll=True,  # select() knows no descriptor above 1023
            ident=None,
            max_request_body_size=app.config["MAX_CONTENT_LENGTH"],
            # A stream is never idle for longer than a beat, unless its browser takes nothing any more.
            channel_timeout=60,
        )
        for listener in self._map.values():
            if isinstance(listener, BaseWSGIServer):
                listener.channel_class = channel_class(carrier)
                listener.channel_class.parser_class = parser(app.config["BOOKWATCH_UPLOADS"])
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


def _one_of(host: str) -> str:
    """One address for a name that stands for several, such as `localhost`: IPv4 where there is one."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ValueError(f"no address is known for '{host}'") from error
    return str(min(found, key=lambda f: f[0] != socket.AF_INET)[4][0])


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
