"""Paints a hand's moments: still things are kept painted, only what changed or moves is drawn anew."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import SEATS, Face, Seat
from vision.simulator.arms import ArmPress, Shape
from vision.simulator.camera import Sensor, View
from vision.simulator.motions import FAN_AT, HAND_REST, SEAT_ANGLE, STANDING, CardState, Pose, place
from vision.simulator.script import HandScript
from vision.simulator.sprites import CardPress, Rect, Sprite, overlap
from vision.types import Image

HOLDING_LEVEL, ARM_LEVEL = 10**6, 10**7
LEFT_REST = (-30.0, -420.0)


@dataclass(slots=True)
class _Still:
    """Something that lies still: its stacking level and its pictures, lowest first."""

    level: int
    sprites: list[Sprite]
    rect: Rect


@dataclass(frozen=True, slots=True)
class _Moving:
    """Something drawn anew in every frame: a card on its way, or (no card) a hand."""

    sprite: Sprite
    card: str | None = None
    state: CardState | None = None


class Painter:
    """Turns (script, time) into a lit picture. Times may come in any order; going forward is cheapest."""

    def __init__(
        self,
        view: View,
        room: Image,
        gloss: int,
        lights: tuple[Image, Image],
        press: CardPress,
        arms: dict[Seat, ArmPress],
        sensor: Sensor,
    ) -> None:
        self.view, self.press, self.arms, self.sensor = view, press, arms, sensor
        self._room, (self._gain, self._glare) = room, lights
        self._shiny = bool(self._glare.any())
        self._dull = gloss
        self._gloss = np.full(room.shape[:2], gloss, np.uint8)
        self._still = room.copy()
        self._stills: dict[Hashable, tuple[object, _Still]] = {}
        self._lit = np.empty_like(room)
        self._frame: Rect = (0, 0, view.width, view.height)
        self._last_moving: list[Rect] = []
        self._unlit: list[Rect] = []
        self._light([self._frame], [])

    def paint(self, script: HandScript, at: float) -> Image:
        """The lit scene at video time `at`, before the sensor. The array stays the painter's own."""
        wanted, moving = self._look(script, at)
        self._settle(wanted, script.faces)
        sprites = [m.sprite for m in moving]
        rects = [r for s in sprites if (r := overlap(s.rect, self._frame))]
        self._light(_merged(self._unlit + self._last_moving + rects), sprites)
        self._unlit.clear()
        self._last_moving = rects
        return self._lit

    # -- what is where --------------------------------------------------------------------------

    def owners(self, script: HandScript, at: float) -> tuple[NDArray[np.uint8], list[tuple[str, CardState]]]:
        """Which card owns each pixel: a picture of numbers (0: none), and the cards numbered from 1.

        A hand, an arm or a held fan over a card takes its pixels away.
        """
        wanted, moving = self._look(script, at)
        self._settle(wanted, script.faces)
        owner = np.zeros((self.view.height, self.view.width), np.uint8)
        order: list[tuple[str, CardState]] = []

        def card_lies(card: str, state: CardState) -> None:
            order.append((card, state))
            corners = np.round(self.press.outline(state.pose) * 16).astype(np.int32)
            cv2.fillConvexPoly(owner, corners, len(order), cv2.LINE_8, 4)

        def covers(sprite: Sprite) -> None:
            r = overlap(sprite.rect, self._frame)
            if r is not None:
                x0, y0, x1, y1 = r
                solid = sprite.through[y0 - sprite.y : y1 - sprite.y, x0 - sprite.x : x1 - sprite.x, 0] < 110
                owner[y0:y1, x0:x1][solid] = 0

        for key, (look, still) in sorted(self._stills.items(), key=lambda kv: kv[1][1].level):
            if isinstance(look, Pose):
                card_lies(str(key), CardState(look, still.level, still=True))
            else:
                for sprite in still.sprites:
                    covers(sprite)
        for thing in moving:
            if thing.card is not None and thing.state is not None:
                card_lies(thing.card, thing.state)
            else:
                covers(thing.sprite)
        return owner, order

    def _look(
        self, script: HandScript, at: float
    ) -> tuple[dict[Hashable, tuple[int, object]], list[_Moving]]:
        """Still things by key as (level, what tells one look from another), and what moves, lowest first."""
        shutter = self.sensor.effects.shutter
        wanted: dict[Hashable, tuple[int, object]] = {}
        cards: list[_Moving] = []
        for card, track in script.tracks.items():
            state = track.at(at)
            if state is None:
                continue
            if state.still:
                wanted[card] = (state.level, state.pose)
                continue
            before = track.at(at - shutter)
            moved = self._moved(state.pose, before.pose if before else state.pose)
            cards.append(_Moving(self.press.draw(script.faces[card], state.pose, moved), card, state))
        # A card that a hand carries is above all that lies.
        cards.sort(key=lambda m: (m.state is not None and m.state.pose.tip > 0, m.state and m.state.level))
        for seat in SEATS:
            held = 0
            for t, count in script.held.get(seat, ()):
                if t > at:
                    break
                held = count
            wanted["fan", seat] = (HOLDING_LEVEL, held)
            wanted["left", seat] = (ARM_LEVEL, None)
        busy: set[Seat] = set()
        hands: list[_Moving] = []
        for stroke in script.strokes:
            if stroke.t0 > at:
                break
            if at >= stroke.t1:
                continue
            busy.add(stroke.seat)
            x, y = stroke.at(at)
            px, py = stroke.at(at - shutter)
            p = self.view.project(np.array([(x, y), (px, py)]), 28.0)
            shape: Shape = "flat" if stroke.flat else "pinch"
            d = p[0] - p[1]
            sprite = self.arms[stroke.seat].draw(x, y, shape, moved=(float(d[0]), float(d[1])))
            if sprite:
                hands.append(_Moving(sprite))
        for seat in SEATS:
            if seat not in busy:
                wanted["right", seat] = (ARM_LEVEL, None)
        return wanted, cards + hands

    def _moved(self, now: Pose, before: Pose) -> tuple[float, float]:
        p = self.view.project(np.array([(now.x, now.y), (before.x, before.y)]), now.z)
        return float(p[0, 0] - p[1, 0]), float(p[0, 1] - p[1, 1])

    def _build(self, key: Hashable, level: int, look: object, faces: dict[str, Face]) -> _Still:
        sprites: list[Sprite]
        if isinstance(look, Pose):
            sprites = [self.press.draw(faces[str(key)], look)]
        else:
            assert isinstance(key, tuple)
            kind, seat = key
            if kind == "fan":
                assert isinstance(look, int)
                sprites = self._fan(seat, look)
            else:
                spot = place(seat, *LEFT_REST) if kind == "left" else HAND_REST[seat]
                sprite = self.arms[seat].draw(*spot, "pinch", left=kind == "left")
                sprites = [sprite] if sprite else []
        if not sprites:
            return _Still(level, [], (0, 0, 0, 0))
        rects = np.array([s.rect for s in sprites])
        x0, y0 = rects[:, :2].min(axis=0)
        x1, y1 = rects[:, 2:].max(axis=0)
        return _Still(level, sprites, (int(x0), int(y0), int(x1), int(y1)))

    def _fan(self, seat: Seat, count: int) -> list[Sprite]:
        """The backs of a held hand: standing cards, so foreshortened, spread like a fan."""
        spread = min(62.0, 5.5 * count)
        radius, sprites = 105.0, []
        any_face = self.press.deck.faces()[0]
        for n in range(count):
            a = math.radians(((n + 0.5) / count - 0.5) * spread)
            u, v = FAN_AT[0] + radius * math.sin(a), FAN_AT[1] + radius * (math.cos(a) - 1) * 0.5
            x, y = place(seat, u, v)
            pose = Pose(x, y, SEAT_ANGLE[seat] - math.degrees(a) * 0.7, 30.0, 0.0, STANDING)
            sprites.append(self.press.draw(any_face, pose))
        return sprites

    # -- painting -------------------------------------------------------------------------------

    def _settle(self, wanted: dict[Hashable, tuple[int, object]], faces: dict[str, Face]) -> None:
        """Bring the layer of still things up to date and note where it changed."""
        dirty: list[Rect] = []
        for key in [k for k in self._stills if k not in wanted]:
            dirty.append(self._stills.pop(key)[1].rect)
        for key, (level, look) in wanted.items():
            have = self._stills.get(key)
            if have is not None and have[0] == look and have[1].level == level:
                continue
            if have is not None:
                dirty.append(have[1].rect)
            still = self._build(key, level, look, faces)
            self._stills[key] = (look, still)
            dirty.append(still.rect)
        dirty = _merged([r for d in dirty if (r := overlap(d, self._frame))])
        if dirty:
            order = sorted((s for _, s in self._stills.values()), key=lambda s: s.level)
            for rect in dirty:
                x0, y0, x1, y1 = rect
                part, gloss = self._still[y0:y1, x0:x1], self._gloss[y0:y1, x0:x1]
                part[:], gloss[:] = self._room[y0:y1, x0:x1], self._dull
                for still in order:
                    if overlap(still.rect, rect):
                        for sprite in still.sprites:
                            sprite.paste(part, rect)
                            if self._shiny:
                                sprite.shine(gloss, rect)
        self._unlit += dirty

    def _light(self, rects: list[Rect], moving: list[Sprite]) -> None:
        margin = 3
        for x0, y0, x1, y1 in rects:
            wide = (
                max(x0 - margin, 0),
                max(y0 - margin, 0),
                min(x1 + margin, self.view.width),
                min(y1 + margin, self.view.height),
            )
            a, b, c, d = wide
            part = self._still[b:d, a:c].copy()
            for sprite in moving:
                sprite.paste(part, wide)
            cv2.multiply(part, self._gain[b:d, a:c], dst=part, scale=1 / 128)
            if self._shiny:
                gloss = self._gloss[b:d, a:c].copy()
                for sprite in moving:
                    sprite.shine(gloss, wide)
                light = cv2.multiply(
                    self._glare[b:d, a:c], cv2.cvtColor(gloss, cv2.COLOR_GRAY2BGR), scale=1 / 255
                )
                cv2.add(part, light, dst=part)
            part = self.sensor.soften(part)
            self._lit[y0:y1, x0:x1] = part[y0 - b : y1 - b, x0 - a : x1 - a]


def _merged(rects: list[Rect]) -> list[Rect]:
    """Rectangles that cover the same, joined where joining adds little."""
    out: list[Rect] = []
    for rect in rects:
        current = rect
        again = True
        while again:
            again = False
            for other in out:
                union = (
                    min(current[0], other[0]),
                    min(current[1], other[1]),
                    max(current[2], other[2]),
                    max(current[3], other[3]),
                )
                if _area(union) <= 1.15 * (_area(current) + _area(other)):
                    out.remove(other)
                    current, again = union, True
                    break
        out.append(current)
    return out


def _area(r: Rect) -> int:
    return (r[2] - r[0]) * (r[3] - r[1])
