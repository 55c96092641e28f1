"""The four people at the table: what any of their actions needs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.cards import SEATS, Seat
from engine.events import Reading, What
from vision.simulator.motions import (
    FAN_AT,
    HAND_REST,
    SEAT_ANGLE,
    STANDING,
    Pose,
    Segment,
    Stroke,
    Track,
    place,
)
from vision.simulator.script import Behaviours, HandScript, Incident, IncidentKind


class Crew:
    """Moves hands, notes events, and knows what each player holds. Levels count upwards as cards are laid."""

    def __init__(self, script: HandScript, behaviours: Behaviours) -> None:
        self.script, self.plan, self.b = script, script.plan, behaviours
        self.rng = np.random.default_rng([script.seed, 2])
        self.level = 0
        self._whats: list[tuple[float, int, What]] = []
        self._held = dict.fromkeys(SEATS, 20)
        script.tracks = {c: Track() for c in self.plan.faces}
        script.held = {s: [(0.0, 20)] for s in SEATS}
        # The winner takes its own books (LV-86); at some tables one partner keeps the team's (GL-28).
        self._keepers: dict[Seat, Seat] = {}
        own = self.rng.random() >= self.b.one_keeper
        for a, b in (("N", "S"), ("E", "W")):
            keeper = a if self.rng.random() < 0.5 else b
            for s in (a, b):
                self._keepers[s] = s if own else keeper  # type: ignore[index,assignment]
        self.gatherer: Seat | None = None
        # The book, and when it will be turned, where the next one's leader does not wait for that.
        self.turning: tuple[int, float] | None = None
        self._piled = dict.fromkeys(SEATS, 0)
        self._strokes: dict[Seat, list[Stroke]] = {s: [] for s in SEATS}

    def note(self, at: float, what: What) -> None:
        self._whats.append((at, len(self._whats), what))

    def happened(
        self, kind: IncidentKind, at: float, seat: Seat, cards: tuple[str, ...], book: int, detail: str = ""
    ) -> None:
        self.script.incidents.append(Incident(kind, at, seat, cards, book, detail))

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def sometimes(self, share: float) -> bool:
        """Like `chance`; what is never asked for leaves the other choices of a hand as they are."""
        return share > 0 and self.chance(share)

    def spread(self, size: float) -> float:
        return float(np.clip(self.rng.normal(0, size), -2 * size, 2 * size))

    def reading(self, card: str) -> Reading:
        return Reading(self.plan.faces[card])

    def holds(self, seat: Seat, change: int, at: float) -> None:
        self._held[seat] += change
        self.script.held[seat].append((at, self._held[seat]))

    def next_level(self) -> int:
        self.level += 1
        return self.level

    def in_fan(self, seat: Seat) -> Pose:
        u = FAN_AT[0] + self.spread(22)
        x, y = place(seat, u, FAN_AT[1])
        return Pose(x, y, SEAT_ANGLE[seat] - u * 0.4, 45.0, 0.0, STANDING)

    def reach(
        self,
        seat: Seat,
        legs: list[tuple[float, float, float]],
        approach: float,
        leave: float,
        flat: bool = False,
    ) -> None:
        """A stroke through `legs` (t, x, y), from and to rest; a hand still on its way back turns round."""
        rest = HAND_REST[seat]
        begin: tuple[float, float, float] = (legs[0][0] - approach, *rest)
        before = self._strokes[seat]
        if before and before[-1].t1 > begin[0]:
            last = before[-1]
            t = min(max(begin[0], last.keys[-2][0]), legs[0][0] - 0.05)
            begin = (t, *last.at(t))
            before[-1] = replace(last, keys=(*(k for k in last.keys if k[0] < t), begin))
        before.append(Stroke(seat, (begin, *legs, (legs[-1][0] + leave, *rest)), flat))

    def grip(self, seat: Seat, pose: Pose) -> tuple[float, float]:
        """Fingertips for holding a card in this pose: on its near half."""
        du, dv = place(seat, 4.0, -14.0)
        return pose.x + du, pose.y + dv

    def follow(self, seat: Seat, segment: Segment) -> list[tuple[float, float, float]]:
        count = max(4, math.ceil((segment.t1 - segment.t0) / 0.1))
        times = [segment.t0 + (segment.t1 - segment.t0) * n / count for n in range(count + 1)]
        return [(t, *self.grip(seat, segment.at(t))) for t in times]


def near_angle(a: Pose, b: Pose) -> Pose:
    """`b` with its angle written so that turning there from `a` takes the short way round."""
    return b._replace(angle=a.angle + (b.angle - a.angle + 180) % 360 - 180)
