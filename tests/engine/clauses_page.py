"""Where each clause is carried out, and docs/clauses.md made of it: `python tests/engine/clauses_page.py`."""

from __future__ import annotations

import json
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from engine import clauses, rules

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "clauses.md"
HANDLED = ROOT / "engine" / "law" / "handled.toml"
CASES = ROOT / "tests" / "data" / "cases.jsonl"
_TAG = re.compile(r"\b(LV|GL|WS|EC|NP|D)-(\d{2,3})(?:(?: to |\.\.)\1-(\d{2,3}))?")


@dataclass
class Cover:
    """What carries a clause: values of sheets, code that names it, entries; and what tests it."""

    values: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    code: set[str] = field(default_factory=set)
    handled: list[str] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    tests: set[str] = field(default_factory=set)

    @property
    def tested(self) -> bool:
        return bool(self.cases or self.tests)


def named(text: str) -> set[str]:
    """Clause and decision ids in a text; "LV-92 to LV-94" names three."""
    found = set()
    for prefix, first, last in _TAG.findall(text):
        found |= {f"{prefix}-{n:02}" for n in range(int(first), int(last or first) + 1)}
    return found


def coverage() -> dict[str, Cover]:
    """By clause and decision id."""
    found: dict[str, Cover] = defaultdict(Cover)
    for name in rules.available():
        for key, ids in rules.load(name).sources.items():
            for item in ids:
                found[item].values[key].append(name)
    for path in sorted((ROOT / "engine").glob("*.py")):
        for item in named(path.read_text(encoding="utf-8")):
            found[item].code.add(path.relative_to(ROOT).as_posix())
    for entry in tomllib.loads(HANDLED.read_text(encoding="utf-8"))["handled"]:
        for item in entry["clauses"]:
            found[item].handled.append(entry["by"])
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for item in case["clauses"]:
            found[item].cases.append(case["id"])
    for path in sorted((ROOT / "tests" / "engine").glob("test_*.py")):
        for item in named(path.read_text(encoding="utf-8")):
            found[item].tests.add(path.relative_to(ROOT).as_posix())
    return found


def _where(cover: Cover) -> str:
    parts = []
    for key, names in cover.values.items():
        parts.append(f"`{key}` ({', '.join(names)})")
    parts += [f"{by}" for by in cover.handled]
    parts += [f"`{path}`" for path in sorted(cover.code)]
    return "; ".join(parts) or "shown to the director"


def _tested(cover: Cover) -> str:
    return "; ".join([*cover.cases, *sorted(p.rpartition("/")[2] for p in cover.tests)])


def page() -> str:
    found = coverage()
    lines = [
        "# Clauses and decisions",
        "",
        "Made by `python tests/engine/clauses_page.py` from `engine/law/`, the rule sheets and the clauses",
        'named in the engine and its tests; a test fails when it is out of date. "shown to the director":',
        "people carry the clause out, and `bookwatch rules show` prints its text.",
    ]
    sheet = ""
    for item, c in clauses.clauses().items():
        if item.rpartition("-")[0] != sheet:
            sheet = item.rpartition("-")[0]
            lines += ["", f"## {sheet}", "", "| id | says | topic | by | carried out by | tested by |"]
            lines += ["|---|---|---|---|---|---|"]
        text = c.text.replace("|", "/")
        cover = found.get(item, Cover())
        lines.append(f"| {item} | {text} | {c.kind} | {c.handling} | {_where(cover)} | {_tested(cover)} |")
    lines += [
        "",
        "## Decisions",
        "",
        "| id | decision | grounds | where | tested by |",
        "|---|---|---|---|---|",
    ]
    for item, d in clauses.decisions().items():
        cover = found.get(item, Cover())
        lines.append(f"| {item} | {d.text} | {d.grounds} | {_where(cover)} | {_tested(cover)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE} written")
