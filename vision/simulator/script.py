"""A simulated hand as a timeline: what is drawn, and the exact record that goes with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine.cards import Face, Seat
from engine.events import Event
from vision.simulator.motions import Stroke, Track
from vision.simulator.playing import Plan, RenegeKind

IncidentKind: TypeAlias = Literal[
    "renege",
    "correction",
    "hesitation",
    "sloppy",
    "push",
    "straighten",
    "overlap",
    "early_gather",
    "drop",
    "linger",
    "fidget",
]


@dataclass(frozen=True, slots=True)
class Behaviours:
    """How people behave. Shares are of plays (of books for pushes, early_gather and fidgets), 0 to 1.

    reneges, corrections, drops: exactly these happen (drops: cards that fall face up and are taken
    up again). pace: 1 is a calm club table, 0.6 quick. slow: hesitations. sloppy: cards that land
    far off and askew. pushes: a lying card is pushed or straightened. overlap: the next card lands
    while this one still slides. early_gather: the book is drawn in as soon as it is full.
    one_keeper: how likely one partner takes all of a team's books. linger: the
    hand stays on the card that it laid. fidgets: a hand reaches over the table for nothing.
    """

    reneges: tuple[RenegeKind, ...] = ()
    corrections: int = 0
    drops: int = 0
    pace: float = 1.0
    slow: float = 0.04
    sloppy: float = 0.0
    pushes: float = 0.0
    overlap: float = 0.0
    early_gather: float = 0.0
    one_keeper: float = 0.0
    linger: float = 0.08
    fidgets: float = 0.06


@dataclass(frozen=True, slots=True)
class Incident:
    """Something out of the ordinary that was made to happen, for tests and evaluation."""

    kind: IncidentKind
    at: float
    seat: Seat
    cards: tuple[str, ...] = ()
    book: int | None = None
    detail: str = ""


@dataclass
class HandScript:
    """A hand as a timeline. `events` is the exact record; `tracks` and `strokes` are what is drawn."""

    seed: int
    plan: Plan
    events: list[Event] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    tracks: dict[str, Track] = field(default_factory=dict)
    strokes: list[Stroke] = field(default_factory=list)
    held: dict[Seat, list[tuple[float, int]]] = field(default_factory=dict)
    duration: float = 0.0

    @property
    def faces(self) -> dict[str, Face]:
        """Card id to face, for all eighty cards."""
        return self.plan.faces

    @property
    def hands(self) -> dict[Seat, tuple[str, ...]]:
        """The twenty cards dealt to each seat, for checking."""
        return self.plan.hands
