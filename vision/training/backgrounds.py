"""Table tops and clutter for training scenes: felt, wood, cloth, gradients, noise, printed decoys."""

from __future__ import annotations

import cv2
import numpy as np

from vision.types import Array, Image

Rng = np.random.Generator


def cloud(rng: Rng, size: int, octaves: int = 5) -> Array:
    """Smooth noise in 0..1, float32 (size, size)."""
    out = np.zeros((size, size), np.float32)
    for octave in range(octaves):
        n = 2 ** (octave + 1) * int(rng.integers(1, 4))
        grid = rng.standard_normal((n + 1, n + 1)).astype(np.float32)
        out += cv2.resize(grid, (size, size), interpolation=cv2.INTER_CUBIC) * (0.6**octave)
    out -= out.min()
    return out / max(float(out.max()), 1e-6)


def _plain(rng: Rng, size: int) -> Array:
    return np.ones((size, size, 3), np.float32) * rng.uniform(8, 252, 3).astype(np.float32)


def _gradient(rng: Rng, size: int) -> Array:
    a, b = rng.uniform(0, 255, (2, 3))
    line = np.linspace(0, 1, size, dtype=np.float32)
    turn = rng.uniform(0, 2 * np.pi)
    mix = np.cos(turn) * line[None] + np.sin(turn) * line[:, None]
    mix = ((mix - mix.min()) / (np.ptp(mix) + 1e-6))[..., None]
    return (a * mix + b * (1 - mix)).astype(np.float32)


_FELTS = (
    (45, 105, 40),
    (95, 60, 30),
    (40, 40, 130),
    (60, 60, 60),
    (100, 90, 30),
    (30, 30, 30),
    (60, 130, 70),
)


def _felt(rng: Rng, size: int) -> Array:
    base = np.ones((size, size, 3), np.float32) * np.array(_FELTS[rng.integers(len(_FELTS))], np.float32)
    base *= rng.uniform(0.5, 1.6)
    base += rng.normal(0, rng.uniform(3, 16), (size, size, 1)).astype(np.float32)
    if rng.random() < 0.5:
        base *= 0.8 + 0.4 * cloud(rng, size)[..., None]
    return base


def _wood(rng: Rng, size: int) -> Array:
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size
    grain = cloud(rng, size, 4)
    v = 0.5 + 0.5 * np.sin((x * rng.uniform(4, 25) + grain * rng.uniform(1, 6) + 0.15 * y) * 2 * np.pi)
    fibre = cv2.resize(rng.random((8, size)).astype(np.float32), (size, size))
    v = 0.6 * v + 0.4 * fibre
    colour = np.array([rng.uniform(20, 110), rng.uniform(60, 150), rng.uniform(100, 210)], np.float32)
    if rng.random() < 0.25:
        colour[:] = rng.uniform(120, 230)
    base = colour * (rng.uniform(0.35, 0.8) + 0.4 * v[..., None])
    if rng.random() < 0.4:
        for at in rng.integers(0, size, int(rng.integers(1, 6))):
            base[:, at : at + 2] *= 0.6
    return np.ascontiguousarray(base.transpose(1, 0, 2)) if rng.random() < 0.5 else base


def _cloth(rng: Rng, size: int) -> Array:
    """Checks, stripes and dots of a tablecloth."""
    a, b = rng.uniform(20, 245, (2, 3)).astype(np.float32)
    step = int(rng.integers(8, 60))
    y, x = np.mgrid[0:size, 0:size]
    kind = rng.integers(3)
    if kind == 0:
        mask = ((x // step) + (y // step)) % 2
    elif kind == 1:
        mask = (x // step) % 2
    else:
        mask = (
            (x % step - step / 2) ** 2 + (y % step - step / 2) ** 2 < (step * rng.uniform(0.15, 0.4)) ** 2
        ) * 1
    base = a * mask[..., None] + b * (1 - mask[..., None])
    return (base + rng.normal(0, rng.uniform(1, 8), (size, size, 1))).astype(np.float32)


def _noise(rng: Rng, size: int) -> Array:
    layers = np.stack([cloud(rng, size, 7) for _ in range(3)], -1)
    return layers * np.float32(rng.uniform(80, 255)) + np.float32(rng.uniform(0, 60))


_WORDS = (
    "A",
    "K",
    "Q",
    "J",
    "10",
    "9",
    "SCORE",
    "BID",
    "TEAM",
    "NS",
    "EW",
    "50",
    "20",
    "Kings",
    "Ace",
    "OK",
    "HA",
)


def _clutter(rng: Rng, size: int) -> Array:
    """Shapes, score pads and printed letters: none of it is an index, for an index has a pip."""
    base = np.ascontiguousarray(_plain(rng, size).astype(np.uint8))
    for _ in range(int(rng.integers(8, 50))):
        colour = tuple(float(v) for v in rng.uniform(0, 255, 3))
        x, y = (int(v) for v in rng.integers(0, size, 2))
        kind = rng.integers(4)
        if kind == 0:
            cv2.rectangle(
                base, (x, y), (x + int(rng.integers(10, 140)), y + int(rng.integers(5, 110))), colour, -1
            )
        elif kind == 1:
            cv2.circle(base, (x, y), int(rng.integers(3, 60)), colour, int(rng.choice([-1, 2, 5])))
        elif kind == 2:
            end = tuple(int(v) for v in rng.integers(0, size, 2))
            cv2.line(base, (x, y), end, colour, int(rng.integers(1, 10)), cv2.LINE_AA)
        else:
            word = _WORDS[rng.integers(len(_WORDS))]
            font, scale = int(rng.choice([0, 2, 3, 4])), float(rng.uniform(0.4, 2.2))
            cv2.putText(base, word, (x, y), font, scale, colour, int(rng.integers(1, 4)), cv2.LINE_AA)
    return np.rot90(base, int(rng.integers(4))).astype(np.float32)


_KINDS = (_plain, _gradient, _felt, _felt, _wood, _wood, _cloth, _noise, _clutter)


def background(rng: Rng, size: int) -> Image:
    """A square table top, BGR uint8 (size, size, 3)."""
    base = _KINDS[rng.integers(len(_KINDS))](rng, size)
    base = base + rng.normal(0, rng.uniform(0, 6), (size, size, 1)).astype(np.float32)
    return np.clip(base, 0, 255).astype(np.uint8)
