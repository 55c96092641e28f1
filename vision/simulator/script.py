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
    "slide",
    "cover",
    "knock",
    "lean",
    "flash",
    "two_at_once",
    "lay_during_turn",
]


@dataclass(frozen=True, slots=True)
class Behaviours:
    """How people behave. Shares are of plays, or of books where it can happen once in each; 0 to 1.

    reneges, corrections, drops: exactly these happen (drops: cards that fall face up and are taken
    up again). pace: 1 is a calm club table, 0.6 quick. slow: hesitations. sloppy: cards that land
    far off and askew. pushes: a lying card is pushed or straightened. overlap: the next card lands
    while this one still slides. early_gather: the book is drawn in as soon as it is full.
    one_keeper: how likely one partner takes all of a team's books. linger: the
    hand stays on the card that it laid. fidgets: a hand reaches over the table for nothing.

    Harsher ones (`vision.simulator.named` has them by name): slides: a card is slid a long way over the
    table to its place. covers: a card comes to lie on an index of the one before it. straightens: a card
    that lies askew is put straight. knocks: an arm moves all that lies. leans: a forearm lies over the
    middle for seconds. during_turn: the leader lays while a partner still turns the last book. flashes,
    doubles: exactly so often a card is shown from a hand without being played, or comes along beneath
    the card that is laid and is taken up again.
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
    slides: float = 0.0
    covers: float = 0.0
    straightens: float = 0.0
    knocks: float = 0.0
    leans: float = 0.0
    during_turn: float = 0.0
    flashes: int = 0
    doubles: int = 0


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
