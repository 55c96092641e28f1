"""`bookwatch doctor`: what is wrong, in plain words."""

from __future__ import annotations

import dataclasses

import click

from device import health
from device.commands.common import command, print_json
from device.config import Settings

MARKS = {"ok": "ok     ", "info": "info   ", "warning": "WARNING", "issue": "ISSUE  "}


@click.command()
@click.option("--camera", help="Also try this source (as for `watch`).")
@command
@click.pass_obj
def doctor(settings: Settings, camera: str | None, as_json: bool) -> None:
    """Look at everything a table needs and say what is wrong. Exit code 2 if anything must be mended."""
    findings = health.examine(settings, camera)
    worst = health.worst(findings)
    if as_json:
        print_json({"worst": worst, "findings": [dataclasses.asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            click.echo(f"{MARKS[finding.level]}  {finding.subject}: {finding.text}")
            if finding.do:
                click.echo(f"         {finding.do}")
    if worst == "issue":
        click.get_current_context().exit(2)
