"""Upright patches: each index cut out of the full picture and turned so that its rank stands upright.

The reader sees nothing else, in training and at the table, so both cut here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.types import PATCH_HEIGHT, PATCH_PAD, PATCH_WIDTH, Image, IndexBox

JITTER_SHIFT, JITTER_DEGREES, JITTER_SIZE = 0.05, 6.0, (0.82, 1.22)
"""Spread of the finder's keypoints as training imitates it: shift in index heights, turn, size."""
ASTRAY, ASTRAY_BY = 0.12, 2.5
"""Of so many cuts the spread is so many times larger: indices close up are found less exactly."""
_MAX_OVERSAMPLING = 8


def cut(
    image: Image, tops: ArrayLike, feet: ArrayLike, jitter: np.random.Generator | None = None
) -> NDArray[np.uint8]:
    """Upright patches of indices, uint8 (n, PATCH_HEIGHT, PATCH_WIDTH, 3), as the reader wants them.

    image: BGR picture. tops, feet: (n, 2) image pixels, the middle of each index's upper and lower
    edge. jitter: a generator moves, turns and scales each cut as an inexact finder would (training).
    Beyond the picture's edge the border pixel is repeated. Large indices are averaged down, not
    sampled, so that fine strokes survive.
    """
    top = np.asarray(tops, np.float64).reshape(-1, 2)
    foot = np.asarray(feet, np.float64).reshape(-1, 2)
    centre, up = (top + foot) / 2, top - foot
    size = np.maximum(np.hypot(up[:, 0], up[:, 1]), 1e-3)
    angle = np.arctan2(up[:, 1], up[:, 0])
    if jitter is not None:
        n = len(size)
        more = np.where(jitter.random(n) < ASTRAY, ASTRAY_BY, 1.0)
        centre = centre + jitter.normal(0, JITTER_SHIFT, (n, 2)) * (size * more)[:, None]
        angle = angle + np.radians(jitter.normal(0, JITTER_DEGREES, n)) * more
        size = size * jitter.uniform(*JITTER_SIZE, n)
    patches = np.empty((len(size), PATCH_HEIGHT, PATCH_WIDTH, 3), np.uint8)
    for i, (c, a, step) in enumerate(zip(centre, angle, size * PATCH_PAD / PATCH_HEIGHT, strict=True)):
        patches[i] = _warp(image, c, a, step)
    return patches


def both_ways_up(image: Image, boxes: Sequence[IndexBox]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Patches of the indices as found, and of the same turned by 180 degrees."""
    found = cut(image, [b.top for b in boxes], [b.foot for b in boxes])
    return found, np.ascontiguousarray(found[:, ::-1, ::-1])


def _warp(image: Image, centre: NDArray[np.float64], angle: float, step: float) -> NDArray[np.uint8]:
    """One patch: `step` image pixels a patch pixel, its upward direction at `angle` in the image."""
    k = min(max(math.ceil(step - 0.25), 1), _MAX_OVERSAMPLING)
    width, height, step = PATCH_WIDTH * k, PATCH_HEIGHT * k, step / k
    up = np.array([math.cos(angle), math.sin(angle)]) * step
    right = np.array([-up[1], up[0]])
    origin = centre - right * (width - 1) / 2 + up * (height - 1) / 2
    matrix = np.column_stack((right, -up, origin))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    patch = cv2.warpAffine(image, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if k > 1:
        patch = cv2.resize(patch, (PATCH_WIDTH, PATCH_HEIGHT), interpolation=cv2.INTER_AREA)
    return np.asarray(patch, np.uint8)
