"""`bookwatch pin`: the hash of a PIN or password, for the configuration file."""

from __future__ import annotations

import sys
from typing import Literal

import click

from device.commands.common import command, print_json
from device.errors import UserError
from device.pins import LONGEST, SHORTEST, hash_of

SETTINGS = {"director": "director_pin", "scorekeeper": "table_code"}


@click.command()
@click.option(
    "--for",
    "role",
    type=click.Choice(["director", "scorekeeper"]),
    default="director",
    show_default=True,
    help="Whom it lets in.",
)
@command
def pin(role: Literal["director", "scorekeeper"], as_json: bool) -> None:
    """Ask for a PIN or password and print the setting with its hash; nothing is stored.

    Without a terminal, the first line of the standard input is taken.
    """
    given = _given()
    if not SHORTEST[role] <= len(given) <= LONGEST:
        raise UserError(
            f"a PIN for the {role} has {SHORTEST[role]} to {LONGEST} characters",
            do="Choose another one.",
        )
    hashed = hash_of(given)
    if as_json:
        print_json({"setting": f"dashboard.{SETTINGS[role]}", "value": hashed})
        return
    click.echo("Put this into the configuration file and start the dashboard again:\n", err=True)
    click.echo(f'[dashboard]\n{SETTINGS[role]} = "{hashed}"')


def _given() -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        return str(click.prompt("PIN or password", hide_input=True, confirmation_prompt="Again", err=True))
    line = sys.stdin.readline().rstrip("\r\n") if sys.stdin is not None else ""
    if not line:
        raise UserError(
            "no PIN was given: there is no terminal to ask at, and the standard input is empty",
            do="Run it at a terminal, or send the PIN as a line.",
        )
    return line
