"""Two hundred clients on the live streams while a table is read: what arrives, when, what the reader feels.

    python benchmarks/stream.py [--video hand.mp4] [--seed 1000000] [--clients 200] [--window 30] [--json]

Three processes, as at a table: a reader that follows a rendered hand at the pace of its clock and drops
pictures when it is late, as with a camera; the dashboard (`bookwatch serve`); and the clients, half of
them players' streams, half the director's, one in four of which breaks off and comes back every few
seconds. The clients come and go in turns of --window seconds, so that one run holds the reader's lag with
and without them. A director's stream must bring every event once and in order, over all its
interruptions; a player's stream brings the present: its looks in order, the last one the last.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2

from device.cameras.base import Source
from device.config import Settings, StoreSettings
from device.loop import TableLoop
from device.recorder import Entry, HandSettings, Recorder
from device.store import Store
from engine import notation
from engine.events import BidMade, CardLaid, Event
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.simulator.table import EVALUATION_SEEDS, SimulatedTable
from vision.table import Table
from vision.types import Frame
from vision.watch import TableWatcher
from webui.app import create_app
from webui.drawing import drawn_table
from webui.source import FolderSource

SETTLING = 2.0
"""Seconds at the beginning of each turn that no lag is taken from."""
AFTERWARDS = 3.0
"""Seconds that the clients stay when the reader has ended."""


# The reader


class PacedVideo(Source):
    """A video whose pictures are due by the clock; those that are late by more than a picture are dropped."""

    live = True

    def __init__(self, video: Path) -> None:
        super().__init__(str(video))
        self.capture = cv2.VideoCapture(str(video))
        self.began = time.time()

    def __iter__(self) -> Iterator[Frame]:
        fps = self.capture.get(cv2.CAP_PROP_FPS)
        self.began = time.time()
        number = 0
        while self.capture.grab():
            early = self.began + number / fps - time.time()
            if early < -1 / fps:
                self.dropped += 1
            else:
                time.sleep(max(0.0, early))
                yield Frame(self.capture.retrieve()[1], number / fps, number)
            number += 1


class Noting:
    """Writes down when the hand began, when cards were on the disk, how late each picture was dealt with."""

    def __init__(self, source: PacedVideo, out: Path) -> None:
        self.source, self.out = source, out.open("w", buffering=1)

    def begun(self, folder: Path) -> None:
        self._write(began=self.source.began)

    def events(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event.what, CardLaid):
                self._write(card=event.at, late=self._late(event.at))

    def frame(self, frame: Frame, total: int | None) -> None:
        self._write(picture=frame.at, late=self._late(frame.at), cpu=time.process_time())

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)

    def _late(self, at: float) -> float:
        return time.time() - self.source.began - at

    def _write(self, **values: object) -> None:
        self.out.write(json.dumps(values) + "\n")


def read(video: Path, home: Path, notes: Path) -> None:
    known = json.loads(video.with_suffix(".table.json").read_text())
    bids = [e for e in notation.read_log(video.with_suffix(".truth.jsonl")) if isinstance(e.what, BidMade)]
    reader = CardReader(load_finder(), load_reader())
    source = PacedVideo(video)
    width, height = (
        int(source.capture.get(p)) for p in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
    )
    table = Table.from_corners(known["corners"], (known["size_mm"], known["size_mm"]), (width, height))
    settings = Settings(store=StoreSettings(folder=home))
    recorder = Recorder(settings.hands, Store(settings.database), HandSettings(table="table"))
    noting = Noting(source, notes)
    entries = [Entry(e.at, e.what) for e in bids]
    TableLoop(source, lambda _: TableWatcher(table, reader), recorder, noting, entries, most=1).run()
    noting.out.close()


# What came of it


@dataclass(frozen=True)
class Streamed:
    """Seconds, but for counts and ratios. Latencies: from the recorder's taking of an event to the client.

    Lags: from a card's rest to its event on the disk, median and 95th percentile, without and with the
    clients. `dropped`: share of pictures that came too late to be looked at. `server_cpu`, `reader_cpu`:
    processor seconds a second, the reader's without and with the clients.
    """

    clients: int
    events: int
    deliveries: int
    lost: int
    doubled: int
    out_of_order: int
    looks: int
    looks_out_of_order: int
    wrong_last_looks: int
    director_latency: tuple[float, float, float]
    players_latency: tuple[float, float, float]
    cards_timed: tuple[int, int]
    lag_without: tuple[float, float]
    lag_with: tuple[float, float]
    lag_ratio: float
    dropped: tuple[float, float]
    reader_cpu: tuple[float, float]
    server_cpu: float


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def spread(latencies: list[float]) -> tuple[float, float, float]:
    """Median, 95th percentile, longest."""
    return percentile(latencies, 0.5), percentile(latencies, 0.95), max(latencies)


def taken(event: Event) -> float:
    """Unix time at which the recorder took the event."""
    return datetime.fromisoformat(event.utc or "").timestamp()


def looks_of(hands: dict[str, list[Event]], home: Path) -> list[tuple[str, float]]:
    """The marks of what players see, one after the other, each with the time of the event that brought it."""
    app = create_app(FolderSource(home, poll=0.0))
    found: list[tuple[str, float]] = []
    for hand, events in hands.items():
        (home / hand).mkdir(parents=True)
        with app.app_context(), (home / hand / "log.jsonl").open("w", buffering=1) as out:
            for event in events:
                out.write(notation.event_to_json(event) + "\n")
                mark = str(drawn_table(app.extensions["bookwatch"], None)[0])
                if not found or found[-1][0] != mark:
                    found.append((mark, taken(event)))
    return found


def judge_directors(
    streams: list[list[Any]], hands: dict[str, list[Event]]
) -> tuple[int, int, int, int, list[float]]:
    """Deliveries, lost, doubled, out of order, latencies (of what was taken while the client listened)."""
    recorded = [(hand, event) for hand, events in hands.items() for event in events]
    deliveries = lost = doubled = disordered = 0
    latencies: list[float] = []
    for got in streams:
        first = next(int(m[1].rpartition("-")[2]) for m in got if m[0] == "reset")
        arrived = [m for m in got if m[0] == "arrived"]
        numbers = [int(m[1].rpartition("-")[2]) for m in arrived]
        deliveries += len(numbers)
        lost += len(set(range(first + 1, len(recorded) + 1)) - set(numbers))
        doubled += len(numbers) - len(set(numbers))
        disordered += sum(a >= b for a, b in itertools.pairwise(numbers))
        for (_, _, now, opened, data), number in zip(arrived, numbers, strict=True):
            hand, event = recorded[number - 1]
            about = json.loads(data)
            disordered += (about["hand"], about["seq"]) != (hand, event.seq)
            if taken(event) > opened:
                latencies.append(now - taken(event))
    return deliveries, lost, doubled, disordered, latencies


def judge_players(
    streams: list[list[Any]], looks: list[tuple[str, float]]
) -> tuple[int, int, int, list[float]]:
    """Looks received, out of order, streams whose last look is not the last, latencies."""
    received = disordered = wrong = 0
    latencies: list[float] = []
    known = {mark for mark, _ in looks}
    for got in streams:
        place = -1
        tables = [m for m in got if m[0] == "table"]
        received += len(tables)
        for _, mark, now, opened, _ in tables:
            later = [n for n, (m, at) in enumerate(looks) if n > place and m == mark and at < now + 0.01]
            if not later:
                disordered += mark in known  # else: before the first hand
                continue
            place = later[-1]
            if looks[place][1] > opened:
                latencies.append(now - looks[place][1])
        wrong += tables[-1][1] != looks[-1][0]
    return received, disordered, wrong, latencies


def measure(video: Path, count: int, window: float, folder: Path) -> Streamed:
    home, state = folder / "home", folder / "state.json"
    streams: list[list[Any]] = [[] for _ in range(count)]
    notes: list[list[dict[str, float]]] = []
    server_cpu, listened = 0.0, 0.0
    command = [sys.executable, "-m", "device", "--home", str(home), "serve", "--port", "0", "--json"]
    with ExitStack() as at_the_end:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        at_the_end.callback(server.terminate)
        assert server.stdout is not None
        base = json.loads(server.stdout.readline())["url"].rstrip("/")
        for reading in range(2):
            file = folder / f"notes-{reading}.jsonl"
            args = ["--read", str(file), "--video", str(video), "--home", str(home)]
            reader = subprocess.Popen([sys.executable, __file__, *args])
            at_the_end.callback(reader.kill)
            while not (file.exists() and file.read_text().endswith("\n")):
                time.sleep(0.1)
            began = json.loads(file.read_text().splitlines()[0])["began"]
            turn = 0
            while reader.poll() is None:
                end = began + (turn + 1) * window
                if with_clients(turn, reading):
                    now, cpu = time.time(), _cpu(server.pid)
                    _listen(base, end - now, state, streams)
                    server_cpu, listened = server_cpu + _cpu(server.pid) - cpu, listened + time.time() - now
                while time.time() < end and reader.poll() is None:
                    time.sleep(0.1)
                turn += 1
            if reader.returncode:
                raise SystemExit("The reader failed.")
            notes.append([json.loads(line) for line in file.read_text().splitlines()])
        _listen(base, AFTERWARDS, state, streams)  # everybody hears the end
    logs = sorted((home / "hands").glob("*/log.jsonl"))
    hands = {log.parent.name: list(notation.read_log(log)) for log in logs}
    directors = judge_directors(streams[1::2], hands)
    players = judge_players(streams[0::2], looks_of(hands, folder / "again"))
    return _summary(count, hands, directors, players, notes, window, server_cpu / listened)


def with_clients(turn: int, reading: int) -> bool:
    return (turn + reading) % 2 == 0


def _listen(base: str, seconds: float, state: Path, streams: list[list[Any]]) -> None:
    """Lets the clients listen for so long, and adds what came to theirs."""
    own = [sys.executable, str(Path(__file__).with_name("streamclients.py"))]
    args = [base, str(len(streams)), str(seconds), str(state)]
    done = subprocess.run([*own, *args], stdout=subprocess.PIPE, text=True, check=True)
    for stream, found in zip(streams, json.loads(done.stdout), strict=True):
        stream += found["got"]


def _cpu(pid: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _summary(
    count: int, hands: dict[str, list[Event]], directors: tuple[int, int, int, int, list[float]],
    players: tuple[int, int, int, list[float]], notes: list[list[dict[str, float]]], window: float,
    server_cpu: float,
) -> Streamed:  # fmt: skip
    lags: tuple[list[float], list[float]] = ([], [])
    seen, due, cpu = [0, 0], [0.0, 0.0], [0.0, 0.0]
    for reading, lines in enumerate(notes):
        pictures = [n for n in lines if "picture" in n]
        last = pictures[-1]["picture"]
        for turn in range(int(last // window) + 1):
            which = int(with_clients(turn, reading))
            low, high = turn * window + SETTLING, min((turn + 1) * window, last)
            lags[which].extend(n["late"] for n in lines if low <= n.get("card", -1.0) < high)
            inside = [n for n in pictures if low <= n["picture"] < high]
            if len(inside) > 1:
                seen[which] += len(inside) - 1
                cpu[which] += inside[-1]["cpu"] - inside[0]["cpu"]
                due[which] += inside[-1]["picture"] - inside[0]["picture"]
    every = min(b["picture"] - a["picture"] for a, b in itertools.pairwise(pictures))
    middle = [statistics.median(one) for one in lags]
    return Streamed(
        count, sum(map(len, hands.values())), *directors[:4], *players[:3],
        spread(directors[4]), spread(players[3]), (len(lags[0]), len(lags[1])),
        (middle[0], percentile(lags[0], 0.95)), (middle[1], percentile(lags[1], 0.95)), middle[1] / middle[0],
        (1 - seen[0] * every / due[0], 1 - seen[1] * every / due[1]),
        (cpu[0] / due[0], cpu[1] / due[1]), server_cpu,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--video", type=Path, help="with its .table.json and .truth.jsonl beside it")
    parser.add_argument("--seed", type=int, default=EVALUATION_SEEDS)
    parser.add_argument("--fps", type=float, default=10)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--window", type=float, default=30, help="seconds of a turn")
    parser.add_argument("--json", action="store_true")
    for name in ("--read", "--home"):
        parser.add_argument(name, type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.read:
        read(args.video, args.home, args.read)
        return
    with tempfile.TemporaryDirectory() as name:
        video = args.video
        if video is None:
            video = Path(name) / "hand.mp4"
            print("rendering a hand ...", file=sys.stderr)
            SimulatedTable(args.seed, fps=args.fps).write_video(video)
        found = measure(video, args.clients, args.window, Path(name))
    if args.json:
        print(json.dumps(asdict(found), indent=1))
        return
    for key, value in asdict(found).items():
        values = value if isinstance(value, tuple) else (value,)
        shown = "  ".join(f"{v:.3f}" if isinstance(v, float) else str(v) for v in values)
        print(f"{key.replace('_', ' '):20} {shown}")


if __name__ == "__main__":
    main()
