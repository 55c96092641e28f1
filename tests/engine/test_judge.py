"""The engine against a brute-force judge that knows the hands, on random hands with every mishap."""

from __future__ import annotations

from typing import Any

import engine_judge as judge
import pytest
from engine_simulate import Habits, Simulated, simulate

from engine import scoring
from engine.cards import SEATS, team_of
from engine.hand import HandState, fold
from engine.renege import Flag, audit

LOGS = 1000


def _keys(flags: list[Flag], *statuses: str) -> set[tuple[int, str, str]]:
    return {(f.book, f.seat, str(f.card.face)) for f in flags if f.kind != "ACES" and f.status in statuses}


def compare(sim: Simulated) -> dict[str, tuple[Any, Any]]:
    """What the judge and the engine say, by topic."""
    truth, state = sim.truth, fold(sim.events)
    flags = audit(state)
    by_books, _, _ = judge.illegal(truth, closed_only=True)
    wrong, induced, corrected = judge.illegal(truth)
    said = {
        "proven": (by_books, _keys(flags, "proven")),
        "shown": (wrong, _keys(flags, "proven", "pending", "suspected")),
        "induced": (induced, _keys(flags, "induced")),
        "corrected": (corrected, _keys(flags, "corrected")),
        "aces": (
            judge.undeclared_aces(truth),
            {f.seat for f in flags if f.kind == "ACES" and f.status == "proven"},
        ),
        "points": (judge.trick_points(truth), state.points),
        "meld": (
            {s: judge.meld_value(truth.meld[s], truth.trump, truth.late_aces[s]) for s in SEATS},
            {s: state.meld_count(s).total for s in SEATS},
        ),
        "problems": ([], state.problems),
        "gaps": (0, sum(g.book <= sum(t.closed for t in truth.tricks) for g in state.gaps)),
    }
    if truth.played_out:
        said["all cards shown"] = (judge.really_illegal(truth), wrong | induced)
        said["score"] = (judge.lv_score(truth), dict(scoring.score(state).change))
    return said


def test_engine_and_judge_agree_on_a_thousand_logs() -> None:
    seen = {"proven": 0, "induced": 0, "corrected": 0, "aces": 0, "shown": 0}
    for seed in range(LOGS):
        said = compare(simulate(seed, Habits(illegal=0.02 + 0.1 * (seed % 3))))
        for topic, (expected, got) in said.items():
            assert got == expected, f"seed {seed}, {topic}"
        for topic in seen:
            seen[topic] += len(said[topic][0])
    # Everything that is compared must really happen in these hands.
    assert all(n > 50 for n in seen.values()), seen


def _essence(state: HandState) -> dict[str, Any]:
    """The state and its flags without event numbers."""
    books = [
        (
            b.number, b.closed, b.winner, b.points, b.gathered_by,
            [[(p.card, p.seat, p.face, p.stands, p.reading.probability) for p in slot] for slot in b.slots],
        )
        for b in state.books
    ]  # fmt: skip
    flags = [(f.seat, f.book, f.kind, f.status, f.card, f.pairs, f.text) for f in audit(state)]
    shown = [(x.card, x.seat, x.face, x.book, x.played_book) for x in state.shown]
    meld = {s: state.meld_count(s) for s in SEATS}
    return {
        "books": books, "flags": flags, "shown": shown, "meld": meld, "points": state.points,
        "turn": state.turn, "trump": state.trump, "score": scoring.score(state).change,
        "problems": [p.code for p in state.problems], "exposed": {s: len(state.exposed(s)) for s in SEATS},
    }  # fmt: skip


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_correction_equals_having_recorded_it_right_at_first(start: int) -> None:
    habits = Habits(misread=0.08, wrong_seat=0.04, missed=0.03, phantom=0.04)
    different = 0
    for seed in range(start, start + 50):
        sim = simulate(seed, habits)
        different += sim.events != sim.clean
        assert _essence(fold(sim.events)) == _essence(fold(sim.clean)), f"seed {seed}"
    assert different > 40


def test_every_prefix_of_a_log_is_folded_the_same_and_proofs_stay() -> None:
    habits = Habits(illegal=0.15, misread=0, wrong_seat=0, missed=0, phantom=0)
    for seed in range(8):
        events = simulate(seed, habits).events
        proven: dict[tuple[int, str, str], set[Any]] = {}
        for end in range(1, len(events) + 1):
            state = fold(events[:end])
            if end % 7 == 0:
                assert _essence(state) == _essence(fold(events[:end]))
            # While a new card lies beside the old one, the record cannot know yet what is meant.
            assert {p.code for p in state.problems} <= {"two_cards", "lead_out_of_turn"}
            now = {}
            for f in audit(state):
                if f.status == "proven":
                    books = {(p.proof.card, p.kind) for p in f.pairs if p.status == "proven"}
                    now[(f.book, f.seat, f.card.card)] = books
            for key, pairs in proven.items():
                assert key in now, f"seed {seed}: the proof of {key} went away at event {end}"
                assert pairs <= now[key]
            proven = now


def test_points_of_a_full_hand_are_fifty() -> None:
    for seed in range(100):
        sim = simulate(seed, Habits(stops_early=0))
        state = fold(sim.events)
        assert sum(state.points.values()) == 50
        assert sum(state.tricks.values()) == 20
        assert state.turn is None


def test_a_proof_pair_needs_nothing_but_its_two_cards() -> None:
    """Whoever holds just the two cards of a pair may not have played the first of them."""
    pairs = 0
    for seed in range(60):
        sim = simulate(seed, Habits(illegal=0.2))
        state = fold(sim.events)
        for f in audit(state):
            if f.kind == "ACES" or f.status in ("corrected", "induced"):
                continue
            book = state.books[f.book - 1].plays
            at = [p.card for p in book].index(f.card.card)
            table = [str(p.face) for p in book[:at]]
            for pair in f.pairs:
                two = [str(f.card.face), str(pair.proof.face)]
                assert state.trump is not None
                assert two[0] not in judge.may_play(two, table, state.trump)
                assert team_of(pair.proof.seat) == f.team
                assert pair.duty.card in {p.card for p in book[:at]}
                pairs += 1
    assert pairs > 200
