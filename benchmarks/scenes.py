"""How well one picture of a calibrated table is read: cards of simulated hands, counted against the truth.

    python benchmarks/scenes.py [--hands 10] [--seed N] [--condition dim] [--width 1920] [--json]
                                [--sheet errors.png]

Of each hand one picture of the meld and two of books, by decks and seeds that are in no training
unless --seed asks for such. A table's pictures are read one after the other by the same reader, as in play.
A card counts when it lies face up and still and at least one of its indices can be seen (85 %).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.photos import Tally, contact_sheet, report
from engine.events import CardLaid, MeldClosed
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.simulator.stage import CardInView
from vision.simulator.table import CONDITIONS, EVALUATION_SEEDS, SimulatedTable
from vision.table import Table
from vision.types import CardSeen, Image
from vision.weights import ModelError

VISIBLE = 0.85


def moments(table: SimulatedTable) -> Iterator[tuple[str, float]]:
    """Times worth a look: just before meld is picked up, and after the last card of two books."""
    for event in table.truth:
        if isinstance(event.what, MeldClosed):
            yield "meld", event.at - 0.3
    laid = [e.at for e in table.truth if isinstance(e.what, CardLaid)]
    for card in (15, 51):
        if card < len(laid):
            yield "books", laid[card] + 0.3


def score(tally: Tally, image: Image, cards: list[CardSeen], truth: list[CardInView]) -> None:
    """Cards against cards, put together where a card's index was found on one of its true indices."""
    placed = [c for c in truth if c.face_up]
    apart = np.full((len(placed), len(cards)), 9.0)
    for i, card in enumerate(placed):
        for index in card.indices:
            middle = index.quad.mean(axis=0)
            for k, read in enumerate(cards):
                for found in read.indices:
                    at = (np.array(found.box.top) + found.box.foot) / 2
                    apart[i, k] = min(apart[i, k], float(np.hypot(*(at - middle))) / index.height)
    matched = {i: k for i, k in zip(*linear_sum_assignment(apart), strict=True) if apart[i, k] < 0.5}
    for i, card in enumerate(placed):
        shown = [x for x in card.indices if x.visible >= VISIBLE]
        if i in matched:
            read = cards[matched[i]]
            right = tally.judge(str(card.face), str(read.face), read.probability, card.indices[0].height)
            if not right:
                tally.fail(_crop(image, read), f"{card.face} as {read.face} {read.probability:.2f}")
        elif shown and card.still:
            tally.add("missed", shown[0].height)
            x, y = shown[0].quad.mean(axis=0).astype(int)
            tally.fail(image[max(y - 40, 0) : y + 40, max(x - 40, 0) : x + 40].copy(), f"{card.face} missed")
    for k, read in enumerate(cards):
        if k not in matched.values():
            kind = "double" if len(placed) and apart[:, k].min() < 0.5 else "invented"
            tally.add(kind, read.indices[0].box.height)
            tally.fail(_crop(image, read), f"{kind} {read.face} {read.probability:.2f}")


def _crop(image: Image, card: CardSeen) -> Image:
    low, high = card.polygon.min(axis=0).astype(int), card.polygon.max(axis=0).astype(int)
    x, y = np.maximum(low, 0)
    return image[y : max(high[1], y + 1), x : max(high[0], x + 1)].copy()


def run(hands: int, condition: str, width: int, first: int = EVALUATION_SEEDS) -> dict[str, Tally]:
    reader = CardReader(load_finder(), load_reader())
    tallies: dict[str, Tally] = {}
    for n in range(hands):
        simulated = SimulatedTable(first + n, condition=condition, width=width, height=width * 9 // 16)
        size = (float(simulated.size_mm), float(simulated.size_mm))
        table = Table.from_corners(simulated.corners, size, (width, width * 9 // 16))
        for what, at in moments(simulated):
            tally = tallies.setdefault(f"{condition} {what}", Tally("cards"))
            tally.now = f"{first + n} at {at:.1f} s"
            image = simulated.picture(at)
            start = time.perf_counter()
            cards = reader.read(image, table)
            tally.seconds += time.perf_counter() - start
            tally.pictures += 1
            score(tally, image, cards, simulated.seen(at))
        if sys.stderr.isatty():
            print(f"\r{n + 1}/{hands} ", end="", file=sys.stderr, flush=True)
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description="Read pictures of simulated tables and count what is right.")
    parser.add_argument("--hands", type=int, default=10)
    parser.add_argument("--seed", type=int, default=EVALUATION_SEEDS, help="of the first hand; then the next")
    parser.add_argument("--condition", action="append", choices=sorted(CONDITIONS), help="may be repeated")
    parser.add_argument("--width", type=int, default=1920, help="of the picture, pixels")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--sheet", type=Path, metavar="PNG", help="write a contact sheet of every error")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    results: dict[str, Tally] = {}
    try:
        for condition in asked.condition or ["clean"]:
            results |= run(asked.hands, condition, asked.width, asked.seed)
    except ModelError as problem:
        parser.error(str(problem))
    if asked.json:
        print(json.dumps({key: tally.as_json() for key, tally in results.items()}, indent=1))
    else:
        report(results)
    if asked.sheet:
        sheet = contact_sheet([e for t in results.values() for e in t.errors])
        if not cv2.imwrite(str(asked.sheet), sheet):
            parser.error(f"cannot write {asked.sheet}: is the folder there?")


if __name__ == "__main__":
    main()
