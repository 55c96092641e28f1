"""How cards and hands move: poses in table millimetres, and tracks of poses over video time."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from engine.cards import SEATS, Seat

SEAT_ANGLE: dict[Seat, float] = {"S": 0.0, "E": 90.0, "N": 180.0, "W": 270.0}
"""Degrees anticlockwise by which a seat's own view is turned from South's."""


class Pose(NamedTuple):
    """Where a card is. x, y, z: its middle, millimetres; angle: degrees anticlockwise, 0 = upright for South.

    turn: radians about its long axis, 0 = face up, pi = face down; tip: radians about its short
    axis, as a card stands in a fan.
    """

    x: float
    y: float
    angle: float = 0.0
    z: float = 0.0
    turn: float = 0.0
    tip: float = 0.0


def place(seat: Seat, u: float, v: float) -> tuple[float, float]:
    """Table millimetres of a point as the seat sees it: u to its right, v away from it, from the centre."""
    a = math.radians(SEAT_ANGLE[seat])
    return u * math.cos(a) - v * math.sin(a), u * math.sin(a) + v * math.cos(a)


def as_seen(seat: Seat, x: float, y: float) -> tuple[float, float]:
    """The inverse of `place`."""
    a = math.radians(SEAT_ANGLE[seat])
    return x * math.cos(a) + y * math.sin(a), -x * math.sin(a) + y * math.cos(a)


Ease: TypeAlias = Literal["smooth", "carry", "brake", "even"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A card's movement from `a` to `b`. What it does later is the next segment's affair.

    level: stacking order where it comes to rest, higher lies on top. arc: how far it is lifted in
    between. into_hand: at the end it is in its player's hand and not to be seen. out: for "carry",
    the speed at the end as a multiple of the mean speed, so that a slide can follow without a jerk.
    """

    t0: float
    t1: float
    a: Pose
    b: Pose
    level: int
    ease: Ease = "smooth"
    arc: float = 0.0
    out: float = 0.0
    into_hand: bool = False

    def at(self, t: float) -> Pose:
        s = min(max((t - self.t0) / max(self.t1 - self.t0, 1e-6), 0.0), 1.0)
        if self.ease == "smooth":
            f = s * s * (3 - 2 * s)
        elif self.ease == "carry":
            f = (3 - self.out) * s * s + (self.out - 2) * s**3
        elif self.ease == "brake":
            f = 1 - (1 - s) ** 2
        else:
            f = s
        a, b = self.a, self.b
        pose = [p + (q - p) * f for p, q in zip(a, b, strict=True)]
        pose[3] += self.arc * math.sin(math.pi * f)
        # A card is turned face up in the first part of its way, before anyone could lay it.
        if a.tip and not b.tip:
            pose[5] = a.tip * max(0.0, 1 - f / 0.45)
        return Pose(*pose)


@dataclass(frozen=True, slots=True)
class CardState:
    """A card at a moment. `still` means that nothing is moving it."""

    pose: Pose
    level: int
    still: bool


class Track:
    """All movements of one card. Before the first it is in its player's hand, unseen."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._starts: list[float] = []

    def add(self, segment: Segment) -> None:
        """Append in time order. Starting before the last one ended cuts that one short where it is."""
        if self.segments and segment.t0 < self.segments[-1].t0:
            raise ValueError(f"a movement at {segment.t0:.2f} s after one at {self.segments[-1].t0:.2f} s")
        self.segments.append(segment)
        self._starts.append(segment.t0)

    @property
    def last(self) -> Segment:
        return self.segments[-1]

    def at(self, t: float) -> CardState | None:
        """None while the card is in a hand or in the deck."""
        n = bisect_right(self._starts, t) - 1
        if n < 0:
            return None
        segment = self.segments[n]
        if t < segment.t1:
            return CardState(segment.at(t), segment.level, still=False)
        if segment.into_hand:
            return None
        return CardState(segment.b, segment.level, still=True)


@dataclass(frozen=True, slots=True)
class Stroke:
    """One movement of a player's playing hand: (time, x, y) of the fingertips, from rest to rest.

    `flat`: an open hand that sweeps, else a hand that holds a card.
    """

    seat: Seat
    keys: tuple[tuple[float, float, float], ...]
    flat: bool = False

    @property
    def t0(self) -> float:
        return self.keys[0][0]

    @property
    def t1(self) -> float:
        return self.keys[-1][0]

    def at(self, t: float) -> tuple[float, float]:
        keys = self.keys
        if t <= keys[0][0]:
            return keys[0][1:]
        for (ta, xa, ya), (tb, xb, yb) in itertools.pairwise(keys):
            if t < tb:
                f = (t - ta) / (tb - ta)
                # Long legs are eased, the short ones already follow an eased card.
                if tb - ta > 0.15:
                    f = f * f * (3 - 2 * f)
                return xa + (xb - xa) * f, ya + (yb - ya) * f
        return keys[-1][1:]


HAND_REST: dict[Seat, tuple[float, float]] = {s: place(s, 88.0, -446.0) for s in SEATS}
"""Where the fingertips of a playing hand wait, beside the held fan."""
FAN_AT = (0.0, -412.0)
"""Where a player holds the cards, as its seat sees it (u, v)."""
STANDING = math.pi * 0.62
"""How far a card in the hand is tipped up: its back is to be seen from above."""
