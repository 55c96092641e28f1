"""A second look at pictures just past: for a card that was swept up before it had come to rest.

At a quick table the last card of a book is drawn in while it still slides. The pictures of the last
moment are kept, and looked at once a book of fewer than four cards begins to leave.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from vision.sightings import AGREE_MOVED, SAME_PLACE, Card, Sighting, agreement, displacement, normalised
from vision.types import Image

BACK = 1.0
"""Seconds that are looked back."""
SPACING = 0.06
MOST_BYTES = 100_000_000
READS_WELL = 0.85
FARTHEST = 70.0
"""Millimetres that the card may slide from one picture to another."""


class Kept:
    """Pictures of the last moment, no more of them than a fixed amount of memory holds."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, Image]] = deque()

    def push(self, image: Image, at: float) -> None:
        most = max(2, MOST_BYTES // image.nbytes)
        if not self._frames or at - self._frames[-1][0] >= max(SPACING, BACK / most):
            self._frames.append((at, image))
        while self._frames and (at - self._frames[0][0] > BACK or len(self._frames) > most):
            self._frames.popleft()

    def frames(self) -> tuple[list[float], list[Image]]:
        """Times and pictures, in order."""
        return [at for at, _ in self._frames], [image for _, image in self._frames]


def unknown(sightings: Sequence[Sighting], known: Sequence[Card]) -> list[Sighting]:
    """Well-read sightings of one picture that no known card accounts for, by place or else by face."""
    left = [s for s in sightings if s.seen.probability >= READS_WELL]
    missing = []
    for card in known:
        there = [s for s in left if displacement(card, s) < SAME_PLACE]
        left = [s for s in left if not any(s is t for t in there)]
        if not there:
            missing.append(card)
    for card in missing:
        mine = [s for s in left if agreement(card.evidence.probabilities, normalised(s.seen)) > AGREE_MOVED]
        if mine:
            left = [s for s in left if s is not mine[0]]
    return left


def find(
    times: Sequence[float], read: Callable[[int], list[Sighting]], known: Sequence[Card], most: int
) -> list[tuple[int, Sighting]]:
    """At most so many cards that lay there unrecorded, as they came: where, and how, each was seen best.

    times: of the pictures, in order; `read` gives the sightings of the picture with that index.
    Every second one is read, and those beside one that shows an unknown card. Two pictures must show
    a card, not far apart.
    """
    seen: dict[int, list[Sighting]] = {}
    for n in range(len(times) - 1, -1, -2):
        seen[n] = unknown(read(n), known)
    for n in [n for n, sightings in seen.items() if sightings]:
        for beside in (n - 1, n + 1):
            if 0 <= beside < len(times) and beside not in seen:
                seen[beside] = unknown(read(beside), known)
    tracks: list[list[tuple[int, Sighting]]] = []
    for n in sorted(seen):
        for s in seen[n]:
            track = next((t for t in tracks if t[-1][0] < n and _goes_on(t[-1][1], s)), None)
            if track is None:
                tracks.append([(n, s)])
            else:
                track.append((n, s))
    tracks = sorted((t for t in tracks if len(t) > 1), key=len, reverse=True)[:most]
    best = [max(t, key=lambda look: look[1].seen.probability) for t in tracks]
    order = np.argsort([t[0][0] for t in tracks], kind="stable")
    return [best[n] for n in order.tolist()]


def _goes_on(before: Sighting, after: Sighting) -> bool:
    alike = agreement(normalised(before.seen), normalised(after.seen)) > AGREE_MOVED
    return alike and bool(np.hypot(*(before.centre - after.centre)) < FARTHEST)
