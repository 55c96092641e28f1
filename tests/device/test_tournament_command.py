"""`bookwatch tournament`: every sheet, for people and for machines."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from device.cli import main
from engine import rules


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["tournament", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_all_rule_sets_are_played_and_the_same_seed_plays_the_same() -> None:
    text = run("--teams", "5", "--seed", "3")
    for name in rules.available():
        assert f"{name}: {rules.load(name).title}, 5 teams" in text
    assert "Brackets: the top 4 keep record and points" in text
    assert "Consolation bracket, its own rounds" in text
    assert text.count("wins the tournament") + text.count("equal first in the tournament") == 6
    assert run("--teams", "5", "--seed", "3") == text
    assert run("--teams", "5", "--seed", "4") != text


@pytest.mark.parametrize("name", rules.available())
def test_json_has_every_team_in_every_round(name: str) -> None:
    [played] = json.loads(run("--ruleset", name, "--teams", "7", "--rounds", "3", "--json"))
    assert played["ruleset"] == name
    for one in played["rounds"]:
        assert sorted(r["team"] for r in one["results"]) == sorted(played["teams"])
        assert len(one["byes"]) >= 1
    listed = played["final"]["winners"] + played["final"]["consolation"]
    assert sorted(p["team"] for p in listed) == sorted(played["teams"])
    assert (played["brackets"] is not None) == (name == "LV")


def test_unknown_sheets_are_refused_in_a_sentence() -> None:
    result = CliRunner().invoke(main, ["tournament", "--ruleset", "XX"])
    assert result.exit_code == 2
    assert "there is no rule set 'XX'" in result.output
