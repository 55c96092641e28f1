"""The round's clock as the record tells it: what the director did with it, and what is left at a moment.

A round lasts over several hands of a table, so its events are gathered from all their logs. Moments
are wall times: the hands' own clocks begin anew with each hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from engine.corrections import undone
from engine.events import ClockStep, Event, RoundClock

State: TypeAlias = Literal["running", "last_minutes", "paused", "over"]

LAST_MINUTES: Final = 5
"""Before the end, when players are told that the round will soon be over."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock since it was last touched, at Unix time `since`; then `left` seconds were left of the round."""

    minutes: int
    left: float
    since: float
    doing: Literal["running", "paused", "ended"]

    def left_at(self, now: float) -> float:
        """Seconds left at Unix time `now`, not below 0."""
        gone = max(0.0, now - self.since) if self.doing == "running" else 0.0
        return max(0.0, self.left - gone)

    def state(self, now: float) -> State:
        left = self.left_at(now)
        if self.doing == "ended" or left == 0:
            return "over"
        if self.doing == "paused":
            return "paused"
        return "last_minutes" if left <= LAST_MINUTES * 60 else "running"


def moments(log: Iterable[Event]) -> tuple[tuple[float, RoundClock], ...]:
    """What was done with the clock in one hand's log, each with its Unix time; what was undone is left out.

    An event without a wall time tells nothing of a clock.
    """
    events = list(log)
    gone = undone(events)
    found = []
    for event in events:
        if isinstance(event.what, RoundClock) and event.seq not in gone:
            at = unix_time(event.utc)
            if at is not None:
                found.append((at, event.what))
    return tuple(found)


def fold(steps: Iterable[tuple[float, RoundClock]]) -> Clock | None:
    """The clock after these steps, in the order in which they were recorded; None: no round has been started.

    A step that cannot be, such as a pause of a clock that stands, changes nothing.
    """
    clock: Clock | None = None
    for at, what in steps:
        if what.what == "started" and what.minutes is not None and what.minutes > 0:
            clock = Clock(what.minutes, what.minutes * 60.0, at, "running")
        elif clock is not None and refusal(clock, what.what, at) is None:
            doing: dict[str, Literal["running", "paused", "ended"]] = {
                "paused": "paused", "resumed": "running", "ended": "ended",
            }  # fmt: skip
            clock = replace(clock, left=clock.left_at(at), since=at, doing=doing[what.what])
    return clock


def refusal(clock: Clock | None, step: ClockStep, now: float) -> str | None:
    """Why the director cannot do this with the clock now, in a sentence; None: it can be done."""
    state = clock.state(now) if clock else "over"
    match step:
        case "started" if state != "over":
            return "The round's clock has been started already: end that round first."
        case "paused" if state not in ("running", "last_minutes"):
            return "The round's clock is not running: there is nothing to pause."
        case "resumed" if state != "paused":
            return "The round's clock is not paused: there is nothing to go on with."
        case "ended" if clock is None or clock.doing == "ended":
            return "No round is being timed: there is nothing to end."
        case _:
            return None


def unix_time(utc: str | None) -> float | None:
    """The Unix time of an event's wall time; None where it has none that can be read."""
    try:
        moment = datetime.fromisoformat(utc or "")
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
