"""The shared rule cases, and that a case which is not understood never passes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine.cases import CaseError, check, read_cases, run

IN_PLACE = {("LV", kind) for kind in ("play", "renege", "meld", "hand_score")}
GOOD: dict[str, Any] = {
    "id": "X-1", "ruleset": "LV", "kind": "renege", "clauses": [], "note": "",
    "given": {
        "trump": "H",
        "tricks": [
            {"n": 4, "plays": [["N", "AS"], ["E", "JC"], ["S", "TS"], ["W", "KS"]]},
            {"n": 9, "plays": [["S", "AC"], ["W", "TC"], ["N", "KC"], ["E", "QS"]]},
        ],
    },
    "expect": {"renege": True, "book_proof": True},
}  # fmt: skip


def test_shared_cases_of_finished_parts_pass(shared_cases: Path) -> None:
    cases = [c for c in read_cases(shared_cases) if (c["ruleset"], c["kind"]) in IN_PLACE]
    assert len(cases) >= 56
    assert "".join(r.report() for r in run(cases)) == ""


def test_simulated_hands_are_among_the_cases_run(shared_cases: Path) -> None:
    """Their proofs must appear exactly at `first_proof_trick` and stay; `_whole_hand` judges each prefix."""
    cases = [c for c in read_cases(shared_cases) if "-SIM-" in c["id"]]
    assert len(cases) >= 6
    for case in cases:
        assert check(case).passed, check(case).report()
        if case["expect"]["reneges"]:
            moved = copy.deepcopy(case)
            moved["expect"]["reneges"][0]["first_proof_trick"] += 1
            assert not check(moved).passed
            assert not check(case | {"expect": {**case["expect"], "reneges": []}}).passed


def _changed(path: str, value: Any) -> dict[str, Any]:
    case = copy.deepcopy(GOOD)
    at = case
    *way, last = path.split(".")
    for step in way:
        at = at[step]
    at[last] = value
    return case


def test_the_good_case_passes() -> None:
    assert check(GOOD).passed
    assert check(GOOD).report() == ""


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("kind", "dance", "cannot be run"),
        ("ruleset", "LW", "there is no rule set"),
        ("extra", 1, "unknown key 'extra'"),
        ("given.weather", "wet", "given.weather is not understood"),
        ("expect.moon", 1, "expect.moon is not understood"),
        ("given.trump", "X", "not of the known form"),
        ("given.tricks", [{"n": 1, "plays": [], "x": 1}], "'x' is not understood"),
        ("given.tricks", [{"n": 1, "plays": [["N", "9X"]]}], "not a card"),
        ("given.call", {"by": "N", "against": "E", "loudly": True}, "loudly is not understood"),
        ("given", None, "not of the known form"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_an_error(path: str, value: Any, said: str) -> None:
    result = check(_changed(path, value))
    assert not result.passed
    assert result.error is not None
    assert said in result.error
    assert "X-1" in result.report()


def test_a_wrong_expectation_is_reported_with_both_values() -> None:
    result = check(_changed("expect.renege", False))
    assert result.report() == "X-1 (LV renege): renege: expected false, got true\n"


def test_unknown_event_words_are_an_error() -> None:
    given = {"trump": "H", "trick": [["N", "AS"], ["E", "KS"]], "event": "the dog takes JC back"}
    case = _changed("given", given) | {"expect": {"correction_allowed": False}}
    assert "is not understood" in (check(case).error or "")


def test_broken_case_files_say_where(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD)[:50] + "\n", encoding="utf-8")
    with pytest.raises(CaseError, match=r"cases\.jsonl, line 2"):
        read_cases(path)
    path.write_text("[1]\n", encoding="utf-8")
    with pytest.raises(CaseError, match="line 1"):
        read_cases(path)
    with pytest.raises(CaseError, match="check the path"):
        read_cases(tmp_path / "none.jsonl")
