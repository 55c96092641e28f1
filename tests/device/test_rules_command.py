"""`bookwatch rules` and `bookwatch judge --aloud`: sheets in words, their differences, cases, sentences."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from device import rulesheet
from device.cli import main
from engine import rules
from engine.notation import event_to_json
from engine.spoken import hear

CASES = Path(__file__).resolve().parents[1] / "data" / "cases.jsonl"


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(main, [str(a) for a in args])


@pytest.mark.parametrize("name", rules.available())
def test_show_prints_values_decisions_and_what_people_do(name: str) -> None:
    text = run("rules", "show", name).output
    assert text.startswith(f"{name}: ")
    for value in rulesheet.values(rules.load(name)):
        assert not value.own or f"{value.words}  [{rulesheet.sources(value.ids)}]" in text
    assert "Decisions that fill what the sheet leaves open" in text
    assert "  D-08  " in text
    assert "director rules" in text


def test_what_a_sheet_leaves_to_people_is_shown() -> None:
    assert "LV-121  Cheating of any kind" in run("rules", "show", "lv").output
    assert "EC-76  The TD has the final say" in run("rules", "show", "ec-p").output


@pytest.mark.parametrize("pair", list(combinations(rules.available(), 2)), ids="-".join)
def test_diff_names_every_value_that_differs_and_no_other(pair: tuple[str, str]) -> None:
    one, other = pair
    said = json.loads(run("rules", "diff", one, other, "--json").stdout)
    a, b = rules.load(one), rules.load(other)
    differ = {
        v.path
        for v, w in zip(rulesheet.values(a), rulesheet.values(b), strict=True)
        if v.plain != w.plain and (v.own or w.own)
    }
    assert said["values"].keys() == differ
    text = run("rules", "diff", one, other).output
    assert f"differ in {len(differ)} of" in text
    assert run("rules", "diff", other, one).output.count("\n") == text.count("\n")


def test_diff_of_a_sheet_with_itself_and_with_a_directors_own(tmp_path: Path) -> None:
    assert "differ in 0 of" in run("rules", "diff", "lv", "LV").output
    own = tmp_path / "club.toml"
    own.write_text(
        'extends = "np"\nname = "CLUB"\ntitle = "Club"\n'
        '[meld]\nboard = { is = 15, from = ["house rule 3"] }\n',
        encoding="utf-8",
    )
    text = run("rules", "diff", "np", own).output
    assert "differ in 1 of" in text
    assert "CLUB  15  [house rule 3]" in text


def differing(one: str, other: str) -> dict[str, dict[str, dict[str, object]]]:
    found: dict[str, dict[str, dict[str, object]]] = json.loads(
        run("rules", "diff", one, other, "--json").stdout
    )["values"]
    return found


def test_what_a_sheet_does_not_state_apart_is_compared_as_it_holds() -> None:
    """LV-116 and LV-118 give for aces what EC-50 gives; a dropped bid is an exception in NP alone."""
    assert not differing("LV", "EC").keys() & {"penalty.aces_bidders_fault", "penalty.aces_others_fault"}
    assert differing("WS", "EC")["penalty.aces_others_fault"]["one"]["from"][:1] == ["WS-64"]  # type: ignore[index]
    assert "unplayed.no_marriage_dropped" not in differing("LV", "NP")
    assert differing("EC", "EC-P").keys() == {
        "unplayed.no_marriage", "unplayed.no_board", "unplayed.hidden", "scoring.set",
        "penalty.bidders_fault", "penalty.others_fault",
    }  # fmt: skip
    dropped = differing("GL", "NP")["unplayed.no_marriage_dropped"]
    assert dropped["one"]["is"] == {"bidders": [], "others": ["bid", "meld"]}
    assert dropped["other"]["from"] == ["NP-34", "NP-35"]


def test_zero_is_not_printed_where_it_is_no_amount() -> None:
    text = run("rules", "diff", "gl", "np").output
    for words in ("no target  [NP-10]", "no limit  [silent]", "no fixed number  [GL-38]"):
        assert words in text
    assert "0  [silent]" in run("rules", "show", "gl").output  # a penalty of nothing is an amount
    steps = "from 50 multiples of 1; from 60 multiples of 5; from 100 multiples of 10  [LV-64]"
    assert steps in run("rules", "diff", "lv", "ws").output


def test_check_counts_and_prints_expected_beside_got(tmp_path: Path) -> None:
    good = run("rules", "check", CASES)
    assert (good.exit_code, good.output) == (0, "130 cases, 130 passed, 0 failed.\n")
    case = json.loads(CASES.read_text(encoding="utf-8").splitlines()[0])
    case["expect"]["total"] = 36
    odd = case | {"id": "X-2", "given": case["given"] | {"weather": "wet"}}
    path = tmp_path / "mine.jsonl"
    path.write_text(f"{json.dumps(case)}\n{json.dumps(odd)}\n", encoding="utf-8")
    bad = run("rules", "check", path)
    assert bad.exit_code == 1
    assert "total: expected 36, got 35" in bad.output
    assert "X-2 (LV meld): given.weather is not understood" in bad.output
    assert bad.output.endswith("2 cases, 0 passed, 2 failed.\n")
    assert json.loads(run("rules", "check", path, "--json").stdout)["passed"] == 0


def test_check_of_nothing_is_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    assert run("rules", "check", path).exit_code == 2
    path.write_text("\n", encoding="utf-8")
    assert run("rules", "check", path).exit_code == 1


def test_a_hand_is_said_and_judged_from_what_was_said(tmp_path: Path) -> None:
    spoken = (
        "Hand h, rules NP, dealer North.\nEast bids 60.\nTrump is hearts, named by East.\n"
        "East lays the ace of spades.\nSouth lays the king of spades.\n"
    )
    text, log = tmp_path / "hand.txt", tmp_path / "log.jsonl"
    text.write_text(spoken, encoding="utf-8")
    log.write_text("".join(event_to_json(e) + "\n" for e in hear(spoken)), encoding="utf-8")
    assert run("judge", log, "--aloud").output == spoken
    assert run("judge", text).output == run("judge", log).output
    text.write_text("North dances.\n", encoding="utf-8")
    refused = run("judge", text)
    assert refused.exit_code == 2
    assert "line 1: 'North dances.' is no sentence" in refused.stderr
