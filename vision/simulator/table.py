"""A simulated table as a camera: frames of a whole hand, its exact record, and a video file of both.

table = SimulatedTable(7)                      # a clean 1080p15 hand
for frame in table:                            # vision.types.Frame, frame.at in video seconds
    watcher.push(frame)
table.truth                                    # the exact events, table.corners, table.size_mm

SimulatedTable(7, condition="sloppy", reneges=("FOLLOW",), corrections=1).write_video(Path("hand.mp4"))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from engine.events import Event
from engine.notation import write_event
from vision.simulator.camera import Effects
from vision.simulator.choreography import play_hand
from vision.simulator.deckart import DeckArt
from vision.simulator.drawn import own_deck
from vision.simulator.named import behaving
from vision.simulator.playing import RenegeKind
from vision.simulator.script import Behaviours, HandScript
from vision.simulator.stage import CardInView, Stage
from vision.types import Floats, Frame, Image

EVALUATION_SEEDS = 1_000_000
"""Seeds from here on are for evaluation; nothing is trained or tuned on them."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A named way in which a table is: how people behave and what the camera makes of it."""

    behaviours: Behaviours
    effects: Effects


CONDITIONS: dict[str, Condition] = {
    "clean": Condition(Behaviours(), Effects()),
    "fast": Condition(Behaviours(pace=0.6, slow=0.0, overlap=0.4, early_gather=0.4), Effects(shutter=1 / 50)),
    "sloppy": Condition(Behaviours(sloppy=0.6, pushes=0.5, slow=0.08), Effects()),
    "dim": Condition(
        Behaviours(),
        Effects(
            noise=1.8, brightness=0.55, gradient=0.9, shadows=1.0, defocus=0.5, shutter=1 / 25, warmth=0.9
        ),
    ),
    "glare": Condition(Behaviours(), Effects(glare=1.0, gradient=0.8, brightness=1.1)),
    "shaky": Condition(Behaviours(), Effects(shake=1.0, defocus=0.4, drift=1.0)),
}


class SimulatedTable:
    """A camera over a simulated hand; every choice of look, people and play follows from `seed`.

    Iterating yields `Frame`s with `at` in video seconds, `number` from 0. `truth` is the exact
    record of the hand; `corners` the pixels of the table's corners NW, NE, SE, SW; `script` all
    that happens, with the incidents that were injected. `named`: harsher behaviours of people, by their
    names in `vision.simulator.named`. Raises NoSuchHandError and ValueError (unknown condition or name).
    """

    def __init__(
        self,
        seed: int,
        *,
        condition: str = "clean",
        reneges: Sequence[RenegeKind] = (),
        corrections: int = 0,
        named: Sequence[str] = (),
        width: int = 1920,
        height: int = 1080,
        fps: float = 15.0,
        deck: DeckArt | None = None,
        behaviours: Behaviours | None = None,
        effects: Effects | None = None,
        surface: str | None = None,
    ) -> None:
        if condition not in CONDITIONS:
            raise ValueError(f"'{condition}' is no condition: use one of {', '.join(CONDITIONS)}")
        chosen = CONDITIONS[condition]
        behaviours = behaviours or behaving(
            named, replace(chosen.behaviours, reneges=tuple(reneges), corrections=corrections)
        )
        self.seed, self.condition, self.fps = seed, condition, fps
        self.script: HandScript = play_hand(seed, behaviours)
        self.stage = Stage(
            seed,
            deck or own_deck(seed),
            effects or chosen.effects,
            width=width,
            height=height,
            surface=surface,
        )
        self.size_mm = self.stage.size_mm

    @property
    def truth(self) -> list[Event]:
        return self.script.events

    @property
    def corners(self) -> Floats:
        """Pixels of the table's corners NW, NE, SE, SW, (4, 2)."""
        return self.stage.corners

    @property
    def frame_count(self) -> int:
        return int(self.script.duration * self.fps) + 1

    def picture(self, at: float) -> Image:
        """The picture taken at this video time."""
        return self.stage.picture(self.script, at)

    def seen(self, at: float) -> list[CardInView]:
        """Every card on the table at this time: where it is in the picture and what of it can be seen."""
        return self.stage.seen(self.script, at)

    def frames(self, start: float = 0.0, end: float | None = None) -> Iterator[Frame]:
        """The frames from `start` to `end` seconds (default: the whole hand)."""
        last = self.frame_count if end is None else min(self.frame_count, int(end * self.fps))
        for number in range(int(np.ceil(start * self.fps)), last):
            at = number / self.fps
            yield Frame(self.picture(at), at, number)

    def __iter__(self) -> Iterator[Frame]:
        return self.frames()

    def write_video(self, path: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """See `write_video`."""
        write_video(path, self, self, self.truth, progress)


def write_video(
    path: Path,
    table: SimulatedTable,
    frames: Iterable[Frame],
    truth: Sequence[Event],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write PATH (mp4), PATH with `.truth.jsonl` (the record) and with `.table.json` (calibration).

    `progress` is told frames done and in all. Raises OSError when the video cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".truth.jsonl").open("w", encoding="utf-8") as log:
        for event in truth:
            write_event(log, event)
    view = table.stage.view
    facts = {
        "corners": [[round(float(v), 2) for v in p] for p in table.corners],
        "size_mm": table.size_mm,
        "width": view.width,
        "height": view.height,
        "fps": table.fps,
        "seed": table.seed,
        "condition": table.condition,
    }
    path.with_suffix(".table.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    code = cv2.VideoWriter.fourcc(*"mp4v")
    writer = cv2.VideoWriter(str(path), code, table.fps, (view.width, view.height))
    if not writer.isOpened():
        raise OSError(f"{path}: OpenCV cannot write an MPEG-4 video here; use a path that ends in .mp4")
    try:
        for frame in frames:
            writer.write(frame.image)
            if progress:
                progress(frame.number + 1, table.frame_count)
    finally:
        writer.release()
