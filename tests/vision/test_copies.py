"""Scenes of many copies, and how the benchmark of counted meld judges them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scene import certain

from vision.simulator.scenes import Scene, table_scene
from vision.types import CardSeen, IndexBox, IndexRead

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.melds import Result, Stated, judge, worst_pairs


@pytest.fixture(scope="module")
def scene() -> Scene:
    return table_scene(1_000_010, "copies", width=480, height=480)


def perfect(scene: Scene) -> list[CardSeen]:
    """Every card that shows an index, read as what it is."""
    cards = []
    for card in scene.cards:
        shown = [i for i in card.indices if i.visible >= 0.85]
        if shown:
            top, foot = shown[0].quad[:2].mean(axis=0), shown[0].quad[2:].mean(axis=0)
            box = IndexBox((float(top[0]), float(top[1])), (float(foot[0]), float(foot[1])), 0.9)
            p = certain(str(card.face))
            cards.append(CardSeen(p, card.polygon, (IndexRead(box, p),)))
    return cards


def test_copies_lie_upon_each_other_within_the_deck(scene: Scene) -> None:
    counts = Counter(c.face for c in scene.cards)
    assert max(counts.values()) <= 4
    assert max(counts.values()) >= 3
    overlapping = [
        a
        for a, b in zip(scene.cards, scene.cards[1:], strict=False)
        if a.face == b.face and np.hypot(*(a.polygon.mean(axis=0) - b.polygon.mean(axis=0))) < 40
    ]
    assert len(overlapping) >= 5


def test_a_scene_is_right_when_its_multiset_is(scene: Scene) -> None:
    result = Result()
    cards = perfect(scene)
    judge(result, scene, cards)
    assert (result.exact, result.tally.counts["right"]) == (1, len(cards))
    assert all(result.cards.right)
    judge(result, scene, cards[1:])  # one missed
    judge(result, scene, [*cards, cards[0]] * 2)  # each too often
    wrong = certain("9S" if str(cards[0].face) != "9S" else "9H")
    judge(result, scene, [CardSeen(wrong, cards[0].polygon, cards[0].indices), *cards[1:]])
    assert (result.scenes, result.exact) == (4, 1)
    assert result.lacking[str(cards[0].face)] == 2
    assert sum(result.tally.confusions.values()) == 1


def test_worst_pairs_count_both_ways() -> None:
    pairs = worst_pairs(Counter({"QC as QS": 3, "QS as QC": 2, "8H as 9H": 4}))
    assert [(p["pair"], p["count"]) for p in pairs] == [(["QC", "QS"], 5), (["8H", "9H"], 4)]
    assert pairs[0]["QS as QC"] == 2


def test_what_was_stated_is_held_against_what_was_right() -> None:
    stated = Stated()
    for n in range(10):
        stated.add(0.92, n > 0)
        stated.add(1.0, True)
    low, high = stated.table()
    assert (low["count"], low["stated"], low["right"]) == (10, 0.92, 0.9)
    assert (high["from"], high["right"]) == (0.999, 1.0)
    assert stated.off() == pytest.approx(0.01)
