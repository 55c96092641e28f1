"""What enrolling a deck adds: cards or indices read right without and with it, on the same pictures.

    python benchmarks/enrolment.py [--set edje-pinochle] [--draws 3] [--decks 12] [--json]

Photographs (part `dev` alone): in each draw, pictures are taken at random until each face that the set shows
was seen once; the deck is enrolled from these, with the faces told, and all other pictures are measured.
The finder's work is the same on both sides. A set is no single deck laid in one sitting: `cadyze`
mixes decks, squeezed and specked pictures, which is harder than what enrolment is made for.

Drawn decks (--decks): each is enrolled from one picture of twenty faces, read without being told, and
measured on tables of meld of the same deck at three resolutions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# As a script, Python looks into benchmarks/ first, where files are named after what they measure.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cv2
import numpy as np

from benchmarks import scenes
from benchmarks.photos import SETS, Tally, score_cards, score_indices, shared_data
from engine.cards import Face, face
from engine.deck import DOUBLE
from vision.adapter import AdaptedReader
from vision.cards import CardReader
from vision.detector import load_finder
from vision.enrol import EnrolledDeck, Laid, Pictured, apart, enrol, look, recognised
from vision.glyphs import load_reader
from vision.simulator.drawn import own_deck
from vision.simulator.scenes import SceneKind, table_scene
from vision.simulator.table import EVALUATION_SEEDS
from vision.table import Table
from vision.types import CLASSES, CardSeen, Image, IndexBox

GROUPS = (("edje-pinochle", None), ("cadyze-table", "webcam-table"), ("cadyze-table", "single-card"))
WIDTHS = (1280, 1600, 1920)
KINDS: tuple[SceneKind, ...] = ("meld", "copies")
SURE = 0.95


@dataclass(frozen=True)
class Photo:
    """A photograph with its labels and what the finder found in it."""

    image: Image
    boxes: list[dict[str, Any]]
    found: list[IndexBox]


def told_face(card: CardSeen, boxes: Sequence[dict[str, Any]]) -> Face | None:
    """The label of the only box that all of a card's indices lie in, or on; None if that is not plain."""
    names = set()
    for index in card.indices:
        at = (np.array(index.box.top) + index.box.foot) / 2
        for box in boxes:
            low, high = np.array([box["x1"], box["y1"]]), np.array([box["x2"], box["y2"]])
            if (low < at).all() and (at < high).all():
                names.add(box.get("face"))
    name = names.pop() if len(names) == 1 else None
    return face(name) if name in CLASSES[:-1] else None


class Sides:
    """Figures without and with enrolment."""

    def __init__(self, unit: str) -> None:
        self.before, self.after = Tally(unit), Tally(unit)

    def as_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, tally in (("without", self.before), ("with", self.after)):
            facts = tally.as_json()
            keys = ("total", "right", "wrong", "missed", "sure", "sure_but_wrong", "confusions")
            out[name] = {key: facts[key] for key in keys}
        return out


def photographs(name: str, group: str | None, draws: int) -> dict[str, Any]:
    finder, glyphs, whole = load_finder(), load_reader(), group is None
    plain = CardReader(finder, glyphs, SETS[name])
    folder = shared_data() / name
    entries = json.loads((folder / "annotations.json").read_text(encoding="utf-8"))
    entries = [e for e in entries if e["part"] == "dev" and e.get("group") == group]
    photos = []
    for entry in entries:
        image = np.asarray(cv2.imread(str(folder / entry["image"])), np.uint8)
        photos.append(Photo(image, entry["boxes"], plain.find(image)))
    seen = [apart(plain.assemble(plain.read_indices(p.image, p.found))) for p in photos]
    labels = [[told_face(card, p.boxes) for card in cards] for p, cards in zip(photos, seen, strict=True)]
    sides, checks, seconds = Sides("cards" if whole else "indices"), [], []
    for draw in range(draws):
        chosen = _until_all_seen(labels, np.random.default_rng(draw))
        began = time.process_time()
        deck = _enrolled(name, [photos[n] for n in chosen], [seen[n] for n in chosen], glyphs)
        seconds.append(time.process_time() - began)
        checks.append(deck.check)
        adapted = CardReader(finder, AdaptedReader(glyphs, deck.adapter), SETS[name], expected=deck.shape)
        for n, photo in enumerate(photos):
            if n in chosen:
                continue
            for reader, tally in ((plain, sides.before), (adapted, sides.after)):
                cards = reader.assemble(reader.read_indices(photo.image, photo.found))
                tally.pictures += 1
                if whole:
                    score_cards(tally, photo.image, cards, photo.boxes)
                else:
                    score_indices(tally, photo.image, [i for c in cards for i in c.indices], photo.boxes)
    return sides.as_json() | {
        "draws": draws,
        "enrolled_from_pictures": len(chosen),
        "weights": [c.weight for c in checks],
        "cross_check": [[round(c.before, 4), round(c.after, 4)] for c in checks],
        "processor_seconds_to_learn": round(float(np.median(seconds)), 1),
    }


def _until_all_seen(labels: Sequence[Sequence[Face | None]], rng: np.random.Generator) -> list[int]:
    """Pictures in random order, each of which shows a face that none before did; half of all at most."""
    chosen: list[int] = []
    known: set[Face] = set()
    for n in rng.permutation(len(labels)):
        new = {f for f in labels[n] if f} - known
        if new and len(chosen) < len(labels) / 2:
            chosen.append(int(n))
            known |= new
    return chosen


def _enrolled(name: str, photos: list[Photo], seen: list[list[CardSeen]], glyphs: Any) -> EnrolledDeck:
    laid, shown = [], []
    for n, (photo, cards) in enumerate(zip(photos, seen, strict=True)):
        shown.append(Pictured(photo.image, cards))
        for card in cards:
            if told := told_face(card, photo.boxes):
                laid.append(Laid(n, card, told))
    return enrol(name, "any", shown, laid, glyphs, "", "")


def drawn(decks: int) -> dict[str, Any]:
    finder, glyphs = load_finder(), load_reader()
    sides = {width: Sides("cards") for width in WIDTHS}
    weights, named, missed, seconds = [], [0, 0], 0, []
    for seed in range(EVALUATION_SEEDS, EVALUATION_SEEDS + decks):
        art = own_deck(seed)
        laying = table_scene(seed, "deck", deck=art, width=2304, height=1296)
        plain = CardReader(finder, glyphs, DOUBLE)
        began = time.process_time()
        shown = look(plain, [laying.image])
        laid = recognised(shown, DOUBLE.faces)
        deck = enrol("own", "double", shown, laid, glyphs, "", "")
        seconds.append(time.process_time() - began)
        weights.append(deck.check.weight)
        named[1] += len(laid)
        named[0] += sum(x.face == _lies_at(laying.cards, x.card).face for x in laid)
        missed += len(DOUBLE.faces) - len({x.face for x in laid})
        adapted = CardReader(finder, AdaptedReader(glyphs, deck.adapter), DOUBLE, expected=deck.shape)
        for width in WIDTHS:
            for kind in KINDS:
                scene = table_scene(seed, kind, deck=art, width=width, height=width * 9 // 16)
                size = (float(scene.size_mm), float(scene.size_mm))
                table = Table.from_corners(scene.corners, size, (width, width * 9 // 16))
                for reader, on, tally in (
                    (plain, table, sides[width].before),
                    (adapted, table.with_card(deck.shape) if deck.shape else table, sides[width].after),
                ):
                    tally.pictures += 1
                    scenes.score(tally, scene.image, reader.read(scene.image, on), scene.cards)
        if sys.stderr.isatty():
            print(f"\r{seed}", end="", file=sys.stderr, flush=True)
    return {str(width): sides[width].as_json() for width in WIDTHS} | {
        "decks": decks,
        "faces_named_right": named,
        "faces_missed": missed,
        "weights": weights,
        "processor_seconds": round(float(np.median(seconds)), 1),
    }


def _lies_at(cards: Sequence[Any], card: CardSeen) -> Any:
    return min(cards, key=lambda c: float(np.hypot(*(c.polygon.mean(axis=0) - card.center))))


def show(name: str, facts: dict[str, Any]) -> None:
    print(f"\n{name}")
    for key, value in facts.items():
        if isinstance(value, dict) and "with" in value:
            print(f"  {key} pixels wide")
            _row("without", value["without"])
            _row("with", value["with"])
        elif key in ("without", "with"):
            _row(key, value)
        else:
            print(f"  {key.replace('_', ' ')}: {value}")


def _row(side: str, facts: dict[str, Any]) -> None:
    total = max(facts["total"], 1)
    print(
        f"    {side:8} {facts['right']} of {facts['total']} right ({facts['right'] / total:.2%}), "
        f"wrong {facts['wrong']}, missed {facts['missed']} | p >= {SURE}: {facts['sure']}, "
        f"of them wrong {facts['sure_but_wrong']} | {dict(list(facts['confusions'].items())[:4])}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what enrolling a deck adds.")
    parser.add_argument(
        "--set", action="append", choices=[*SETS, "drawn"], help="only this (may be repeated)"
    )
    parser.add_argument("--draws", type=int, default=3, help="choices of pictures to enrol from")
    parser.add_argument("--decks", type=int, default=12, help="drawn decks")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    results: dict[str, Any] = {}
    for name, group in GROUPS:
        if asked.set is None or name in asked.set:
            results[f"{name} {group or ''} dev".replace("  ", " ")] = photographs(name, group, asked.draws)
    if asked.set is None or "drawn" in asked.set:
        results["drawn"] = drawn(asked.decks)
    if asked.json:
        print(json.dumps(results, indent=1))
    else:
        for name, facts in results.items():
            show(name, facts)


if __name__ == "__main__":
    main()
