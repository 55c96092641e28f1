"""The streams over a real socket: nothing lost, nothing doubled, beats in between."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask
from webui_samples import Sample, make

from engine.events import BookClosed
from webui.app import create_app
from webui.pulse import Pulse
from webui.source import FolderSource
from webui.streams import Streams

Received = tuple[str, str, str | None]
"""Event, data, and the id a browser would come back with."""


@contextmanager
def listening(url: str, last_id: str | None = None) -> Iterator[Iterator[Received]]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    connection.request("GET", parts.path, headers={"Last-Event-ID": last_id} if last_id else {})
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert answer.headers["Cache-Control"] == "no-store"
    try:
        yield _messages(answer)
    finally:
        answer.close()
        connection.close()


def _messages(answer: http.client.HTTPResponse) -> Iterator[Received]:
    id, event, data = None, "message", []
    while line := answer.readline().decode():
        line = line.rstrip("\n")
        if not line:
            if data:
                yield event, "\n".join(data), id
            event, data = "message", []
        elif line.startswith("data: "):
            data.append(line[6:])
        elif line.startswith("event: "):
            event = line[7:]
        elif line.startswith("id: "):
            id = line[4:]


def take(messages: Iterator[Received], event: str) -> Received:
    return next(m for m in messages if m[0] == event)


def test_players_get_the_table_anew_when_it_changes(
    app: Flask, serve: Callable[[Flask], str], home: Path, sample: Sample
) -> None:
    base = serve(app)
    with listening(base + "/live/table") as messages:
        assert "No hand yet" in take(messages, "table")[1]
        assert json.loads(take(messages, "beat")[1])["state"] == "waiting"
        sample.write(home, sample.upto(BookClosed, 1), pictures=False)
        first = next(m for m in messages if "Book 2" in m[1])
        assert "\n" in first[1]
        sample.write(home, pictures=False)
        last = next(m for m in messages if "Hand over" in m[1])
    with listening(base + "/live/table", last[2]) as messages:
        assert [next(messages)[0] for _ in range(2)] == ["beat", "beat"]
    with listening(base + "/live/table", first[2]) as messages:
        assert next(messages) == last


def test_the_director_gets_every_event_once_and_in_order_across_reconnects(
    app: Flask, serve: Callable[[Flask], str], home: Path, sample: Sample
) -> None:
    base = serve(app)
    other = make(4, hand="other", table="B")
    total = len(sample.events) + len(other.events)

    def play() -> None:
        for upto in range(1, max(len(sample.events), len(other.events)) + 1, 3):
            sample.write(home, upto, pictures=False)
            other.write(home, upto, pictures=False)
            time.sleep(0.01)
        sample.write(home, pictures=False)
        other.write(home, pictures=False)

    with listening(base + "/director/live") as messages:
        _, _, last_id = take(messages, "reset")
    player = threading.Thread(target=play)
    player.start()
    got: list[tuple[str, int]] = []
    while len(got) < total:
        with listening(base + "/director/live", last_id) as messages:
            for _ in range(37):  # then the connection breaks
                event, data, last_id = next(messages)
                assert event in ("arrived", "beat")
                if event == "arrived":
                    about = json.loads(data)
                    got.append((about["hand"], about["seq"]))
                    if len(got) == total:
                        break
    player.join()
    for known in (sample, other):
        assert [s for h, s in got if h == known.hand] == [e.seq for e in known.events]
    assert len(got) == total


def test_an_unknown_place_is_told_to_look_anew(
    app: Flask, serve: Callable[[Flask], str], home: Path, sample: Sample
) -> None:
    sample.write(home, 10, pictures=False)
    base = serve(app)
    for odd in ("other-3", f"{app.extensions['bookwatch'].source.epoch}-99999", "x", "-1", "9" * 30):
        with listening(base + "/director/live", odd) as messages:
            event, _, id = next(messages)
            assert event == "reset"
            assert id == f"{app.extensions['bookwatch'].source.epoch}-10"


def test_beats_tell_how_old_the_picture_is(
    app: Flask, serve: Callable[[Flask], str], home: Path, sample: Sample
) -> None:
    folder = sample.write(home, 100, pictures=False)
    (folder / "alive").touch()
    base = serve(app)
    with listening(base + "/live/table") as messages:
        beat = json.loads(take(messages, "beat")[1])
    assert beat["state"] == "live"
    assert 0 <= beat["age"] < 10
    assert beat["limit"] == 15
    with listening(base + "/director/live") as messages:
        assert json.loads(take(messages, "beat")[1])["hands"][sample.hand]["state"] == "live"


def test_the_pulse_wakes_all_who_wait_and_its_thread_ends_with_them(home: Path, sample: Sample) -> None:
    pulse = Pulse(FolderSource(home, poll=0.01))
    woken: list[bool] = []
    waiters = [threading.Thread(target=lambda: woken.append(pulse.wait(0, 5))) for _ in range(20)]
    for waiter in waiters:
        waiter.start()
    sample.write(home, 1, pictures=False)
    for waiter in waiters:
        waiter.join(5)
    assert woken == [True] * 20
    deadline = time.monotonic() + 5
    while any(t.name == "pulse" for t in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(t.name == "pulse" for t in threading.enumerate())
    assert pulse.wait(1, 0.05) is False


def status(url: str) -> tuple[int, str | None]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    connection.request("GET", parts.path)
    answer = connection.getresponse()
    answer.close()
    connection.close()
    return answer.status, answer.headers["Retry-After"]


def test_one_address_holds_so_many_streams_and_gets_them_back(
    home: Path, serve: Callable[[Flask], str]
) -> None:
    base = serve(create_app(FolderSource(home, poll=0.0), beat_seconds=0.3, streams_of_one=8))
    with ExitStack() as open_streams:
        for _ in range(8):
            take(open_streams.enter_context(listening(base + "/live/table")), "beat")
        assert status(base + "/live/table") == (429, "30")
        assert status(base + "/") == (200, None)
        assert status(base + "/director/live")[0] == 200, "a director's stream has its own place"
    deadline = time.monotonic() + 5
    while (code := status(base + "/live/table")[0]) == 429 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert code == 200


def test_players_together_leave_room_for_directors() -> None:
    streams = Streams(most=6, for_directors=2, of_one=3)
    assert [streams.open_player("10.0.0.1") for _ in range(4)] == [True, True, True, False]
    assert [streams.open_player("10.0.0.2") for _ in range(2)] == [True, False]
    assert [streams.open_director() for _ in range(3)] == [True, True, False]
    streams.close_player("10.0.0.1")
    assert streams.open_director()
    assert not streams.open_player("10.0.0.2")
    streams.close_director()
    assert streams.open_player("10.0.0.2")


def test_streams_of_one_ipv6_network_are_one_senders() -> None:
    streams = Streams(most=9, for_directors=0, of_one=1)
    assert streams.open_player("2001:db8::1")
    assert not streams.open_player("2001:db8::2")
    streams.close_player("2001:db8::1")
    assert streams.open_player("2001:db8::2")
