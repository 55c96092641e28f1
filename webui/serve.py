"""Serves the dashboard by waitress: one process, one thread for each open stream."""

from __future__ import annotations

import socket

import waitress
from flask import Flask
from waitress.server import BaseWSGIServer, MultiSocketServer

THREADS = 128
"""Streams and requests served at once. An idle thread costs little; a lacking one makes a page hang."""


def server(
    app: Flask, host: str = "127.0.0.1", port: int = 8765, threads: int = THREADS
) -> BaseWSGIServer | MultiSocketServer:
    """A bound server: `run()` serves until `close()`. Port 0 takes a free one. Raises OSError."""
    return waitress.create_server(
        app,
        host=host,
        port=port,
        threads=threads,
        connection_limit=4 * threads,
        ident=None,
        max_request_body_size=app.config["MAX_CONTENT_LENGTH"],
        # A stream is never idle for longer than a beat; a vanished browser is let go by the next one.
        channel_timeout=60,
    )


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
