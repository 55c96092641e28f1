"""How people behave at harsh tables, by name: what a hand can be asked to show, alone or together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Final

from vision.simulator.script import Behaviours

BEHAVIOURS: Final[dict[str, Behaviours]] = {
    "slide": Behaviours(slides=0.7),
    "cover": Behaviours(covers=0.8),
    "straighten": Behaviours(sloppy=0.5, straightens=0.7),
    "knock": Behaviours(knocks=0.5),
    "take_back": Behaviours(corrections=2),
    "gather_early": Behaviours(early_gather=0.8),
    "lay_during_turn": Behaviours(during_turn=1.0, one_keeper=1.0),
    "two_at_once": Behaviours(doubles=2),
    "flash": Behaviours(flashes=2),
    "lean": Behaviours(leans=0.5),
}
"""Each follows from the hand's seed, and each time it happens is an `Incident` of the hand's script."""


def behaving(names: Sequence[str], base: Behaviours | None = None) -> Behaviours:
    """`base` with these behaviours added. Raises ValueError for an unknown name."""
    behaviours, plain = base or Behaviours(), Behaviours()
    for name in names:
        if name not in BEHAVIOURS:
            raise ValueError(f"'{name}' is no behaviour: use {', '.join(BEHAVIOURS)}")
        wanted = BEHAVIOURS[name]
        more = {
            f.name: max(getattr(wanted, f.name), getattr(behaviours, f.name))
            for f in fields(Behaviours)
            if getattr(wanted, f.name) != getattr(plain, f.name)
        }
        behaviours = replace(behaviours, **more)
    return behaviours
