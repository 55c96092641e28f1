"""Cards as they were read and as they lie: one reading on the table, and all that is known of one card.

Both are kept in table millimetres. Whether a reading is of a card that is known is told by where its
indices are printed, else by face and nearness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import cv2
import numpy as np

from engine.cards import ALL_FACES, Face
from vision.cards import combine
from vision.table import Doubles, Table
from vision.types import NOT_AN_INDEX, CardSeen, Image

SAME_PLACE = 9.0
"""Millimetres within which an index is printed where it was before."""
SAME_MIDDLE = 26.0
FAR_CORNER = 38.0
"""Millimetres by which the middles of one card, told from opposite corners, may differ at worst."""
SAME_WAY = 30.0
"""Degrees by which one index may be read turned: a small index tells its direction badly."""
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

    def last(self) -> Evidence:
        """What was read since the card last came to lie where it does."""
        evidence = Evidence()
        evidence._poses, evidence.foreign = self._poses[-1:], self.foreign
        return evidence

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


def is_of(cards: Sequence[Card], sighting: Sighting) -> bool:
    return any(displacement(c, sighting) < SAME_PLACE for c in cards)


def printed_at(card: Card, sighting: Sighting) -> bool:
    """Whether a card's index is printed where the sighting's stands, whichever way that was read."""
    at = card.anchors[:, :2]
    corners = np.concatenate((at, 2 * card.centre - at))
    far = np.hypot(*(corners[:, None] - sighting.anchors[None, :, :2]).transpose(2, 0, 1))
    return bool(far.min() < SAME_PLACE)


def reaches(card: Card, sighting: Sighting) -> bool:
    """Whether an index of the sighting may be printed on the card."""
    outline = card.polygon.astype(np.float32)
    return any(
        cv2.pointPolygonTest(outline, (float(x), float(y)), True) > -SAME_PLACE
        for x, y in sighting.anchors[:, :2]
    )


def again_of(cards: Sequence[Card], sighting: Sighting) -> bool:
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
