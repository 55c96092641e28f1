"""What lies under the cards: a table of felt, wood or cloth, on a floor."""

from __future__ import annotations

import cv2
import numpy as np

from vision.simulator.camera import View
from vision.types import Floats, Image

KINDS = ("felt", "wood", "cloth")
GLOSS = {"felt": 25, "wood": 110, "cloth": 30}
"""How much of a lamp's reflection the table shows, 0 to 255."""
FELTS = ((58, 98, 30), (92, 62, 28), (48, 36, 120), (70, 70, 74), (86, 84, 26), (40, 54, 74))
WOODS = ((60, 92, 140), (40, 62, 100), (96, 134, 176), (34, 46, 70))
CLOTHS = ((196, 204, 210), (150, 110, 82), (92, 106, 150), (120, 150, 140), (62, 60, 66))
"""BGR."""


def _noise(rng: np.random.Generator, h: int, w: int, cell_y: float, cell_x: float) -> Floats:
    """Smooth noise of unit spread with features of about cell_y by cell_x pixels."""
    small = rng.standard_normal((max(2, int(h / cell_y) + 2), max(2, int(w / cell_x) + 2))).astype(np.float32)
    out: Floats = cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)
    return out


def _pick(rng: np.random.Generator, colors: tuple[tuple[int, int, int], ...]) -> Floats:
    c = np.array(colors[int(rng.integers(len(colors)))], np.float32)
    return c * rng.uniform(0.85, 1.15) * rng.uniform(0.94, 1.06, 3).astype(np.float32)


def texture(rng: np.random.Generator, kind: str, size: int) -> Image:
    """A square of table top, size x size pixels at about one pixel a millimetre or finer."""
    h = w = size
    if kind == "felt":
        value = (
            1
            + 0.05 * _noise(rng, h, w, 1.2, 1.2)
            + 0.03 * _noise(rng, h, w, 4, 4)
            + 0.03 * _noise(rng, h, w, 90, 90)
        )
        image = _pick(rng, FELTS) * value[..., None]
    elif kind == "wood":
        grain = _noise(rng, h, w, 3, 260) * 0.5 + _noise(rng, h, w, 1.3, 90) * 0.4
        rings = np.sin(_noise(rng, h, w, 70, 500) * 5 + np.arange(h, dtype=np.float32)[:, None] / 9)
        value = 1 + 0.06 * grain + 0.05 * rings
        plank = int(size / rng.integers(5, 9))
        tones = 1 + 0.07 * rng.standard_normal(h // plank + 1).astype(np.float32)
        rows = np.arange(h) // plank
        value *= tones[rows][:, None]
        value[np.arange(h) % plank < 2] *= 0.62
        image = _pick(rng, WOODS) * value[..., None]
    elif kind == "cloth":
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        weave = np.sin(xx * 1.9) * np.sin(yy * 1.9)
        value = 1 + 0.03 * weave + 0.04 * _noise(rng, h, w, 160, 160) + 0.03 * _noise(rng, h, w, 1.2, 1.2)
        image = _pick(rng, CLOTHS) * value[..., None]
        if rng.random() < 0.5:
            pitch = float(rng.uniform(40, 90))
            bands = ((xx % pitch < pitch * 0.35).astype(np.float32) + (yy % pitch < pitch * 0.35)) / 2
            image = image * (1 - 0.35 * bands[..., None]) + _pick(rng, CLOTHS) * 0.35 * bands[..., None]
        folds = _noise(rng, h, w, 400, 30) if rng.random() < 0.5 else _noise(rng, h, w, 30, 400)
        image *= 1 + 0.02 * folds[..., None]
    else:
        raise ValueError(f"'{kind}' is no table surface: use one of {', '.join(KINDS)}")
    out: Image = np.clip(image, 0, 255).astype(np.uint8)
    return out


def draw_room(view: View, side_mm: float, kind: str, rng: np.random.Generator, light: float) -> Image:
    """The empty table on its floor, evenly lit, H x W x 3 BGR."""
    h, w = view.height, view.width
    floor = 1 + 0.05 * _noise(rng, h, w, 2, 2) + 0.06 * _noise(rng, h, w, 60, 60)
    room = np.clip(rng.uniform(35, 90) * rng.uniform(0.85, 1.15, 3) * floor[..., None], 0, 255).astype(
        np.uint8
    )
    half = side_mm / 2
    corners = np.array([(-half, half), (half, half), (half, -half), (-half, -half)])
    # The table stands well above the floor: a wide soft shadow.
    shade = np.zeros((h, w), np.uint8)
    drop = view.project(corners * 1.02 + 30 * np.array([np.cos(light), np.sin(light)]), -60.0)
    cv2.fillConvexPoly(shade, np.round(drop).astype(np.int32), 150, cv2.LINE_AA)
    shade = cv2.GaussianBlur(shade, (0, 0), 18)
    room = cv2.multiply(room, cv2.cvtColor(cv2.bitwise_not(shade), cv2.COLOR_GRAY2BGR), scale=1 / 255)
    size = round(side_mm * max(1.0, view.scale() * 1.1))
    top = texture(rng, kind, size)
    rim = max(3, round(size * 0.012))
    edge = _pick(rng, WOODS) * 0.8
    for side in (top[:rim], top[-rim:], top[:, :rim], top[:, -rim:]):
        side[:] = np.clip(side * 0.15 + edge * 0.85, 0, 255)
    top[rim : rim + 2, rim:-rim] = top[rim : rim + 2, rim:-rim] // 2
    top[rim:-rim, rim : rim + 2] = top[rim:-rim, rim : rim + 2] // 2
    source = np.array([(0, 0), (size, 0), (size, size), (0, size)], np.float32)
    m = cv2.getPerspectiveTransform(source, view.project(corners))
    cover = cv2.warpPerspective(np.full((size, size), 255, np.uint8), m, (w, h))
    through = cv2.cvtColor(cv2.bitwise_not(cover), cv2.COLOR_GRAY2BGR)
    table = cv2.warpPerspective(top, m, (w, h), flags=cv2.INTER_LINEAR)
    out: Image = cv2.add(cv2.multiply(room, through, scale=1 / 255), table)
    return out
