"""A table of paper: white cards on a plain mat and hands that bring them, with a reader that knows the truth.

Fast, and apart from networks, so that what is tested is what is made of readings over time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from engine import events as ev
from engine.cards import ALL_FACES, SEATS, Seat
from engine.deck import DOUBLE
from vision.cards import CardReader
from vision.table import CardShape, Table
from vision.types import CLASSES, Frame, Image, IndexBox, IndexRead, Observed
from vision.watch import TableWatcher, WatchOptions

SIZE = 640
SIDE_MM = 800.0
SCALE = SIZE / SIDE_MM
SHAPE = CardShape()
TURN: dict[Seat, float] = {"S": 0.0, "E": 90.0, "N": 180.0, "W": 270.0}
MAT, SKIN = (60, 110, 50), (120, 150, 200)


@dataclass(frozen=True)
class Paper:
    """A card lying at x, y mm, turned `angle` degrees anticlockwise from upright for South."""

    face: str
    x: float
    y: float
    angle: float
    up: bool = True

    def points(self, local: Sequence[tuple[float, float]]) -> np.ndarray:
        """Points given right and up of the card's middle, in its own directions, as table mm."""
        a = math.radians(self.angle)
        turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        return np.asarray(local, float) @ turn.T + (self.x, self.y)

    @property
    def outline(self) -> np.ndarray:
        w, h = SHAPE.width / 2, SHAPE.height / 2
        return self.points([(-w, h), (w, h), (w, -h), (-w, -h)])

    @property
    def indices(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(top, foot) in mm of both corner indices."""
        x, y = SHAPE.width / 2 - SHAPE.index_x, SHAPE.height / 2 - SHAPE.index_y
        half = SHAPE.index_height / 2
        one = self.points([(-x, y + half), (-x, y - half)])
        other = self.points([(x, -y - half), (x, -y + half)])
        return [(one[0], one[1]), (other[0], other[1])]


def place(seat: Seat, right: float, away: float) -> tuple[float, float]:
    """mm of a point as a seat sees it: to its right, and away from it beyond the centre."""
    a = math.radians(TURN[seat])
    return right * math.cos(a) - away * math.sin(a), right * math.sin(a) + away * math.cos(a)


def pixels(mm: np.ndarray) -> np.ndarray:
    return (np.asarray(mm) * (1, -1) + SIDE_MM / 2) * SCALE - 0.5


class KnowingReader(CardReader):
    """Finds and reads what the fake table shows.

    `reads_as` maps a card's key to what it reads as, "QC/QS" where two faces seem as likely, and how surely.
    """

    def __init__(self, world: FakeTable) -> None:
        super().__init__(self, world, DOUBLE, SHAPE)  # type: ignore[arg-type]
        self.world = world
        self.looks = 0
        self.shown: list[tuple[np.ndarray, np.ndarray, str, str]] = []

    def find(self, image: Image, index_height: float | None = None) -> list[IndexBox]:
        self.looks += 1
        base, shown = next((p, s) for p, s in self.world.past if np.shares_memory(p, image))
        self.shown = shown
        offset = image.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        y, x = divmod(offset // 3, base.shape[1])
        height, width = image.shape[:2]
        boxes = []
        for top, foot, _, _ in shown:
            middle = (top + foot) / 2 - (x, y)
            if (middle >= 0).all() and (middle < (width, height)).all():
                t, f = top - (x, y), foot - (x, y)
                boxes.append(IndexBox((float(t[0]), float(t[1])), (float(f[0]), float(f[1])), 0.9))
        return boxes

    def read_indices(self, image: Image, boxes: Sequence[IndexBox]) -> list[IndexRead]:
        reads = []
        for box in boxes:
            middle = (np.array(box.top) + box.foot) / 2
            best = min(self.shown, key=lambda s: float(np.hypot(*((s[0] + s[1]) / 2 - middle))))
            face, sure = self.world.reads_as.get(best[2], (best[3], 0.995))
            p = np.full(len(CLASSES), (1 - sure) / len(ALL_FACES), np.float32)
            faces = face.split("/")
            for f in faces:
                p[CLASSES.index(f)] += sure / len(faces)
            reads.append(IndexRead(box, p / p.sum()))
        return reads


@dataclass
class Hand:
    """An arm from a seat's side to a point."""

    seat: Seat
    x: float
    y: float

    @property
    def outline(self) -> np.ndarray:
        x, y = self.x, self.y
        a = math.radians(TURN[self.seat])
        along, across = np.array([-math.sin(a), math.cos(a)]), np.array([math.cos(a), math.sin(a)])
        tip = np.array([x, y])
        root = across * float(across @ tip) - along * (SIDE_MM / 2 + 60)
        return np.array([tip + 26 * across, tip - 26 * across, root - 32 * across, root + 32 * across])


@dataclass
class FakeTable:
    """The world, and a watcher that looks at every picture of it. Times in seconds of pictures."""

    options: WatchOptions = field(default_factory=WatchOptions)
    fps: float = 15.0
    noise: float = 1.5
    cards: dict[str, Paper] = field(default_factory=dict)
    """By a key of one's own, lowest first."""
    hands: list[Hand] = field(default_factory=list)
    reads_as: dict[str, tuple[str, float]] = field(default_factory=dict)
    observed: list[Observed] = field(default_factory=list)
    at: float = 0.0
    dark: bool = False
    mat: tuple[int, int, int] = MAT
    pictures: bool = True
    """Whether a card shows more than its indices."""
    ghosts: list[Paper] = field(default_factory=list)
    """Cards that are read though nothing lies there."""

    def __post_init__(self) -> None:
        half = SIDE_MM / 2
        corners = pixels(np.array([(-half, half), (half, half), (half, -half), (-half, -half)]))
        self.table = Table.from_corners(corners, (SIDE_MM, SIDE_MM), (SIZE, SIZE))
        self.reader = KnowingReader(self)
        self.watcher = TableWatcher(self.table, self.reader, DOUBLE, self.options)
        self._rng = np.random.default_rng(1)
        self._grain = self._rng.normal(0, self.noise, (SIZE * 2, SIZE * 2, 1)).astype(np.float32)
        self.past: list[tuple[Image, list[tuple[np.ndarray, np.ndarray, str, str]]]] = []
        self._number = 0
        self.wait(0.5)

    # -- pictures -------------------------------------------------------------------------------

    def visible_indices(self) -> list[tuple[np.ndarray, np.ndarray, str, str]]:
        """(top, foot) in pixels, the card's key and face, of all indices that nothing covers."""
        out = []
        order = [*self.cards.items(), *((f"ghost {n}", g) for n, g in enumerate(self.ghosts))]
        for n, (key, card) in enumerate(order):
            if not card.up:
                continue
            above = [c.outline for _, c in order[n + 1 :]] + [h.outline for h in self.hands]
            for top, foot in card.indices:
                middle = ((top + foot) / 2).astype(np.float32)
                if not any(
                    cv2.pointPolygonTest(
                        np.asarray(o, np.float32), (float(middle[0]), float(middle[1])), False
                    )
                    >= 0
                    for o in above
                ):
                    out.append((pixels(top), pixels(foot), key, card.face))
        return out

    def _draw(self) -> Image:
        image = np.full((SIZE, SIZE, 3), self.mat, np.uint8)
        if self.dark:
            return image // 60
        for card in self.cards.values():
            self._fill(image, card.outline, (235, 235, 235) if card.up else (130, 60, 60))
            if card.up:
                seed = ALL_FACES.index(next(f for f in ALL_FACES if str(f) == card.face))
                rng = np.random.default_rng(seed)
                for _ in range(5 if self.pictures else 0):
                    u, v = rng.uniform(-18, 18), rng.uniform(-28, 28)
                    shade = tuple(int(c) for c in rng.integers(0, 160, 3))
                    self._fill(
                        image,
                        card.points([(u - 7, v + 7), (u + 7, v + 7), (u + 7, v - 7), (u - 7, v - 7)]),
                        shade,
                    )
                for top, foot in card.indices:
                    a, b = (pixels(p).round().astype(int).tolist() for p in (top, foot))
                    cv2.line(image, a, b, (30, 30, 30), 4)
        for hand in self.hands:
            self._fill(image, hand.outline, SKIN)
        y, x = self._rng.integers(0, SIZE, 2)
        return np.clip(image + self._grain[y : y + SIZE, x : x + SIZE], 0, 255).astype(np.uint8)

    @staticmethod
    def _fill(image: Image, polygon: np.ndarray, colour: tuple[int, ...]) -> None:
        cv2.fillConvexPoly(image, np.round(pixels(polygon) * 16).astype(np.int32), colour, cv2.LINE_AA, 4)

    def frame(self) -> None:
        """One picture is taken."""
        picture = self._draw()
        self.past = [*self.past[-20:], (picture, self.visible_indices())]
        self.observed += self.watcher.push(Frame(picture, self.at, self._number))
        self._number += 1
        self.at += 1 / self.fps

    def wait(self, seconds: float) -> None:
        for _ in range(max(1, round(seconds * self.fps))):
            self.frame()

    # -- people ---------------------------------------------------------------------------------

    def spot(self, seat: Seat) -> tuple[float, float, float]:
        return (*place(seat, 0, -74), TURN[seat])

    def reach(self, seat: Seat, x: float, y: float, seconds: float = 0.3, leave: bool = False) -> None:
        """A hand goes to a point (or back from it)."""
        hx, hy = place(seat, 0, -SIDE_MM / 2 - 40)
        hand = Hand(seat, hx, hy)
        self.hands.append(hand)
        count = max(2, round(seconds * self.fps))
        for n in range(1, count + 1):
            f = 1 - n / count if leave else n / count
            hand.x, hand.y = hx + (x - hx) * f, hy + (y - hy) * f
            self.frame()
        self.hands.remove(hand)

    def lay(
        self, key: str, face: str, seat: Seat, at: tuple[float, float, float] | None = None, wait: float = 0.8
    ) -> None:
        """A hand brings a card to its place and leaves."""
        x, y, angle = at or self.spot(seat)
        hx, hy = place(seat, 0, -SIDE_MM / 2 - 40)
        hand = Hand(seat, hx, hy)
        self.hands.append(hand)
        for n in range(1, 7):
            f = n / 6
            cx, cy = hx + (x - hx) * f, hy + (y - hy) * f
            self.cards.pop(key, None)
            self.cards[key] = Paper(face, cx, cy, angle)
            dx, dy = place(seat, 5, -24)
            hand.x, hand.y = cx + dx, cy + dy
            self.frame()
        self.hands.remove(hand)
        self.reach(seat, x + dx, y + dy, leave=True)
        self.wait(wait)

    def move(self, key: str, seat: Seat, to: tuple[float, float, float], steps: int = 5) -> None:
        """A hand slides a card that lies to another place."""
        card = self.cards[key]
        self.reach(seat, card.x, card.y)
        hand = Hand(seat, card.x, card.y)
        self.hands.append(hand)
        for n in range(1, steps + 1):
            f = n / steps
            x, y, a = (p + (q - p) * f for p, q in zip((card.x, card.y, card.angle), to, strict=True))
            self.cards[key] = replace(card, x=x, y=y, angle=a)
            hand.x, hand.y = x, y
            self.frame()
        self.hands.remove(hand)
        self.reach(seat, hand.x, hand.y, leave=True)

    def take(self, keys: Sequence[str], seat: Seat) -> None:
        """A hand takes cards from the table."""
        at = np.mean([(self.cards[k].x, self.cards[k].y) for k in keys], axis=0)
        self.reach(seat, *at)
        cards = {k: self.cards[k] for k in keys}
        hx, hy = place(seat, 0, -SIDE_MM / 2 - 60)
        hand = Hand(seat, *at)
        self.hands.append(hand)
        for n in range(1, 7):
            f = n / 6
            for k, c in cards.items():
                self.cards[k] = replace(c, x=c.x + (hx - c.x) * f, y=c.y + (hy - c.y) * f)
            hand.x, hand.y = at[0] + (hx - at[0]) * f, at[1] + (hy - at[1]) * f
            self.frame()
        self.hands.remove(hand)
        for k in keys:
            del self.cards[k]

    def gather(self, keys: Sequence[str], seat: Seat, wait: float = 1.0) -> None:
        """A hand sweeps cards together, turns them over and puts them on its pile."""
        self.reach(seat, *place(seat, 0, 60))
        x, y = place(seat, 0, -128)
        start = {k: self.cards[k] for k in keys}
        hand = Hand(seat, *place(seat, 0, 60))
        self.hands.append(hand)
        hx, hy = hand.x, hand.y
        px, py = place(seat, 222, -282)
        for n in range(1, 8):
            f = n / 7
            for i, (k, c) in enumerate(start.items()):
                self.cards[k] = Paper(
                    c.face,
                    c.x + (x + i - c.x) * f,
                    c.y + (y + i - c.y) * f,
                    c.angle + (TURN[seat] - c.angle) * f,
                )
            hand.x, hand.y = hx + (x - hx) * f, hy + (y - hy) * f
            self.frame()
        for n in range(1, 7):
            f = n / 6
            for k in keys:
                self.cards[k] = Paper(start[k].face, x + (px - x) * f, y + (py - y) * f, TURN[seat], up=False)
            hand.x, hand.y = x + (px - x) * f, y + (py - y) * f
            self.frame()
        self.hands.remove(hand)
        self.reach(seat, px, py, leave=True)
        self.wait(wait)

    # -- what was made of it --------------------------------------------------------------------

    def of(self, *kinds: type) -> list[Any]:
        return [o.what for o in self.observed if isinstance(o.what, kinds)]

    def story(self) -> list[str]:
        """The events in short, seats as last recorded: "lay N AS", "back N AS", "close 1" ..."""
        names, out = {}, []
        seats = {p.card: p.seat for p in self.of(ev.PlaceRevised)}
        for o in self.observed:
            what: Any = o.what
            kind = type(what).__name__
            if kind in ("CardLaid", "MeldLaid", "CardExposed"):
                names[what.card] = f"{seats.get(what.card, what.seat)} {what.reading.face}"
                word = {"CardLaid": "lay", "MeldLaid": "meld", "CardExposed": "exposed"}[kind]
                out.append(f"{word} {names[what.card]}")
            elif kind in ("CardTakenBack", "MeldRemoved"):
                out.append(f"back {names[what.card]}")
            elif kind == "BookClosed":
                out.append(f"close {what.number}")
            elif kind == "BookGathered":
                out.append(f"gather {what.number} {what.seat}")
            elif kind not in ("ReadingRevised", "PlaceRevised"):
                out.append(kind)
        return out


def clockwise(first: Seat) -> list[Seat]:
    n = SEATS.index(first)
    return [SEATS[(n + k) % 4] for k in range(4)]
