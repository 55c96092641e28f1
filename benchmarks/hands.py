"""How well whole hands are recorded: simulated hands, with decks and seeds that nothing was trained on.

    python benchmarks/hands.py [--hands 20] [--seed 1000000] [--condition clean ...]
        [--behaviours cover,knock] [--json]

Each hand has one correction in time, every second one a renege. Several conditions take turns.
Hands are rendered and watched frame by frame; nothing is compressed in between.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2

from benchmarks.compare import SURE, Compared, Tally, compare
from engine.events import BidMade, Event, HandStarted, What
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.simulator.disturbances import NAMES, disturbed
from vision.simulator.named import BEHAVIOURS, behaving
from vision.simulator.playing import RENEGE_KINDS
from vision.simulator.table import CONDITIONS, EVALUATION_SEEDS, SimulatedTable
from vision.table import Table
from vision.types import Frame
from vision.watch import TableWatcher
from vision.weights import ModelError


def watched(
    simulation: SimulatedTable, reader: CardReader, frames: Iterable[Frame] | None = None
) -> tuple[list[Event], dict[str, float]]:
    """The record of a simulated hand as the camera makes it, bids entered by a scorekeeper; and when
    each card's event came out, in video seconds. frames: what the camera sees, if not simply the table."""
    view = simulation.stage.view
    size = (simulation.size_mm, simulation.size_mm)
    table = Table.from_corners(simulation.corners, size, (view.width, view.height))
    watcher = TableWatcher(table, reader)
    entered: list[Event] = [e for e in simulation.truth if isinstance(e.what, HandStarted | BidMade)]
    events: list[tuple[float, What]] = [(e.at, e.what) for e in entered]
    seen_at: dict[str, float] = {}
    at = 0.0

    def take(frame: Frame | None) -> None:
        for o in watcher.push(frame) if frame else watcher.finish():
            events.append((o.at, o.what))
            if card := getattr(o.what, "card", None):
                seen_at.setdefault(card, at)

    for frame in frames or simulation:
        at = frame.at
        take(frame)
    take(None)
    return [Event(n, t, what) for n, (t, what) in enumerate(events, 1)], seen_at


def of_people(named: Sequence[str]) -> list[str]:
    """Of named behaviours those that are not between camera and table."""
    return [name for name in named if name not in NAMES]


def run(seed: int, condition: str, number: int, reader: CardReader, named: Sequence[str] = ()) -> Compared:
    reneges = (RENEGE_KINDS[number // 2 % len(RENEGE_KINDS)],) if number % 2 else ()
    simulation = SimulatedTable(
        seed, condition=condition, reneges=reneges, corrections=1, named=of_people(named)
    )
    between = next((n for n in NAMES if n in named), None)
    record, seen_at = watched(simulation, reader, disturbed(simulation, between) if between else None)
    return compare(simulation.truth, record, seen_at)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hands", type=int, default=20)
    parser.add_argument("--seed", type=int, default=EVALUATION_SEEDS, help="of the first hand")
    parser.add_argument("--condition", nargs="+", choices=[*CONDITIONS, "all"], default=["clean"])
    parser.add_argument(
        "--behaviours",
        metavar="NAME,...",
        default="",
        help=f"of people: {', '.join(BEHAVIOURS)}; of the camera, one of: {', '.join(NAMES)}",
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    named = tuple(name for name in args.behaviours.split(",") if name)
    try:
        behaving(of_people(named))
    except ValueError as error:
        parser.error(str(error))
    conditions = list(CONDITIONS) if "all" in args.condition else args.condition
    if args.seed < EVALUATION_SEEDS:
        print(f"Seeds below {EVALUATION_SEEDS} may have been trained on.", file=sys.stderr)
    try:
        reader = CardReader(load_finder(), load_reader())
    except ModelError as error:
        raise SystemExit(str(error)) from error
    cv2.setNumThreads(1)
    tallies = {c: Tally() for c in conditions}
    worst: tuple[int, str, Compared] | None = None
    for n in range(args.hands):
        seed, condition = args.seed + n, conditions[n % len(conditions)]
        began = time.monotonic()
        result = run(seed, condition, n // len(conditions), reader, named)
        tallies[condition].add(result.tally)
        t = result.tally
        print(
            f"{n + 1}/{args.hands} {condition} seed {seed}: cards {t.cards_right}/{t.cards}, books "
            f"{t.books_right}/{t.books}, seats {t.seats_right}, faults {result.faults} "
            f"({time.monotonic() - began:.0f} s)",
            file=sys.stderr,
            flush=True,
        )
        if worst is None or result.faults > worst[2].faults:
            worst = (seed, condition, result)
    assert worst is not None
    if args.json:
        data = {c: t.as_data() for c, t in tallies.items()}
        story = {"seed": worst[0], "condition": worst[1], "faults": worst[2].story}
        print(json.dumps({"conditions": data, "worst": story}, indent=2))
        return
    for condition, tally in tallies.items():
        report(condition, tally)
    print(f"\nWorst hand: seed {worst[0]}, {worst[1]}, {worst[2].faults} faults")
    for line in worst[2].story:
        print(f"  {line}")


def report(condition: str, t: Tally) -> None:
    def share(part: int, whole: int) -> str:
        return f"{part}/{whole} ({100 * part / whole:.2f} %)" if whole else "none"

    lag = t.as_data()["median_lag"]
    print(f"\n{condition}: {t.hands} hands, wholly right {share(t.hands_right, t.hands)}")
    print(f"  cards right       {share(t.cards_right, t.cards)}")
    print(f"    wrong {t.cards_wrong}, missed {t.cards_missed}, invented {t.cards_invented}")
    print(f"  books in order    {share(t.books_right, t.books)}")
    print(f"  seats right       {share(t.seats_right, t.cards)}")
    print(f"  gatherers right   {share(t.gatherers_right, t.books)}")
    print(f"  corrections told  {share(t.corrections_told, t.corrections)}, false {t.corrections_false}")
    print(f"  exposures told    {share(t.exposures_told, t.exposures)}, false {t.exposures_false}")
    print(f"  meld cards right  {share(t.meld_right, t.melds)}, invented {t.meld_invented}")
    print(f"  trump right       {share(t.trumps_right, t.hands)}")
    print(f"  flags found       {share(t.flags_right, t.flags)}, false {t.flags_false}, "
          f"of them proven {t.flags_false_proven}")  # fmt: skip
    print(f"  given {SURE} or more {t.flags_sure}, of them true {share(t.flags_sure_true, t.flags_sure)}")
    print(f"  from rest to event {lag} s (median)")


if __name__ == "__main__":
    main()
