"""Whether memory grows over a long day: one simulated hand, watched and recorded again and again.

    python benchmarks/endurance.py [--hands 40] [--video hand.mp4] [--networks] [--json]

The hand goes through all that a table's hands go through (decoding, watcher, recorder, store), as fast as it
can. The networks are replaced by the simulation's own knowledge of every index, unless --networks is given: a
look then costs next to nothing, and forty hands take minutes. Memory is what the process has resident at the
end of each hand; the slope is a straight line's through all hands from the third on.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
import numpy as np

from benchmarks.speed import table_of
from device.cameras.base import Source
from device.loop import Listener, TableLoop
from device.recorder import HandSettings, Recorder
from device.store import Store
from engine.events import Event, HandEnded
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.simulator.table import EVALUATION_SEEDS, SimulatedTable
from vision.types import CLASSES, Floats, Frame, Image, IndexBox, IndexRead
from vision.watch import TableWatcher

WARM_UP = 2
"""Hands at the beginning, in which caches fill, that the slope leaves out."""
PAUSE = 3.0
"""Seconds between two hands."""
SURE = 0.99


def resident() -> float:
    """Megabytes of this process that are in memory."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Looped(Source):
    """A video over and over, times rising. `memory`: megabytes at the end of each round."""

    def __init__(self, video: Path, rounds: int) -> None:
        super().__init__(str(video))
        self.memory: list[float] = []
        self.at = 0.0
        """Seconds of the video of the last picture."""
        self.image: Image = np.zeros((0, 0, 3), np.uint8)
        self._video, self._rounds = video, rounds

    def __iter__(self) -> Iterator[Frame]:
        number, start = 0, 0.0
        for _ in range(self._rounds):
            capture = cv2.VideoCapture(str(self._video))
            step = 1 / capture.get(cv2.CAP_PROP_FPS)
            self.at = -step
            while (got := capture.read())[0]:
                self.at += step
                self.image = np.asarray(got[1], np.uint8)
                yield Frame(self.image, start + self.at, number)
                number += 1
            start += self.at + PAUSE
            self.memory.append(resident())
            print(f"  hand {len(self.memory):3d}  {self.memory[-1]:6.1f} MB", file=sys.stderr, flush=True)


class Knowing(CardReader):
    """Finds and reads what the simulation knows to be visible in the source's last picture."""

    def __init__(self, simulation: SimulatedTable, source: Looped) -> None:
        super().__init__(self, self)  # type: ignore[arg-type]
        self._simulation, self._source = simulation, source
        self._faces: dict[tuple[float, float], str] = {}

    def find(self, image: Image, index_height: float | None = None) -> list[IndexBox]:  # type: ignore[override]
        whole = self._source.image
        offset = image.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        y, x = divmod(offset // 3, whole.shape[1])
        if not 0 <= offset < whole.nbytes:
            return []  # a look back at an older picture
        boxes = []
        self._faces = {}
        for card in self._simulation.seen(self._source.at):
            for index in card.indices:
                top, foot = index.quad[:2].mean(axis=0), index.quad[2:].mean(axis=0)
                middle = (top + foot) / 2 - (x, y)
                if index.visible > 0.8 and (middle > 0).all() and (middle < image.shape[1::-1]).all():
                    box = IndexBox(tuple((top - (x, y)).tolist()), tuple((foot - (x, y)).tolist()), 0.9)
                    boxes.append(box)
                    self._faces[tuple(np.round(top).tolist())] = str(card.face)
        return boxes

    def read_indices(self, image: Image, boxes: Sequence[IndexBox]) -> list[IndexRead]:
        return [IndexRead(b, _surely(self._faces[tuple(np.round(b.top).tolist())])) for b in boxes]


def _surely(face: str) -> Floats:
    p = np.full(len(CLASSES), (1 - SURE) / (len(CLASSES) - 1), np.float32)
    p[CLASSES.index(face)] = SURE
    return p


class Counting(Listener):
    """Counts what was recorded."""

    def __init__(self) -> None:
        self.total, self.played = 0, 0

    def begun(self, folder: Path) -> None: ...

    def events(self, events: Sequence[Event]) -> None:
        self.total += len(events)
        self.played += sum(e.what == HandEnded("played") for e in events)

    def frame(self, frame: Frame, total: int | None) -> None: ...

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)


def slope(memory: Sequence[float]) -> float:
    """Megabytes that each hand adds, by least squares."""
    late = memory[WARM_UP:]
    return float(np.polyfit(range(len(late)), late, 1)[0]) if len(late) > 1 else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hands", type=int, default=40)
    parser.add_argument("--seed", type=int, default=EVALUATION_SEEDS)
    parser.add_argument("--video", type=Path, help="of the hand of this seed, with its .table.json beside it")
    parser.add_argument("--networks", action="store_true", help="the real networks at every look")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, video = Path(folder), args.video
        if video is None:
            video = home / "hand.mp4"
            print("rendering a hand ...", file=sys.stderr)
            SimulatedTable(args.seed, width=960, height=540, fps=10).write_video(video)
        facts = json.loads(video.with_suffix(".table.json").read_text())
        size = (facts["width"], facts["height"])
        source, heard = Looped(video, args.hands), Counting()
        if args.networks:
            reader = CardReader(load_finder(), load_reader())
        else:
            reader = Knowing(SimulatedTable(facts["seed"], width=size[0], height=size[1]), source)
        with contextlib.closing(Store(home / "bookwatch.db")) as store:
            recorder = Recorder(home / "hands", store, HandSettings())
            TableLoop(source, lambda _: TableWatcher(table_of(video, size), reader), recorder, heard).run()
    grows = slope(source.memory)
    if args.json:
        print(json.dumps({"memory": source.memory, "slope": grows, "played": heard.played}, indent=1))
        return
    print(f"{heard.total} events, {heard.played} of {args.hands} hands played to their end")
    print(f"memory grows by {grows:+.3f} MB a hand from hand {WARM_UP + 1} on")


if __name__ == "__main__":
    main()
