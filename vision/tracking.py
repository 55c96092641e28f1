"""Physical cards over time: a card pushed, straightened or partly covered stays the same card.

Cards are kept in table millimetres. A card that lies still is known again by where its indices are
printed, to a few millimetres; so four identical copies beside each other are never confused. A card
whose place was disturbed is known again by face and nearness, else its place must be seen bare
before it counts as gone. Until then nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.cards import ALL_FACES, Face
from vision.cards import combine
from vision.motion import Motion, Region, Spot
from vision.table import Doubles, Table
from vision.types import NOT_AN_INDEX, CardSeen, Image
from vision.visits import Visits

SAME_PLACE = 9.0
"""Millimetres within which an index is printed where it was before."""
SAME_MIDDLE = 26.0
FAR_CORNER = 38.0
"""Millimetres by which the middles of one card, told from opposite corners, may differ at worst."""
SAME_WAY = 30.0
"""Degrees by which one index may be read turned: a small index tells its direction badly."""
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
EXPLAINED = 0.85
"""Share of a place that must be nothing new for a card read there to be none."""
MOVING = 0.4
LEAST_VISIBLE = 0.12
SLID = 0.2
"""How likely a card that was seen only as it slid lay there before."""
AGREE, AGREE_MOVED, DISAGREE = 0.5, 0.75, 0.15
_FLOOR = 0.002
"""How often a reading is wrong in ways that its probabilities do not know of."""


class State(Enum):
    LIES = "lies"
    UNSURE = "unsure"
    """Its place was disturbed and it was not seen again yet."""
    COVERED = "covered"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A card read in one picture, on the table: polygon (4, 2) in mm and its indices (x, y, degrees)."""

    seen: CardSeen
    polygon: Doubles
    anchors: Doubles

    @property
    def centre(self) -> Doubles:
        return np.asarray(self.polygon.mean(axis=0))

    @property
    def angle(self) -> float:
        """Degrees anticlockwise from North of the direction that the card is upright in; of 180, no more."""
        return float(self.anchors[0, 2]) % 180


def sight(seen: CardSeen, table: Table) -> Sighting:
    """Place a card of the picture on the table."""
    tops = table.mm([r.box.top for r in seen.indices])
    feet = table.mm([r.box.foot for r in seen.indices])
    up = tops - feet
    anchors = np.column_stack(((tops + feet) / 2, np.degrees(np.arctan2(-up[:, 0], up[:, 1]))))
    return Sighting(seen, table.mm(seen.polygon), anchors)


def normalised(seen: CardSeen) -> Doubles:
    """Probabilities (52,) over ALL_FACES of one reading, with room for what it does not know."""
    p = seen.probabilities[:NOT_AN_INDEX].astype(np.float64)
    possible = p > 0
    p = p / max(p.sum(), 1e-12)
    return np.asarray((1 - _FLOOR) * p + _FLOOR * possible / max(possible.sum(), 1))


def agreement(a: Doubles, b: Doubles) -> float:
    """How well two distributions over faces agree, 0 to 1 (Bhattacharyya)."""
    return float(np.sqrt(a * b).sum())


class Evidence:
    """All readings of one physical card, as log-probabilities over ALL_FACES.

    Looks at a card that lay still in between share their errors (the same glare, the same shadow):
    n of them weigh as the square root of n, and no more than three do.
    """

    def __init__(self) -> None:
        self._poses: list[tuple[Doubles, int]] = []
        self.foreign = 0

    def add(self, seen: CardSeen, moved: bool) -> None:
        self.foreign += 1 if seen.foreign else -1
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(normalised(seen)), -25.0)
        if moved or not self._poses:
            self._poses.append((logs, 1))
        else:
            total, n = self._poses[-1]
            self._poses[-1] = (total + logs, n + 1)

    def take(self, other: Evidence) -> None:
        """Add what is known of the same card from elsewhere."""
        self._poses += other._poses

    @property
    def logs(self) -> Doubles:
        return np.asarray(sum(total / n * min(n, 3) ** 0.5 for total, n in self._poses))

    @property
    def probabilities(self) -> Doubles:
        weights = np.exp(self.logs - self.logs.max())
        return np.asarray(weights / weights.sum())


@dataclass(slots=True)
class Card:
    """A physical card on the table. `level`: higher lies on top. Times in seconds."""

    polygon: Doubles
    anchors: Doubles
    level: int
    first_seen: float
    arrived: float
    rested: float
    last_seen: float
    evidence: Evidence = field(default_factory=Evidence)
    state: State = State.LIES
    looks: int = 0
    missed: int = 0
    """Looks since the last sighting in which it should have been seen and was not."""
    disturbed_at: float | None = None
    settled_at: float = -np.inf
    """When it was last found in its place after a disturbance, or elsewhere."""
    picture: Image | None = None
    picture_worth: float = 0.0
    late: float = 0.0
    """How likely it is that it lay there before it seemed to have come."""
    plain: bool = False
    """It can hardly be told from the bare table but by reading it."""

    @property
    def centre(self) -> Doubles:
        return np.asarray(self.polygon.mean(axis=0))

    @property
    def angle(self) -> float:
        return float(self.anchors[0, 2]) % 180

    @property
    def face(self) -> Face:
        return ALL_FACES[int(np.argmax(self.evidence.logs))]


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

    # -- one look -------------------------------------------------------------------------------

    def look(self, sightings: Sequence[Sighting], region: Region, at: float) -> Update:
        """Take in what was read where something settled. Call before `Motion.accept` of the region."""
        update = Update()
        read = self.read_with(region)
        sightings = [s for s in merged(sightings) if _near(s.polygon, region, 0.0) or _is_of(read, s)]
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
        left = [s for s in left if not _again_of(calm, sightings[s])]
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
            if _again_of(born, s) or self._is_nothing(s, spot, born):
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
            alone = not any(_reaches(c, sighting) for c in (*self.cards, *born))
            return not (alone and sighting.seen.probability >= READS_WELL)
        lying = [c for c in self.cards if c.state is State.LIES]
        if self._motion.share_changed(spot) < DISTURBED and any(_printed_at(c, sighting) for c in lying):
            return True  # an index half covered reads as anything
        others = [self._motion.plan.spot(c.polygon) for c in lying]
        known = self._motion.share_explained(spot, others) > EXPLAINED
        return known and sighting.seen.probability < READS_WELL

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


def displacement(a: Card | Sighting, b: Sighting) -> float:
    """By how many mm an index of one card misses where the other has it.

    If only opposite corners were seen, the cards' middles are compared, which are less exact.
    """
    turn = np.abs((a.anchors[:, None, 2] - b.anchors[None, :, 2] + 180) % 360 - 180)
    far = np.hypot(
        a.anchors[:, None, 0] - b.anchors[None, :, 0], a.anchors[:, None, 1] - b.anchors[None, :, 1]
    )
    same = float(np.where(turn < SAME_WAY, far, 999.0).min())
    if len(a.anchors) == len(b.anchors) == 1 and turn[0, 0] > 180 - SAME_WAY:
        return float(np.hypot(*(a.centre - b.centre))) * SAME_PLACE / SAME_MIDDLE
    return same


def _is_of(cards: Sequence[Card], sighting: Sighting) -> bool:
    return any(displacement(c, sighting) < SAME_PLACE for c in cards)


def _printed_at(card: Card, sighting: Sighting) -> bool:
    """Whether a card's index is printed where the sighting's stands, whichever way that was read."""
    at = card.anchors[:, :2]
    corners = np.concatenate((at, 2 * card.centre - at))
    far = np.hypot(*(corners[:, None] - sighting.anchors[None, :, :2]).transpose(2, 0, 1))
    return bool(far.min() < SAME_PLACE)


def _reaches(card: Card, sighting: Sighting) -> bool:
    """Whether an index of the sighting may be printed on the card."""
    outline = card.polygon.astype(np.float32)
    return any(
        cv2.pointPolygonTest(outline, (float(x), float(y)), True) > -SAME_PLACE
        for x, y in sighting.anchors[:, :2]
    )


def _again_of(cards: Sequence[Card], sighting: Sighting) -> bool:
    """Whether a sighting is but another view of a card that is known.

    Either its index stands where the card's does, or it is the card's other corner, which tells the
    card's middle less exactly.
    """
    for card in cards:
        if displacement(card, sighting) < SAME_PLACE:
            return True
        turn = abs((card.angle - sighting.angle + 90) % 180 - 90)
        ways = np.abs((card.anchors[:, 2] - sighting.anchors[0, 2] + 180) % 360 - 180)
        if (
            ways.min() > 90
            and turn < SAME_WAY
            and np.hypot(*(card.centre - sighting.centre)) < FAR_CORNER
            and agreement(card.evidence.probabilities, normalised(sighting.seen)) > AGREE
        ):
            return True
    return False


def merged(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Sightings, those of opposite corners of one card that were not paired put together."""
    out: list[Sighting] = []
    for s in sightings:
        for n, other in enumerate(out):
            if (
                len(s.anchors) == len(other.anchors) == 1
                and np.hypot(*(other.centre - s.centre)) < FAR_CORNER
                and agreement(normalised(other.seen), normalised(s.seen)) > AGREE
                and abs((s.anchors[0, 2] - other.anchors[0, 2]) % 360 - 180) < SAME_WAY
            ):
                both = CardSeen(
                    combine(np.stack((other.seen.probabilities, s.seen.probabilities))),
                    other.seen.polygon,
                    other.seen.indices + s.seen.indices,
                    other.seen.foreign and s.seen.foreign,
                )
                polygon = (other.polygon + np.roll(s.polygon, 2, axis=0)) / 2
                out[n] = Sighting(both, polygon, np.concatenate((other.anchors, s.anchors)))
                break
        else:
            out.append(s)
    return out


def _near(polygon: Doubles, region: Region, margin: float) -> bool:
    low, high = polygon.min(axis=0) - margin, polygon.max(axis=0) + margin
    return bool((low <= region.high).all() and (high >= region.low).all())
