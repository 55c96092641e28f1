"""The round's clock: read for every page, and what the director does with it.

A clock is a table's, from hand to hand. What the director enters goes into the log of the table's newest
hand; for all tables at once it goes into each of theirs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.wrappers import Response

from engine.events import ClockStep, RoundClock
from engine.roundclock import Clock, refusal, unix_time
from engine.rules import RuleSet, cited
from webui.desk import Desk, Judged, desk
from webui.roles import only_for

blueprint = Blueprint("rounds", __name__, url_prefix="/director/round")
only_for("director", blueprint)

MINUTES: Final = 60
"""Offered where the rule set prints no time."""
MINUTES_MAX: Final = 600
DAY: Final = 24 * 3600
"""Seconds."""
STEPS: Final[dict[ClockStep, str]] = {
    "started": "Start", "paused": "Pause", "resumed": "Go on", "ended": "End the round",
}  # fmt: skip
"""What the buttons say."""


@dataclass(frozen=True, slots=True)
class ClockForm:
    """What can be done now with the clocks of some tables. `hand`: of the one table, None for all of them.

    minutes: offered for the next round. lost_time: what the rule set says of time lost.
    """

    hand: str | None
    steps: tuple[ClockStep, ...]
    minutes: int
    lost_time: str
    known: str
    minutes_max: int = MINUTES_MAX


def clock_of(desk: Desk, judged: Judged) -> Clock | None:
    """The clock of the table at which the hand is played."""
    return desk.clocks.at(judged.info.table, time.time())


def clock_form(desk: Desk, hands: Iterable[Judged], hand: str | None = None) -> ClockForm | None:
    """For the tables at which these hands are played; None where there is none."""
    tables = list(hands)
    if not tables:
        return None
    clocks = [clock_of(desk, judged) for judged in tables]
    now = time.time()
    steps = tuple(step for step in STEPS if any(refusal(clock, step, now) is None for clock in clocks))
    rules = tables[0].state.rules
    known = ",".join(f"{judged.info.hand}:{judged.info.events}" for judged in tables)
    return ClockForm(hand, steps, rules.game.minutes or MINUTES, _lost_time(rules), known)


def _lost_time(rules: RuleSet) -> str:
    if rules.game.lost_time_back:
        return f"Time for which it is paused is given back ({cited(rules.clauses('game.lost_time_back'))})."
    return "While it is paused, no time is lost to the round."


def present(desk: Desk) -> list[Judged]:
    """The newest hand of each table, without tables at which nothing began for a day before the last one."""
    found: dict[str | None, Judged] = {}
    for judged in desk.hands():
        found.setdefault(judged.info.table, judged)
    begun = {table: unix_time(judged.info.started) or 0.0 for table, judged in found.items()}
    newest = max(begun.values(), default=0.0)
    return [judged for table, judged in found.items() if newest - begun[table] < DAY]


def clock_json(clock: Clock | None, now: float) -> dict[str, Any]:
    """For machines. Times of the server's clock: a reader with another reckons by `server_time`."""
    return {
        "state": clock.state(now) if clock else "not_started",
        "minutes": clock.minutes if clock else None,
        "seconds_left": round(clock.left_at(now), 1) if clock else None,
        "server_time": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
    }


@blueprint.post("")
def enter() -> Response:
    """One step for the table of `hand`, or for every table where it can be done."""
    hand = request.form.get("hand") or None
    desk().once.take(lambda: _record(hand))
    if hand:
        return redirect(url_for("director.hand", hand=hand, _anchor="call"), 303)
    return redirect(url_for("director.hands"), 303)


def _record(hand: str | None) -> int:
    """How many tables it was recorded for."""
    what = _entry()
    writer = desk().writer
    chosen = present(desk()) if hand is None else _newest_beside(hand)
    if not chosen:
        abort(404, f"There is no hand called “{hand}”." if hand else "No hand is recorded yet, so no clock.")
    if writer is None:
        abort(403, "This dashboard only reads: it was started without the right to write the record.")
    now = time.time()
    refusals = {j.info.hand: refusal(clock_of(desk(), j), what.what, now) for j in chosen}
    if all(refusals.values()):
        abort(400, next(iter(refusals.values())))
    done = 0
    for judged in chosen:
        if refusals[judged.info.hand]:
            continue
        try:
            desk().record(writer, judged.info.hand, what, "director")
        except (LookupError, OSError) as error:
            where = judged.info.table or judged.info.hand
            why = getattr(error, "strerror", None) or error
            before = f"{done} tables have it already" if done else "nothing was recorded"
            abort(503, f"The clock of {where} was not changed: {why}; {before}. Mend it and enter it again.")
        done += 1
    return done


def _newest_beside(hand: str) -> list[Judged]:
    """The newest hand of the table at which `hand` was played; none where there is no such hand."""
    table = next(([i.table] for i in desk().source.hands() if i.hand == hand), [])
    found = (desk().hand(i.hand) for i in desk().source.hands() if i.table in table)
    return [judged for judged in (next(found, None),) if judged]


def _entry() -> RoundClock:
    step = request.form.get("what", "")
    if step not in STEPS:
        abort(400, "A round's clock is started, paused, resumed or ended.")
    if step != "started":
        return RoundClock(step)
    text = request.form.get("minutes", "").strip()
    minutes = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
    if not 1 <= minutes <= MINUTES_MAX:
        abort(400, f"A round has 1 to {MINUTES_MAX} whole minutes, not “{text[:20]}”.")
    return RoundClock("started", minutes)
