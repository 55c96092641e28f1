"""What a rule case gives, and what the engine makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from engine.cards import Team
from engine.rules import RuleSet

Got: TypeAlias = dict[str, Any]
"""What the engine found, by the keys that a case may expect."""


class Given:
    """What a case gives; knows which of its keys were used."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._used: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def __getitem__(self, key: str) -> Any:
        if key not in self._data:
            raise CaseError(f"given.{key} is missing")
        self._used.add(key)
        return self._data[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self._data else default

    def with_prefix(self, prefix: str) -> list[tuple[str, Any]]:
        """Keys like `aces_played_by_E`: what follows the prefix, and the value."""
        return [(k[len(prefix) :], self[k]) for k in self._data if k.startswith(prefix)]

    def unused(self) -> list[str]:
        return sorted(set(self._data) - self._used)


class CaseError(ValueError):
    """A case that cannot be read or run; the message says what is not understood."""


def teams(table: dict[str, int] | None) -> dict[Team, int]:
    """Amounts by team; a team left out has 0."""
    table = table or {}
    return {"NS": table.get("NS", 0), "EW": table.get("EW", 0)}


Handler: TypeAlias = Callable[[Given, dict[str, Any], RuleSet], Got]
"""Runs the cases of one kind: what is given, what is expected (for facts that cases put there), the rules."""
