"""What goes wrong or crosswise at a table: knocks, leaning arms, cards flashed, two laid for one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.cards import Seat
from engine.events import CardExposed
from vision.simulator.crew import Crew, near_angle
from vision.simulator.motions import SEAT_ANGLE, Pose, Segment, as_seen, place

INDEX_AT = (25.0, 36.0)
"""About how far the middle of a corner index lies from the card's middle: across and along it, mm."""
FLASHED_AT = (0.0, -330.0)
"""Where a flashed card hangs in the air before its player, as the seat sees it (u, v)."""


class MishapActs(Crew):
    """Each adds its movements and events, and returns when it is over."""

    def covering(self, seat: Seat, lying: Pose, own: Pose) -> Pose:
        """A place for `seat`'s card on that index of a lying card that is nearest to its own place."""
        corners = []
        for side in (-1, 1):
            a = math.radians(lying.angle)
            u, v = side * -INDEX_AT[0], side * INDEX_AT[1]
            corners.append(
                (lying.x + u * math.cos(a) - v * math.sin(a), lying.y + u * math.sin(a) + v * math.cos(a))
            )
        x, y = min(corners, key=lambda c: math.hypot(c[0] - own.x, c[1] - own.y))
        way = math.hypot(own.x - x, own.y - y)
        # Its middle stays on its own player's side of that index, which then lies well within the card.
        back = min(way, 16.0) / max(way, 1e-6)
        return own._replace(
            x=x + (own.x - x) * back + self.spread(3), y=y + (own.y - y) * back + self.spread(3)
        )

    def knock(self, seat: Seat, cards: Sequence[str], t: float, book: int) -> float:
        """An arm brushes over the lying cards and takes them along a little. Returns when it has left."""
        begin, sweep = t + 0.35, 0.4 * self.b.pace
        du, dv = self.rng.choice((-1, 1)) * self.rng.uniform(10, 26), self.rng.uniform(-6, 14)
        ends = begin + sweep
        lying = {c: self.script.tracks[c].last.b for c in cards}
        us = {c: as_seen(seat, p.x, p.y)[0] for c, p in lying.items()}
        first = min(us.values()) if du > 0 else max(us.values())
        for card, pose in lying.items():
            track = self.script.tracks[card]
            start = begin + min(abs(us[card] - first) / 400.0, 0.5) * sweep
            share = self.rng.uniform(0.6, 1.2)
            dx, dy = place(seat, du * share, dv * share)
            moved = pose._replace(
                x=pose.x + dx, y=pose.y + dy, angle=pose.angle + float(self.rng.uniform(-14, 14))
            )
            end = start + sweep * self.rng.uniform(0.45, 0.7)
            track.add(Segment(start, end, pose, moved, track.last.level, "brake"))
            ends = max(ends, end)
        side = math.copysign(1.0, du)
        legs = [
            (begin, *place(seat, first - side * 50, -30)),
            (begin + sweep, *place(seat, first + side * 120, -20)),
        ]
        self.reach(seat, legs, 0.35, 0.4, flat=True)
        self.happened("knock", begin, seat, tuple(cards), book)
        return ends + 0.1

    def lean(self, seat: Seat, t: float, book: int) -> None:
        """A forearm lies over the middle of the table for a while."""
        x, y = place(seat, self.rng.uniform(-60, 60), self.rng.uniform(20, 110))
        hold = self.rng.uniform(1.2, 2.6)
        legs = [(t, x, y), (t + hold / 2, x + self.spread(8), y + self.spread(8))]
        legs.append((t + hold, x + self.spread(8), y + self.spread(8)))
        self.reach(seat, legs, 0.5, 0.45, flat=True)
        self.happened("lean", t, seat, (), book, f"{hold:.2f} s")

    def flash(self, seat: Seat, card: str, t: float, book: int) -> float:
        """A card is held up so that its face can be seen, and put back. Returns when it is in the hand."""
        start, track, level = self.in_fan(seat), self.script.tracks[card], self.next_level()
        x, y = place(seat, FLASHED_AT[0] + self.spread(40), FLASHED_AT[1] + self.spread(10))
        shown = Pose(x, y, SEAT_ANGLE[seat] + self.spread(12), 70.0, 0.0, 0.15)
        up = t + 0.4
        down = up + self.rng.uniform(0.5, 1.0)
        rise = Segment(t, up, start, shown, level)
        back = Segment(down, down + 0.4, shown, near_angle(shown, start), level, into_hand=True)
        track.add(rise)
        track.add(back)
        self.holds(seat, -1, t)
        self.reach(seat, [*self.follow(seat, rise), *self.follow(seat, back)], 0.2, 0.3)
        self.holds(seat, 1, back.t1)
        self.note(up, CardExposed(card, seat, self.reading(card), "flashed"))
        self.happened("flash", up, seat, (card,), book)
        return back.t1 + 0.2

    def with_another(self, seat: Seat, card: str, extra: str, book: int) -> float:
        """`extra` came along with `card`, which has just been laid; it is taken up again at once."""
        laid, track, level = self.script.tracks[card], self.script.tracks[extra], self.next_level()
        du, dv = self.rng.choice((-1, 1)) * self.rng.uniform(15, 26), self.rng.uniform(8, 20)
        dx, dy = place(seat, du, dv)
        turned = float(self.rng.uniform(4, 12)) * -math.copysign(1.0, du)

        def beside(pose: Pose, share: float) -> Pose:
            return pose._replace(
                x=pose.x + dx * share, y=pose.y + dy * share, angle=pose.angle + turned * share
            )

        carry, slide = laid.segments[-2:]
        for segment, share in ((carry, 0.5), (slide, 1.0)):
            a = track.last.b if track.segments and segment is slide else segment.a
            track.add(
                Segment(
                    segment.t0,
                    segment.t1,
                    a,
                    beside(segment.b, share),
                    level,
                    segment.ease,
                    segment.arc,
                    segment.out,
                )
            )
        self.holds(seat, -1, carry.t0)
        self.note(slide.t1, CardExposed(extra, seat, self.reading(extra), "dropped"))
        self.happened("two_at_once", slide.t1, seat, (card, extra), book)
        lying, hand = track.last.b, self.in_fan(seat)
        t = slide.t1 + self.rng.uniform(0.7, 1.4)
        back = Segment(t, t + 0.6, lying, near_angle(lying, hand), level, arc=25, into_hand=True)
        track.add(back)
        keys = [(t - 0.15, *self.grip(seat, lying)), *self.follow(seat, back)]
        self.reach(seat, keys, 0.4, 0.3)
        self.holds(seat, 1, back.t1)
        return back.t1
