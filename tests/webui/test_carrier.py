"""One thread carries the streams: they hold no thread of the server, a stuck receiver holds up nobody."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from flask import Flask
from test_live import Received, listening, status, take
from webui_samples import Sample

from engine.events import BookClosed
from webui import sse
from webui.app import create_app
from webui.pulse import Pulse
from webui.serve import server
from webui.source import FolderSource
from webui.sse import Live, Message


@contextmanager
def served(app: Flask, threads: int = 2) -> Iterator[str]:
    made = server(app, port=0, threads=threads)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{made.effective_port}"
    finally:
        made.close()
        thread.join(5)


def wait_for(closed: list[bool]) -> None:
    deadline = time.monotonic() + 10
    while not closed and time.monotonic() < deadline:
        time.sleep(0.02)


def test_forty_streams_leave_a_server_of_two_threads_free(home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(BookClosed, 3) - 1, pictures=False)
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=0.5)
    with served(app) as base, ExitStack() as open_streams:
        lines = [
            open_streams.enter_context(listening(base + path))
            for path in ("/live/table", "/director/live")
            for _ in range(20)
        ]
        for messages in lines:
            take(messages, "beat")
        assert status(base + "/") == (200, None)
        assert "bookwatch_streams 40" in app.test_client().get("/metrics").text
        assert sum(t.name == "carrier" for t in threading.enumerate()) == 1
        sample.write(home, sample.upto(BookClosed, 3), pictures=False)
        for messages in lines[:20]:
            assert "Book 4" in take(messages, "table")[1]
        for messages in lines[20:]:
            assert '"BookClosed"' in take(messages, "arrived")[1]
    assert not any(t.name == "carrier" for t in threading.enumerate())


def test_who_goes_makes_room_at_once(home: Path) -> None:
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=600, streams_of_one=3)
    with served(app) as base:
        for _ in range(5):
            with ExitStack() as open_streams:
                for _ in range(3):
                    take(open_streams.enter_context(listening(base + "/live/table")), "beat")
            deadline = time.monotonic() + 10
            while app.config["BOOKWATCH_STREAMS"].open and time.monotonic() < deadline:
                time.sleep(0.01)
            assert app.config["BOOKWATCH_STREAMS"].open == 0, "no beat had to find out"


def test_the_end_of_the_server_ends_a_stream_as_the_protocol_wants(home: Path) -> None:
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=0.2)
    with ExitStack() as after:
        with served(app) as base:
            messages = after.enter_context(listening(base + "/live/table"))
            take(messages, "beat")
        assert all(m[0] in ("beat", "table") for m in messages), "a body cut short raises IncompleteRead"


class Flood:
    """More news each time than sockets buffer."""

    def __init__(self) -> None:
        self.asked = 0

    def news(self) -> Iterator[Message]:
        self.asked += 1
        yield Message("x" * 1_000_000, "flood", str(self.asked))

    def beat(self) -> Message:
        return Message("{}", "beat")


def test_who_takes_nothing_is_not_sent_more_and_holds_up_nobody(home: Path, sample: Sample) -> None:
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=0.1)
    flood = Flood()
    closed: list[bool] = []

    @app.get("/flood")
    def flooded():  # type: ignore[no-untyped-def]
        live = Live(flood, app.extensions["bookwatch"].pulse, 0.1, lambda: closed.append(True))
        return sse.respond(live)

    with served(app) as base:
        port = int(base.rpartition(":")[2])
        with socket.socket() as stuck, listening(base + "/director/live") as messages:
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stuck.connect(("127.0.0.1", port))
            stuck.sendall(b"GET /flood HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            take(messages, "reset")
            got: list[Received] = []
            for upto in range(1, 31):
                sample.write(home, upto, pictures=False)
                got.append(take(messages, "arrived"))
            assert [m[2].rpartition("-")[2] for m in got if m[2]] == [str(n) for n in range(1, 31)]
            assert 1 <= flood.asked < 10, "what a socket cannot take piles up nowhere"
            assert not closed
        wait_for(closed)
        assert closed == [True], "the place is given back once"


def test_a_stream_that_fails_ends_and_gives_its_place_back(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=0.1)
    closed: list[bool] = []

    class Failing(Flood):
        def news(self) -> Iterator[Message]:
            raise OSError("the disk is gone")

    @app.get("/failing")
    def failing():  # type: ignore[no-untyped-def]
        live = Live(Failing(), app.extensions["bookwatch"].pulse, 0.1, lambda: closed.append(True))
        return sse.respond(live)

    with served(app) as base:
        with listening(base + "/failing") as messages:
            assert list(messages) == []
        wait_for(closed)
        assert closed == [True]
        assert "the disk is gone" in caplog.text
        assert status(base + "/") == (200, None)


def test_a_request_on_a_streams_connection_ends_it(home: Path) -> None:
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=0.1)
    with served(app) as base, socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2]))) as line:
        line.settimeout(10)
        line.sendall(b"GET /live/table HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 200")
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        data = b""
        while piece := line.recv(65536):
            data += piece
        assert b"HTTP/1.1 200" not in data


def test_a_request_sent_behind_a_streams_is_not_answered_within_it(home: Path) -> None:
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=0.1)
    with served(app) as base, socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2]))) as line:
        line.settimeout(10)
        line.sendall(b"GET /live/table HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        data = b""
        while data.count(b"event: beat") < 5:
            piece = line.recv(65536)
            if not piece:
                break
            data += piece
        assert data.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize("head", [b"HTTP/1.0", b"HTTP/1.1\r\nConnection: close"])
def test_proxies_that_speak_an_older_protocol_get_the_stream_too(home: Path, head: bytes) -> None:
    app = create_app(FolderSource(home, poll=0.02), beat_seconds=0.1)
    with served(app) as base, socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2]))) as line:
        line.settimeout(10)
        line.sendall(b"GET /live/table " + head + b"\r\nHost: 127.0.0.1\r\n\r\n")
        data = b""
        while data.count(b"event: beat") < 3:
            piece = line.recv(65536)
            assert piece, "the stream was ended"
            data += piece
        assert data.count(b"event: table") == 1


def test_a_name_that_stands_for_two_addresses_is_served_at_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = socket.getaddrinfo
    both = [(socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1")]

    def resolve(host: str, port: object, *args: object, **options: object) -> object:
        if host == "localhost":
            return [(f, socket.SOCK_STREAM, 6, "", (a, port)) for f, a in both]
        return real(host, port, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    made = server(create_app(FolderSource(home)), "localhost", port=0)
    try:
        assert made.effective_port > 0
    finally:
        made.close()


def test_a_head_request_takes_no_place(home: Path) -> None:
    app = create_app(FolderSource(home), streams_of_one=1)
    client = app.test_client()
    assert [client.head("/live/table", buffered=True).status_code for _ in range(3)] == [200] * 3
    assert app.config["BOOKWATCH_STREAMS"].open == 0


def test_any_server_can_iterate_over_a_stream(home: Path) -> None:
    pulse, closed = Pulse(FolderSource(home, poll=0.01)), []
    live = Live(Flood(), pulse, 0.05, lambda: closed.append(True))
    pieces = iter(live)
    assert next(pieces).startswith(b"retry: ")
    assert b"event: flood" in next(pieces)
    assert b"event: beat" in next(pieces)
    pulse.close()
    assert list(pieces) == []
    live.close()
    live.close()
    assert closed == [True]
