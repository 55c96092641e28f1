"""Drawn forearms and hands of the four players."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal, TypeAlias

import cv2
import numpy as np

from engine.cards import Seat
from vision.simulator.camera import View
from vision.simulator.motions import place
from vision.simulator.sprites import SKIN_GLOSS, Sprite, smear
from vision.types import Floats, Image

Shape: TypeAlias = Literal["pinch", "flat"]

SKINS = ((150, 180, 226), (125, 160, 212), (95, 130, 190), (70, 100, 155), (48, 72, 115), (165, 195, 235))
"""BGR."""
LENGTH_MM, HALF_MM = 820.0, 84.0
PAD_MM = 22.0
ELBOW = {False: (175.0, -700.0), True: (-175.0, -700.0)}
"""Where an arm comes from, as its seat sees it (u, v), by whether it is the left one."""
FINGERS: dict[Shape, tuple[tuple[tuple[float, float], ...], ...]] = {
    "pinch": (
        ((-19, 74), (-17, 38), (-9, 5)),
        ((-3, 69), (-2, 34), (2, 0)),
        ((13, 71), (14, 38), (13, 6)),
        ((28, 80), (28, 52), (23, 25)),
        ((-27, 130), (-42, 98), (-24, 56)),
    ),
    "flat": (
        ((-20, 74), (-25, 40), (-28, 8)),
        ((-3, 69), (-4, 34), (-5, 0)),
        ((13, 71), (16, 38), (19, 7)),
        ((28, 80), (35, 55), (41, 27)),
        ((-27, 130), (-50, 104), (-62, 74)),
    ),
}
"""Joints of index, middle, ring, little finger and thumb of a right hand; mm, y from the fingertips back."""
ARM = (
    (100.0, 24.0, 7.0),
    (150.0, 25.0, 14.0),
    (230.0, 32.0, 22.0),
    (330.0, 42.0, 30.0),
    (460.0, 48.0, 34.0),
    (820.0, 56.0, 40.0),
)
"""A forearm: millimetres from the fingertips, half width there, height there."""
WIDTHS = (8.2, 8.6, 8.0, 7.0, 9.6)


@dataclass(frozen=True, slots=True)
class Looks:
    """A player's skin and sleeve, BGR; `cuff`: where the sleeve begins, millimetres from the fingertips."""

    skin: tuple[int, int, int]
    sleeve: tuple[int, int, int]
    cuff: float
    stripes: bool


def looks(rng: np.random.Generator) -> Looks:
    skin = SKINS[int(rng.integers(len(SKINS)))]
    hsv = np.array([[[rng.integers(180), rng.integers(20, 190), rng.integers(40, 225)]]], np.uint8)
    b, g, r = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].tolist()
    cuff = float(rng.uniform(170, 215) if rng.random() < 0.65 else rng.uniform(330, 420))
    return Looks(skin, (b, g, r), cuff, bool(rng.random() < 0.3))


def draw_arm(look: Looks, shape: Shape, seed: int, s: float) -> Image:
    """A right arm reaching up; BGRA premultiplied, `s` pixels a mm, fingertips at (HALF_MM, PAD_MM)."""
    h, w = round((LENGTH_MM + PAD_MM) * s), round(2 * HALF_MM * s)
    rng = np.random.default_rng(seed)

    def at(x: float, y: float) -> tuple[int, int]:
        return round((x + HALF_MM) * s), round((y + PAD_MM) * s)

    # A height field of rounded parts, lit from the upper left: one skin without seams between parts.
    hand = np.zeros((h, w), np.uint8)
    height = np.zeros((h, w), np.float32)
    top = round(260 * s)
    fingers = FINGERS[shape]
    for joints, half in zip(fingers, WIDTHS, strict=True):
        part = np.zeros((top, w), np.uint8)
        for a, b in itertools.pairwise(joints):
            cv2.line(part, at(*a), at(*b), 255, round(2 * half * s), cv2.LINE_AA)
        hand[:top] = np.maximum(hand[:top], part)
        height[:top] = np.maximum(height[:top], _dome(part, half * s) * half)
    palm = np.zeros((top, w), np.uint8)
    back = [(-27, 74), (0, 66), (22, 70), (36, 82), (36, 112), (27, 160), (-26, 160), (-35, 122)]
    cv2.fillPoly(palm, [np.array([at(*p) for p in back], np.int32)], 255, cv2.LINE_AA)
    palm = cv2.threshold(cv2.GaussianBlur(palm, (0, 0), 4 * s), 127, 255, cv2.THRESH_BINARY)[1]
    hand[:top] = np.maximum(hand[:top], palm)
    height[:top] = np.maximum(height[:top], _dome(palm, 26 * s) * 10.5)
    for joints in fingers[:4]:
        # Knuckles and tendons: what tells the back of a hand from its palm.
        knuckle = np.zeros((top, w), np.float32)
        (kx, ky), _, _ = joints
        cv2.circle(knuckle, at(kx, ky + 3), round(7 * s), 2.6, -1)
        cv2.line(knuckle, at(kx, ky + 4), at(kx * 0.45, ky + 58), 1.3, round(3 * s))
        height[:top] += cv2.GaussianBlur(knuckle, (0, 0), 3.0 * s)
    arm, body = _limb((h, w), s, ARM)
    height = np.maximum(height, body)
    skin = np.maximum(hand, arm)
    wide = 34 + look.cuff * 0.045
    cloth_parts = (
        (look.cuff, wide, 25.0),
        (look.cuff + 90, 48.0, 34.0),
        (500.0, 56.0, 40.0),
        (LENGTH_MM, 64.0, 44.0),
    )
    sleeve, body = _limb((h, w), s, cloth_parts)
    folds = cv2.resize(rng.standard_normal((60, 6)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    height = np.where(sleeve > 127, body + 1.3 * folds, height)
    height = cv2.GaussianBlur(height, (0, 0), 2.2 * s)
    gx, gy = (
        cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=s / 8),
        cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=s / 8),
    )
    shade = np.clip((1.0 - 0.42 * gx - 0.30 * gy) / np.sqrt(1 + gx * gx + gy * gy), 0.45, 1.18)
    color = np.empty((h, w, 3), np.float32)
    color[:] = look.skin
    blush = cv2.resize(rng.standard_normal((42, 8)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    color *= 1 + 0.025 * blush[..., None]
    for joints in fingers[:4]:
        tip, before = np.array(joints[-1]), np.array(joints[-2])
        along = (tip - before) / np.linalg.norm(tip - before)
        nail = tip - along * 1.0
        angle = float(np.degrees(np.arctan2(along[0], -along[1])))
        cv2.ellipse(
            color,
            at(*nail),
            (round(4.4 * s), round(6.0 * s)),
            angle,
            0,
            360,
            [min(255, c * 1.1 + 14) for c in look.skin],
            -1,
            cv2.LINE_AA,
        )
    cloth = np.array(look.sleeve, np.float32) * np.ones((h, w, 1), np.float32)
    if look.stripes:
        y = np.arange(h)[:, None, None] / s
        cloth = np.where((y // 14) % 2 == 0, cloth, cloth * 0.6 + 90)
    cloth *= 1 + 0.03 * rng.standard_normal((h, w, 1)).astype(np.float32)
    mix = (sleeve / np.float32(255))[..., None]
    color = (color * (1 - mix) + cloth * mix) * shade[..., None]
    y0, y1 = at(0, look.cuff)[1], at(0, look.cuff + 4)[1]
    color[y0:y1] *= 0.72
    alpha = np.maximum(skin, sleeve)
    return np.dstack([np.clip(color, 0, 255) * (alpha / np.float32(255))[..., None], alpha]).astype(np.uint8)


def _limb(
    size: tuple[int, int], s: float, parts: tuple[tuple[float, float, float], ...]
) -> tuple[Image, Floats]:
    """A round limb down the picture: outline and height in mm, from its (y, half width, height) in mm."""
    y = np.arange(size[0], dtype=np.float32)[:, None] / s - PAD_MM
    x = np.abs(np.arange(size[1], dtype=np.float32)[None] / s - HALF_MM)
    ys, halves, heights = (np.array(column) for column in zip(*parts, strict=True))
    half, top = np.interp(y, ys, halves), np.interp(y, ys, heights)
    inside = np.clip((half - x) * s + 0.5, 0, 1) * (y >= ys[0])
    round_height = top * np.sqrt(np.clip(1 - (x / half) ** 2, 0, 1)) * (y >= ys[0])
    return (inside * 255).astype(np.uint8), round_height.astype(np.float32)


def _dome(mask: Image, radius: float) -> Floats:
    """Height of a rounded body over its outline, 0 at the edge to 1 at `radius` pixels inside."""
    distance = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 5)
    f = np.clip(distance / radius, 0, 1)
    out: Floats = np.sqrt(1 - (1 - f) ** 2).astype(np.float32)
    return out


class ArmPress:
    """Draws one player's arms as seen through a view, with the soft shadow they cast."""

    def __init__(self, seat: Seat, look: Looks, view: View, seed: int, light: float) -> None:
        self.seat, self.view = seat, view
        self._scale = view.scale() * 1.04
        shapes: tuple[Shape, ...] = ("pinch", "flat")
        self._arms: dict[tuple[Shape, bool], Image] = {}
        for shape in shapes:
            drawn = min(max(1.6 * self._scale, 0.9), 2.4)
            arm = draw_arm(look, shape, seed, drawn)
            k = self._scale / drawn
            arm = cv2.resize(arm, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
            arm = self._with_shadow(arm, light)
            self._arms[shape, False] = arm
            self._arms[shape, True] = np.ascontiguousarray(arm[:, ::-1])
        self._tip = HALF_MM * self._scale, PAD_MM * self._scale

    def _with_shadow(self, arm: Image, light: float) -> Image:
        alpha = cv2.extractChannel(arm, 3)
        off = 9 * self._scale
        m = np.array([[1, 0, off * np.cos(light)], [0, 1, -off * np.sin(light)]])
        shade = cv2.warpAffine(alpha, m, alpha.shape[::-1], borderMode=cv2.BORDER_CONSTANT)
        shade = cv2.GaussianBlur(shade, (0, 0), 6 * self._scale)
        shade = cv2.multiply(shade, cv2.bitwise_not(alpha), scale=0.42 / 255)
        out: Image = cv2.insertChannel(cv2.add(alpha, shade), arm, 3)
        return out

    def draw(
        self,
        x: float,
        y: float,
        shape: Shape,
        left: bool = False,
        z: float = 28.0,
        moved: tuple[float, float] = (0.0, 0.0),
    ) -> Sprite | None:
        """The arm with its fingertips at table millimetres (x, y); None when out of the picture."""
        base = place(self.seat, *ELBOW[left])
        tip, elbow = self.view.project(np.array([(x, y), base]), z)
        along = (tip - elbow) / max(float(np.hypot(*(tip - elbow))), 1e-6)
        arm = self._arms[shape, left]
        ax, ay = self._tip
        # The picture's "up" turns to `along`.
        c, s = -along[1], along[0]
        m = np.array([[c, -s, 0.0], [s, c, 0.0]])
        m[:, 2] = tip - m[:, :2] @ (ax, ay)
        h, w = arm.shape[:2]
        corners = np.array([(0, 0), (w, 0), (w, h), (0, h)]) @ m[:, :2].T + m[:, 2]
        x0, y0 = np.maximum(np.floor(corners.min(axis=0)).astype(int), -40)
        x1, y1 = np.minimum(
            np.ceil(corners.max(axis=0)).astype(int), (self.view.width + 40, self.view.height + 40)
        )
        if x1 <= x0 or y1 <= y0:
            return None
        m[:, 2] -= x0, y0
        image = cv2.warpAffine(arm, m, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
        image, dx, dy = smear(image, *moved)
        return Sprite.of(image, int(x0) + dx, int(y0) + dy, SKIN_GLOSS)
