"""Runs rule cases: JSON Lines of `id, ruleset, kind, given, expect, clauses, note`.

Each kind is turned into events or calls of the engine, and every assertion in `expect` is compared.
A key, an event or a kind that is not understood is an error, never a pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine import cards, cases_auction, cases_hand, cases_tournament, rules
from engine.caseform import CaseError, Given, Handler

__all__ = ["KINDS", "CaseError", "CaseResult", "check", "read_cases", "run"]

KINDS: Final[dict[str, Handler]] = {**cases_hand.KINDS, **cases_auction.KINDS, **cases_tournament.KINDS}
"""A handler for each kind of case; other modules of the engine add theirs here."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """`differences`: (what, expected, got). `error`: why the case could not be judged."""

    id: str
    kind: str
    ruleset: str
    differences: tuple[tuple[str, Any, Any], ...] = ()
    error: str | None = None

    @property
    def passed(self) -> bool:
        return self.error is None and not self.differences

    def report(self) -> str:
        """Nothing for a pass; else a line for each difference, expected beside got."""
        if self.error:
            return f"{self.id} ({self.ruleset} {self.kind}): {self.error}\n"
        head = f"{self.id} ({self.ruleset} {self.kind})"
        return "".join(
            f"{head}: {what}: expected {json.dumps(want)}, got {json.dumps(got)}\n"
            for what, want, got in self.differences
        )


def read_cases(path: Path | str) -> list[dict[str, Any]]:
    """The cases of a file. Raises CaseError with file, line and what to do."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise CaseError(f"{path}: cannot read these cases: {e}; check the path") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except json.JSONDecodeError as e:
            raise CaseError(f"{path}, line {number}: not a JSON object ({e.msg}); mend that line") from None
        if not isinstance(case, dict):
            raise CaseError(f"{path}, line {number}: a case is a JSON object; mend that line")
        found.append(case)
    return found


def run(cases: Iterable[dict[str, Any]]) -> list[CaseResult]:
    return [check(case) for case in cases]


def check(case: dict[str, Any]) -> CaseResult:
    """Judge one case. Never raises: what cannot be judged is an error of that case."""
    name, kind, ruleset = (str(case.get(k, "?")) for k in ("id", "kind", "ruleset"))
    try:
        unknown = sorted(set(case) - {"id", "ruleset", "kind", "given", "expect", "clauses", "note"})
        if unknown:
            raise CaseError(f"unknown key '{unknown[0]}'")
        handler = KINDS.get(kind)
        if handler is None:
            raise CaseError(f"cases of kind '{kind}' cannot be run; known: {', '.join(KINDS)}")
        given, expect = Given(case["given"]), case["expect"]
        got = handler(given, expect, rules.load(ruleset))
        if given.unused():
            raise CaseError(f"given.{given.unused()[0]} is not understood")
        differences = []
        for key, want in expect.items():
            if key not in got:
                raise CaseError(f"expect.{key} is not understood in a case of kind '{kind}'")
            if got[key] != want:
                differences.append((key, want, got[key]))
    except (CaseError, rules.RuleError, cards.CardError) as e:
        return CaseResult(name, kind, ruleset, error=str(e))
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        return CaseResult(name, kind, ruleset, error=f"the case is not of the known form: {e!r}")
    return CaseResult(name, kind, ruleset, tuple(differences))
