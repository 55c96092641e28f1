"""How surely indices are found and read by how many pixels high they are.

    python benchmarks/heights.py [--decks 6] [--seed N] [--out models/heights.json]
                                 [--plot docs/accuracy-by-height.svg] [--json]

Tables of meld of drawn decks that are in no training, each in pictures so large that an index has
the wanted height, under clean, dim, glaring and shaky cameras in turn. Counted is every index of which 85 %
can be seen on a card that lies still. `found`: the finder has it, told the table's calibration as in play;
`read`: the reader, given its true place, has the right face among the deck's twenty; `both`: found, and
read right where it was found.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
import numpy as np

from engine.deck import DOUBLE
from vision.cards import CardReader, deck_mask
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.patches import cut
from vision.simulator.drawn import own_deck
from vision.simulator.scenes import SceneKind, table_scene
from vision.simulator.stage import IndexInView
from vision.simulator.table import CONDITIONS, EVALUATION_SEEDS
from vision.table import Table
from vision.types import CLASSES
from vision.weights import ModelError, locate

ROOT = Path(__file__).resolve().parents[1]
HEIGHTS = (8, 10, 12, 14, 16, 20, 24, 32, 40, 64)
VISIBLE = 0.85
CAMERAS = ("clean", "dim", "glare", "shaky")
KINDS: tuple[SceneKind, ...] = ("meld", "copies")
LAYOUTS = 50
"""Layouts of cards that are drawn from, all of evaluation seeds."""
_SIDE_MM, _FILL = 800.0, 0.93


def picture_side(index_mm: float, pixels: float) -> int:
    """How many pixels square a picture of the simulated table is with indices so high."""
    return round(pixels / index_mm * _SIDE_MM / _FILL)


def printed_height(seed: int) -> float:
    """Millimetres of an index of a drawn deck."""
    deck = own_deck(seed)
    art = deck.art(DOUBLE.faces[0])
    quad = art.indices[0]
    high = np.linalg.norm((quad[0] + quad[1]) / 2 - (quad[2] + quad[3]) / 2)
    return float(high) / art.image.shape[0] * deck.size_mm[1]


def measure(decks: int, first: int, heights: Sequence[int]) -> Iterator[list[dict[str, Any]]]:
    """Yields the figures after each deck."""
    reader = CardReader(load_finder(threads=1), load_reader(threads=1), DOUBLE)
    mask = deck_mask(DOUBLE)
    counts = {h: Counter[str]() for h in heights}
    for n, seed in enumerate(range(first, first + decks)):
        art, index_mm = own_deck(seed), printed_height(seed)
        effects = CONDITIONS[CAMERAS[n % len(CAMERAS)]].effects
        for k, pixels in enumerate(heights):
            side = picture_side(index_mm, pixels)
            kind = KINDS[(n + k) % len(KINDS)]
            layout = EVALUATION_SEEDS + (7 * n + 4 * k) % LAYOUTS
            scene = table_scene(layout, kind, deck=art, effects=effects, width=side, height=side)
            table = Table.from_corners(scene.corners, (scene.size_mm, scene.size_mm), (side, side))
            card = table.card
            table = table.with_card(type(card)(card.width, card.height, index_mm, card.index_x, card.index_y))
            truth: list[tuple[IndexInView, str]] = [
                (index, str(c.face))
                for c in scene.cards
                if c.face_up and c.still
                for index in c.indices
                if index.visible >= VISIBLE
            ]
            if not truth:
                continue
            _count(counts[pixels], reader, mask, scene.image, table, truth)
            print(f"\r{n + 1}/{decks} decks, {pixels} px ", end="", file=sys.stderr, flush=True)
        yield _rows(counts)
    print(file=sys.stderr)


def _rows(counts: dict[int, Counter[str]]) -> list[dict[str, Any]]:
    return [
        {
            "pixels": h,
            "indices": c["indices"],
            **{k: round(c[k] / c["indices"], 4) for k in ("found", "read", "both")},
        }
        for h, c in counts.items()
        if c["indices"]
    ]


def _count(
    counts: Counter[str], reader: CardReader, mask: Any, image: Any, table: Table,
    truth: list[tuple[IndexInView, str]],
) -> None:  # fmt: skip
    tops = np.array([i.quad[:2].mean(axis=0) for i, _ in truth])
    feet = np.array([i.quad[2:].mean(axis=0) for i, _ in truth])
    names = [face for _, face in truth]
    given = np.where(mask, reader.reader.read(cut(image, tops, feet)), 0)
    found = reader.read_indices(image, boxes := reader.find(image, table))
    counts["indices"] += len(truth)
    counts["read"] += sum(CLASSES[k] == name for k, name in zip(given.argmax(1), names, strict=True))
    middles = np.array([(np.array(b.top) + b.foot) / 2 for b in boxes]).reshape(-1, 2)
    reads = {r.box.top: r for r in found} | {r.box.foot: r for r in found}
    for (index, name), top, foot in zip(truth, tops, feet, strict=True):
        apart = np.hypot(*(middles - (top + foot) / 2).T)
        if not len(apart) or apart.min() > 0.4 * index.height:
            continue
        counts["found"] += 1
        read = reads.get(boxes[int(apart.argmin())].top)
        if read is not None:
            counts["both"] += CLASSES[int(np.where(mask, read.probabilities, 0).argmax())] == name


WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 720, 400, 64, 150, 24, 52
COLOURS = {"found": "#1b6ca8", "read": "#c2571a", "both": "#1d1d1b"}
WORDS = {"found": "found", "read": "read (true place)", "both": "found and read"}
LOWEST = 0.5


def plot(rows: Sequence[dict[str, Any]]) -> str:
    """The curve as an SVG picture."""
    low, high = math.log(rows[0]["pixels"]), math.log(rows[-1]["pixels"])
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - FOOT

    def x(pixels: float) -> float:
        return LEFT + (math.log(pixels) - low) / (high - low) * wide

    def y(share: float) -> float:
        return TOP + (1 - max(share - LOWEST, 0) / (1 - LOWEST)) * tall

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="13" role="img" '
        'aria-label="Share of indices found and read right by their height in pixels">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for tenth in range(int(LOWEST * 10), 11):
        at = y(tenth / 10)
        out.append(f'<path d="M{LEFT} {at:.1f}H{LEFT + wide}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10 * tenth} %</text>')
    for row in rows:
        at = x(row["pixels"])
        out.append(f'<path d="M{at:.1f} {TOP}V{TOP + tall}" stroke="#eee"/>')
        out.append(f'<text x="{at:.1f}" y="{TOP + tall + 18}" text-anchor="middle">{row["pixels"]}</text>')
    out.append(
        f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 10}" text-anchor="middle">index height, pixels</text>'
    )
    # Names beside the curves' ends, pushed apart.
    ends = sorted(COLOURS, key=lambda k: -rows[-1][k])
    for place, key in enumerate(ends):
        points = " ".join(f"{x(row['pixels']):.1f},{y(row[key]):.1f}" for row in rows)
        colour = COLOURS[key]
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [
            f'<circle cx="{x(row["pixels"]):.1f}" cy="{y(row[key]):.1f}" r="3" fill="{colour}"/>'
            for row in rows
        ]
        at = y(rows[-1][ends[0]]) + 4 + 18 * place
        out.append(f'<text x="{LEFT + wide + 10}" y="{at:.1f}" fill="{colour}">{WORDS[key]}</text>')
    return "\n".join([*out, "</svg>", ""])


def _checksum(name: str) -> str:
    return str(locate(name).facts.get("sha256", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure accuracy by index height.")
    parser.add_argument("--decks", type=int, default=6)
    parser.add_argument("--seed", type=int, default=EVALUATION_SEEDS, help="of the first deck")
    parser.add_argument("--height", type=int, action="append", help="only this (may be repeated)")
    parser.add_argument("--out", type=Path, default=ROOT / "models" / "heights.json")
    parser.add_argument("--plot", type=Path, default=ROOT / "docs" / "accuracy-by-height.svg")
    parser.add_argument("--json", action="store_true", help="print JSON, write nothing")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    facts: dict[str, Any] = {}
    try:
        networks = {name: _checksum(name) for name in ("finder", "reader")}
        rows: list[dict[str, Any]] = []
        for done, rows in enumerate(measure(asked.decks, asked.seed, sorted(asked.height or HEIGHTS)), 1):
            command = f"benchmarks/heights.py --decks {done} --seed {asked.seed}"
            facts = {"command": command, "networks": networks, "heights": rows}
            if not asked.json:  # what was measured stays when the rest is broken off
                asked.out.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
                asked.plot.write_text(plot(rows), encoding="utf-8")
    except ModelError as problem:
        parser.error(str(problem))
    if asked.json:
        print(json.dumps(facts, indent=1))
        return
    print("pixels  indices   found    read    both")
    for row in rows:
        shares = "  ".join(f"{row[k]:6.1%}" for k in ("found", "read", "both"))
        print(f"{row['pixels']:6}  {row['indices']:7}  {shares}")
    print(f"Written: {asked.out}, {asked.plot}")


if __name__ == "__main__":
    main()
