"""What must hold under every rule set, for any order of events and for simulated hands with mishaps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from engine_simulate import PERFECT, Habits, simulate
from engine_strategies import WHAT, numbered, turned
from hypothesis import given, settings
from hypothesis import strategies as st
from test_judge import _essence

from engine import calls, rules, scoring
from engine import events as ev
from engine.cards import TEAMS, next_seat, opponents
from engine.events import Event
from engine.exposure import breaches
from engine.hand import HandState, fold
from engine.notation import event_from_json, event_to_json
from engine.renege import audit

SETS = rules.available()
RULESET = st.sampled_from(SETS)


def judged(state: HandState) -> dict[str, Any]:
    """Everything the engine says of a state, by seat and team."""
    flags = audit(state)
    score = scoring.score(state)
    return {
        "change": dict(score.change), "result": score.result, "points": state.points, "books": state.tricks,
        "meld": state.team_meld, "turn": state.turn, "bidder": state.bidder, "bid": state.bid,
        "flags": sorted((f.seat, f.book, f.kind, f.status, f.card.card) for f in flags),
        "breaches": sorted((b.seat, b.book, b.breach, b.card) for b in breaches(state)),
        "problems": sorted((p.seq, p.code) for p in state.problems),
        "calls": [calls.judge(state, c, flags, state.rules).against for c in state.calls],
    }  # fmt: skip


def turned_back(said: dict[str, Any]) -> dict[str, Any]:
    """`said` as it would read with everybody one seat further."""

    def seat(value: Any) -> Any:
        return next_seat(value) if value else value

    def teams(table: Any) -> dict[str, int]:
        return {opponents(team): n for team, n in table.items()}

    found = dict(said)
    for key in ("change", "points", "books", "meld"):
        found[key] = teams(said[key])
    for key in ("turn", "bidder"):
        found[key] = seat(said[key])
    found["calls"] = [opponents(team) if team else None for team in said["calls"]]
    for key in ("flags", "breaches"):
        found[key] = sorted((seat(first), *rest) for first, *rest in said[key])
    return found


def a_log(whats: list[Any], ruleset: str, begun: bool) -> list[Event]:
    if not begun:
        return numbered(whats)
    start = [ev.HandStarted("h", ruleset, "N"), ev.BidMade("E", "60"), ev.TrumpNamed("H", "E")]
    return numbered([*start, *whats])


@settings(max_examples=200, deadline=None)
@given(st.lists(WHAT, max_size=40), RULESET, st.booleans())
def test_awards_never_depend_on_seat_names(whats: list[Any], ruleset: str, begun: bool) -> None:
    events = a_log(whats, ruleset, begun)
    round_the_table = [Event(e.seq, e.at, turned(e.what), e.by) for e in events]
    law = rules.load(ruleset)
    assert judged(fold(round_the_table, law)) == turned_back(judged(fold(events, law)))


@settings(max_examples=200, deadline=None)
@given(st.lists(WHAT, max_size=60), RULESET, st.booleans())
def test_no_order_of_events_raises(whats: list[Any], ruleset: str, begun: bool) -> None:
    events = a_log(whats, ruleset, begun)
    state = fold(events, rules.load(ruleset))
    judged(state)
    assert [event_from_json(event_to_json(e)) for e in events] == events
    score = scoring.score(state)
    for team in TEAMS:
        assert sum(line.amount for line in score.lines if line.team == team) == score.change[team]
    assert all(n >= 0 for n in state.points.values())


@settings(max_examples=60, deadline=None)
@given(st.lists(WHAT, max_size=40), RULESET, st.integers(0, 40))
def test_a_prefix_means_the_same_whatever_follows(whats: list[Any], ruleset: str, end: int) -> None:
    events = a_log(whats, ruleset, True)
    law = rules.load(ruleset)
    before = judged(fold(events[:end], law))
    judged(fold(events, law))
    reread = [event_from_json(event_to_json(e)) for e in events[:end]]
    assert judged(fold(reread, law)) == before


@pytest.mark.parametrize("ruleset", SETS)
def test_simulated_hands_under_every_sheet(ruleset: str) -> None:
    """Turned tables judge alike, corrected records equal right ones, and points conserve."""
    whole = 0
    for seed in range(16):
        mishaps = Habits(illegal=0.05, misread=0.06, wrong_seat=0.03, missed=0.02, phantom=0.03)
        habits = replace(mishaps, corrects=0.06 * (seed % 2))
        sim = simulate(seed, habits, ruleset)
        state = fold(sim.events)
        assert state.rules.name == ruleset
        around = [Event(e.seq, e.at, turned(e.what), e.by) for e in sim.events]
        assert judged(fold(around)) == turned_back(judged(state)), f"seed {seed}"
        assert _essence(state) == _essence(fold(sim.clean)), f"seed {seed}"
        refused = any(p.code == "taken_back_late" for p in state.problems)  # but played all the same
        if state.ended == "played" and len(state.books) == 20 and not refused:
            whole += 1
            assert sum(state.points.values()) == 50, f"seed {seed}"
            assert sum(state.tricks.values()) == 20
    assert whole > 1


@pytest.mark.parametrize("ruleset", SETS)
def test_what_a_closed_book_proves_stays_proven(ruleset: str) -> None:
    events = simulate(3, Habits(illegal=0.2, **PERFECT), ruleset).events
    proven: set[tuple[str, int, str]] = set()
    for end in range(1, len(events) + 1, 3):
        now = {(f.seat, f.book, f.card.card) for f in audit(fold(events[:end])) if f.status == "proven"}
        assert proven <= now
        proven = now
    assert proven
