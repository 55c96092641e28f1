"""What watching a hand costs, as ratios taken in one run on one 1080p video.

    python benchmarks/speed.py [--video hand.mp4] [--seed 1000000] [--seconds 60] [--json]

Three ways through the same pictures: decoding alone (OpenCV's reading of every picture, its conversion to BGR
included, as `bookwatch watch` reads a file); the watch pipeline (the same decoding included); and the same
network on every whole picture at the resolution it needs, measured on a sample and scaled up, since all of it
would take an hour. Decoding and watching take turns, a few seconds of video each, so that what else the
machine does slows both alike; processor seconds do not count what others took at all. Without --video a
simulated hand is rendered first, by a process of its own, so that the memory reported is the watcher's
(and the second decoder's).
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2

from engine.events import CardLaid
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.simulator.table import EVALUATION_SEEDS, SimulatedTable
from vision.table import Table
from vision.types import Frame
from vision.watch import TableWatcher

SAMPLE = 12
BLOCK = 150
"""Pictures for which decoding and watching take turns."""


@dataclass
class Spent:
    """Seconds by the clock, and of all processors together."""

    wall: float = 0.0
    processor: float = 0.0

    @contextmanager
    def on(self) -> Iterator[None]:
        wall, processor = time.perf_counter(), time.process_time()
        yield
        self.wall += time.perf_counter() - wall
        self.processor += time.process_time() - processor

    def times(self, other: Spent) -> Spent:
        """How many times the other it is."""
        return Spent(self.wall / other.wall, self.processor / other.processor)


@dataclass(frozen=True)
class Speed:
    """What was spent on `pictures`; lags in seconds of video; memory in MB; pixels are millions looked at."""

    pictures: int
    video_seconds: float
    decoding: Spent
    watching: Spent
    every_picture: Spent
    watching_to_decoding: Spent
    every_picture_to_watching: Spent
    cards: int
    looks: int
    pixels: float
    median_lag: float
    longest_lag: float
    peak_memory: float


def pictures(video: Path, seconds: float, wants: Callable[[float], bool] | None = None) -> Iterator[Frame]:
    """As `bookwatch watch` reads a file; those that are not wanted are not converted."""
    capture = cv2.VideoCapture(str(video))
    if not capture.isOpened():
        raise SystemExit(f"{video} cannot be read as a video.")
    fps = capture.get(cv2.CAP_PROP_FPS)
    number = 0
    while number < seconds * fps and capture.grab():
        if wants is None or wants(number / fps):
            good, image = capture.retrieve()
            if not good:
                break
            yield Frame(image, number / fps, number)
        number += 1
    capture.release()


def table_of(video: Path, size: tuple[int, int]) -> Table:
    known = json.loads(video.with_suffix(".table.json").read_text())
    return Table.from_corners(known["corners"], (known["size_mm"], known["size_mm"]), size)


def measure(video: Path, seconds: float) -> Speed:
    reader = CardReader(load_finder(), load_reader())
    first = next(pictures(video, 1))
    table = table_of(video, (first.image.shape[1], first.image.shape[0]))
    watcher = TableWatcher(table, reader)
    decoding, watching, sampled = Spent(), Spent(), Spent()
    alone, followed = pictures(video, seconds), pictures(video, seconds, watcher.wants)
    lags: list[float] = []
    count, last = 0, 0.0
    while True:
        with decoding.on():
            shown = sum(1 for _ in islice(alone, BLOCK))
        with watching.on():
            for frame in followed:
                last = frame.at
                lags += [frame.at - o.at for o in watcher.push(frame) if isinstance(o.what, CardLaid)]
                if frame.number >= count + BLOCK:
                    break
        if not shown:
            break
        count += shown
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    sample = [f for f in pictures(video, seconds) if f.number % max(count // SAMPLE, 1) == 0]
    with sampled.on():
        for frame in sample:
            reader.read(frame.image, table)
    scale = count / len(sample)
    every = Spent(sampled.wall * scale + decoding.wall, sampled.processor * scale + decoding.processor)
    return Speed(
        count, last, decoding, watching, every, watching.times(decoding), every.times(watching),
        len(lags), watcher.costs.looks, watcher.costs.pixels / 1e6,
        statistics.median(lags) if lags else float("nan"), max(lags, default=float("nan")), peak,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--video", type=Path, help="with its .table.json beside it")
    parser.add_argument("--seed", type=int, default=EVALUATION_SEEDS)
    parser.add_argument("--fps", type=float, default=30)
    parser.add_argument("--seconds", type=float, default=1e9, help="of the video at most")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--render", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.render:
        SimulatedTable(args.seed, fps=args.fps).write_video(args.render)
        return
    with tempfile.TemporaryDirectory() as folder:
        video = args.video
        if video is None:
            video = Path(folder) / "hand.mp4"
            print("rendering a hand ...", file=sys.stderr)
            own = [sys.executable, __file__, "--seed", str(args.seed), "--fps", str(args.fps)]
            subprocess.run([*own, "--render", str(video)], check=True)
        found = measure(video, args.seconds)
    if args.json:
        print(json.dumps(asdict(found), indent=1))
        return
    print(f"{found.pictures} pictures, {found.video_seconds:.0f} s of video")
    print(f"{'':28}{'clock':>9}{'processor':>12}{'ratio':>9}{'processor':>12}")
    for name, spent in (
        ("decoding alone", found.decoding),
        ("watching", found.watching),
        (f"network on every picture ({SAMPLE})", found.every_picture),
    ):
        ratio = spent.times(found.decoding)
        print(
            f"  {name:30}{spent.wall:7.1f} s{spent.processor:10.1f} s{ratio.wall:9.2f}{ratio.processor:12.2f}"
        )
    saved = found.every_picture_to_watching
    print(f"  every picture / watching  {saved.wall:.1f}, of processor time {saved.processor:.1f}")
    print(f"  looks     {found.looks} for {found.cards} cards laid, {found.pixels:.1f} million pixels in all")
    lags = f"median {found.median_lag:.2f} s, longest {found.longest_lag:.2f} s of video"
    print(f"  from rest to event        {lags}")
    print(f"  peak memory               {found.peak_memory:.0f} MB")


if __name__ == "__main__":
    main()
