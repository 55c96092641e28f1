"""The index finder: a one-class YOLO pose network with two keypoints, by ONNX Runtime.

The network knows indices of some 14 to 50 pixels. The picture is scaled so that they fall into that
range, and cut into overlapping tiles. How high the indices are comes from the table's calibration;
without one the picture is looked at in several sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from vision.types import Floats, Image, IndexBox
from vision.weights import ModelError, locate, session

COMFORT = (18.0, 40.0)
"""Index heights, in network pixels, at which the picture is not resized."""
TARGET = 28.0
"""Index height, in network pixels, that resizing aims at."""
UNKNOWN_SIDES = (160, 320, 640, 1280, 2560)
"""Longer sides at which a picture with indices of unknown height is looked at: a factor of two
apart, so that every index of 1/180 to 1/4 of the picture falls into the trained range once."""
TILE = 640
OVERLAP = 96
TRAINED = (10.0, 64.0)
"""Index heights, in network pixels, outside which a detection is not to be believed."""
_STRIDE = 32
_SLACK = 4
_SAME = 0.45
_TOGETHER, _ALIKE = 0.3, 0.4
"""Detections of one index: centres apart at most so many heights, log heights so much."""
_PERSPECTIVE = 2.5


class Found(NamedTuple):
    """Indices as columns: tops (n, 2) and feet (n, 2) in pixels, scores (n,)."""

    tops: Floats
    feet: Floats
    scores: Floats


class OnnxFinder:
    """Finds indices of any face and direction in a picture of any size."""

    def __init__(self, file: Path, threshold: float = 0.25, threads: int = 0) -> None:
        self._session = session(file, threads)
        self.threshold = threshold
        entry = self._session.get_inputs()[0]
        self._input = entry.name
        if len(entry.shape) != 4 or entry.shape[1] != 3:
            raise ModelError(
                f"{file} is no index finder: it takes {entry.shape}, where (1, 3, h, w) is wanted"
            )
        height, width = entry.shape[2:]
        self._fixed = (
            (int(width), int(height)) if isinstance(width, int) and isinstance(height, int) else None
        )

    def find(self, image: Image, index_height: float | None = None) -> list[IndexBox]:
        """The indices in a BGR picture, best first.

        index_height: how high indices are in this picture, in pixels, within a factor of 1.5; None
        if unknown, which costs several looks.
        """
        scales = self._scales(image, index_height)
        # A strip may shrink to nothing: no index can be seen in it at that size.
        looks = [self._look(image, s) for s in scales if round(min(image.shape[:2]) * s) >= 1]
        if not looks:
            return []
        found = Found(*(np.concatenate(column) for column in zip(*looks, strict=True)))
        if index_height is None:
            found = alike(found)
        return [
            IndexBox((float(t[0]), float(t[1])), (float(f[0]), float(f[1])), float(s))
            for t, f, s in zip(*told(found), strict=True)
        ]

    @staticmethod
    def _scales(image: Image, index_height: float | None) -> list[float]:
        if index_height is not None:
            low, high = COMFORT
            return [1.0 if low <= index_height <= high else TARGET / index_height]
        side = max(image.shape[:2])
        sides = [s for s in UNKNOWN_SIDES if s < 0.75 * side] + [min(side, UNKNOWN_SIDES[-1])]
        return [s / side for s in sides]

    def _look(self, image: Image, scale: float) -> Found:
        if scale != 1.0:
            how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=how), np.uint8)
        height, width = image.shape[:2]
        columns, rows = spans(width, self._tile(0)), spans(height, self._tile(1))
        parts = [self._tile_at(image, x, y) for y in rows for x in columns]
        tops, feet, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
        # Pixel centres: the middle of the first pixel is at 0, in the picture and in its resized copy.
        back, shift = np.float32(1 / scale), np.float32(0.5 / scale - 0.5)
        return Found(tops * back + shift, feet * back + shift, scores)

    def _tile(self, axis: int) -> int:
        return self._fixed[axis] if self._fixed else TILE

    def _tile_at(self, image: Image, across: Span, down: Span) -> Found:
        """What one tile owns, in pixels of `image`."""
        tile = image[down.start : down.stop, across.start : across.stop]
        right, bottom = self._padding(tile)
        if right or bottom:
            grey = (114, 114, 114)
            padded = cv2.copyMakeBorder(tile, 0, bottom, 0, right, cv2.BORDER_CONSTANT, value=grey)
            tile = np.asarray(padded, np.uint8)
        pixels = np.ascontiguousarray(tile[..., ::-1].transpose(2, 0, 1)[None], np.float32) / 255
        found = decode(self._session.run(None, {self._input: pixels})[0], self.threshold)
        shift = np.array([across.start, down.start], np.float32)
        tops, feet = found.tops + shift, found.feet + shift
        x, y = ((tops + feet) / 2).T
        heights = np.hypot(*(tops - feet).T)
        own = (TRAINED[0] <= heights) & (heights <= TRAINED[1])
        own &= (across.own_from <= x) & (x < across.own_to) & (down.own_from <= y) & (y < down.own_to)
        return Found(tops[own], feet[own], found.scores[own])

    def _padding(self, tile: Image) -> tuple[int, int]:
        height, width = tile.shape[:2]
        if self._fixed:
            return self._fixed[0] - width, self._fixed[1] - height
        return -width % _STRIDE, -height % _STRIDE


class Span(NamedTuple):
    """A tile along one axis: pixels start..stop, of which it reports what is centred in own_from..own_to."""

    start: int
    stop: int
    own_from: float
    own_to: float


def spans(length: int, tile: int) -> list[Span]:
    """Equal tiles of at most `tile` pixels that overlap by at least OVERLAP and cover 0..length."""
    count = 1 if length <= tile else math.ceil((length - OVERLAP) / (tile - OVERLAP))
    size = min(length, tile, math.ceil((length + (count - 1) * OVERLAP) / count))
    starts = [round(i * (length - size) / max(count - 1, 1)) for i in range(count)]
    cuts = [(left + size + right) / 2 for left, right in pairwise(starts)]
    lower = [-math.inf, *(c - _SLACK for c in cuts)]
    upper = [*(c + _SLACK for c in cuts), math.inf]
    return [Span(s, s + size, a, b) for s, a, b in zip(starts, lower, upper, strict=True)]


def decode(output: Floats, threshold: float) -> Found:
    """A YOLO pose output as indices in input pixels.

    (1, 5 + 2k, anchors): box, score, two keypoints of k numbers (YOLO11; not yet suppressed).
    (1, n, 6 + 2k): corners, score, class, two keypoints (YOLO26, end to end). Raises ModelError.
    """
    shape = output.shape
    if len(shape) == 3 and shape[1] in (9, 11):
        rows, score, points = output[0].T, 4, 5
    elif len(shape) == 3 and shape[2] in (10, 12):
        rows, score, points = output[0], 4, 6
    else:
        raise ModelError(
            f"the finder gives an output of {shape}, which is neither kind of YOLO pose output known"
        )
    rows = rows[rows[:, score] >= threshold]
    second = points + (rows.shape[1] - points) // 2
    return Found(rows[:, points : points + 2], rows[:, second : second + 2], rows[:, score])


def distinct(found: Found) -> list[int]:
    """Which detections to keep, best first: of those that mean the same index, the best.

    Two mean the same index when their centres lie closer than about half an index's height, in
    whatever direction. Two indices that both can be read never do: they are at least an index's
    width apart, however tightly cards are fanned. Faces play no part: copies are normal.
    """
    centres = (found.tops + found.feet) / 2
    heights = np.hypot(*(found.tops - found.feet).T)
    kept: list[int] = []
    left = np.argsort(-found.scores, kind="stable")
    while len(left):
        best, left = left[0], left[1:]
        kept.append(int(best))
        apart = np.hypot(*(centres[left] - centres[best]).T)
        left = left[apart >= _SAME * np.minimum(np.maximum(heights[left], heights[best]), 2 * heights[best])]
    return kept


def told(found: Found) -> Found:
    """Each index once, best first, at the mean of what was found of it."""
    best = settled(found, distinct(found))
    # Settled, two may have come to mean the same index.
    keep = distinct(best)
    return Found(*(column[keep] for column in best))


def settled(found: Found, keep: Sequence[int]) -> Found:
    """The kept detections, each with the mean place of all that mean the same index the same way up.

    Weighed by the squared score: single anchors turn an index by up to 40 degrees, and rarely agree in that.
    """
    ups = found.tops - found.feet
    centres, heights = (found.tops + found.feet) / 2, np.hypot(*ups.T)
    tops, feet = found.tops[keep], found.feet[keep]
    for place, k in enumerate(keep):
        near = np.hypot(*(centres - centres[k]).T) < _TOGETHER * heights[k]
        near &= np.abs(np.log(np.maximum(heights, 1e-3) / max(heights[k], 1e-3))) < _ALIKE
        near &= ups @ ups[k] > 0.5 * heights * heights[k]
        if near.any():
            weight = found.scores[near] ** 2 / (found.scores[near] ** 2).sum()
            tops[place], feet[place] = weight @ found.tops[near], weight @ found.feet[near]
    return Found(tops, feet, found.scores[keep])


def alike(found: Found) -> Found:
    """Without those whose height differs from the others': one deck has one size of index.

    Of all windows of heights as wide as perspective allows, the one with the greatest sum of scores
    stays. In a picture looked at in many sizes most inventions are of another size than the cards.
    """
    logs = np.log(np.maximum(np.hypot(*(found.tops - found.feet).T), 1e-3))
    inside = (logs[:, None] <= logs[None]) & (logs[None] <= logs[:, None] + np.log(_PERSPECTIVE))
    if len(logs) == 0:
        return found
    keep = inside[int(np.argmax(inside @ found.scores))]
    return Found(*(column[keep] for column in found))


def load_finder(path: Path | str | None = None, threads: int = 0) -> OnnxFinder:
    """The finder in the models folder (see vision.weights), or the one at `path`. Raises ModelError."""
    weights = locate("finder", path)
    return OnnxFinder(weights.file, float(weights.facts.get("threshold", 0.25)), threads)
