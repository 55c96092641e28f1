"""What watching a hand costs, as ratios taken in one run on one 1080p video.

    python benchmarks/speed.py [--video hand.mp4] [--seed 1000000] [--seconds 60] [--json]

Three ways through the same pictures: decoding alone; the watch pipeline (decoding included); and the same
network on every whole picture at the resolution it needs, measured on a sample and scaled up, since all
of it would take an hour. Without --video a simulated hand is rendered first, by a process of its own, so
that the memory reported is the watcher's.
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
from collections.abc import Iterator
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True)
class Speed:
    """Seconds of processor and wall time over `pictures`; lags in seconds of video; memory in MB."""

    pictures: int
    video_seconds: float
    decoding: float
    watching: float
    every_picture: float
    watching_to_decoding: float
    every_picture_to_watching: float
    watching_to_video: float
    median_lag: float
    longest_lag: float
    peak_memory: float


def pictures(video: Path, seconds: float) -> Iterator[Frame]:
    capture = cv2.VideoCapture(str(video))
    if not capture.isOpened():
        raise SystemExit(f"{video} cannot be read as a video.")
    fps = capture.get(cv2.CAP_PROP_FPS)
    number = 0
    while number < seconds * fps:
        good, image = capture.read()
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
    began = time.perf_counter()
    shown = [f.at for f in pictures(video, seconds)]
    decoding = time.perf_counter() - began

    watcher = TableWatcher(table, reader)
    lags = []
    began = time.perf_counter()
    for frame in pictures(video, seconds):
        lags += [frame.at - o.at for o in watcher.push(frame) if isinstance(o.what, CardLaid)]
    watching = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    step = max(len(shown) // SAMPLE, 1)
    sample = [f for f in pictures(video, seconds) if f.number % step == 0]
    began = time.perf_counter()
    for frame in sample:
        reader.read(frame.image, table)
    every = (time.perf_counter() - began) / len(sample) * len(shown) + decoding
    length = shown[-1] - shown[0]
    return Speed(
        len(shown), length, decoding, watching, every,
        watching / decoding, every / watching, watching / length,
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
    print(f"  decoding alone            {found.decoding:7.1f} s   1.00")
    print(f"  watching                  {found.watching:7.1f} s   {found.watching_to_decoding:.2f}")
    ratio = found.every_picture / found.decoding
    print(f"  network on every picture  {found.every_picture:7.1f} s   {ratio:.1f} (from {SAMPLE} pictures)")
    print(f"  every picture / watching  {found.every_picture_to_watching:.1f}")
    print(f"  watching / video time     {found.watching_to_video:.2f}")
    lags = f"median {found.median_lag:.2f} s, longest {found.longest_lag:.2f} s of video"
    print(f"  from rest to event        {lags}")
    print(f"  peak memory               {found.peak_memory:.0f} MB")


if __name__ == "__main__":
    main()
