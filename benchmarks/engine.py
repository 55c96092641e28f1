"""How fast the engine judges: `python benchmarks/engine.py`. Medians of one process."""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Run as a script, Python finds this file under the name of the package it measures.
sys.path[:] = [p for p in sys.path if Path(p).resolve() != Path(__file__).parent]

from engine import meld, play, rules  # noqa: E402
from engine.cards import SEATS, SUITS, Face, Seat, next_seat  # noqa: E402
from engine.deck import DOUBLE  # noqa: E402
from engine.events import (  # noqa: E402
    BookClosed,
    BookGathered,
    CardLaid,
    Event,
    HandEnded,
    HandStarted,
    Reading,
    TrumpNamed,
    What,
)
from engine.hand import fold  # noqa: E402
from engine.notation import event_from_json, event_to_json  # noqa: E402
from engine.renege import audit  # noqa: E402


def hand(seed: int, careless: float = 0.05) -> list[Event]:
    """A full hand of 80 plays; now and then a player plays anything at all."""
    rng = random.Random(seed)
    pack = rng.sample(DOUBLE.cards(), DOUBLE.size)
    hands = {seat: pack[n * 20 : n * 20 + 20] for n, seat in enumerate(SEATS)}
    trump, leader = rng.choice(SUITS), rng.choice(SEATS)
    whats: list[What] = [HandStarted(f"bench {seed}", "LV"), TrumpNamed(trump, leader)]
    for number in range(1, 21):
        seat = leader
        table: list[tuple[Seat, Face]] = []
        for _ in range(4):
            options = play.legal(hands[seat], [f for _, f in table], trump)
            face = rng.choice(hands[seat] if rng.random() < careless else options)
            hands[seat].remove(face)
            table.append((seat, face))
            whats.append(CardLaid(f"{number}{seat}", seat, Reading(face, 0.99)))
            seat = next_seat(seat)
        leader = play.winner(table, trump)
        whats += [BookClosed(number, "turned"), BookGathered(number, leader)]
    whats.append(HandEnded())
    return [Event(n, float(n), w) for n, w in enumerate(whats, 1)]


def median(run: Callable[[], object], times: int) -> float:
    """Seconds of the middle run."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=50, help="hands to judge (default 50)")
    parser.add_argument("--where", action="store_true", help="also print the functions that take longest")
    args = parser.parse_args()
    logs = [hand(seed) for seed in range(args.hands)]
    states = [fold(log) for log in logs]
    lines = [[event_to_json(e) for e in log] for log in logs]
    rng = random.Random(7)
    spots: list[tuple[list[Face], list[Face]]] = []
    for _ in range(1000):
        pack = rng.sample(DOUBLE.cards(), 23)
        spots.append((pack[: rng.randint(1, 20)], pack[20 : 20 + rng.randint(0, 3)]))
    laid = [rng.sample(DOUBLE.cards(), rng.randint(2, 20)) for _ in range(1000)]
    law = rules.load("LV")

    def each(run: Callable[[int], object]) -> float:
        return statistics.median(median(lambda n=n: run(n), 7) for n in range(args.hands))  # type: ignore[misc]

    read = each(lambda n: [event_from_json(line) for line in lines[n]])
    folded = each(lambda n: fold(logs[n]))
    audited = each(lambda n: audit(states[n]))
    both = each(lambda n: audit(fold(logs[n])))
    flags = sum(len(audit(s)) for s in states)
    # Small batches, so that a busy machine's pauses fall between them.
    plays = 20 / statistics.median(
        median(lambda n=n: [play.legal(h, t, "H") for h, t in spots[n : n + 20]], 7)  # type: ignore[misc]
        for n in range(0, 1000, 20)
    )
    melds = 20 / statistics.median(
        median(lambda n=n: [meld.count(cards, "H", law) for cards in laid[n : n + 20]], 7)  # type: ignore[misc]
        for n in range(0, 1000, 20)
    )
    rows = [
        ("read a hand's log (124 lines)", f"{read * 1000:.2f} ms"),
        ("fold a hand of 80 plays", f"{folded * 1000:.2f} ms"),
        (f"audit it ({flags / args.hands:.1f} flags a hand)", f"{audited * 1000:.2f} ms"),
        ("fold and audit (aim: 2 ms)", f"{both * 1000:.2f} ms"),
        ("legal plays", f"{plays:,.0f} a second"),
        ("meld counts", f"{melds:,.0f} a second"),
    ]
    for name, figure in rows:
        print(f"{name:<38}{figure:>18}")
    if args.where:
        where(logs)


def where(logs: list[list[Event]]) -> None:
    """Where the time of fold and audit goes: each function's own share, the longest first."""
    profile = cProfile.Profile()
    profile.runcall(lambda: [audit(fold(log)) for log in logs])
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    total = sum(own for _, _, own, _, _ in stats.values())
    found = sorted(stats.items(), key=lambda f: -f[1][2])[:12]
    print("\nown time in fold and audit, as the profiler sees it")
    for (file, line, name), (_, calls, own, _, _) in found:
        place = f"{Path(file).name}:{name}" if line else name
        print(f"{place:<48}{own / total:>7.0%}{calls:>12} calls")


if __name__ == "__main__":
    main()
