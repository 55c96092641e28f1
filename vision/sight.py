"""Whether the camera still sees its table as it was calibrated: frozen pictures, and a bumped camera.

`Frozen` tells a picture that repeats itself, as of a camera that hangs: no sensor gives the very same
pixels twice. `register` finds where a bump took the table, from features of everything that lies still.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.table import Doubles, Table, TableError
from vision.types import Image

FROZEN_AFTER = 1.0
"""Seconds of the very same picture."""
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
        self._since = 0.0

    def push(self, image: Image, at: float) -> bool:
        """Whether the pictures up to this one, taken at `at` seconds, have been frozen for long."""
        sample = image[::_STEP, ::_STEP]
        if self._last is None or not np.array_equal(sample, self._last):
            self._last, self._since = sample.copy(), at
        return at - self._since >= FROZEN_AFTER


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
