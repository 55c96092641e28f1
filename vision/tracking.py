"""Physical cards over time: a card pushed, straightened or partly covered stays the same card.

Cards are kept in table millimetres. A card that lies still is known again by where its indices are
printed, to a few millimetres; so four identical copies beside each other are never confused. A card
whose place was disturbed is known again by face and nearness, else its place must be seen bare
before it counts as gone. Until then nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.motion import Motion, Region, Spot
from vision.sightings import (
    AGREE,
    AGREE_MOVED,
    DISAGREE,
    SAME_PLACE,
    Card,
    Sighting,
    State,
    again_of,
    agreement,
    displacement,
    is_of,
    merged,
    normalised,
    printed_at,
    reaches,
)
from vision.table import Doubles, Table
from vision.visits import Visits

FARTHEST = 260.0
"""Millimetres a card may be pushed while nobody looks."""
LONGEST = 3.0
"""Seconds in which a card may be away and still be the same card pushed."""
DISTURBED = 0.25
"""Share of a card's visible part that must have changed for it to be in doubt."""
BARE = 0.75
PLAIN = 0.35
"""Share of a card's place that looks like the bare table though it lies there: that tells nothing then."""
OFTEN_MISSED = 2
"""Looks in which such a card is not seen, after which it is gone."""
AWAY = 0.5
"""Seconds in which a card whose place is bare may still turn up where it was pushed to."""
NOTHING, READS_WELL = 0.6, 0.9
PALE = 0.75
"""How light a table must be, against its cards, for a card to look like the bare table."""
EXPLAINED = 0.85
"""Share of a place that must be nothing new for a card read there to be none."""
MOVING = 0.4
LEAST_VISIBLE = 0.12
SLID = 0.2
"""How likely a card that was seen only as it slid lay there before."""


@dataclass(slots=True)
class Update:
    """What one look at a part of the table taught: cards new, pushed, and gone from there."""

    new: list[Card] = field(default_factory=list)
    moved: list[Card] = field(default_factory=list)
    gone: list[Card] = field(default_factory=list)


class Tracker:
    """The cards that lie on the table."""

    def __init__(self, table: Table, motion: Motion, visits: Visits) -> None:
        self.table, self._motion, self._visits = table, motion, visits
        self.cards: list[Card] = []
        """All that lie there as far as known, lowest first."""
        self._level = 0

    # -- places ---------------------------------------------------------------------------------

    def spot(self, card: Card) -> Spot:
        """The part of the plan where the card is to be seen: not what lies above it."""
        plan = self._motion.plan
        above = [plan.spot(c.polygon) for c in self.cards if c.level > card.level and c is not card]
        return plan.without(plan.spot(card.polygon), above)

    def spots(self) -> list[Spot]:
        """Where cards lie."""
        return [self._motion.plan.spot(c.polygon) for c in self.cards]

    def drop(self, card: Card) -> None:
        card.state = State.GONE
        self.cards = [c for c in self.cards if c is not card]

    def adopt(self, sighting: Sighting, seen_at: float, now: float) -> Card:
        """A card that was on the table and is on its way by now."""
        card = Card(
            sighting.polygon, sighting.anchors, self._next_level(), seen_at, seen_at, seen_at, seen_at
        )
        self._saw(card, sighting, seen_at, moved=True)
        card.state, card.disturbed_at, card.late = State.UNSURE, now, SLID
        self.cards.append(card)
        return card

    def renewed(self, old: Card) -> Card:
        """Another card, in the place of one that was taken for it; what was read since is of the new one."""
        spot = self._motion.plan.spot(old.polygon)
        card = Card(
            old.polygon, old.anchors, old.level, old.settled_at, self._motion.arrived(spot),
            self._motion.rested(spot), old.last_seen,
        )  # fmt: skip
        card.evidence, card.looks, card.settled_at = old.evidence.last(), 1, old.settled_at
        self.drop(old)
        self.cards.append(card)
        return card

    # -- one look -------------------------------------------------------------------------------

    def look(self, sightings: Sequence[Sighting], region: Region, at: float) -> Update:
        """Take in what was read where something settled. Call before `Motion.accept` of the region."""
        update = Update()
        read = self.read_with(region)
        sightings = [s for s in merged(sightings) if _near(s.polygon, region, 0.0) or is_of(read, s)]
        concerned = [c for c in self.cards if _near(c.polygon, region, 45.0)]
        concerned += [c for c in read if not any(c is d for d in concerned)]
        disturbed: list[Card] = []
        calm: list[Card] = []
        for card in concerned:
            visible = self.spot(card)
            share = self._motion.share_changed(visible)
            if card.state is State.LIES and share < DISTURBED:
                calm.append(card)
            else:
                disturbed.append(card)
        left = list(range(len(sightings)))
        for card, s in self._match(calm, sightings, left, by_face=False):
            self._saw(card, sightings[s], at, moved=False)
            left.remove(s)
        strayed = []
        for card in calm:
            if card.last_seen != at and any(card is c for c in read):
                card.missed += 1
                if card.plain and self._is_clear(card):
                    strayed.append(card)
        found = self._match(disturbed, sightings, left, by_face=True)
        for card, s in found:
            self._saw(card, sightings[s], at, moved=False)
            left.remove(s)
        disturbed = [c for c in disturbed if not any(c is f for f, _ in found)]
        for card in disturbed:
            if card.plain and any(card is c for c in read) and self._is_clear(card):
                card.missed += 1
        moving = [sightings[s] for s in left if self._is_moving(sightings[s])]
        left = [s for s in left if not any(sightings[s] is m for m in moving)]
        for card in disturbed:
            if card.disturbed_at is None or any(
                agreement(card.evidence.probabilities, normalised(m.seen)) > AGREE for m in moving
            ):
                card.disturbed_at = at
        left = [s for s in left if not again_of(calm, sightings[s])]
        away = disturbed + strayed + ([c for c in self.cards if self._is_away(c, concerned)] if left else [])
        for card, s in self._pushed(away, sightings, left, at):
            sighting = sightings[s]
            card.polygon, card.anchors = sighting.polygon, sighting.anchors
            card.level = self._next_level()
            self._saw(card, sighting, at, moved=True)
            update.moved.append(card)
            left.remove(s)
        remaining = [c for c in disturbed if not any(c is m for m in update.moved)]
        remaining += [c for c in calm if c.missed > 1 and not any(c is m for m in update.moved)]
        update.new = self._new([sightings[s] for s in left], at)
        update.gone = self._judge(remaining)
        self.cards.sort(key=lambda c: c.level)
        return update

    def read_with(self, region: Region) -> list[Card]:
        """Cards to be read along with a region: plain ones too, for no plan tells whether they lie there."""
        return [
            c
            for c in self.cards
            if _near(c.polygon, region, 0.0) or (c.plain and self.table.area(c.centre) == "play")
        ]

    def _is_clear(self, card: Card) -> bool:
        """Whether nothing moves over the card and not much lies on it."""
        visible = self.spot(card)
        whole = self._motion.plan.spot(card.polygon).area
        return visible.area > 0.5 * whole and self._motion.share_active(visible) == 0

    def _since_disturbed(self, card: Card) -> float:
        return self._motion.at - card.disturbed_at if card.disturbed_at is not None else np.inf

    def _is_moving(self, sighting: Sighting) -> bool:
        return self._motion.share_active(self._motion.plan.spot(sighting.polygon)) > MOVING

    def _is_away(self, card: Card, concerned: list[Card]) -> bool:
        """Whether a card elsewhere on the table has left its place, as far as the plan tells."""
        if any(card is c for c in concerned):
            return False
        if card.state is State.UNSURE:
            return True
        visible = self.spot(card)
        return visible.area > 0 and self._motion.share_changed(visible) > 2 * DISTURBED

    def recheck(self) -> list[Card]:
        """Cards in doubt of which it is now plain that they are gone."""
        doubtful = [c for c in self.cards if c.state in (State.UNSURE, State.COVERED)]
        return self._judge(doubtful) if doubtful else []

    def _judge(self, cards: list[Card]) -> list[Card]:
        """Sort out cards whose place was disturbed and that were not seen again."""
        gone = []
        for card in cards:
            visible = self.spot(card)
            whole = self._motion.plan.spot(card.polygon).area
            if visible.area < LEAST_VISIBLE * max(whole, 1):
                card.state = State.COVERED
                continue
            if self._motion.share_active(visible) > 0.3:
                card.state = State.UNSURE
                continue
            if card.plain:
                if card.missed >= OFTEN_MISSED and self._is_clear(card):
                    gone.append(card)
                    self.drop(card)
                continue
            bare = self._motion.share_bare(visible)
            if bare is not None and bare > BARE and self._since_disturbed(card) >= AWAY:
                gone.append(card)
                self.drop(card)
            elif card.state is not State.LIES or card.disturbed_at is not None:
                card.state = State.UNSURE
        return gone

    def _match(
        self, cards: Sequence[Card], sightings: Sequence[Sighting], free: Sequence[int], by_face: bool
    ) -> list[tuple[Card, int]]:
        """Cards seen again where they lay."""
        if not cards or not free:
            return []
        cost = np.full((len(cards), len(free)), 99.0)
        for i, card in enumerate(cards):
            for j, s in enumerate(free):
                cost[i, j] = displacement(card, sightings[s]) / SAME_PLACE
                agrees = agreement(card.evidence.probabilities, normalised(sightings[s].seen))
                if by_face and agrees < DISAGREE:
                    cost[i, j] = 99.0
                cost[i, j] += 0.3 * (1 - agrees)
        rows, columns = linear_sum_assignment(np.minimum(cost, 9.0))
        return [(cards[i], free[j]) for i, j in zip(rows, columns, strict=True) if cost[i, j] < 1.3]

    def _pushed(
        self, cards: Sequence[Card], sightings: Sequence[Sighting], free: Sequence[int], at: float
    ) -> list[tuple[Card, int]]:
        """Cards seen again elsewhere: the same face, not far, not long after."""
        cards = [c for c in cards if at - (at if c.disturbed_at is None else c.disturbed_at) < LONGEST]
        if not cards or not free:
            return []
        cost = np.full((len(cards), len(free)), 99.0)
        for i, card in enumerate(cards):
            for j, s in enumerate(free):
                far = float(np.hypot(*(sightings[s].centre - card.centre)))
                agrees = agreement(card.evidence.probabilities, normalised(sightings[s].seen))
                if agrees > AGREE_MOVED and far < FARTHEST:
                    cost[i, j] = far / FARTHEST + (1 - agrees)
        rows, columns = linear_sum_assignment(np.minimum(cost, 9.0))
        return [(cards[i], free[j]) for i, j in zip(rows, columns, strict=True) if cost[i, j] < 2]

    def _new(self, sightings: Sequence[Sighting], at: float) -> list[Card]:
        """Cards that were not there before, in the order in which they came to rest."""
        plan = self._motion.plan
        born: list[Card] = []
        for s in sorted(sightings, key=lambda s: -s.seen.probability):
            spot = plan.spot(s.polygon)
            if again_of(born, s) or self._is_nothing(s, spot, born):
                continue
            arrived, rested = self._motion.arrived(spot), self._motion.rested(spot)
            bare = self._motion.share_bare(spot)
            born.append(Card(s.polygon, s.anchors, 0, at, arrived, rested, at))
            born[-1].plain = bare is not None and bare > PLAIN
            born[-1].late = self._visits.late(spot, self._motion.share_changed(spot))
            self._saw(born[-1], s, at, moved=True)
        born.sort(key=lambda c: (c.rested, c.arrived))
        for card in born:
            card.level = self._next_level()
        self.cards += born
        return born

    def _is_nothing(self, sighting: Sighting, spot: Spot, born: Sequence[Card]) -> bool:
        """Whether a card read at a place cannot be there: the place is bare, or shows what it did before.

        In a tight row a card missed at first looks so too, and a white card on white cloth; they are
        believed if they read well.
        """
        bare = self._motion.share_bare(spot)
        if bare is not None and bare > NOTHING:
            alone = not any(reaches(c, sighting) for c in (*self.cards, *born))
            return not (alone and self._is_pale(spot) and sighting.seen.probability >= READS_WELL)
        lying = [c for c in self.cards if c.state is State.LIES]
        if self._motion.share_changed(spot) < DISTURBED and any(printed_at(c, sighting) for c in lying):
            return True  # an index half covered reads as anything
        others = [self._motion.plan.spot(c.polygon) for c in lying]
        known = self._motion.share_explained(spot, others) > EXPLAINED
        return known and sighting.seen.probability < READS_WELL

    def _is_pale(self, spot: Spot) -> bool:
        """Whether what is to be seen there is nearly as light as the cards that lie on the table."""
        now = self._motion.now
        lying = [self._motion.plan.spot(c.polygon) for c in self.cards if c.state is State.LIES]
        paper = [np.percentile(now[s.rows, s.columns][s.mask], 75) for s in lying if s.area]
        if not paper or not spot.area:
            return True
        return bool(np.median(now[spot.rows, spot.columns][spot.mask]) > PALE * np.median(paper))

    def _saw(self, card: Card, sighting: Sighting, at: float, moved: bool) -> None:
        card.evidence.add(sighting.seen, moved)
        card.looks += 1
        card.missed = 0
        if moved or card.state is not State.LIES:
            card.settled_at = at
        card.last_seen = at
        card.state = State.LIES
        card.disturbed_at = None
        if not moved and len(sighting.anchors) > len(card.anchors):
            card.polygon, card.anchors = sighting.polygon, sighting.anchors

    def _next_level(self) -> int:
        self._level += 1
        return self._level


def _near(polygon: Doubles, region: Region, margin: float) -> bool:
    low, high = polygon.min(axis=0) - margin, polygon.max(axis=0) + margin
    return bool((low <= region.high).all() and (high >= region.low).all())
