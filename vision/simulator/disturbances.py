"""What comes between a simulated camera and its table: lights out, a cover, a bump, a frozen picture.

Each is a named behaviour that follows from the hand's seed: `planned(name, seed, script)` says when,
`Disturbed(table, plan)` yields the table's frames so disturbed, and its `truth` has the events
SightLost and SightRegained in their places. The hand itself is played on as if nothing had been.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import cv2
import numpy as np

from engine.events import Event, SightLost, SightRegained
from vision.simulator.table import SimulatedTable, write_video
from vision.types import Frame, Image

Name: TypeAlias = Literal["lights_out", "covered", "bumped", "leaning", "frozen"]
NAMES: tuple[Name, ...] = get_args(Name)

WHY: dict[Name, str] = {
    "lights_out": "the lights are out",
    "covered": "the camera is covered",
    "leaning": "somebody leans over the table",
    "frozen": "the picture is frozen",
}
"""Why sight is lost. A bumped camera still sees."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """One disturbance, from `start` to `end` in video seconds; a bump lasts for the rest of the hand.

    dx, dy: pixels right and down of a picture 1080 high; turn: degrees clockwise about its middle.
    """

    name: Name
    start: float
    end: float
    dx: float = 0.0
    dy: float = 0.0
    turn: float = 0.0


def planned(name: Name, seed: int, duration: float) -> Disturbance:
    """The disturbance that a hand of `duration` seconds gets, in its middle third."""
    rng = np.random.default_rng([seed, 11, NAMES.index(name)])
    start = float(rng.uniform(duration / 3, duration * 2 / 3))
    if name != "bumped":
        return Disturbance(name, start, start + float(rng.uniform(3.0, 7.0)))
    way, angle = rng.uniform(6, 30), rng.uniform(0, 2 * np.pi)
    dx, dy = float(way * np.cos(angle)), float(way * np.sin(angle))
    return Disturbance(name, start, float("inf"), dx, dy, float(rng.uniform(-1.5, 1.5)))


def disturbed(table: SimulatedTable, name: Name) -> Disturbed:
    """The table through the disturbance of this name that its seed brings."""
    return Disturbed(table, planned(name, table.seed, table.script.duration))


def bump(disturbance: Disturbance, size: tuple[int, int]) -> np.ndarray:
    """(2, 3): where a bump takes the pixels of a picture of this width and height."""
    width, height = size
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -disturbance.turn, 1.0)
    matrix[:, 2] += np.array([disturbance.dx, disturbance.dy]) * height / 1080
    return np.asarray(matrix)


class Disturbed:
    """A simulated table as a camera sees it through one disturbance."""

    def __init__(self, table: SimulatedTable, disturbance: Disturbance) -> None:
        self.table, self.disturbance = table, disturbance
        self._frozen: Image | None = None

    @property
    def truth(self) -> list[Event]:
        """The exact record of the hand, with the gap in sight."""
        d = self.disturbance
        if d.name == "bumped":
            return self.table.truth
        gap = [Event(0, d.start, SightLost(WHY[d.name])), Event(0, d.end, SightRegained())]
        events = sorted([*self.table.truth, *gap], key=lambda e: e.at)
        return [replace(e, seq=n) for n, e in enumerate(events, 1)]

    def frames(self, start: float = 0.0, end: float | None = None) -> Iterator[Frame]:
        for frame in self.table.frames(start, end):
            yield replace(frame, image=self._disturb(frame.image, frame.at))

    def __iter__(self) -> Iterator[Frame]:
        return self.frames()

    def write_video(self, path: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """See `vision.simulator.table.write_video`."""
        write_video(path, self.table, self, self.truth, progress)

    def _disturb(self, image: Image, at: float) -> Image:
        d = self.disturbance
        if not d.start <= at < d.end:
            self._frozen = None
            return image
        height, width = image.shape[:2]
        rng = np.random.default_rng([self.table.seed, 12, round(at * 1000)])
        match d.name:
            case "lights_out":
                return _noisy(np.zeros_like(image), rng)
            case "covered":
                # A hand or a hat before the lens: skin or cloth out of focus, with a little light in it.
                shade = np.linspace(35, 70, width, dtype=np.float32)[None, :, None]
                tint = np.array([0.6, 0.7, 1.0], np.float32)
                return _noisy(np.broadcast_to(shade * tint, image.shape).astype(np.uint8), rng)
            case "frozen":
                self._frozen = image if self._frozen is None else self._frozen
                return self._frozen.copy()
            case "bumped":
                moved = cv2.warpAffine(
                    image, bump(d, (width, height)), (width, height), borderMode=cv2.BORDER_REPLICATE
                )
                return np.asarray(moved, np.uint8)
        # A head and shoulders from the table's south edge, swaying a little.
        out = image.copy()
        sway = round(0.01 * width * float(np.sin(3 * at)))
        middle = (width // 2 + sway, round(0.62 * height))
        cv2.ellipse(out, middle, (round(0.34 * height), round(0.60 * height)), 0, 0, 360, (62, 48, 40), -1)
        head = (width // 2 + sway, round(0.30 * height))
        cv2.circle(out, head, round(0.16 * height), (38, 46, 60), -1, cv2.LINE_AA)
        return out


def _noisy(image: Image, rng: np.random.Generator) -> Image:
    noise = rng.integers(0, 4, image.shape[:2], np.uint8)
    return np.asarray(cv2.add(image, cv2.cvtColor(noise, cv2.COLOR_GRAY2BGR)), np.uint8)
