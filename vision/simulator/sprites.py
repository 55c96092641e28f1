"""Pictures with transparency that are laid over the scene: cards in any pose, smeared when they move."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from engine.cards import Face
from vision.simulator.camera import Doubles, View
from vision.simulator.deckart import DeckArt
from vision.simulator.motions import Pose
from vision.types import Floats, Image

Rect = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the last two exclusive."""

CARD_GLOSS, SKIN_GLOSS = 235, 45


def overlap(a: Rect, b: Rect) -> Rect | None:
    x0, y0, x1, y1 = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


@dataclass(frozen=True, slots=True)
class Sprite:
    """A picture to lay over the scene with its upper left at (x, y).

    color: BGR, already multiplied by its opacity; through: 255 minus opacity, as three channels.
    gloss: how much of a lamp's reflection its surface shows, 0 to 255.
    """

    color: Image
    through: Image
    x: int
    y: int
    gloss: int

    @classmethod
    def of(cls, bgra: Image, x: int, y: int, gloss: int) -> Sprite:
        """From a BGRA picture whose colours are already multiplied by its opacity."""
        through = cv2.cvtColor(cv2.bitwise_not(cv2.extractChannel(bgra, 3)), cv2.COLOR_GRAY2BGR)
        return cls(cv2.cvtColor(bgra, cv2.COLOR_BGRA2BGR), through, x, y, gloss)

    @property
    def rect(self) -> Rect:
        h, w = self.color.shape[:2]
        return self.x, self.y, self.x + w, self.y + h

    def paste(self, canvas: Image, rect: Rect) -> None:
        """Lay over `canvas`, which shows the part `rect` of the scene; changes it in place."""
        r = overlap(self.rect, rect)
        if r is None:
            return
        x0, y0, x1, y1 = r
        part = canvas[y0 - rect[1] : y1 - rect[1], x0 - rect[0] : x1 - rect[0]]
        mine = slice(y0 - self.y, y1 - self.y), slice(x0 - self.x, x1 - self.x)
        part[:] = cv2.add(cv2.multiply(part, self.through[mine], scale=1 / 255), self.color[mine])

    def shine(self, canvas: Image, rect: Rect) -> None:
        """As `paste`, for the picture of how glossy each pixel is (one channel)."""
        r = overlap(self.rect, rect)
        if r is None:
            return
        x0, y0, x1, y1 = r
        part = canvas[y0 - rect[1] : y1 - rect[1], x0 - rect[0] : x1 - rect[0]]
        through = self.through[y0 - self.y : y1 - self.y, x0 - self.x : x1 - self.x, 0]
        mine = cv2.multiply(cv2.bitwise_not(through), self.gloss, scale=1 / 255)
        part[:] = cv2.add(cv2.multiply(part, through, scale=1 / 255), mine)


def smear(bgra: Image, dx: float, dy: float) -> tuple[Image, int, int]:
    """Motion blur for a thing that came (dx, dy) pixels during the exposure and is now where it is drawn.

    Returns the larger picture and how far its upper left moved.
    """
    ix, iy = round(dx), round(dy)
    if abs(ix) + abs(iy) < 2:
        return bgra, 0, 0
    left, right = max(ix, 0), max(-ix, 0)
    top, bottom = max(iy, 0), max(-iy, 0)
    image = cv2.copyMakeBorder(bgra, top, bottom, left, right, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
    for part in (2, 4, 8):
        sx, sy = round(-ix / part), round(-iy / part)
        if sx or sy:
            image = cv2.addWeighted(image, 0.5, np.roll(image, (sy, sx), axis=(0, 1)), 0.5, 0)
    return image, -left, -top


def premultiplied(bgra: Image) -> Image:
    alpha = cv2.extractChannel(bgra, 3)
    out: Image = cv2.multiply(bgra, cv2.merge([alpha, alpha, alpha, np.full_like(alpha, 255)]), scale=1 / 255)
    return out


class CardPress:
    """Draws the cards of a deck as seen through a view. Holds each face scaled to the view's needs."""

    OVERSAMPLE = 1.25
    MARGIN = 14

    def __init__(self, deck: DeckArt, view: View, light: float) -> None:
        """`light`: the direction that shadows fall in, radians anticlockwise from East."""
        self.deck, self.view = deck, view
        self.size_mm = deck.size_mm
        scale = view.scale() * self.OVERSAMPLE
        self._px = (round(self.size_mm[0] * scale), round(self.size_mm[1] * scale))
        self._faces: dict[Face | None, Image] = {}
        self._shadow = math.cos(light), math.sin(light)

    def picture(self, face: Face | None) -> Image:
        """The face (None: the back) at working size, premultiplied BGRA."""
        if face not in self._faces:
            art = self.deck.back() if face is None else self.deck.art(face).image
            self._faces[face] = cv2.resize(premultiplied(art), self._px, interpolation=cv2.INTER_AREA)
        return self._faces[face]

    def to_pixels(self, pose: Pose) -> Doubles:
        """3 x 3, the card's own millimetres (from its middle, x right, y up) to image pixels."""
        a = math.radians(pose.angle)
        sx, sy = abs(math.cos(pose.turn)), abs(math.cos(pose.tip))
        sx, sy = max(sx, 0.04), max(sy, 0.04)
        local = np.array(
            [
                [math.cos(a) * sx, -math.sin(a) * sy, pose.x],
                [math.sin(a) * sx, math.cos(a) * sy, pose.y],
                [0, 0, 1],
            ]
        )
        out: Doubles = self.view.plane(pose.z) @ local
        return out

    def outline(self, pose: Pose) -> Floats:
        """The card's corners in pixels, clockwise from its upper left as read, (4, 2)."""
        w, h = self.size_mm
        return self._apply(
            self.to_pixels(pose), [(-w / 2, h / 2), (w / 2, h / 2), (w / 2, -h / 2), (-w / 2, -h / 2)]
        )

    def index_quads(self, face: Face, pose: Pose) -> Floats:
        """The corners of each printed index in pixels, (n, 4, 2), ordered as `CardArt.indices`."""
        art = self.deck.art(face)
        ah, aw = art.image.shape[:2]
        w, h = self.size_mm
        points = art.indices.reshape(-1, 2)
        mm = np.column_stack([points[:, 0] / aw * w - w / 2, h / 2 - points[:, 1] / ah * h])
        return self._apply(self.to_pixels(pose), mm).reshape(-1, 4, 2)

    @staticmethod
    def _apply(m: Doubles, points: object) -> Floats:
        p = np.asarray(points, np.float64)
        q = np.column_stack([p, np.ones(len(p))]) @ m.T
        return (q[:, :2] / q[:, 2:]).astype(np.float32)

    def draw(self, face: Face, pose: Pose, moved: tuple[float, float] = (0.0, 0.0)) -> Sprite:
        """The card with its shadow. `moved`: pixels that it came during the exposure."""
        up = math.cos(pose.turn) * math.cos(pose.tip) > 0
        picture = self.picture(face if up else None)
        corners = self.outline(pose)
        lifted = max(pose.z, 0.0)
        reach = 0.7 + 0.45 * lifted
        x0, y0 = np.floor(corners.min(axis=0)).astype(int) - self.MARGIN
        x1, y1 = np.ceil(corners.max(axis=0)).astype(int) + self.MARGIN
        h, w = picture.shape[:2]
        mw, mh = self.size_mm
        # Pixel centres are at half pixels of the picture, hence the half in both directions.
        to_mm = np.array(
            [[mw / w, 0, -mw / 2 + 0.5 * mw / w], [0, -mh / h, mh / 2 - 0.5 * mh / h], [0, 0, 1]]
        )
        shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
        size = int(x1 - x0), int(y1 - y0)
        card = cv2.warpPerspective(
            picture, shift @ self.to_pixels(pose) @ to_mm, size, flags=cv2.INTER_LINEAR
        )
        # The shadow lies on the table, shifted and softer the higher the card is.
        scale = self.view.scale()
        off = np.array([self._shadow[0], -self._shadow[1]]) * min(reach * scale, self.MARGIN - 4)
        shade = np.zeros((size[1], size[0]), np.uint8)
        poly = np.round((corners - (x0, y0) + off) * 16).astype(np.int32)
        dark = 105 if lifted < 16 else 80
        cv2.fillConvexPoly(shade, poly, dark, cv2.LINE_AA, 4)
        shade = cv2.GaussianBlur(shade, (0, 0), min(0.9 + 0.12 * lifted, 4.0))
        alpha = cv2.extractChannel(card, 3)
        both = cv2.add(alpha, cv2.multiply(shade, cv2.bitwise_not(alpha), scale=1 / 255))
        card = cv2.insertChannel(both, card, 3)
        card, dx, dy = smear(card, *moved)
        return Sprite.of(card, int(x0) + dx, int(y0) + dy, CARD_GLOSS)
