"""`bookwatch rules`: the rule sets, what they say, how they differ, and cases checked against them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from device import rulesheet
from device.commands.common import command, print_json
from engine import cases
from engine import rules as rulesets


@click.group("rules")
def rules() -> None:
    """Rule sets: which there are, and what each says."""


@rules.command("list")
@command
def list_(as_json: bool) -> None:
    """Name every rule set."""
    sets = [rulesets.load(name) for name in rulesets.available()]
    if as_json:
        print_json([{"name": s.name, "title": s.title} for s in sets])
        return
    for s in sets:
        click.echo(f"{s.name:6} {s.title}")


@rules.command()
@click.argument("name")
@command
def show(name: str, as_json: bool) -> None:
    """Show every value of rule set NAME (or of a sheet, by its path ending in .toml) with its clauses.

    Below them, the decisions that fill what it leaves open, and the clauses that people carry out.
    """
    rule_set = rulesets.load(name)
    if as_json:
        values = rulesheet.values(rule_set)
        print_json(
            {
                "name": rule_set.name,
                "title": rule_set.title,
                "values": {v.path: {"is": v.plain, "from": v.ids} for v in values},
                "decisions": {d.id: d.text for d in rulesheet.decisions(values)},
                "for_people": {c.id: c.text for c in rulesheet.for_people(rule_set)},
            }
        )
        return
    for line in rulesheet.shown(rule_set):
        click.echo(line)


@rules.command()
@click.argument("one")
@click.argument("other")
@command
def diff(one: str, other: str, as_json: bool) -> None:
    """Show in which values two rule sets (or sheets, by path) differ, with their clauses and decisions."""
    a, b = rulesets.load(one), rulesets.load(other)
    if as_json:
        print_json(
            {
                "one": a.name,
                "other": b.name,
                "values": {
                    x.path: {"one": {"is": x.plain, "from": x.ids}, "other": {"is": y.plain, "from": y.ids}}
                    for x, y in rulesheet.differences(a, b)
                },
            }
        )
        return
    for line in rulesheet.compared(a, b):
        click.echo(line)


@rules.command()
@click.argument("file", type=click.Path(path_type=Path))
@command
@click.pass_context
def check(context: click.Context, file: Path, as_json: bool) -> None:
    """Run the rule cases of FILE (JSON Lines) and print each failure, expected beside got, and a count.

    What a case says and the engine does not know is an error, never a pass. Exit code 1: some failed.
    """
    results = cases.run(cases.read_cases(file))
    failed = [r for r in results if not r.passed]
    if as_json:
        print_json(
            {
                "cases": len(results),
                "passed": len(results) - len(failed),
                "failed": [dataclasses.asdict(r) for r in failed],
            }
        )
    else:
        for result in failed:
            click.echo(result.report(), nl=False)
        click.echo(f"{len(results)} cases, {len(results) - len(failed)} passed, {len(failed)} failed.")
    if failed or not results:
        context.exit(1)
