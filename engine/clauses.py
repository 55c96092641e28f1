"""The texts behind clause ids: what each sheet's clauses say, in our words, and the decisions D-nn.

A sheet's values name them (`RuleSet.clauses`), every sentence of the engine cites them, and a
director reads them here.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal, TypeAlias

Handling: TypeAlias = Literal["engine", "camera", "entry", "director", "none"]
"""Who carries a clause out: the engine; the camera sees it; a person enters it; the director alone;
nobody (advice)."""
SILENT: Final = "silent"
"""Stands for a source where the sheet says nothing and no decision is numbered."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a sheet. `kind`: its topic. `note`: where its wording is doubtful."""

    id: str
    section: str
    text: str
    kind: str
    handling: Handling
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A default that fills a silence or settles a doubt; a director's own sheet can say otherwise."""

    id: str
    text: str
    grounds: str


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files("engine").joinpath("law", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def clauses() -> Mapping[str, Clause]:
    """Every clause by its id, in the order in which the sheets print them."""
    return {row["id"]: Clause(**row) for row in _rows("clauses.csv")}  # type: ignore[arg-type]


@cache
def decisions() -> Mapping[str, Decision]:
    """Every decision by its id."""
    return {row["id"]: Decision(**row) for row in _rows("decisions.csv")}


def said(item: str) -> str:
    """What an id means, in a sentence; "" for an id that is not known (a director's own)."""
    if item == SILENT:
        return "the sheet says nothing; a usual default"
    if item in clauses():
        return clauses()[item].text
    return decisions()[item].text if item in decisions() else ""


def prefixes(ids: Iterable[str]) -> list[str]:
    """Which sheets these ids belong to, the most cited first."""
    counted: dict[str, int] = {}
    for item in ids:
        if item in clauses():
            prefix = item.rpartition("-")[0]
            counted[prefix] = counted.get(prefix, 0) + 1
    return sorted(counted, key=lambda p: -counted[p])
