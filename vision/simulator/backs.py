"""Backs of drawn cards: lattices, checks, rings, plain; with and without a white border."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Image

Colour: TypeAlias = tuple[int, int, int]
"""Blue, green, red, 0 to 255."""
_INKS: Final[tuple[Colour, ...]] = (
    (40, 30, 170), (150, 60, 30), (60, 60, 60), (60, 110, 40), (120, 40, 110), (40, 110, 180), (140, 110, 20),
)  # fmt: skip


def colour(values: NDArray[Any]) -> Colour:
    """Blue, green, red as whole numbers from 0 to 255."""
    blue, green, red = (int(v) for v in np.clip(values, 0, 255))
    return blue, green, red


def draw_back(rng: np.random.Generator, width: int, height: int, paper: Colour) -> Image:
    """A back, BGR, corners not rounded."""
    scale = 2
    w, h = width * scale, height * scale
    shift = rng.integers(-25, 26, 3)
    ink = colour(np.array(_INKS[rng.integers(len(_INKS))]) + shift)
    light = paper if rng.random() < 0.7 else colour(np.array(ink) * 0.45 + 255 * 0.55)
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    x, y = np.abs(x - w / 2), np.abs(y - h / 2)  # fourfold symmetry, as nearly all backs have
    period = float(rng.uniform(0.03, 0.1)) * w
    line = float(rng.uniform(0.15, 0.45))
    kind = rng.integers(6)
    if kind == 0:  # lattice
        on = (np.mod(x + y, period) < line * period) | (np.mod(x - y, period) < line * period)
    elif kind == 1:  # chequers of lozenges
        on = (np.mod(x + y, 2 * period) < period) ^ (np.mod(x - y, 2 * period) < period)
    elif kind == 2:  # rings in a net
        u, v = np.mod(x, period) - period / 2, np.mod(y, period) - period / 2
        on = np.abs(np.hypot(u, v) - period * 0.35) < line * period * 0.3
    elif kind == 3:  # leaves
        on = np.sin(x / period * 2 + np.sin(y / period) * 2) * np.cos(y / period * 2) > rng.uniform(-0.2, 0.4)
    elif kind == 4:  # dots
        u, v = np.mod(x + y, period) - period / 2, np.mod(x - y, period) - period / 2
        on = np.hypot(u, v) < line * period
    else:  # plain
        on = np.zeros((h, w), bool)
    image = np.where(on[..., None], np.array(light, np.uint8), np.array(ink, np.uint8))
    if rng.random() < 0.5:
        _medallion(image, rng, ink, light)
    if rng.random() < 0.75:
        border = int(rng.uniform(0.03, 0.09) * w)
        cv2.rectangle(image, (0, 0), (w - 1, h - 1), paper, 2 * border)
        cv2.rectangle(image, (border, border), (w - 1 - border, h - 1 - border), ink, max(2, border // 6))
    small: Image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    return small


def _medallion(image: Image, rng: np.random.Generator, ink: Colour, light: Colour) -> None:
    h, w = image.shape[:2]
    spots = [(w // 2, h // 2)] if rng.random() < 0.5 else [(w // 2, h // 4), (w // 2, h - h // 4)]
    radius = int(rng.uniform(0.12, 0.24) * w)
    petals = int(rng.integers(4, 13))
    for x, y in spots:
        cv2.circle(image, (x, y), radius, light, -1, cv2.LINE_AA)
        cv2.circle(image, (x, y), int(radius * 0.85), ink, max(2, radius // 12), cv2.LINE_AA)
        for turn in range(petals):
            angle = 2 * np.pi * turn / petals
            at = (int(x + radius * 0.5 * np.cos(angle)), int(y + radius * 0.5 * np.sin(angle)))
            cv2.circle(image, at, max(2, radius // 5), ink, -1, cv2.LINE_AA)
