"""A place to show hands: one table, room, deck, four people and a camera, all following from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from engine.cards import SEATS, Face, Seat
from vision.simulator.arms import ArmPress, looks
from vision.simulator.camera import Effects, Sensor, View, light_maps
from vision.simulator.deckart import DeckArt
from vision.simulator.painter import Painter
from vision.simulator.script import HandScript
from vision.simulator.sprites import CardPress
from vision.simulator.surfaces import GLOSS, KINDS, draw_room
from vision.types import Floats, Image

SIDE_MM = 800.0


@dataclass(frozen=True, slots=True)
class IndexInView:
    """A printed index: corners in pixels (4, 2), ordered as in `CardArt`, and the share that can be seen."""

    quad: Floats
    visible: float

    @property
    def height(self) -> float:
        """Pixels from the middle of the upper edge to the middle of the lower."""
        top, foot = self.quad[:2].mean(axis=0), self.quad[2:].mean(axis=0)
        return float(np.hypot(*(top - foot)))


@dataclass(frozen=True, slots=True)
class CardInView:
    """A card on the table at a moment: pixels of its corners (4, 2), clockwise from its upper left as read.

    `indices` is empty for a card that shows its back. `visible`: share of the card not covered.
    """

    card: str
    face: Face
    polygon: Floats
    indices: tuple[IndexInView, ...]
    visible: float
    still: bool
    face_up: bool


class Stage:
    """Draws any script at any time, and says what of it can be seen."""

    def __init__(
        self,
        seed: int,
        deck: DeckArt,
        effects: Effects,
        *,
        width: int = 1920,
        height: int = 1080,
        surface: str | None = None,
    ) -> None:
        """`surface`: felt, wood or cloth; by default the seed chooses."""
        self.seed, self.deck, self.size_mm = seed, deck, SIDE_MM
        rng = np.random.default_rng([seed, 3])
        self.view = View(
            width,
            height,
            SIDE_MM,
            tilt=float(rng.normal(0, 1.2)),
            roll=float(rng.normal(0, 0.8)),
            offset_mm=(float(rng.normal(0, 5)), float(rng.normal(0, 5))),
            height_mm=float(rng.uniform(1000, 1400)),
        )
        light = float(rng.uniform(0, 2 * np.pi))
        chosen = KINDS[int(rng.integers(len(KINDS)))]
        kind = surface or chosen
        room = draw_room(self.view, SIDE_MM, kind, rng, light)
        lights = light_maps(self.view, effects, rng)
        arms: dict[Seat, ArmPress] = {
            s: ArmPress(s, looks(rng), self.view, seed * 4 + n, light) for n, s in enumerate(SEATS)
        }
        self.sensor = Sensor(self.view, effects, seed)
        self._press = CardPress(deck, self.view, light)
        self._painter = Painter(self.view, room, GLOSS[kind], lights, self._press, arms, self.sensor)

    @property
    def corners(self) -> Floats:
        """Pixels of the table's corners NW, NE, SE, SW, (4, 2), of a camera that does not shake."""
        half = self.size_mm / 2
        return self.view.project(np.array([(-half, half), (half, half), (half, -half), (-half, -half)]))

    def picture(self, script: HandScript, at: float) -> Image:
        """The picture that the camera takes at this time."""
        return self.sensor.expose(self._painter.paint(script, at), at)

    def seen(self, script: HandScript, at: float) -> list[CardInView]:
        """Every card on the table at this time with what of it can be seen, lowest first."""
        owner, order = self._painter.owners(script, at)
        shaken = np.array(self.sensor.shift(at), np.float32)
        out: list[CardInView] = []
        for number, (card, state) in enumerate(order, 1):
            face, pose = script.faces[card], state.pose
            polygon = self._press.outline(pose)
            face_up = bool(np.cos(pose.turn) * np.cos(pose.tip) > 0)
            indices = tuple(
                IndexInView(quad + shaken, _share(owner, quad, number))
                for quad in (self._press.index_quads(face, pose) if face_up else ())
            )
            share = _share(owner, polygon, number)
            out.append(CardInView(card, face, polygon + shaken, indices, share, state.still, face_up))
        return out


def _share(owner: Image, polygon: Floats, number: int) -> float:
    """Which share of a polygon belongs to card `number`; what lies outside the picture does not."""
    x0, y0 = np.floor(polygon.min(axis=0)).astype(int)
    x1, y1 = np.ceil(polygon.max(axis=0)).astype(int) + 1
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(mask, np.round((polygon - (x0, y0)) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    total = int(mask.sum())
    h, w = owner.shape[:2]
    ax, ay, bx, by = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
    if total == 0 or bx <= ax or by <= ay:
        return 0.0
    part = mask[ay - y0 : by - y0, ax - x0 : bx - x0]
    return float(np.count_nonzero(part & (owner[ay:by, ax:bx] == number)) / total)
