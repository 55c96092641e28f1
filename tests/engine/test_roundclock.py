"""The round's clock, from what the director did with it."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from engine import notation, spoken
from engine.events import Event, HandEnded, HandStarted, RoundClock, Undone, What
from engine.hand import fold as fold_hand
from engine.roundclock import Clock, fold, moments, refusal

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()


def log(*entries: tuple[float, What]) -> list[Event]:
    """Events at these minutes after noon, below a hand's start."""
    whats = [(0.0, HandStarted("h", "LV", "N")), *entries]
    return [
        Event(n, float(n), what, "director", datetime.fromtimestamp(NOON + at * 60, UTC).isoformat())
        for n, (at, what) in enumerate(whats, 1)
    ]


def clock(*entries: tuple[float, What]) -> Clock | None:
    return fold(moments(log(*entries)))


def test_a_clock_runs_is_paused_and_goes_on() -> None:
    started = clock((10, RoundClock("started", 55)))
    assert started is not None
    for minute, left, state in (
        (10, 55, "running"),
        (59, 6, "running"),
        (60, 5, "last_minutes"),
        (65, 0, "over"),
    ):
        assert (started.left_at(NOON + minute * 60), started.state(NOON + minute * 60)) == (left * 60, state)
    paused = clock((10, RoundClock("started", 55)), (20, RoundClock("paused")))
    assert paused is not None
    assert (paused.left_at(NOON + 90 * 60), paused.state(NOON + 90 * 60)) == (45 * 60, "paused")
    on = clock((10, RoundClock("started", 55)), (20, RoundClock("paused")), (30, RoundClock("resumed")))
    assert on is not None
    assert on.left_at(NOON + 40 * 60) == 35 * 60
    ended = clock((10, RoundClock("started", 55)), (20, RoundClock("ended")))
    assert ended is not None
    assert ended.state(NOON + 21 * 60) == "over"


def test_what_cannot_be_changes_nothing() -> None:
    assert clock((1, RoundClock("paused")), (2, RoundClock("ended"))) is None
    assert clock((1, RoundClock("started"))) is None, "no minutes"
    assert clock((1, RoundClock("started", -5))) is None
    one = clock((1, RoundClock("started", 9)))
    assert clock((1, RoundClock("started", 9)), (2, RoundClock("resumed"))) == one
    assert clock((1, RoundClock("started", 9)), (11, RoundClock("paused"))) == one, "time was up before"
    start = log((1, RoundClock("started", 9)))[1]
    for utc in (None, "", "soon"):
        assert moments([Event(1, 0.0, start.what, "director", utc)]) == ()


def test_a_step_that_was_undone_never_was() -> None:
    steps = [(1, RoundClock("started", 9)), (2, RoundClock("ended"))]
    undone = clock(*steps, (3, Undone(3)))
    assert undone == clock(steps[0])
    assert clock(*steps, (3, Undone(3)), (4, Undone(4))) == clock(*steps)


def test_a_round_goes_on_over_hands() -> None:
    first, second = log((1, RoundClock("started", 30))), log((11, RoundClock("paused")))
    found = fold((*moments(first), *moments(second)))
    assert found is not None
    assert (found.doing, found.left) == ("paused", 20 * 60)


@pytest.mark.parametrize(
    ("step", "state"),
    [
        ("started", {"none", "over", "ended"}),
        ("paused", {"running"}),
        ("resumed", {"paused"}),
        ("ended", {"running", "paused", "over"}),
    ],
)
def test_what_the_director_may_do(step: str, state: set[str]) -> None:
    clocks = {
        "none": None,
        "running": Clock(9, 540, NOON, "running"),
        "paused": Clock(9, 540, NOON, "paused"),
        "over": Clock(9, 540, NOON - 600, "running"),
        "ended": Clock(9, 100, NOON, "ended"),
    }
    allowed = {name for name, c in clocks.items() if refusal(c, step, NOON + 1) is None}  # type: ignore[arg-type]
    assert allowed == state
    for c in clocks.values():
        assert (refusal(c, step, NOON + 1) or "One.").count(".") == 1  # type: ignore[arg-type]


def test_it_is_written_read_and_said_and_is_nothing_to_the_hand() -> None:
    events = log(
        (1, HandEnded()), (2, RoundClock("started", 55)), (3, RoundClock("paused")),
        (4, RoundClock("resumed")), (5, RoundClock("ended")),
    )  # fmt: skip
    file = io.StringIO()
    for event in events:
        notation.write_event(file, event)
    assert notation.parse_log(file.getvalue().splitlines()) == events
    text = spoken.say(events)
    assert (
        "The round begins, 55 minutes.\nThe round is paused.\nThe round goes on.\nThe round ends.\n" in text
    )
    assert [e.what for e in spoken.hear(text)] == [e.what for e in events]
    assert fold_hand(events).problems == fold_hand(events[:2]).problems
