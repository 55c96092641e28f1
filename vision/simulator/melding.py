"""Meld: rows and fans of overlapping cards before each player, laid, counted and picked up again."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.cards import SEATS, Seat
from engine.events import MeldClosed, MeldLaid, TrumpNamed
from vision.simulator.crew import Crew, near_angle
from vision.simulator.motions import FAN_AT, SEAT_ANGLE, Pose, Segment, as_seen, place

CARD_WIDTH = 63.5
ROWS = (-216.0, -316.0)
"""How far from the centre the rows lie, as the seat sees them (v)."""
WIDEST = (330.0, 420.0)
FAN_RADIUS = 135.0


def lay_out(rng: np.random.Generator, seat: Seat, sizes: Sequence[int]) -> list[list[Pose]]:
    """Poses for groups of these sizes, each card overlapping the one before so that its corner shows.

    Groups fill the row nearer to the centre first. A row that would be too wide is pushed closer
    together, as people do.
    """
    step = float(rng.uniform(17, 24))
    fans = bool(rng.random() < 0.4)
    rows: list[list[int]] = [[], []]
    row = 0
    for n, size in enumerate(sizes):
        used = sum(_width(sizes[m], step) + 10 for m in rows[row])
        if row == 0 and used + _width(size, step) > WIDEST[0]:
            row = 1
        rows[row].append(n)
    poses: dict[int, list[Pose]] = {}
    for v, widest, members in zip(ROWS, WIDEST, rows, strict=True):
        if not members:
            continue
        gap = float(rng.uniform(6, 16))
        fixed = len(members) * CARD_WIDTH + gap * (len(members) - 1)
        steps = sum(sizes[m] - 1 for m in members)
        tight = min(step, (widest - fixed) / steps) if steps else step
        total = fixed + tight * steps
        u = -total / 2 + float(rng.normal(0, 6))
        for m in members:
            width = _width(sizes[m], tight)
            middle, depth = u + width / 2, v + float(rng.normal(0, 3))
            lean = float(rng.normal(0, 2.5))
            fan = fans and sizes[m] >= 3
            poses[m] = [
                _pose(rng, seat, middle, depth, lean, k, sizes[m], tight, fan) for k in range(sizes[m])
            ]
            u += width + gap
    return [poses[n] for n in range(len(sizes))]


def _width(size: int, step: float) -> float:
    return CARD_WIDTH + (size - 1) * step


def _pose(
    rng: np.random.Generator,
    seat: Seat,
    u: float,
    v: float,
    lean: float,
    k: int,
    size: int,
    step: float,
    fan: bool,
) -> Pose:
    along = (k - (size - 1) / 2) * step
    if fan:
        a = along / FAN_RADIUS
        du, dv, angle = FAN_RADIUS * math.sin(a), FAN_RADIUS * (math.cos(a) - 1), -math.degrees(a)
    else:
        du, dv, angle = along, along * math.sin(math.radians(lean)), 0.0
    jitter = rng.normal(0, 1.0, 3)
    x, y = place(seat, u + du + float(jitter[0]), v + dv + float(jitter[1]))
    return Pose(x, y, SEAT_ANGLE[seat] + angle + lean + float(jitter[2]))


class MeldActs(Crew):
    """The meld phase."""

    def meld(self, t: float) -> float:
        """All four lay at once; the bidder's first marriage fixes trump. Returns when all is picked up."""
        ends = [t + 2.0]
        for seat in SEATS:
            now = t + (0.0 if seat == self.plan.bidder else self.rng.uniform(0.6, 2.5) * self.b.pace)
            groups = self.plan.meld[seat]
            spots = lay_out(self.rng, seat, [len(g) for g in groups])
            for n, (cards, poses) in enumerate(zip(groups, spots, strict=True)):
                rest = self.lay_group(seat, cards, poses, now)
                if seat == self.plan.bidder and n == 0:
                    self.note(rest + 0.01, TrumpNamed(self.plan.trump, seat))
                now = rest + self.rng.uniform(0.5, 1.3) * self.b.pace
                ends.append(now)
        counted = max(ends) + self.rng.uniform(3.5, 6.0) * max(self.b.pace, 0.6)
        self.note(counted, MeldClosed())
        done = [counted + 1.0]
        for seat in SEATS:
            melded = [c for g in self.plan.meld[seat] for c in g]
            if melded:
                done.append(self.pick_up(seat, melded, counted + 0.05 + self.rng.uniform(0, 1.0)))
        return max(done) + 0.8

    def lay_group(self, seat: Seat, cards: tuple[str, ...], poses: list[Pose], t: float) -> float:
        """One hand brings a few cards and spreads them. Returns the time at which they lie."""
        carry, fan_out = 0.7 * self.b.pace, (0.15 + 0.09 * len(cards)) * self.b.pace
        touch, start = t + carry, self.in_fan(seat)
        self.holds(seat, -len(cards), t)
        legs: list[tuple[float, float, float]] = []
        for n, (card, end) in enumerate(zip(cards, poses, strict=True)):
            squared = poses[0]._replace(x=poses[0].x + 0.6 * n, y=poses[0].y + 0.4 * n)
            level = self.next_level()
            track = self.script.tracks[card]
            track.add(Segment(t, touch, start, squared, level, "carry", arc=25, out=0.0))
            begun = touch + fan_out * n / (len(cards) + 1)
            rest = touch + fan_out * (n + 1.0) / len(cards)
            track.add(Segment(touch, max(rest, begun + 0.05), squared, end, level, "smooth"))
            rest = track.last.t1
            self.note(rest, MeldLaid(card, seat, self.reading(card)))
            legs.append((rest, *self.grip(seat, end)))
        first = self.script.tracks[cards[0]].segments[0]
        legs = self.follow(seat, first) + [leg for leg in legs if leg[0] > touch + 0.02]
        self.reach(seat, legs, 0.3, 0.45 * self.b.pace + 0.1)
        return max(self.script.tracks[c].last.t1 for c in cards)

    def pick_up(self, seat: Seat, cards: list[str], t: float) -> float:
        """Sweep a seat's meld together and take it back into the hand. Returns when the hand holds it."""
        home = Pose(*place(seat, self.spread(15), -262), SEAT_ANGLE[seat])
        ends = [self.script.tracks[c].last.b for c in cards]
        us = [as_seen(seat, p.x, p.y)[0] for p in ends]
        lo, hi = min(us), max(us)
        sweep = 0.55 * self.b.pace + 0.25
        t1, t2 = t + sweep, t + sweep + 0.55 * self.b.pace + 0.2
        for card, pose, u in zip(cards, ends, us, strict=True):
            begin = t + 0.8 * sweep * (hi - u) / max(hi - lo, 40.0)
            track, level = self.script.tracks[card], self.script.tracks[card].last.level
            squared = home._replace(
                x=home.x + self.spread(3), y=home.y + self.spread(3), angle=home.angle + self.spread(4)
            )
            track.add(Segment(begin, t1 + 0.02, pose, near_angle(pose, squared), level, "smooth"))
            hand = self.in_fan(seat)
            track.add(Segment(t1 + 0.02, t2, track.last.b, hand, level, "smooth", arc=30, into_hand=True))
        self.holds(seat, len(cards), t2)
        grab = place(seat, hi + 15, -268)
        near = self.grip(seat, home)
        out = place(seat, FAN_AT[0] + 10, FAN_AT[1] - 8)
        self.reach(seat, [(t, *grab), (t1, *near), (t2, *out)], 0.45, 0.3, flat=True)
        return t2
