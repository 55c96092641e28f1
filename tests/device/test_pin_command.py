from __future__ import annotations

import json
import tomllib

from click.testing import CliRunner

from device.cli import main
from device.config import Settings
from device.pins import matches


def test_the_printed_line_is_the_setting_and_holds_no_pin() -> None:
    done = CliRunner().invoke(main, ["pin"], input="open sesame\nopen sesame\n")
    assert done.exit_code == 0
    assert "open sesame" not in done.output
    settings = Settings.model_validate(tomllib.loads(done.stdout))
    hashed = settings.dashboard.director_pin
    assert hashed
    assert matches("open sesame", hashed)
    assert not matches("open sesam", hashed)
    assert not matches("", hashed)
    assert not matches("x" * 1000, hashed)


def test_a_table_code_may_be_shorter() -> None:
    done = CliRunner().invoke(main, ["pin", "--for", "scorekeeper", "--json"], input="4711\n4711\n")
    assert json.loads(done.stdout)["setting"] == "dashboard.table_code"
    assert CliRunner().invoke(main, ["pin"], input="4711\n4711\n").exit_code == 2


def test_without_a_terminal_one_line_is_taken_and_none_is_told() -> None:
    done = CliRunner().invoke(main, ["pin", "--json"], input="open sesame\n")
    assert matches("open sesame", json.loads(done.stdout)["value"])
    nothing = CliRunner().invoke(main, ["pin"], input="")
    assert nothing.exit_code == 2
    assert "no PIN was given" in nothing.stderr
