"""Training scenes: cards as they lie on tables, with the exact place of every index that can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.cards import ALL_FACES, Face
from vision.simulator.deckart import DeckArt
from vision.training import effects
from vision.training.backgrounds import background
from vision.types import Array, Image

Rng = np.random.Generator
Placement = tuple[float, float, float]
"""Centre x, y in pixels and clockwise turn in radians."""

VISIBLE = 0.85
"""An index of which less can be seen is not asked for."""


@dataclass(frozen=True, slots=True)
class Label:
    """An index in a scene: its face, its corners (4, 2) in pixels (upper left, upper right, lower right,
    lower left as read upright), and how much of it can be seen, 0..1."""

    face: int
    quad: Array
    visible: float

    @property
    def top(self) -> Array:
        return (self.quad[0] + self.quad[1]) / 2

    @property
    def foot(self) -> Array:
        return (self.quad[2] + self.quad[3]) / 2

    @property
    def height(self) -> float:
        return float(np.linalg.norm(self.top - self.foot))


@dataclass(frozen=True, slots=True)
class Scene:
    image: Image
    labels: tuple[Label, ...]


def _fan(rng: Rng, size: int, h: float) -> list[Placement]:
    n = int(rng.integers(3, 14))
    radius, step = h * rng.uniform(0.9, 2.4), rng.uniform(0.06, 0.28)
    turn = rng.uniform(0, 2 * np.pi)
    x, y = rng.uniform(0.2, 0.8, 2) * size
    x, y = x - np.sin(turn) * radius * 0.8, y + np.cos(turn) * radius * 0.8
    out = []
    for i in range(n):
        a = turn + (i - (n - 1) / 2) * step
        jitter = rng.normal(0, 0.02 * h, 2)
        out.append(
            (x + np.sin(a) * radius + jitter[0], y - np.cos(a) * radius + jitter[1], a + rng.normal(0, 0.03))
        )
    return out[::-1] if rng.random() < 0.25 else out


def _row(rng: Rng, size: int, h: float) -> list[Placement]:
    """Cards overlapping sideways (or downwards), as meld is laid; sometimes two or three rows."""
    turn = (
        rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else rng.integers(4) * np.pi / 2 + rng.normal(0, 0.08)
    )
    along, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    if rng.random() < 0.25:
        along, down = down, along
    pitch, gap = h * rng.uniform(0.14, 0.75), h * rng.uniform(0.28, 1.1)
    centre = rng.uniform(0.25, 0.75, 2) * size
    out = []
    rows = int(rng.choice([1, 1, 2, 3]))
    for r in range(rows):
        n = int(rng.integers(2, 10))
        for i in range(n):
            p = centre + along * pitch * (i - (n - 1) / 2) + down * gap * (r - (rows - 1) / 2)
            p = p + rng.normal(0, 0.012 * h, 2)
            out.append((p[0], p[1], turn + rng.normal(0, 0.04) + (np.pi if rng.random() < 0.1 else 0)))
    return out


def _middle(rng: Rng, size: int, h: float) -> list[Placement]:
    """A book: up to four cards laid to the middle by four seats."""
    x, y = rng.uniform(0.3, 0.7, 2) * size
    start, order = rng.uniform(0, 2 * np.pi), rng.permutation(4)[: int(rng.integers(1, 5))]
    out = []
    for i in order:
        a, r = start + i * np.pi / 2, h * rng.uniform(0.1, 0.8)
        out.append((x + np.sin(a) * r, y - np.cos(a) * r, a + rng.normal(0, 0.25)))
    return out


def _scatter(rng: Rng, size: int, h: float) -> list[Placement]:
    n = int(rng.integers(1, int(np.clip((size / h) ** 2 * 1.6, 1, 14)) + 1))
    return [(*rng.uniform(0.02, 0.98, 2) * size, rng.uniform(0, 2 * np.pi)) for _ in range(n)]


def _layout(rng: Rng, size: int, h: float, crowd: int) -> list[Placement]:
    """`crowd` groups of cards at most; cards that fill the scene lie alone."""
    kinds = (_fan, _row, _middle, _scatter)
    groups = 1 if h > 0.3 * size else int(rng.integers(1, crowd + 1))
    cards: list[Placement] = []
    for _ in range(groups):
        cards += kinds[rng.choice(4, p=(0.25, 0.35, 0.2, 0.2))](rng, size, h)
    return cards


class SceneMaker:
    """Makes scenes of `size` pixels square from a set of decks. The same seed makes the same scenes."""

    def __init__(
        self,
        decks: Sequence[DeckArt],
        size: int,
        seed: int,
        heights: tuple[float, float] = (9, 110),
        crowd: int = 2,
    ) -> None:
        self.decks = list(decks)
        self.size = size
        self.heights = heights
        self.crowd = crowd
        self.rng = np.random.default_rng(seed)
        self._tops = [background(self.rng, int(size * 1.4)) for _ in range(60)]
        self._mips: dict[tuple[str, Face | None], list[Image]] = {}

    def replace_decks(self, decks: Sequence[DeckArt]) -> None:
        self.decks = list(decks)
        names = {d.name for d in decks}
        self._mips = {key: mips for key, mips in self._mips.items() if key[0] in names}
        for i in self.rng.choice(len(self._tops), 3, replace=False):
            self._tops[i] = background(self.rng, int(self.size * 1.4))

    def make(self) -> Scene:
        rng, size = self.rng, self.size
        image = self._table()
        owner = np.zeros((size, size), np.int16)
        warp = self._perspective()
        deck = self.decks[rng.integers(len(self.decks))]
        faces = deck.faces()
        if rng.random() < 0.6:  # the deck of the job, with its copies
            faces = tuple(f for f in faces if f.rank in "ATKQJ9") or faces
        if rng.random() < 0.5:  # few faces: copies meet
            faces = tuple(faces[i] for i in rng.integers(0, len(faces), 4))
        some = faces[rng.integers(len(faces))]
        index_share = self._index_height(deck.art(some).indices[0]) / deck.art(some).image.shape[0]
        low, high = self.heights
        # Cards close up are rare on tables and costly here.
        wanted = np.exp(rng.uniform(*np.log((low, min(high, 62)) if rng.random() < 0.88 else (40, high))))
        card = float(np.clip(wanted / index_share, 30, 3.2 * size))
        found: list[tuple[int, int, Array]] = []
        down = 0.03 if rng.random() < 0.8 else 0.5
        for number, (x, y, turn) in enumerate(_layout(rng, size, card, self.crowd), 1):
            shown = None if rng.random() < down else faces[rng.integers(len(faces))]
            matrix = self._put(image, owner, deck, shown, x, y, turn, card, warp, number)
            if matrix is None or shown is None:
                continue
            which = ALL_FACES.index(shown)
            for quad in deck.art(shown).indices:
                q = cv2.perspectiveTransform(quad[None].astype(np.float64), matrix)[0]
                found.append((number, which, q.astype(np.float32)))
        if rng.random() < 0.2:
            self._cover(image, owner)
        labels = [
            Label(face, quad, v)
            for number, face, quad in found
            if (v := self._seen(owner, number, quad)) is not None
        ]
        f = effects.light(rng, image.astype(np.float32))
        f = effects.lens(rng, f, wanted / 24)
        return Scene(effects.sensor(rng, f), tuple(labels))

    def _table(self) -> Image:
        rng, size = self.rng, self.size
        top = self._tops[rng.integers(len(self._tops))]
        y, x = rng.integers(0, top.shape[0] - size + 1, 2)
        image = np.rot90(top[y : y + size, x : x + size], int(rng.integers(4)))
        if rng.random() < 0.3:
            image = image[..., rng.permutation(3)]
        return np.ascontiguousarray(image)

    def _perspective(self) -> Array:
        rng, size = self.rng, self.size
        m = np.eye(3)
        if rng.random() < 0.6:
            m[2, :2] = rng.normal(0, 0.15 / size, 2)
            m[0, 1] = rng.normal(0, 0.06)
            m[0, 0] = rng.uniform(0.86, 1.05)
        if rng.random() < 0.2:  # pictures stretched to a square, or taken aslant
            m[0, 0] *= rng.uniform(0.55, 0.95)
            m[0, 1] += rng.normal(0, 0.12)
        shift = np.array([[1, 0, size / 2], [0, 1, size / 2], [0, 0, 1.0]])
        return shift @ m @ np.linalg.inv(shift)

    @staticmethod
    def _index_height(quad: Array) -> float:
        return float(np.linalg.norm((quad[0] + quad[1]) / 2 - (quad[2] + quad[3]) / 2))

    def _mip(self, deck: DeckArt, face: Face | None, scale: float) -> Image:
        key = (deck.name, face)
        if key not in self._mips:
            art = deck.back() if face is None else deck.art(face).image
            levels = [art]
            while min(levels[-1].shape[:2]) > 40:
                levels.append(cv2.resize(levels[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
            self._mips[key] = levels
        level = int(np.clip(np.floor(-np.log2(max(scale, 1e-3)) + 0.3), 0, len(self._mips[key]) - 1))
        return self._mips[key][level]

    def _put(
        self, image: Image, owner: Array, deck: DeckArt, face: Face | None,
        x: float, y: float, turn: float, card: float, warp: Array, number: int,
    ) -> Array | None:  # fmt: skip
        """Lay one card; returns the matrix from the art's pixels to the scene's, None if outside."""
        rng, size = self.rng, self.size
        h0, w0 = (deck.back() if face is None else deck.art(face).image).shape[:2]
        scale = card / h0 * rng.uniform(0.98, 1.02)
        c, s = np.cos(turn), np.sin(turn)
        place = np.array([[scale * c, -scale * s, x], [scale * s, scale * c, y], [0, 0, 1.0]])
        matrix = warp @ place @ np.array([[1, 0, -w0 / 2], [0, 1, -h0 / 2], [0, 0, 1.0]])
        corners = np.array([[[0, 0], [w0, 0], [w0, h0], [0, h0]]], np.float64)
        q = cv2.perspectiveTransform(corners, matrix)[0]
        lo = np.maximum(np.floor(q.min(0)).astype(int) - 1, 0)
        hi = np.minimum(np.ceil(q.max(0)).astype(int) + 2, size)
        if (hi - lo < 3).any():
            return None
        art = self._mip(deck, face, scale)
        fit = np.diag([w0 / art.shape[1], h0 / art.shape[0], 1.0])
        local = np.array([[1, 0, -lo[0]], [0, 1, -lo[1]], [0, 0, 1.0]]) @ matrix @ fit
        laid = cv2.warpPerspective(art, local, (int(hi[0] - lo[0]), int(hi[1] - lo[1])))
        region = image[lo[1] : hi[1], lo[0] : hi[0]]
        alpha = laid[..., 3:].astype(np.uint16)
        if rng.random() < 0.7:
            move = np.array([[1, 0, rng.uniform(-3, 3)], [0, 1, rng.uniform(-3, 3)]])
            shade = cv2.blur(cv2.warpAffine(laid[..., 3], move, laid.shape[1::-1]), (7, 7))
            region[:] = region * (1 - shade[..., None] * np.float32(rng.uniform(0.1, 0.5) / 255))
        colour = laid[..., :3]
        if rng.random() < 0.4:
            colour = cv2.convertScaleAbs(colour, alpha=rng.uniform(0.85, 1.05), beta=rng.uniform(0, 8))
        region[:] = (colour * alpha + region * (255 - alpha)) // 255
        owner[lo[1] : hi[1], lo[0] : hi[0]][laid[..., 3] > 127] = number
        return matrix

    def _cover(self, image: Image, owner: Array) -> None:
        """Fingers, arms, pens and phones over the cards."""
        rng, size = self.rng, self.size
        mask = np.zeros((size, size), np.uint8)
        x, y = (int(v) for v in rng.integers(0, size, 2))
        if rng.random() < 0.5:
            turn = rng.uniform(0, 2 * np.pi)
            skin = np.array([110, 145, 205]) * rng.uniform(0.3, 1.2)
            width = int(rng.uniform(10, 45))
            for k in range(int(rng.integers(1, 5))):
                a = turn + k * 0.25
                end = (int(x + np.cos(a) * size * 0.5), int(y + np.sin(a) * size * 0.5))
                cv2.line(mask, (x, y), end, 255, width, cv2.LINE_AA)
        else:
            skin = rng.uniform(10, 235, 3)
            box = cv2.boxPoints(((x, y), tuple(rng.uniform(8, 90, 2)), float(rng.uniform(0, 180))))
            cv2.fillConvexPoly(mask, box.astype(np.int32), 255)
        soft = cv2.blur(mask, (3, 3))[..., None] / 255
        shaded = skin * (0.85 + 0.3 * self._tops[0][:size, :size, :1] / 255)
        image[:] = (image * (1 - soft) + shaded * soft).clip(0, 255)
        owner[mask > 127] = -1

    def _seen(self, owner: Array, number: int, quad: Array) -> float | None:
        """Share of the index that shows, None when it lies outside the scene."""
        lo, hi = np.floor(quad.min(0)).astype(int), np.ceil(quad.max(0)).astype(int) + 1
        clip_lo, clip_hi = np.maximum(lo, 0), np.minimum(hi, self.size)
        if (clip_hi <= clip_lo).any():
            return None
        mask = np.zeros((hi[1] - lo[1], hi[0] - lo[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad - lo).astype(np.int32), 1)
        inside = mask[clip_lo[1] - lo[1] : clip_hi[1] - lo[1], clip_lo[0] - lo[0] : clip_hi[0] - lo[0]]
        own = owner[clip_lo[1] : clip_hi[1], clip_lo[0] : clip_hi[0]] == number
        return float((inside * own).sum() / max(int(mask.sum()), 1))
