"""What guests' photographs came to, in memory alone and for a while: nothing of it is ever stored."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from device.photo import smaller
from engine.cards import Face, Seat
from vision.melds import by_place, by_seat
from vision.table import Table
from vision.types import CardSeen, Image

SIDE_SHOWN = 1600
"""Pixels: longer side of the picture on the page."""
ADDED_MAX = 20
"""Cards that may be added by hand: no more than one player's."""


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card of a photograph as it stands now.

    outline: its corners in pixels of the shown picture, () for a card added by hand. label: where its
    name is written, below the index. face: None where somebody said that it does not count. second: what
    else it may be, where it was read. by_hand: somebody said what it is. heap: number of the heap that it
    lies in, from 1. seat: whose side of the table.
    """

    number: int
    outline: tuple[tuple[float, float], ...]
    label: tuple[float, float]
    face: Face | None
    probability: float
    second: tuple[Face, float] | None = None
    foreign: bool = False
    by_hand: bool = False
    heap: int = 0
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A photograph made small, as JPEG, and its cards, the top row first."""

    jpeg: bytes
    width: int
    height: int
    cards: tuple[ReadCard, ...]
    seats_known: bool = False

    @property
    def card_width(self) -> float:
        """Pixels that a card is wide in the shown picture; 0 where there is none."""
        outlines = [np.asarray(c.outline) for c in self.cards if c.outline]
        return float(np.median([np.linalg.norm(o[1] - o[0]) for o in outlines])) if outlines else 0.0

    def card(self, number: int) -> ReadCard | None:
        return next((c for c in self.cards if c.number == number), None)

    def with_face(self, number: int, face: Face | None) -> Reading:
        """With somebody's word for one card; None: it does not count."""
        return replace(
            self,
            cards=tuple(
                replace(c, face=face, probability=1.0, foreign=False, by_hand=True)
                if c.number == number
                else c
                for c in self.cards
            ),
        )

    def with_added(self, face: Face) -> Reading:
        """With a card that was not found."""
        if sum(not c.outline for c in self.cards) >= ADDED_MAX:
            return self
        number = max((c.number for c in self.cards), default=0) + 1
        return replace(
            self, cards=(*self.cards, ReadCard(number, (), (0, 0), face, 1.0, by_hand=True, heap=1))
        )


def reading_of(image: Image, seen: Sequence[CardSeen], table: Table | None = None) -> Reading:
    """What was read in a picture. `table`: of this picture, where it is known."""
    shown = smaller(image, SIDE_SHOWN)
    height, width = shown.shape[:2]
    scale = width / image.shape[1]
    _, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, 82])
    heaps = {id(c): int(group.name) for group in by_place(seen) for c in group.cards}
    sides = {id(c): group.seat for group in by_seat(seen, table) for c in group.cards} if table else {}
    order = sorted(seen, key=lambda c: (heaps[id(c)], c.center[0]))
    cards = []
    for number, card in enumerate(order, 1):
        outline = tuple((round(float(x) * scale, 1), round(float(y) * scale, 1)) for x, y in card.polygon)
        box = card.indices[0].box
        x, y = (1.6 * f - 0.6 * t for f, t in zip(box.foot, box.top, strict=True))
        cards.append(
            ReadCard(
                number,
                outline,
                (round(x * scale, 1), round(y * scale, 1)),
                card.face,
                card.probability,
                card.second,
                card.foreign,
                heap=heaps[id(card)],
                seat=sides.get(id(card)),
            )
        )
    return Reading(data.tobytes(), width, height, tuple(cards), table is not None)


class Held:
    """Readings by names that cannot be guessed, for `seconds` since last used and within `most_bytes`."""

    def __init__(
        self,
        seconds: float = 900.0,
        most_bytes: int = 32 * 1024 * 1024,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds, self._most, self._clock = seconds, most_bytes, clock
        self._lock = threading.Lock()
        self._readings: OrderedDict[str, tuple[float, Reading]] = OrderedDict()

    def keep(self, reading: Reading) -> str:
        """Keeps it under a new name; the ones that were not used for longest make room."""
        name = secrets.token_urlsafe(16)
        with self._lock:
            self._readings[name] = (self._clock(), reading)
            self._tidy()
        return name

    def get(self, name: str) -> Reading | None:
        with self._lock:
            self._tidy()
            kept = self._readings.get(name)
            if kept is None:
                return None
            self._readings[name] = (self._clock(), kept[1])
            self._readings.move_to_end(name)
            return kept[1]

    def change(self, name: str, by: Callable[[Reading], Reading]) -> bool:
        """Whether it was still there to be changed."""
        with self._lock:
            self._tidy()
            if name not in self._readings:
                return False
            self._readings[name] = (self._clock(), by(self._readings[name][1]))
            self._readings.move_to_end(name)
            return True

    def forget(self, name: str) -> None:
        with self._lock:
            self._readings.pop(name, None)

    def _tidy(self) -> None:
        oldest = self._clock() - self._seconds
        while self._readings:
            since, _ = next(iter(self._readings.values()))
            size = sum(len(r.jpeg) for _, r in self._readings.values())
            if since > oldest and (size <= self._most or len(self._readings) == 1):
                return
            self._readings.popitem(last=False)
