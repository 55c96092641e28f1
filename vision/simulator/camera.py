"""The simulated camera: a pinhole above the table, and what light, lens and sensor do to the picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Floats, Image

Doubles = NDArray[np.float64]


class View:
    """A pinhole camera over the table.

    Maps table millimetres (x East, y North, z up) to image pixels. `tilt` leans the camera's axis
    towards the North edge, `roll` turns the picture, both in degrees; the table fills `fill` of the
    frame's height when seen straight from above.
    """

    def __init__(
        self,
        width: int,
        height: int,
        side_mm: float,
        *,
        fill: float = 0.93,
        tilt: float = 0.0,
        roll: float = 0.0,
        offset_mm: tuple[float, float] = (0.0, 0.0),
        height_mm: float = 1150.0,
    ) -> None:
        self.width, self.height = width, height
        focal = fill * height * height_mm / side_mm
        a, b = np.radians(tilt), np.radians(roll)
        # Camera axes: x to East, y to South (down in the picture), z down at the table.
        down = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]])
        lean = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        turn = np.array([[np.cos(b), -np.sin(b), 0], [np.sin(b), np.cos(b), 0], [0, 0, 1]])
        rotation = turn @ lean @ down
        # Where it must hang so that its axis meets the table near the centre.
        axis = rotation.T @ np.array([0.0, 0.0, 1.0])
        eye = np.array([*offset_mm, 0.0]) - axis * height_mm
        k = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
        self.matrix: Doubles = k @ np.hstack([rotation, (-rotation @ eye)[:, None]])
        """3 x 4, homogeneous millimetres to pixels."""

    @property
    def homography(self) -> Doubles:
        """3 x 3, table plane in millimetres to pixels."""
        return self.matrix[:, [0, 1, 3]]

    def plane(self, z: float) -> Doubles:
        """3 x 3, millimetres in the plane at height z to pixels."""
        m = self.matrix
        return np.column_stack([m[:, 0], m[:, 1], m[:, 2] * z + m[:, 3]])

    def project(self, points: NDArray[np.floating], z: float = 0.0) -> Floats:
        """(n, 2) millimetres at height z to (n, 2) pixels."""
        p = np.column_stack([points, np.ones(len(points))]) @ self.plane(z).T
        return (p[:, :2] / p[:, 2:]).astype(np.float32)

    def scale(self, x: float = 0.0, y: float = 0.0) -> float:
        """Pixels per millimetre near a point of the table."""
        p = self.project(np.array([[x, y], [x + 10, y], [x, y + 10]]))
        return float(np.sqrt(abs(np.linalg.det(np.array([p[1] - p[0], p[2] - p[0]])))) / 10)


@dataclass(frozen=True, slots=True)
class Effects:
    """Strengths of what light, lens and sensor do. 0 is none, 1 plain to see, 2 severe.

    `shutter`: seconds of exposure, which smears what moves. `jpeg`: quality of a compression of
    each frame, None for none; it costs more than all else together, and a video file compresses anyway.
    """

    noise: float = 0.5
    drift: float = 0.3
    gradient: float = 0.4
    glare: float = 0.0
    shadows: float = 0.5
    defocus: float = 0.25
    shake: float = 0.0
    brightness: float = 1.0
    warmth: float = 0.2
    shutter: float = 1 / 60
    jpeg: int | None = None


def light_maps(view: View, effects: Effects, rng: np.random.Generator) -> tuple[Image, Image]:
    """What the lamps do to each pixel: a gain (128 is one; H x W x 3) and an additive glare (H x W x 3)."""
    h, w = view.height, view.width
    small = (max(w // 8, 1), max(h // 8, 1))
    yy, xx = np.mgrid[0 : small[1], 0 : small[0]].astype(np.float32)
    nx, ny = xx / small[0] - 0.5, yy / small[1] - 0.5
    gain = np.ones((small[1], small[0]), np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    lx, ly = 0.35 * np.cos(angle), 0.35 * np.sin(angle)
    dist = np.hypot((nx - lx) * w / h, ny - ly)
    gain *= 1.06 - effects.gradient * 0.45 * dist**1.3
    gain *= 1 - 0.12 * effects.gradient * (4 * (nx**2 + ny**2))
    for _ in range(round(effects.shadows * 3)):
        # The soft shadow of a person or lamp arm: a half plane with a wide edge.
        a, off = rng.uniform(0, 2 * np.pi), rng.uniform(0.25, 0.45)
        edge = (nx * np.cos(a) + ny * np.sin(a) - off) / rng.uniform(0.03, 0.12)
        gain *= 1 - 0.25 * min(effects.shadows, 1.5) / (1 + np.exp(-edge))
    gain *= effects.brightness
    big = cv2.resize(gain, (w, h), interpolation=cv2.INTER_LINEAR)
    warm = np.array([1 - 0.14 * effects.warmth, 1.0, 1 + 0.1 * effects.warmth], np.float32)
    full = big[..., None] * warm * 128
    # Dithered, because a step of one in 128 would show as bands on a plain table.
    full += rng.random((h, w, 1), np.float32)
    gain8 = np.clip(full, 0, 255).astype(np.uint8)
    glare = np.zeros((small[1], small[0]), np.float32)
    for n in range(round(effects.glare * 3)):
        # The first falls where books are played, the others anywhere.
        cx, cy = rng.uniform(-0.13, 0.13, 2) if n == 0 else rng.uniform(-0.34, 0.34, 2)
        rx, ry = rng.uniform(0.015, 0.05), rng.uniform(0.015, 0.04)
        a = rng.uniform(0, np.pi)
        ux = ((nx - cx * h / w) * np.cos(a) + (ny - cy) * np.sin(a)) / rx
        uy = (-(nx - cx * h / w) * np.sin(a) + (ny - cy) * np.cos(a)) / ry
        r2 = ux**2 + uy**2
        glare += rng.uniform(150, 260) * np.exp(-(r2**1.5)) + 60 * np.exp(-r2 / 9)
    glare8 = np.clip(cv2.resize(glare, (w, h), interpolation=cv2.INTER_CUBIC), 0, 255).astype(np.uint8)
    return gain8, cv2.cvtColor(glare8, cv2.COLOR_GRAY2BGR)


class Sensor:
    """Turns a lit scene into a frame: exposure drift, defocus, noise, shake, compression."""

    PAD = 96

    def __init__(self, view: View, effects: Effects, seed: int) -> None:
        self.effects = effects
        self._seed = seed
        self._size = view.width, view.height
        rng = np.random.default_rng([seed, 5])
        h, w = view.height + self.PAD, view.width + self.PAD
        sigma = 1.2 + 5.0 * effects.noise
        luma = rng.standard_normal((h, w, 1), np.float32)
        chroma = rng.standard_normal((h // 2 + 1, w // 2 + 1, 3), np.float32)
        grain = luma * sigma + cv2.resize(chroma, (w, h))[:h, :w] * sigma * 0.6
        self._noise = np.clip(grain + 128, 0, 255).astype(np.uint8)
        self._phase = rng.uniform(0, 2 * np.pi, 6)
        self._kernel = 0.0 if effects.defocus <= 0 else 0.35 + 0.75 * effects.defocus

    def shift(self, at: float) -> tuple[float, float]:
        """How far the shaking camera's picture is moved at this time: pixels right and down."""
        s, p = self.effects.shake * self._size[1] / 1080, self._phase
        # Slow sway, faster tremble, and now and then somebody knocks the table.
        knock = max(0.0, np.sin(0.37 * at + p[4])) ** 40 * np.sin(60 * at) * 3
        dx = s * (1.6 * np.sin(2.1 * at + p[0]) + 0.8 * np.sin(11 * at + p[1]) + knock)
        dy = s * (1.4 * np.sin(1.7 * at + p[2]) + 0.9 * np.sin(13 * at + p[3]) + knock)
        return float(dx), float(dy)

    def exposure(self, at: float) -> float:
        d, p = self.effects.drift, self._phase
        return float(1 + d * (0.04 * np.sin(0.21 * at + p[1]) + 0.03 * np.sin(0.057 * at + p[2])))

    def soften(self, region: Image) -> Image:
        """The lens's blur, applied to whatever part of the scene was drawn anew."""
        if not self._kernel:
            return region
        return np.asarray(cv2.GaussianBlur(region, (5, 5), self._kernel), np.uint8)

    def expose(self, scene: Image, at: float) -> Image:
        """A frame of its own (never the scene's memory) for this time."""
        h, w = scene.shape[:2]
        if self.effects.shake > 0:
            scene = shifted(scene, *self.shift(at))
        rng = np.random.default_rng([self._seed, 6, round(at * 1000)])
        oy, ox = rng.integers(0, self.PAD, 2)
        noise = self._noise[oy : oy + h, ox : ox + w]
        out: Image = cv2.addWeighted(scene, self.exposure(at), noise, 1.0, -128)
        if self.effects.jpeg is not None:
            done, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, self.effects.jpeg])
            if done:
                out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return out


def shifted(image: Image, dx: float, dy: float) -> Image:
    """The picture moved by a part of a pixel and more; its edges are repeated. Far cheaper than a warp."""
    h, w = image.shape[:2]
    ix, iy = int(np.floor(dx)), int(np.floor(dy))
    fx, fy = dx - ix, dy - iy
    pad = max(abs(ix), abs(iy)) + 1
    wide = cv2.copyMakeBorder(image, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    y, x = pad - iy, pad - ix
    rows = cv2.addWeighted(wide[y : y + h], 1 - fy, wide[y - 1 : y - 1 + h], fy, 0)
    return np.asarray(
        cv2.addWeighted(rows[:, x : x + w], 1 - fx, rows[:, x - 1 : x - 1 + w], fx, 0), np.uint8
    )
