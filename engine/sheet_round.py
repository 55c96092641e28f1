"""The sections of a rule sheet that concern the auction, the game and the tournament."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Bidding:
    minimum: int
    dropped_at: int


@dataclass(frozen=True, slots=True)
class Game:
    target: int
    both_reach: Literal["bidders"]
