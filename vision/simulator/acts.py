"""Single actions of play: lay a card, take it back, push one, drop one, gather a book."""

from __future__ import annotations

import math

import numpy as np

from engine.cards import Seat
from engine.events import BookClosed, BookGathered, CardExposed, CardLaid, CardTakenBack
from vision.simulator.crew import near_angle
from vision.simulator.mishaps import MishapActs
from vision.simulator.motions import SEAT_ANGLE, Pose, Segment, as_seen, place
from vision.simulator.playing import Book, Play

STACK_AT = -128.0
"""Where a gathered book is squared up before it is turned, as the gatherer sees it (v)."""
PILE_AT = (222.0, -282.0)
"""Where a gatherer's pile of books lies, as its seat sees it (u, v)."""


class BookActs(MishapActs):
    """Each action adds its movements and events, and returns when it is over."""

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
        covered = on_table[-1] if on_table and not overlapping and self.sometimes(self.b.covers) else None
        if covered:
            target = self.covering(seat, self.script.tracks[covered].last.b, target)
        carry = self.rng.uniform(0.5, 0.72) * self.b.pace
        slide = self.rng.uniform(0.12, 0.24) + (0.15 if self.b.overlap else 0.0)
        length = self.rng.uniform(8, 22) + (self.rng.uniform(15, 40) if sloppy or self.b.overlap else 0)
        slid = self.sometimes(self.b.slides)
        if slid:
            length += self.rng.uniform(50, 110)
            slide += self.rng.uniform(0.25, 0.45) * self.b.pace
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
        legs = self.follow(seat, first)
        if self.chance(self.b.linger):
            # Slid to its place under the fingers, which then stay for a while.
            hold = rest + self.rng.uniform(0.3, 0.9)
            legs += [(rest, *self.grip(seat, target)), (hold, *self.grip(seat, target))]
            self.happened("linger", rest, seat, (card,), book)
        self.reach(seat, legs, 0.3 * self.b.pace + 0.05, 0.4 * self.b.pace + 0.1)
        self.note(rest, CardLaid(card, seat, self.reading(card), before=before))
        if sloppy:
            self.happened("sloppy", rest, seat, (card,), book)
        if slid:
            self.happened("slide", rest, seat, (card,), book)
        if covered:
            self.happened("cover", rest, seat, (card, covered), book)
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
            Segment(t, t1, lying, near_angle(lying, hand), track.last.level, "smooth", arc=25, into_hand=True)
        )
        keys = [(t - 0.15, *self.grip(play.seat, lying)), (t, *self.grip(play.seat, lying))]
        keys += [(t + 0.1 * n, *self.grip(play.seat, track.last.at(t + 0.1 * n))) for n in range(1, 8)]
        self.reach(play.seat, keys, 0.45, 0.3)
        self.note(t + 0.05, CardTakenBack(card))
        self.happened("correction", t, play.seat, (card, play.card), book)
        self.holds(play.seat, 1, t1)
        return t1

    def drop(self, seat: Seat, card: str, t: float, book: int) -> float:
        """A card falls face up before its player, who takes it up again."""
        start = self.in_fan(seat)
        x, y = place(seat, self.rng.uniform(-150, 50), -305 + self.spread(14))
        lying = Pose(x, y, SEAT_ANGLE[seat] + self.rng.uniform(-50, 50))
        fall, track, level = 0.32, self.script.tracks[card], self.next_level()
        track.add(Segment(t, t + fall, start, lying, level, "even", arc=20))
        self.holds(seat, -1, t)
        self.note(t + fall, CardExposed(card, seat, self.reading(card), "dropped"))
        self.happened("drop", t + fall, seat, (card,), book)
        t0 = t + fall + self.rng.uniform(0.8, 1.6)
        back = Segment(t0, t0 + 0.6, lying, near_angle(lying, start), level, "smooth", arc=20, into_hand=True)
        track.add(back)
        self.reach(seat, self.follow(seat, back), 0.4, 0.3)
        self.holds(seat, 1, back.t1)
        return back.t1 + 0.3

    def fidget(self, seat: Seat, t: float, book: int) -> None:
        """A hand comes over the table and goes again, as when somebody points or flicks a crumb away."""
        x, y = place(seat, self.rng.uniform(-130, 130), -self.rng.uniform(90, 220))
        hold = self.rng.uniform(0.1, 0.4)
        self.reach(
            seat, [(t, x, y), (t + hold, x + self.spread(12), y + self.spread(12))], 0.4, 0.4, flat=True
        )
        self.happened("fidget", t, seat, (), book)

    def askew(self, book: Book) -> Play | None:
        """The play whose card lies most askew, if one does."""

        def off(play: Play) -> float:
            return abs((self.script.tracks[play.card].last.b.angle - SEAT_ANGLE[play.seat] + 180) % 360 - 180)

        worst = max(book.plays, key=off)
        return worst if off(worst) > 20 else None

    def push(self, book: Book, t: float, askew: Play | None = None) -> float:
        """Somebody pushes a card that lies, or straightens it (`askew`). Returns when the hand has left."""
        play = askew or book.plays[int(self.rng.integers(4))]
        track = self.script.tracks[play.card]
        lying = track.last.b
        u, _ = as_seen(play.seat, lying.x, lying.y)
        straighten = askew is not None or abs(u) > 20 or self.chance(0.4)
        if straighten:
            target = self.spot(play.seat, sloppy=False)
        else:
            du, dv = place(play.seat, self.spread(22), self.spread(22))
            target = lying._replace(x=lying.x + du, y=lying.y + dv, angle=lying.angle + self.spread(25))
        t0, t1 = t + 0.4, t + 0.4 + 0.45 * self.b.pace
        track.add(Segment(t0, t1, lying, near_angle(lying, target), track.last.level, "smooth"))
        legs = [
            (t0 + (t1 - t0) * f, *self.grip(play.seat, track.last.at(t0 + (t1 - t0) * f)))
            for f in (0, 0.33, 0.66, 1)
        ]
        self.reach(play.seat, legs, 0.4, 0.45)
        self.happened("straighten" if straighten else "push", t0, play.seat, (play.card,), book.number)
        return t1 + 0.2

    def gather(self, book: Book, t: float, early: bool, crossed: bool = False) -> float:
        """Draw the book together, turn it over, put it on the pile. Returns when the next book may begin.

        `crossed`: its leader will lay while it is being turned; the book's end is told by that card.
        """
        seat = self.gatherer = self._keepers[book.winner]
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
            track.add(Segment(begin, t1, pose, near_angle(pose, loose), track.last.level, "smooth"))
            turned = loose._replace(turn=math.pi, angle=track.last.b.angle)
            # Turned over, the lowest card of the book lies on top.
            level = self.level + 4 - n
            track.add(Segment(t1, t2, track.last.b, turned, level, "smooth", arc=35))
            x, y = pile.x + self.spread(1.2), pile.y + self.spread(1.2)
            end = near_angle(turned, pile._replace(x=x, y=y, angle=pile.angle + self.spread(1.5)))
            track.add(Segment(t2, t3, turned, end, level, "smooth", arc=4))
        self.level += 4
        hand = [
            (t0, *place(seat, 0, far + 10)),
            (t1, *self.grip(seat, squared)),
            (t2, *self.grip(seat, squared)),
            (t3, *self.grip(seat, pile)),
        ]
        self.reach(seat, hand, reach, 0.4 * pace + 0.1, flat=True)
        self.note(t3, BookGathered(book.number, seat))
        if crossed:
            self.turning = book.number, t2
            return t1 + self.rng.uniform(0.0, 0.6) * turning - 0.62 * self.b.pace - 0.18
        self.note(t2, BookClosed(book.number, "turned"))
        return t2 + self.rng.uniform(0.05, 0.5) * self.b.pace

    def pile_pose(self, seat: Seat) -> Pose:
        """Where the next book goes: each crosswise over the last, so that they can be counted."""
        n = self._piled[seat]
        self._piled[seat] += 1
        x, y = place(seat, PILE_AT[0] + self.spread(4), PILE_AT[1] + self.spread(4))
        return Pose(x, y, SEAT_ANGLE[seat] + 90 * (n % 2) + self.spread(4), 1.2 * n, math.pi)
