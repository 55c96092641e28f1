"""Whether the camera still sees its table as it was calibrated: hidden, dark, frozen, or bumped.

`Sight` tells it of each picture, and follows a bumped camera. `Frozen` tells a picture that repeats itself,
as of a camera that hangs: no sensor gives the very same pixels twice. `register` finds where a bump took
the table, from features of everything that lies still.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from engine.events import SightLost, SightRegained
from vision.motion import HIDDEN, Motion
from vision.table import Doubles, Table, TableError
from vision.types import Image, Observed

FROZEN_AFTER = 1.5
"""Seconds of the very same picture. A video compressed hard repeats a still table for less than that."""
BLIND_AFTER = 0.5
"""Seconds for which the table must be hidden: a hand before the lens is no loss worth telling."""
UNSETTLED = 0.2
"""Seconds from a jolt until the camera hangs still again."""
ASK_AGAIN = 1.0
"""Seconds between two searches for the table."""
REMEMBER_EVERY = 5.0
"""Seconds between the pictures that are kept to find the table by: cards come and go."""
CALM = 0.02
"""Share of the table that may change or move in a picture that is kept."""
_STEP = 16
_WIDTH = 960
"""Features are sought in pictures no wider than this."""
_FEATURES = 1500
_LEAST, _LEAST_SHARE = 25, 0.25
_WITHIN_PX = 2.0
STILL_MM, FAR_MM = 3.0, 100.0
"""A corner that moved less has not moved; one that moved further must be marked anew by a person."""


class Frozen:
    """Says since when the picture has been the very same."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self.since = 0.0

    def push(self, image: Image, at: float) -> bool:
        """Whether the pictures up to this one, taken at `at` seconds, have been frozen for long."""
        sample = image[::_STEP, ::_STEP]
        if self._last is None or not np.array_equal(sample, self._last):
            self._last, self.since = sample.copy(), at
        return at - self.since >= FROZEN_AFTER


class Sight:
    """Follows whether a table can be seen, and where it lies. `clear`: the last picture can be used.

    A camera that was bumped is followed: `table` itself is moved, so that all who hold it see it there.
    """

    def __init__(self, table: Table, motion: Motion) -> None:
        self.table, self._motion = table, motion
        self.clear = True
        self._frozen = Frozen()
        self._since: float | None = None
        """Since when the table cannot be seen, or may have moved."""
        self._told: str | None = None
        self._asked = -np.inf
        self._lost: Registered | None = None
        self._known: Image | None = None
        self._known_at = -np.inf

    def push(self, image: Image, at: float) -> list[Observed]:
        """Take the picture that `Motion` has just taken; returns sight lost and regained."""
        if self._frozen.push(image, at):
            return self._away("the picture is frozen", self._frozen.since, at)
        why = self._motion.blind()
        if why in (None, HIDDEN) and (why or self._motion.shifted()):
            out = self._perhaps_moved(image, at)
            if out is not None:
                return out
        elif self._lost is not None and why is None:
            self._lost = None  # the camera hangs where it did again
        if why is not None:
            return self._away(why, at, at)
        out = self._here(at)
        self._remember(image, at)
        return out

    def _away(self, why: str, since: float, at: float) -> list[Observed]:
        self.clear = False
        self._since = since if self._since is None else self._since
        if self._told is not None or at - self._since < BLIND_AFTER:
            return []
        self._told = why
        return [Observed(SightLost(why), self._since)]

    def _here(self, at: float) -> list[Observed]:
        told, self._told = self._told, None
        self.clear, self._since = True, None
        return [] if told is None else [Observed(SightRegained(), at)]

    def _perhaps_moved(self, image: Image, at: float) -> list[Observed] | None:
        """So much changed at once that the camera may have been moved. None: it was not."""
        if self._known is None:
            return None
        if at - self._asked < ASK_AGAIN:
            return self._away(self._lost.message(), at, at) if self._lost else None
        self._since = at if self._since is None else self._since
        if at - self._since < UNSETTLED:
            self.clear = False
            return []
        self._asked = at
        found = register(self.table, self._known, image)
        if found is None or not found.moved:
            self._lost = None
            return None
        if found.table is None:
            self._lost = found
            return self._away(found.message(), at, at)
        self._lost = None
        self.table.follow(found.table)
        self._motion.aim(self.table, image)
        self._known, self._known_at = image, at
        out = [] if self._told else [Observed(SightLost("the camera was moved"), self._since)]
        self._told = "the camera was moved"
        return [*out, *self._here(at)]

    def _remember(self, image: Image, at: float) -> None:
        """Keep a picture of the table as it is, with nobody in it, to find it by."""
        m = self._motion
        calm = m.changed.mean() < CALM and m.active.mean() < CALM
        if self._known is None or (calm and at - self._known_at > REMEMBER_EVERY):
            self._known, self._known_at = image, at


@dataclass(frozen=True, slots=True)
class Registered:
    """How the table lies now. moved_mm: how far its furthest moved corner went; inliers: features that agree.

    `table` is the table where it is now; None when it went too far, or cannot be followed.
    """

    moved_mm: float
    inliers: int
    table: Table | None

    @property
    def moved(self) -> bool:
        return self.moved_mm > STILL_MM

    def message(self) -> str:
        """For the people at the table."""
        if self.table is None:
            return "The camera was moved too far to follow: mark the table's corners again."
        if not self.moved:
            return "The camera hangs where it did."
        return f"The camera was bumped: the table lies {self.moved_mm:.0f} mm off and was found again."


def register(table: Table, before: Image, now: Image) -> Registered | None:
    """Find the table in `now` from `before`, a picture in which it lay as calibrated.

    Cards and arms that moved meanwhile are outvoted by what lay still. None: the pictures have too
    little in common to say anything, as when something hides the table.
    """
    height, width = before.shape[:2]
    scale = min(1.0, _WIDTH / width)
    size = (round(width * scale), round(height * scale))
    orb = cv2.ORB.create(nfeatures=_FEATURES, fastThreshold=7)
    looks = []
    for image in (before, now):
        grey = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        looks.append(orb.detectAndCompute(grey, None))
    (keys_a, found_a), (keys_b, found_b) = looks
    if found_a is None or found_b is None:
        return None
    matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(found_a, found_b)
    if len(matches) < _LEAST:
        return None
    a = np.array([keys_a[m.queryIdx].pt for m in matches], np.float64) / scale
    b = np.array([keys_b[m.trainIdx].pt for m in matches], np.float64) / scale
    matrix, chosen = cv2.estimateAffinePartial2D(
        a, b, method=cv2.RANSAC, ransacReprojThreshold=_WITHIN_PX / scale
    )
    inliers = 0 if chosen is None else int(chosen.sum())
    if matrix is None or inliers < max(_LEAST, _LEAST_SHARE * len(matches)):
        return None
    corners = table.corners @ matrix[:, :2].T + matrix[:, 2]
    moved = _furthest_mm(table, corners)
    if moved > FAR_MM:
        return Registered(moved, inliers, None)
    try:
        found = Table.from_corners(corners, table.size_mm, table.image_size, play=table.play, card=table.card)
    except TableError:  # a corner left the picture
        return Registered(moved, inliers, None)
    return Registered(moved, inliers, found)


def _furthest_mm(table: Table, corners: Doubles) -> float:
    way = np.hypot(*(corners - table.corners).T)
    return float(way.max()) / table.px_per_mm()
