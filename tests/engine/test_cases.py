"""The shared rule cases, and that a case which is not understood never passes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine import rules
from engine.cases import KINDS, CaseError, check, read_cases, run

OWN = Path(__file__).resolve().parents[1] / "data" / "cases.jsonl"
CASES = read_cases(OWN)
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


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_the_case_passes(case: dict[str, Any]) -> None:
    assert check(case).report() == ""


def test_the_cases_are_those_of_the_shared_folder(shared_cases: Path) -> None:
    assert shared_cases.read_text(encoding="utf-8") == OWN.read_text(encoding="utf-8")


def test_the_cases_touch_every_rule_set_and_kind() -> None:
    assert {c["ruleset"] for c in CASES} == set(rules.available())
    assert {c["kind"] for c in CASES} == set(KINDS)
    assert len({c["id"] for c in CASES}) == len(CASES) >= 130


def test_no_case_is_known_to_the_code_by_its_id() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in Path(rules.__file__).parent.rglob("*.py"))
    assert [c["id"] for c in CASES if c["id"] in code] == []
    renamed = [case | {"id": f"X-{n}"} for n, case in enumerate(CASES)]
    assert "".join(r.report() for r in run(renamed)) == ""


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_a_case_with_one_wrong_expectation_fails(case: dict[str, Any]) -> None:
    for key, value in case["expect"].items():
        if key == "books_out_of_order":
            continue  # a fact that the director enters
        wrong = case | {"expect": {**case["expect"], key: ["wrong", value]}}
        assert not check(wrong).passed, key
        assert not check(case | {"expect": {**case["expect"], "unheard": 1}}).passed


def test_simulated_hands_are_among_the_cases_run() -> None:
    """Their proofs must appear exactly at `first_proof_trick` and stay; `_whole_hand` judges each prefix."""
    cases = [c for c in CASES if "-SIM-" in c["id"]]
    assert len(cases) >= 6
    for case in cases:
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
