"""Single pictures of a table with the truth of every card and index in them, for training and tests.

scene = table_scene(7, "meld")                 # scene.image, scene.cards (CardInView)

stage = Stage(7, deck, Effects())              # many scenes on one table are much quicker
scenes = [table_scene(n, "mixed", stage=stage) for n in range(100)]
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from engine.cards import RANKS, SEATS, SUITS, Face, Rank, Seat, Suit
from engine.deck import DOUBLE
from vision.simulator.acts import PILE_AT
from vision.simulator.camera import Effects
from vision.simulator.deckart import DeckArt
from vision.simulator.drawn import own_deck
from vision.simulator.melding import lay_out
from vision.simulator.motions import SEAT_ANGLE, Pose, Segment, Stroke, Track, place
from vision.simulator.playing import Plan, plan_hand
from vision.simulator.script import HandScript
from vision.simulator.stage import CardInView, Stage
from vision.types import Floats, Image

SceneKind: TypeAlias = Literal["meld", "copies", "book", "mixed", "deck"]


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture and every card in it, lowest first; `corners`: the table's NW, NE, SE, SW in pixels."""

    image: Image
    cards: list[CardInView]
    corners: Floats
    size_mm: float


def table_scene(
    seed: int,
    kind: SceneKind = "meld",
    *,
    deck: DeckArt | None = None,
    effects: Effects | None = None,
    width: int = 1920,
    height: int = 1080,
    stage: Stage | None = None,
) -> Scene:
    """One still picture.

    meld: what four seats of a real deal lay, in rows and fans. copies: as meld, but mostly of faces laid
    two, three and four times, one copy upon the other. book: one to four cards in the
    middle, some of them lying badly, and piles of turned books. mixed: rows, fans, heaps and single
    cards of any face of the deck, in any direction. In some an arm reaches over the table. deck: each
    face of the double deck once, apart, in rows of five in the order of `DOUBLE.faces`.
    Given a `stage`, its table, deck and camera are used and the other options ignored.
    """
    if stage is None:
        stage = Stage(seed, deck or own_deck(seed), effects or Effects(), width=width, height=height)
    rng = np.random.default_rng([seed, 7])
    setter = _Setter(rng)
    if kind == "meld":
        setter.meld(plan_hand(seed))
    elif kind == "copies":
        setter.copies()
    elif kind == "book":
        setter.book(plan_hand(seed))
    elif kind == "mixed":
        setter.mixed(stage.deck.faces())
    elif kind == "deck":
        setter.spread(DOUBLE.faces)
    else:
        raise ValueError(f"'{kind}' is no kind of scene: use meld, copies, book, mixed or deck")
    script = setter.script(seed)
    # A time of its own for each scene, for the camera's drift and noise to differ.
    at = float(rng.uniform(0, 200))
    image = stage.picture(script, at)
    return Scene(image, stage.seen(script, at), stage.corners, stage.size_mm)


class _Setter:
    """Lays cards out, one above the other."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.laid: list[tuple[Face, Pose]] = []
        self.strokes: list[tuple[Seat, float, float, bool]] = []
        self.held = {s: int(rng.integers(0, 21)) for s in SEATS}

    def meld(self, plan: Plan) -> None:
        for seat in SEATS:
            groups = plan.meld[seat]
            for cards, poses in zip(groups, lay_out(self.rng, seat, [len(g) for g in groups]), strict=True):
                self.laid += [(plan.faces[c], p) for c, p in zip(cards, poses, strict=True)]
        if self.rng.random() < 0.25:
            self.arm(over=-250.0)

    def copies(self) -> None:
        """Groups of faces with their copies side by side, within the four that the deck has of each."""
        left = Counter(DOUBLE.cards())
        for seat in SEATS:
            groups = []
            for _ in range(int(self.rng.integers(2, 5))):
                faces = _GROUPS[int(self.rng.integers(len(_GROUPS)))]
                times = int(self.rng.choice((1, 2, 3, 4), p=(0.25, 0.3, 0.2, 0.25)))
                suit, rank = SUITS[int(self.rng.integers(4))], RANKS[int(self.rng.integers(5))]
                laid = [
                    Face(r or rank, s or suit) for r, s in faces for _ in range(min(times, 8 // len(faces)))
                ]
                group = []
                for card in laid:
                    if left[card]:
                        left[card] -= 1
                        group.append(card)
                groups.append(group)
            groups = [g for g in groups if g]
            for group, poses in zip(groups, lay_out(self.rng, seat, [len(g) for g in groups]), strict=True):
                self.laid += zip(group, poses, strict=True)

    def book(self, plan: Plan) -> None:
        book = plan.books[int(self.rng.integers(len(plan.books)))]
        bad = self.rng.random() < 0.5
        self.piles([plan.faces[c] for c in plan.hands["N"]])
        for play in book.plays[: int(self.rng.integers(1, 5))]:
            spread, turn = (40, 45) if bad and self.rng.random() < 0.6 else (7, 7)
            u, v = self.rng.normal(0, spread), -74 + self.rng.normal(0, spread / 1.5)
            pose = Pose(*place(play.seat, u, v), SEAT_ANGLE[play.seat] + self.rng.normal(0, turn))
            self.laid.append((plan.faces[play.card], pose))
        if self.rng.random() < 0.4:
            self.arm(over=-90.0)

    def piles(self, faces: list[Face]) -> None:
        for seat in self.rng.permutation(np.array(SEATS))[: int(self.rng.integers(0, 3))]:
            for n in range(int(self.rng.integers(1, 8))):
                x, y = place(seat, PILE_AT[0] + self.rng.normal(0, 4), PILE_AT[1] + self.rng.normal(0, 4))
                angle = SEAT_ANGLE[seat] + 90 * (n % 2) + self.rng.normal(0, 5)
                self.laid.append((faces[n], Pose(x, y, angle, 1.2 * n, math.pi)))

    def mixed(self, faces: tuple[Face, ...]) -> None:
        rng = self.rng

        def some() -> Face:
            return faces[int(rng.integers(len(faces)))]

        for _ in range(int(rng.integers(1, 9))):
            x, y = rng.uniform(-330, 330, 2)
            angle = float(
                rng.uniform(0, 360) if rng.random() < 0.5 else 90 * rng.integers(4) + rng.normal(0, 6)
            )
            what = rng.choice(["row", "fan", "heap", "single"], p=[0.3, 0.25, 0.25, 0.2])
            count = 1 if what == "single" else int(rng.integers(2, 9))
            step, radius = float(rng.uniform(11, 34)), float(rng.uniform(90, 180))
            # Four copies of a face are normal in this game: let neighbours be alike now and then.
            face = some()
            for n in range(count):
                if rng.random() > 0.2:
                    face = some()
                along = (n - (count - 1) / 2) * step
                if what == "heap":
                    dx, dy, lean = *rng.normal(0, 35, 2), float(rng.uniform(0, 360))
                elif what == "fan":
                    a = along / radius
                    dx, dy, lean = radius * math.sin(a), radius * (math.cos(a) - 1), -math.degrees(a)
                else:
                    dx, dy, lean = along, 0.0, float(rng.normal(0, 2))
                c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
                turn = math.pi if rng.random() < 0.06 else 0.0
                px, py = x + dx * c - dy * s, y + dx * s + dy * c
                if max(abs(px), abs(py)) < 370:
                    self.laid.append((face, Pose(float(px), float(py), angle + lean, 0.0, turn)))
        if rng.random() < 0.35:
            self.arm(over=-160.0)

    def spread(self, faces: tuple[Face, ...]) -> None:
        """Each face once, as for enrolment: five a row, from the upper left."""
        rows = -(-len(faces) // 5)
        for n, face in enumerate(faces):
            x, y = 78.0 * (n % 5 - 2), 103.0 * ((rows - 1) / 2 - n // 5)
            dx, dy, lean = self.rng.normal(0, 3, 3)
            self.laid.append((face, Pose(x + float(dx), y + float(dy), float(lean))))

    def arm(self, over: float) -> None:
        seat = SEATS[int(self.rng.integers(4))]
        x, y = place(seat, self.rng.normal(0, 80), over + self.rng.normal(0, 60))
        self.strokes.append((seat, x, y, bool(self.rng.random() < 0.5)))

    def script(self, seed: int) -> HandScript:
        script = HandScript(
            seed, replace(_NO_PLAN, faces={f"c{n:03d}": f for n, (f, _) in enumerate(self.laid, 1)})
        )
        for n, (_, pose) in enumerate(self.laid, 1):
            track = Track()
            track.add(Segment(-2.0, -1.0, pose, pose, n))
            script.tracks[f"c{n:03d}"] = track
        script.held = {s: [(-1.0, n)] for s, n in self.held.items()}
        script.strokes = [Stroke(s, ((-1e6, x, y), (1e6, x, y)), flat) for s, x, y, flat in self.strokes]
        return script


_GROUPS: tuple[tuple[tuple[Rank | None, Suit | None], ...], ...] = (
    ((None, None),),
    (("K", None), ("Q", None)),
    (("Q", "S"), ("J", "D")),
    ((None, "S"), (None, "H"), (None, "D"), (None, "C")),
    (("A", None), ("T", None), ("K", None), ("Q", None), ("J", None)),
)
"""What is laid as meld, rank and suit; None: one by chance for the whole group."""

_NO_PLAN = Plan({}, {}, "N", (), "N", "S", {}, ())
