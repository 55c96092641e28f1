"""How well real photographs are read: cards or indices found with the right face, missed, wrong, invented.

    python benchmarks/photos.py [--part dev] [--set edje-pinochle] [--json] [--sheet errors.png]

The photographs lie in ../shared/data beside the checkout (or BOOKWATCH_SHARED/data). Nothing is ever
tuned on part `test`. What each set can show, by its SOURCE.md:

- edje-pinochle: whole cards of a 24-face pinochle deck. Cards cut off by the picture's edge have no
  box, so a reading that runs over the edge outside every box is "unboxed", no invention.
- cadyze-table, bidly-deals: indices of 52 faces, not all labelled, in cadyze stretched and specked: a
  reading without a box is "unboxed"; only one on a card's back is surely invented.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.deck import SINGLE
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.patches import cut
from vision.types import CLASSES, NOT_AN_INDEX, CardSeen, Floats, Image, IndexRead
from vision.weights import ModelError

SETS = {"edje-pinochle": SINGLE, "cadyze-table": None, "bidly-deals": None}
"""The sets, and the deck that masks their reading (None: 52 faces)."""
BANDS = (0, 14, 20, 28, 40, 60, 1000)
"""Index heights in picture pixels between which figures are told apart."""
SURE = 0.95


@dataclass
class Error:
    picture: Image
    text: str
    where: str


@dataclass
class Tally:
    """Counts of one set, group and part."""

    unit: str
    pictures: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    heights: dict[int, Counter[str]] = field(default_factory=lambda: {b: Counter() for b in BANDS[:-1]})
    confusions: Counter[str] = field(default_factory=Counter)
    errors: list[Error] = field(default_factory=list)
    seconds: float = 0.0
    now: str = ""

    def add(self, outcome: str, height: float) -> None:
        self.counts[outcome] += 1
        self.heights[max(b for b in BANDS[:-1] if b <= height)][outcome] += 1

    def judge(self, truth: str, read: str, probability: float, height: float) -> bool:
        """Count a found card or index; says whether it is right."""
        right = read == truth
        self.add("right" if right else "wrong", height)
        if not right:
            self.confusions[f"{truth} as {read}"] += 1
        if probability >= SURE:
            self.counts["sure"] += 1
            self.counts["sure but wrong"] += not right
        return right

    def fail(self, picture: Image, text: str) -> None:
        self.errors.append(Error(picture, text, self.now))

    def as_json(self) -> dict[str, Any]:
        total = sum(self.counts[k] for k in ("right", "wrong", "missed"))
        names = ("right", "wrong", "missed", "invented", "double", "unboxed", "sure", "sure but wrong")
        bands = {
            f"{low}-{high}" if high < 1000 else f"{low}+": dict(self.heights[low])
            for low, high in pairwise(BANDS)
            if self.heights[low]
        }
        return {
            "unit": self.unit, "pictures": self.pictures, "total": total,
            **{k.replace(" ", "_"): self.counts[k] for k in names},
            "by_index_height": bands, "confusions": dict(self.confusions.most_common(10)),
            "ms_per_picture": round(1000 * self.seconds / max(self.pictures, 1)),
        }  # fmt: skip


def shared_data() -> Path:
    root = Path(os.environ.get("BOOKWATCH_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    return root / "data"


def score_cards(tally: Tally, image: Image, cards: list[CardSeen], boxes: list[dict[str, Any]]) -> None:
    """Whole cards against whole-card boxes, put together by place alone."""
    seen = np.array([_bounds(c.polygon) for c in cards]).reshape(-1, 4)
    truth = np.array([[b[k] for k in ("x1", "y1", "x2", "y2")] for b in boxes], float).reshape(-1, 4)
    margin = 0.06 * (truth[:, 2:] - truth[:, :2])
    inside = np.zeros((len(boxes), len(cards)), bool)
    for k, card in enumerate(cards):
        for index in card.indices:
            at = _middle(index)
            inside[:, k] |= ((truth[:, :2] - margin < at) & (at < truth[:, 2:] + margin)).all(1)
    value = np.where(inside, 0.05 + _overlap(truth, seen), 0.0)
    matched = {b: k for b, k in zip(*linear_sum_assignment(-value), strict=True) if inside[b, k]}
    for b, box in enumerate(boxes):
        if b not in matched:
            # What an index would measure on this card: a fifth of its longer side.
            tally.add("missed", max(truth[b, 2] - truth[b, 0], truth[b, 3] - truth[b, 1]) / 5)
            tally.fail(_crop(image, truth[b]), f"{box['face']} missed")
            continue
        card = cards[matched[b]]
        if not tally.judge(box["face"], str(card.face), card.probability, card.indices[0].box.height):
            tally.fail(_crop(image, truth[b]), f"{box['face']} as {card.face} {card.probability:.2f}")
    height, width = image.shape[:2]
    for k, card in enumerate(cards):
        if k in matched.values():
            continue
        x1, y1, x2, y2 = seen[k]
        over_edge = x1 < 0 or y1 < 0 or x2 > width or y2 > height
        kind = "double" if inside[:, k].any() else "unboxed" if over_edge else "invented"
        tally.add(kind, card.indices[0].box.height)
        if kind != "unboxed":
            tally.fail(_crop(image, seen[k]), f"{kind} {card.face} {card.probability:.2f}")


def score_indices(tally: Tally, image: Image, reads: list[IndexRead], boxes: list[dict[str, Any]]) -> None:
    """Indices, each by its own reading, against index boxes."""
    corners = np.array([[b[k] for k in ("x1", "y1", "x2", "y2")] for b in boxes], float).reshape(-1, 4)
    middles = (corners[:, :2] + corners[:, 2:]) / 2
    sides = (corners[:, 2:] - corners[:, :2]).max(1, initial=0)
    at = np.array([_middle(r) for r in reads]).reshape(-1, 2)
    apart = np.linalg.norm(middles[:, None] - at[None], axis=2) / sides[:, None]
    is_index = np.array([b["box_kind"] == "index" for b in boxes], bool)
    apart[~is_index] = 10
    pairs = zip(*linear_sum_assignment(np.minimum(apart, 10)), strict=True)
    matched = {b: k for b, k in pairs if apart[b, k] < 0.6}
    for b, box in enumerate(boxes):
        if box.get("face") not in CLASSES or not is_index[b]:  # a joker or a back
            continue
        if b not in matched:
            tally.add("missed", sides[b] / 1.15)
            tally.fail(_crop(image, corners[b], 1.0), f"{box['face']} missed")
            continue
        read = reads[matched[b]]
        name, probability = _best(read.probabilities)
        if not tally.judge(box["face"], name, probability, read.box.height):
            patch = cut(image, [read.box.top], [read.box.foot])[0]
            tally.fail(patch, f"{box['face']} as {name} {probability:.2f}")
    for k, read in enumerate(reads):
        if k not in matched.values():
            on_back = any(
                not is_index[b] and (corners[b, :2] < at[k]).all() and (at[k] < corners[b, 2:]).all()
                for b in range(len(boxes))
            )
            tally.add("invented" if on_back else "unboxed", read.box.height)
            if on_back:
                patch = cut(image, [read.box.top], [read.box.foot])[0]
                tally.fail(patch, f"invented {_best(read.probabilities)[0]}")


def _best(probabilities: Floats) -> tuple[str, float]:
    best = int(np.argmax(probabilities[:NOT_AN_INDEX]))
    return CLASSES[best], float(probabilities[best])


def _middle(read: IndexRead) -> np.ndarray:
    return (np.array(read.box.top) + read.box.foot) / 2


def _bounds(polygon: Floats) -> np.ndarray:
    return np.concatenate((polygon.min(0), polygon.max(0)))


def _overlap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes (n, 4) and (m, 4)."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(2)
    areas = [(x[:, 2:] - x[:, :2]).prod(1) for x in (a, b)]
    return np.asarray(common / (areas[0][:, None] + areas[1][None] - common))


def _crop(image: Image, box: np.ndarray, margin: float = 0.1) -> Image:
    pad = margin * (box[2:] - box[:2])
    x1, y1 = np.maximum(np.floor(box[:2] - pad), 0).astype(int)
    x2, y2 = np.ceil(box[2:] + pad).astype(int)
    return image[y1 : max(y2, y1 + 1), x1 : max(x2, x1 + 1)].copy()


def contact_sheet(errors: list[Error], columns: int = 8) -> Image:
    """Every error, a tile each, its text below it."""
    side, text = 170, 34
    rows = max(1, -(-len(errors) // columns))
    sheet: Image = np.full((rows * (side + text), columns * (side + 6), 3), 255, np.uint8)
    for n, error in enumerate(errors):
        x, y = (n % columns) * (side + 6), n // columns * (side + text)
        h, w = error.picture.shape[:2]
        scale = side / max(h, w)
        size = max(1, round(w * scale)), max(1, round(h * scale))
        tile = cv2.resize(error.picture, size, interpolation=cv2.INTER_LINEAR)
        sheet[y : y + tile.shape[0], x : x + tile.shape[1]] = tile
        for k, line in enumerate((error.text, error.where)):
            at = (x, y + side + 13 + 15 * k)
            cv2.putText(sheet, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
    return sheet


def run(names: list[str], parts: set[str], every: int) -> Iterator[tuple[str, Tally]]:
    """Read the sets; yields "set/group part" and its figures."""
    finder, glyphs = load_finder(), load_reader()
    for name in names:
        reader = CardReader(finder, glyphs, SETS[name])
        folder = shared_data() / name
        tallies: dict[str, Tally] = {}
        entries = json.loads((folder / "annotations.json").read_text(encoding="utf-8"))
        entries = [e for e in entries if not parts or e["part"] in parts][::every]
        for n, entry in enumerate(entries, 1):
            key = f"{name}{'/' + entry['group'] if 'group' in entry else ''} {entry['part']}"
            whole = name == "edje-pinochle"
            tally = tallies.setdefault(key, Tally("cards" if whole else "indices"))
            image = cv2.imread(str(folder / entry["image"]))
            if image is None:
                raise SystemExit(
                    f"{folder / entry['image']} cannot be read as a picture; fetch the set again"
                )
            image = np.asarray(image, np.uint8)
            tally.now = Path(entry["image"]).stem[-24:]
            start = time.perf_counter()
            cards = reader.read(image)
            tally.seconds += time.perf_counter() - start
            tally.pictures += 1
            if whole:
                score_cards(tally, image, cards, entry["boxes"])
            else:
                score_indices(tally, image, [i for c in cards for i in c.indices], entry["boxes"])
            if sys.stderr.isatty():
                print(f"\r{name}: {n}/{len(entries)} ", end="", file=sys.stderr, flush=True)
        yield from sorted(tallies.items())


def main() -> None:
    parser = argparse.ArgumentParser(description="Read the shared photographs and count what is right.")
    parser.add_argument(
        "--set", action="append", choices=sorted(SETS), help="only this set (may be repeated)"
    )
    parser.add_argument("--part", action="append", choices=["dev", "test", "stress"], help="only this part")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth picture")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--sheet", type=Path, metavar="PNG", help="write a contact sheet of every error")
    asked = parser.parse_args()
    if not shared_data().is_dir():
        parser.error(
            f"no photographs in {shared_data()}: set BOOKWATCH_SHARED to the folder that holds data/"
        )
    cv2.setNumThreads(1)
    try:
        results = dict(run(asked.set or list(SETS), set(asked.part or ()), asked.every))
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


def report(results: dict[str, Tally]) -> None:
    for key, tally in results.items():
        facts = tally.as_json()
        total = max(facts["total"], 1)
        pictures = f"{facts['pictures']} pictures, {facts['ms_per_picture']} ms each"
        print(f"\n{key}: {facts['total']} {tally.unit} in {pictures}")
        print(f"  right {facts['right']} ({facts['right'] / total:.1%})", end="")
        for kind in ("wrong", "missed", "invented", "double", "unboxed"):
            print(f"  {kind} {facts[kind]}", end="")
        print(f"  | p >= {SURE}: {facts['sure']}, of them wrong {facts['sure_but_wrong']}")
        for band, counts in facts["by_index_height"].items():
            print(f"    index {band:>6} px: " + "  ".join(f"{k} {v}" for k, v in sorted(counts.items())))
        if facts["confusions"]:
            print("    " + ", ".join(f"{k} x{v}" for k, v in facts["confusions"].items()))


if __name__ == "__main__":
    main()
