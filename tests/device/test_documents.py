"""What people read about the machine says what the machine does."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import get_args

import click

from device.cli import main
from engine import notation
from engine.events import Event, Reading, What

ROOT = Path(__file__).parents[2]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def keys(kind: type) -> list[str]:
    """Keys of a kind as docs/log.md writes them: `?` where there is a default."""
    return [
        f"`{field.name}`{'' if field.default is dataclasses.MISSING else '?'}"
        for field in dataclasses.fields(kind)
    ]


def test_every_kind_of_event_is_documented_with_its_keys() -> None:
    rows = {
        cells[1].strip(" `"): cells[2].strip()
        for line in (ROOT / "docs" / "log.md").read_text(encoding="utf-8").splitlines()
        if len(cells := line.split("|")) == 5 and cells[1].strip().startswith("`")
    }
    assert rows == {snake(kind.__name__): ", ".join(keys(kind)) or "none" for kind in get_args(What)}


def test_the_documents_example_is_a_log_and_a_reading_has_these_keys() -> None:
    text = (ROOT / "docs" / "log.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("{")]
    events = notation.parse_log(line + "\n" for line in lines)
    assert [(type(event), event.seq) for event in events] == [(Event, 1), (Event, 2)]
    assert f"A `reading` has {', '.join(keys(Reading))}:" in text


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
