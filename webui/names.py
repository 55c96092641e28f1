"""Words for people."""

from __future__ import annotations

from typing import Final

from engine.cards import SUIT_NAMES

TEAM_NAMES: Final[dict[str, str]] = {"NS": "North–South", "EW": "East–West"}
_MELD_NAMES: Final[dict[str, str]] = {
    "aces": "Aces around", "kings": "Kings around", "queens": "Queens around", "jacks": "Jacks around",
    "pinochle": "Pinochle", "run": "Run", "royal_marriage": "Royal marriage",
    "double_roundhouse_premium": "Double round house",
    **{f"marriage_{s}": f"Marriage in {name}" for s, name in SUIT_NAMES.items()},
}  # fmt: skip
_TIMES: Final = {1: "", 2: "Double ", 3: "Triple ", 4: "Quadruple "}


def meld_name(kind: str, sets: int) -> str:
    """Like "Double run"; marriages and rare counts as "Marriage in clubs ×2"."""
    name = _MELD_NAMES[kind]
    if sets == 1:
        return name
    if "arriage" in name or sets not in _TIMES:
        return f"{name} ×{sets}"
    return _TIMES[sets] + name[0].lower() + name[1:]
