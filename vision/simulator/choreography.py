"""Gives a planned hand its times and places: who reaches where when, where each card comes to rest.

The result, `HandScript`, is at once what the renderer draws and the truth that it is judged by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from engine.cards import SEATS, Face, Seat
from engine.events import (
    BidMade,
    BookClosed,
    BookGathered,
    CardLaid,
    CardTakenBack,
    Event,
    HandEnded,
    HandStarted,
    MeldClosed,
    MeldLaid,
    Reading,
    TrumpNamed,
    What,
)
from vision.simulator.melding import lay_out
from vision.simulator.motions import (
    FAN_AT,
    HAND_REST,
    SEAT_ANGLE,
    Pose,
    Segment,
    Stroke,
    Track,
    as_seen,
    place,
)
from vision.simulator.playing import Book, Plan, Play, RenegeKind, plan_hand

IncidentKind: TypeAlias = Literal[
    "renege", "correction", "hesitation", "sloppy", "push", "straighten", "overlap", "early_gather"
]
STACK_AT = -128.0
PILE_AT = (222.0, -282.0)
STANDING = math.pi * 0.62


@dataclass(frozen=True, slots=True)
class Behaviours:
    """How people behave; shares are of plays (of books for pushes and early_gather), 0 to 1.

    reneges, corrections: exactly these happen. pace: 1 is a calm club table, 0.6 quick.
    overlap: the next card lands while this one still slides.
    """

    reneges: tuple[RenegeKind, ...] = ()
    corrections: int = 0
    pace: float = 1.0
    slow: float = 0.04
    sloppy: float = 0.0
    pushes: float = 0.0
    overlap: float = 0.0
    early_gather: float = 0.0


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


def play_hand(seed: int, behaviours: Behaviours | None = None) -> HandScript:
    """One whole hand from its seed. Raises NoSuchHandError if the behaviours asked for find no deal."""
    behaviours = behaviours or Behaviours()
    plan = plan_hand(seed, behaviours.reneges, behaviours.corrections)
    return _Director(HandScript(seed, plan), behaviours).run()


class _Director:
    def __init__(self, script: HandScript, behaviours: Behaviours) -> None:
        self.script, self.plan, self.b = script, script.plan, behaviours
        self.rng = np.random.default_rng([script.seed, 2])
        self.level = 0
        self._whats: list[tuple[float, int, What]] = []
        self._held = dict.fromkeys(SEATS, 20)
        script.tracks = {c: Track() for c in self.plan.faces}
        script.held = {s: [(0.0, 20)] for s in SEATS}
        # Mostly one partner keeps the team's books; at some tables each winner takes its own.
        self._keepers: dict[Seat, Seat] = {}
        own = self.rng.random() < 0.3
        for a, b in (("N", "S"), ("E", "W")):
            keeper = a if self.rng.random() < 0.5 else b
            for s in (a, b):
                self._keepers[s] = s if own else keeper  # type: ignore[index,assignment]
        self._piled = dict.fromkeys(SEATS, 0)
        self._strokes: dict[Seat, list[Stroke]] = {s: [] for s in SEATS}

    def run(self) -> HandScript:
        s = self.script
        self.note(0.0, HandStarted(f"sim-{s.seed}", "lv", self.plan.dealer, deck="double"))
        t = 0.8
        for seat, call in self.plan.calls:
            self.note(t, BidMade(seat, call))
            t += self.rng.uniform(0.5, 1.1) * self.b.pace
        t = self.meld(t + 0.6)
        leader = self.plan.bidder
        for book in self.plan.books:
            t = self.book(book, leader, t)
            leader = book.winner
        self.note(t + 0.5, HandEnded())
        s.duration = t + 2.0
        s.strokes = sorted((k for ks in self._strokes.values() for k in ks), key=lambda k: k.t0)
        s.incidents.sort(key=lambda i: i.at)
        self._whats.sort(key=lambda w: (w[0], w[1]))
        s.events = [
            Event(n, round(at, 4), what, by="system") for n, (at, _, what) in enumerate(self._whats, 1)
        ]
        return s

    # -- small words ---------------------------------------------------------------------------

    def note(self, at: float, what: What) -> None:
        self._whats.append((at, len(self._whats), what))

    def happened(
        self, kind: IncidentKind, at: float, seat: Seat, cards: tuple[str, ...], book: int, detail: str = ""
    ) -> None:
        self.script.incidents.append(Incident(kind, at, seat, cards, book, detail))

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

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
        """A stroke through `legs` (t, x, y), from and to the hand's rest; a hand still on its way back turns."""
        rest = HAND_REST[seat]
        begin: tuple[float, float, float] = (legs[0][0] - approach, *rest)
        before = self._strokes[seat]
        if before and before[-1].t1 > begin[0]:
            last = before[-1]
            t = max(begin[0], last.keys[-2][0])
            begin = (t, *last.at(t))
            before[-1] = replace(last, keys=(*(k for k in last.keys if k[0] < t), begin))
        before.append(Stroke(seat, (begin, *legs, (legs[-1][0] + leave, *rest)), flat))

    # -- meld ----------------------------------------------------------------------------------

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
            cards = [c for g in self.plan.meld[seat] for c in g]
            if cards:
                done.append(self.pick_up(seat, cards, counted + 0.05 + self.rng.uniform(0, 1.0)))
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
            track.add(Segment(begin, t1 + 0.02, pose, _near_angle(pose, squared), level, "smooth"))
            hand = self.in_fan(seat)
            track.add(Segment(t1 + 0.02, t2, track.last.b, hand, level, "smooth", arc=30, into_hand=True))
        self.holds(seat, len(cards), t2)
        grab = place(seat, hi + 15, -268)
        near = self.grip(seat, home)
        out = place(seat, FAN_AT[0] + 10, FAN_AT[1] - 8)
        self.reach(seat, [(t, *grab), (t1, *near), (t2, *out)], 0.45, 0.3, flat=True)
        return t2

    # -- play ----------------------------------------------------------------------------------

    def book(self, book: Book, leader: Seat, t: float) -> float:
        """Four cards, then gathered. `t`: when the leader may begin. Returns when the next may."""
        on_table: list[str] = []
        rests: list[float] = []
        ready = t
        late: tuple[Play, str] | None = None
        for n, play in enumerate(book.plays):
            think = self.rng.uniform(0.15, 0.6) * self.b.pace
            if n and self.chance(self.b.slow):
                think += self.rng.uniform(2.5, 6.0)
                self.happened("hesitation", ready + think, play.seat, (play.card,), book.number)
            overlapping = bool(n) and play.taken_back is None and late is None and self.chance(self.b.overlap)
            start = ready + think
            if overlapping:
                # Land while the last card still slides; it must come to rest first, so order stays true.
                start = rests[-1] - self.rng.uniform(0.5, 0.6) * self.b.pace - 0.12
            if play.taken_back:
                wrong_rest = self.lay(play.seat, play.taken_back, start, book.number, on_table, rests)
                if n < 3 and self.chance(0.3):
                    late = (play, play.taken_back)
                    ready = wrong_rest
                    rests.append(wrong_rest)
                    continue
                ready = self.take_back(play, wrong_rest + self.rng.uniform(0.7, 2.2), book.number)
                start = ready + self.rng.uniform(0.3, 0.9)
            rest = self.lay(play.seat, play.card, start, book.number, on_table, rests, overlapping)
            on_table.append(play.card)
            rests.append(rest)
            if overlapping:
                self.happened("overlap", rest, play.seat, (play.card,), book.number)
            if play.renege:
                self.happened("renege", rest, play.seat, (play.card,), book.number, play.renege)
            ready = rest - 0.12 * self.b.pace
            if late:
                # The next player has played already; the mended card belongs ahead of that one.
                earlier, _ = late
                late = None
                back = self.take_back(earlier, rest + self.rng.uniform(0.5, 1.5), book.number)
                rest = self.lay(
                    earlier.seat,
                    earlier.card,
                    back + self.rng.uniform(0.3, 0.9),
                    book.number,
                    on_table,
                    rests,
                    before=play.card,
                )
                on_table.append(earlier.card)
                rests.append(rest)
                ready = rest
        if self.chance(self.b.pushes):
            ready = max(ready, self.push(book, max(rests) + 0.1))
        early = self.chance(self.b.early_gather)
        wait = self.rng.uniform(0.0, 0.1) if early else self.rng.uniform(0.7, 1.6) * self.b.pace
        begin = max(self.script.tracks[p.card].last.t1 for p in book.plays) + wait
        if early:
            self.happened("early_gather", begin, self._keepers[book.winner], tuple(on_table), book.number)
        return self.gather(book, begin, early)

    def lay(
        self,
        seat: Seat,
        card: str,
        t: float,
        book: int,
        on_table: list[str],
        rests: list[float],
        overlapping: bool = False,
        before: str | None = None,
    ) -> float:
        """A hand lays one card at about time `t`; returns when it came to rest."""
        sloppy = self.chance(self.b.sloppy)
        target = self.spot(seat, sloppy)
        carry = self.rng.uniform(0.5, 0.72) * self.b.pace
        slide = self.rng.uniform(0.12, 0.24) + (0.15 if self.b.overlap else 0.0)
        length = self.rng.uniform(8, 22) + (self.rng.uniform(15, 40) if sloppy or self.b.overlap else 0)
        touch = t + carry
        rest = touch + slide
        if overlapping:
            rest = max(rest, rests[-1] + 0.08)
        dx, dy = place(seat, 0.0, -length)
        landing = target._replace(x=target.x + dx, y=target.y + dy, angle=target.angle + self.spread(5))
        start = self.in_fan(seat)
        way = math.hypot(landing.x - start.x, landing.y - start.y)
        level = self.next_level()
        track = self.script.tracks[card]
        first = Segment(
            t, touch, start, landing, level, "carry", arc=22, out=2 * length / (rest - touch) * carry / way
        )
        track.add(first)
        track.add(Segment(touch, rest, landing, target, level, "brake"))
        self.holds(seat, -1, t)
        self.reach(seat, self.follow(seat, first), 0.3 * self.b.pace + 0.05, 0.4 * self.b.pace + 0.1)
        self.note(rest, CardLaid(card, seat, self.reading(card), before=before))
        if sloppy:
            self.happened("sloppy", rest, seat, (card,), book)
        return rest

    def spot(self, seat: Seat, sloppy: bool) -> Pose:
        if sloppy:
            u, v = self.spread(40), -self.rng.uniform(15, 120)
            angle = self.rng.uniform(-75, 75)
        else:
            u, v, angle = self.spread(7), -74 + self.spread(7), self.spread(7)
        return Pose(*place(seat, u, v), SEAT_ANGLE[seat] + angle)

    def take_back(self, play: Play, t: float, book: int) -> float:
        """The wrong card goes back into the hand. Returns when it is there."""
        card = play.taken_back
        assert card is not None
        track = self.script.tracks[card]
        lying = track.last.b
        hand = self.in_fan(play.seat)
        t1 = t + 0.7
        track.add(
            Segment(
                t, t1, lying, _near_angle(lying, hand), track.last.level, "smooth", arc=25, into_hand=True
            )
        )
        keys = [(t - 0.15, *self.grip(play.seat, lying)), (t, *self.grip(play.seat, lying))]
        keys += [(t + 0.1 * n, *self.grip(play.seat, track.last.at(t + 0.1 * n))) for n in range(1, 8)]
        self.reach(play.seat, keys, 0.45, 0.3)
        self.note(t + 0.05, CardTakenBack(card))
        self.happened("correction", t, play.seat, (card, play.card), book)
        self.holds(play.seat, 1, t1)
        return t1

    def push(self, book: Book, t: float) -> float:
        """Somebody pushes or straightens a card that lies. Returns when the hand has left."""
        play = book.plays[int(self.rng.integers(4))]
        track = self.script.tracks[play.card]
        lying = track.last.b
        u, _ = as_seen(play.seat, lying.x, lying.y)
        straighten = abs(u) > 20 or self.chance(0.4)
        if straighten:
            target = self.spot(play.seat, sloppy=False)
        else:
            du, dv = place(play.seat, self.spread(22), self.spread(22))
            target = lying._replace(x=lying.x + du, y=lying.y + dv, angle=lying.angle + self.spread(25))
        t0, t1 = t + 0.4, t + 0.4 + 0.45 * self.b.pace
        track.add(Segment(t0, t1, lying, _near_angle(lying, target), track.last.level, "smooth"))
        legs = [
            (t0 + (t1 - t0) * f, *self.grip(play.seat, track.last.at(t0 + (t1 - t0) * f)))
            for f in (0, 0.33, 0.66, 1)
        ]
        self.reach(play.seat, legs, 0.4, 0.45)
        self.happened("straighten" if straighten else "push", t0, play.seat, (play.card,), book.number)
        return t1 + 0.2

    def gather(self, book: Book, t: float, early: bool) -> float:
        """Draw the book together, turn it over, put it on the pile. Returns when the next book may begin."""
        seat = self._keepers[book.winner]
        pace = self.b.pace * (0.75 if early else 1.0)
        reach, sweep, turning, push = (
            0.45 * pace + 0.05,
            0.45 * pace + 0.1,
            0.35 * pace + 0.1,
            0.3 * pace + 0.1,
        )
        t0 = t + (0.0 if early else reach)
        t1, t2 = t0 + sweep, t0 + sweep + turning
        t3 = t2 + push
        cards = [p.card for p in book.plays]
        lying = {c: self.script.tracks[c].last.b for c in cards}
        far = max(as_seen(seat, p.x, p.y)[1] for p in lying.values()) + 20
        near = STACK_AT
        pile = self.pile_pose(seat)
        squared = Pose(*place(seat, self.spread(8), near), SEAT_ANGLE[seat] + self.spread(5))
        order = sorted(cards, key=lambda c: self.script.tracks[c].last.level)
        for n, card in enumerate(order):
            track, pose = self.script.tracks[card], lying[card]
            v = as_seen(seat, pose.x, pose.y)[1]
            begin = t0 + 0.75 * sweep * float(np.clip((far - v) / (far - near), 0, 1))
            loose = squared._replace(
                x=squared.x + self.spread(3),
                y=squared.y + self.spread(3),
                angle=squared.angle + self.spread(4),
            )
            track.add(Segment(begin, t1, pose, _near_angle(pose, loose), track.last.level, "smooth"))
            turned = loose._replace(turn=math.pi, angle=track.last.b.angle)
            # Turned over, the lowest card of the book lies on top.
            level = self.level + 4 - n
            track.add(Segment(t1, t2, track.last.b, turned, level, "smooth", arc=35))
            x, y = pile.x + self.spread(1.2), pile.y + self.spread(1.2)
            end = _near_angle(turned, pile._replace(x=x, y=y, angle=pile.angle + self.spread(1.5)))
            track.add(Segment(t2, t3, turned, end, level, "smooth", arc=4))
        self.level += 4
        hand = [
            (t0, *place(seat, 0, far + 10)),
            (t1, *self.grip(seat, squared)),
            (t2, *self.grip(seat, squared)),
            (t3, *self.grip(seat, pile)),
        ]
        self.reach(seat, hand, reach, 0.4 * pace + 0.1, flat=True)
        self.note(t2, BookClosed(book.number, "turned"))
        self.note(t3, BookGathered(book.number, seat))
        return t2 + self.rng.uniform(0.05, 0.5) * self.b.pace

    def pile_pose(self, seat: Seat) -> Pose:
        """Where the next book goes: each crosswise over the last, so that they can be counted."""
        n = self._piled[seat]
        self._piled[seat] += 1
        x, y = place(seat, PILE_AT[0] + self.spread(4), PILE_AT[1] + self.spread(4))
        return Pose(x, y, SEAT_ANGLE[seat] + 90 * (n % 2) + self.spread(4), 1.2 * n, math.pi)

    # -- hands ---------------------------------------------------------------------------------

    def grip(self, seat: Seat, pose: Pose) -> tuple[float, float]:
        """Fingertips for holding a card in this pose: on its near half."""
        du, dv = place(seat, 4.0, -14.0)
        return pose.x + du, pose.y + dv

    def follow(self, seat: Seat, segment: Segment) -> list[tuple[float, float, float]]:
        count = max(4, math.ceil((segment.t1 - segment.t0) / 0.1))
        times = [segment.t0 + (segment.t1 - segment.t0) * n / count for n in range(count + 1)]
        return [(t, *self.grip(seat, segment.at(t))) for t in times]


def _near_angle(a: Pose, b: Pose) -> Pose:
    """`b` with its angle written so that turning there from `a` takes the short way round."""
    return b._replace(angle=a.angle + (b.angle - a.angle + 180) % 360 - 180)
