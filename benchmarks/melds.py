"""How well a whole table of double-deck meld is counted: exact multisets, worst pairs, honest probabilities.

    python benchmarks/melds.py [--scenes 500] [--height 24 --height 40] [--seed N] [--condition dim]
                               [--plot docs/reliability.svg] [--sheet errors.png] [--json]

Each scene has its own deck, in no training, and four seats' meld with up to four copies of a face laid upon
each other, in a picture so large that an index has the wanted height in pixels. One picture, read on the
calibrated table by a fresh reader. A scene is right when the faces read are exactly those that lie there;
a card of which no index can be seen to 85 % may be missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
import numpy as np

from benchmarks import scenes
from benchmarks.heights import picture_side, printed_height
from benchmarks.photos import Tally, contact_sheet
from engine.deck import DOUBLE
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.simulator.scenes import Scene, table_scene
from vision.simulator.stage import CardInView
from vision.simulator.table import CONDITIONS, EVALUATION_SEEDS
from vision.table import Table
from vision.types import CardSeen
from vision.weights import ModelError

FIRST = EVALUATION_SEEDS + 10_000
"""Of the seeds that nobody looks at but for a claim."""
HEIGHTS = (24, 40)
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Stated probabilities between which it is counted how many are right."""


@dataclass
class Stated:
    """Probabilities that were stated, and whether each was right."""

    said: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, said: float, right: bool) -> None:
        self.said.append(said)
        self.right.append(right)

    def table(self) -> list[dict[str, Any]]:
        said, right = np.array(self.said), np.array(self.right, bool)
        rows = []
        for low, high in pairwise(BINS):
            within = (said >= low) & ((said < high) | (high == 1))
            if within.any():
                rows.append(
                    {
                        "from": low,
                        "to": high,
                        "count": int(within.sum()),
                        "stated": round(float(said[within].mean()), 4),
                        "right": round(float(right[within].mean()), 4),
                    }
                )
        return rows

    def off(self) -> float:
        """How far stated and true shares lie apart, over all rows (expected calibration error)."""
        rows = self.table()
        total = sum(r["count"] for r in rows)
        return float(sum(r["count"] * abs(r["stated"] - r["right"]) for r in rows) / max(total, 1))


@dataclass
class Result:
    """What was counted at one index height."""

    scenes: int = 0
    exact: int = 0
    lacking: Counter[str] = field(default_factory=Counter)
    extra: Counter[str] = field(default_factory=Counter)
    tally: Tally = field(default_factory=lambda: Tally("cards"))
    cards: Stated = field(default_factory=Stated)
    indices: Stated = field(default_factory=Stated)

    def as_json(self) -> dict[str, Any]:
        facts = self.tally.as_json()
        keys = ("total", "right", "wrong", "missed", "invented", "double")
        return {
            "scenes": self.scenes,
            "exact": self.exact,
            "exact_share": round(self.exact / max(self.scenes, 1), 4),
            "cards": {k: facts[k] for k in keys},
            "lacking": sum(self.lacking.values()),
            "extra": sum(self.extra.values()),
            "worst_pairs": worst_pairs(self.tally.confusions),
            "reliability_cards": self.cards.table(),
            "reliability_indices": self.indices.table(),
            "calibration_error": {
                "cards": round(self.cards.off(), 4),
                "indices": round(self.indices.off(), 4),
            },
        }


def worst_pairs(confusions: Counter[str], most: int = 10) -> list[dict[str, Any]]:
    """The two faces that are most often taken for each other, with both directions."""
    pairs: Counter[tuple[str, str]] = Counter()
    for words, count in confusions.items():
        truth, read = words.split(" as ")
        pairs[min(truth, read), max(truth, read)] += count
    return [
        {"pair": [a, b], "count": n, f"{a} as {b}": confusions[f"{a} as {b}"],
         f"{b} as {a}": confusions[f"{b} as {a}"]}
        for (a, b), n in pairs.most_common(most)
    ]  # fmt: skip


def judge(result: Result, scene: Scene, cards: Sequence[CardSeen]) -> None:
    truth = [c for c in scene.cards if c.face_up]
    may = Counter(str(c.face) for c in truth)
    must = Counter(str(c.face) for c in truth if any(i.visible >= scenes.VISIBLE for i in c.indices))
    read = Counter(str(c.face) for c in cards if not c.foreign)  # as meld is counted
    lacking, extra = must - read, read - may
    result.scenes += 1
    result.exact += not lacking and not extra
    result.lacking += lacking
    result.extra += extra
    scenes.score(result.tally, scene.image, list(cards), truth)
    for card in cards:
        name = _face_at(truth, card)
        result.cards.add(card.probability, str(card.face) == name)
        for index in card.indices:
            best = index.probabilities[: len(index.probabilities) - 1]
            at = CardSeen(index.probabilities, card.polygon, (index,))
            result.indices.add(float(best.max()), str(at.face) == _face_at(truth, at))


def _face_at(truth: Sequence[CardInView], card: CardSeen) -> str | None:
    """The face printed where a card's index was found; None: nothing is."""
    at = (np.array(card.indices[0].box.top) + card.indices[0].box.foot) / 2
    near = [
        (float(np.hypot(*(index.quad.mean(axis=0) - at))) / index.height, str(c.face))
        for c in truth
        for index in c.indices
    ]
    apart, name = min(near, default=(9.0, ""))
    return name if apart < 0.5 else None


def run(count: int, height: int, first: int, conditions: Sequence[str]) -> Iterator[Result]:
    """Yields the growing result after each scene."""
    finder, glyphs = load_finder(), load_reader()
    result = Result()
    for n in range(count):
        seed = first + n
        side = picture_side(printed_height(seed), height)
        effects = CONDITIONS[conditions[n % len(conditions)]].effects
        scene = table_scene(seed, "copies", effects=effects, width=side, height=side)
        table = Table.from_corners(scene.corners, (scene.size_mm, scene.size_mm), (side, side))
        result.tally.now = str(seed)
        result.tally.pictures += 1
        judge(result, scene, CardReader(finder, glyphs, DOUBLE).read(scene.image, table))
        yield result


SIDE, MARGIN = 360, 56


def plot(results: dict[int, Result]) -> str:
    """The reliability diagram of cards as an SVG picture: on the diagonal, what is stated is so."""
    colours = ("#1b6ca8", "#c2571a", "#4a7c2c")
    wide = SIDE + 2 * MARGIN

    def at(stated: float, right: float) -> tuple[float, float]:
        return MARGIN + stated * SIDE, MARGIN / 2 + (1 - right) * SIDE

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {SIDE + 1.6 * MARGIN:.0f}" '
        'font-family="sans-serif" font-size="13" role="img" '
        'aria-label="Share right by stated probability, single indices">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for tenth in range(0, 11, 2):
        (x, y), (_, foot) = at(tenth / 10, tenth / 10), at(0, 0)
        out.append(f'<path d="M{MARGIN} {y:.0f}h{SIDE}M{x:.0f} {foot:.0f}v-{SIDE}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{MARGIN - 6}" y="{y + 4:.0f}" text-anchor="end">{10 * tenth} %</text>')
        out.append(f'<text x="{x:.0f}" y="{foot + 18:.0f}" text-anchor="middle">{tenth / 10:.1f}</text>')
    (x0, y0), (x1, y1) = at(0, 0), at(1, 1)
    out.append(f'<path d="M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}" stroke="#999" stroke-dasharray="4 4"/>')
    out.append(
        f'<text x="{MARGIN + SIDE / 2}" y="{y0 + 38:.0f}" text-anchor="middle">stated probability</text>'
    )
    for n, (height, result) in enumerate(sorted(results.items())):
        points = [(*at(r["stated"], r["right"]), r["count"]) for r in result.indices.table()]
        line, colour = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points), colours[n % len(colours)]
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + np.log10(count):.1f}" fill="{colour}"/>'
            for x, y, count in points
        ]
        out.append(
            f'<text x="{MARGIN + 12}" y="{MARGIN / 2 + 18 + 18 * n}" fill="{colour}">share right of single '
            f"indices, {height} px</text>"
        )
    return "\n".join([*out, "</svg>", ""])


def show(height: int, result: Result) -> None:
    facts = result.as_json()
    print(f"\n{height}-pixel indices: {facts['exact']} of {facts['scenes']} scenes exactly right", end=" ")
    print(f"({facts['exact_share']:.1%}); faces lacking {facts['lacking']}, too many {facts['extra']}")
    print("  cards: " + ", ".join(f"{k} {v}" for k, v in facts["cards"].items()))
    for row in facts["worst_pairs"]:
        a, b = row["pair"]
        print(
            f"  {a} / {b}: {row['count']} ({row[f'{a} as {b}']} {a} as {b}, {row[f'{b} as {a}']} {b} as {a})"
        )
    for what in ("cards", "indices"):
        print(f"  {what}: stated and true shares lie {facts['calibration_error'][what]:.2%} apart")
        for row in facts[f"reliability_{what}"]:
            print(
                f"    given {row['from']:5.3f} to {row['to']:5.3f}: {row['count']:6} {what}, "
                f"stated {row['stated']:.3f}, right {row['right']:.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description="Count simulated double-deck meld, scene by scene.")
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--height", type=int, action="append", help="of indices, pixels (may be repeated)")
    parser.add_argument("--seed", type=int, default=FIRST, help="of the first scene and deck")
    parser.add_argument("--condition", action="append", choices=sorted(CONDITIONS), help="cameras, in turn")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="write the reliability diagram")
    parser.add_argument("--sheet", type=Path, metavar="PNG", help="write a contact sheet of every error")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    results: dict[int, Result] = {}
    try:
        for height in asked.height or HEIGHTS:
            for result in run(asked.scenes, height, asked.seed, asked.condition or ["clean"]):
                results[height] = result
                if sys.stderr.isatty():
                    print(f"\r{height} px: {result.exact} of {result.scenes} ", end="", file=sys.stderr)
    except ModelError as problem:
        parser.error(str(problem))
    if asked.json:
        print(json.dumps({height: result.as_json() for height, result in results.items()}, indent=1))
    else:
        for height, result in results.items():
            show(height, result)
    if asked.plot:
        asked.plot.write_text(plot(results), encoding="utf-8")
    if asked.sheet:
        sheet = contact_sheet([e for r in results.values() for e in r.tally.errors])
        if not cv2.imwrite(str(asked.sheet), sheet):
            parser.error(f"cannot write {asked.sheet}: is the folder there?")


if __name__ == "__main__":
    main()
