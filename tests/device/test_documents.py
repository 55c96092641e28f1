"""What people read about the machine says what the machine does."""

from __future__ import annotations

import re
from pathlib import Path

import click

from device.cli import main

ROOT = Path(__file__).parents[2]


def test_the_readme_names_every_command_and_no_other() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `bookwatch (\w+)", readme, re.MULTILINE))
    assert named == set(main.list_commands(click.Context(main)))


def test_every_command_explains_itself_and_speaks_json() -> None:
    def check(command: click.Command) -> None:
        assert command.help
        if isinstance(command, click.Group):
            for inner in command.commands.values():
                check(inner)
            return
        options = {option for parameter in command.params for option in parameter.opts}
        assert {"--json", "--debug"} <= options
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help or parameter.name in {"condition", "width", "height", "fps"}

    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        check(command)
