"""`bookwatch rules`: the rule sets."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from device.commands.common import command, print_json
from engine import rules as rulesets
from engine.rules import Award, RuleSet


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


def _plain(value: Any) -> Any:
    if isinstance(value, Award):
        return {side: [str(term) for term in getattr(value, side)] for side in ("bidders", "others")}
    return list(value) if isinstance(value, tuple) else value


def _values(rule_set: RuleSet) -> list[tuple[str, Any, tuple[str, ...]]]:
    """Every value as (section.key, plain value, clause ids)."""
    return [
        (
            f"{section.name}.{key.name}",
            _plain(getattr(table, key.name)),
            rule_set.clauses(f"{section.name}.{key.name}"),
        )
        for section in dataclasses.fields(rule_set)
        if dataclasses.is_dataclass(table := getattr(rule_set, section.name))
        for key in dataclasses.fields(table)
    ]


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{side} {' + '.join(terms) or 'nothing'}" for side, terms in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


@rules.command()
@click.argument("name")
@command
def show(name: str, as_json: bool) -> None:
    """Show every value of rule set NAME (or of a sheet, by its path ending in .toml) with its clauses."""
    rule_set = rulesets.load(name)
    values = _values(rule_set)
    if as_json:
        print_json(
            {
                "name": rule_set.name,
                "title": rule_set.title,
                "values": {key: {"is": value, "from": clauses} for key, value, clauses in values},
            }
        )
        return
    click.echo(f"{rule_set.name}: {rule_set.title}")
    width = max(len(key) for key, _, _ in values)
    for key, value, clauses in values:
        click.echo(f"  {key:{width}}  {_words(value)}  [{', '.join(clauses)}]")
