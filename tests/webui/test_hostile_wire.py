"""Requests that no browser sends, over the real server: answered with a refusal, and the server lives on."""

from __future__ import annotations

import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from flask import Flask


def status(base: str, raw: bytes) -> int:
    where = urlsplit(base)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=10) as line:
        line.sendall(raw)
        return int(line.recv(4096).split(b" ", 2)[1])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 300_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Bad: a\rb\r\n\r\n", 400),
        (b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    ],
)
def test_a_malformed_request_is_refused(
    app: Flask, serve: Callable[[Flask], str], raw: bytes, expected: int
) -> None:
    base = serve(app)
    assert status(base, raw) == expected
    assert status(base, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") == 200
