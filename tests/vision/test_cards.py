from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scene import Laid, certain, indices, piled

from engine.deck import DOUBLE, SINGLE
from vision.cards import CardReader, combine, deck_mask, fit_to_deck, place
from vision.deckshape import Belief, learn
from vision.table import CardShape, Table
from vision.types import CLASSES, NOT_AN_INDEX, CardSeen, Floats, Image, IndexBox, IndexRead

SHAPE = CardShape()
JUMBO = CardShape(index_height=27, index_x=8, index_y=17)
ALL_CORNERS = CardShape(index_height=14, index_x=5, index_y=10, four_indices=True)
PICTURE: Image = np.zeros((1080, 1920, 3), np.uint8)


class Canned:
    """A finder that finds what it was given, and a reader that answers call by call."""

    def __init__(self, boxes: list[IndexBox], answers: list[list[Floats]]) -> None:
        self.boxes, self.answers = boxes, answers
        self.asked: float | None = None
        self.shape: tuple[int, ...] = ()

    def find(self, image: Image, index_height: float | None = None) -> list[IndexBox]:
        self.asked, self.shape = index_height, image.shape[:2]
        return self.boxes

    def read(self, patches: Image) -> Floats:
        rows = self.answers.pop(0)
        assert len(rows) == len(patches)
        return np.stack(rows) if rows else np.zeros((0, len(CLASSES)), np.float32)


def assembled(
    cards: list[Laid],
    seed: int,
    *,
    shape: CardShape = SHAPE,
    known: CardShape | None = None,
    table: bool = False,
    noise: float = 0.03,
) -> list[CardSeen]:
    """Physical cards from laid cards' indices; the table's centre is at (450, 450) of their plane."""
    scale = 1.2
    reads = indices(cards, shape, scale, np.random.default_rng(seed), noise)
    square = Table.from_corners(
        [(0, 0), (900 * scale, 0), (900 * scale, 900 * scale), (0, 900 * scale)], (900, 900), (1080, 1080)
    )
    reader = CardReader(Canned([], []), Canned([], []), DOUBLE, known)
    return reader.assemble(reads, square if table else None)


def named(cards: list[CardSeen]) -> Counter[str]:
    return Counter(str(c.face) for c in cards)


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("turn", [0, 90, 217])
def test_a_card_showing_both_corners_is_one_card_where_it_lies(turn: float, table: bool) -> None:
    laid = Laid("QS", (400, 300), turn)
    (card,) = assembled([laid], 1, table=table)
    assert str(card.face) == "QS"
    assert len(card.indices) == 2
    expected = laid.outline(SHAPE) * 1.2
    off = min(np.abs(card.polygon - np.roll(expected, k, axis=0)).max() for k in (0, 2))
    assert off < 8  # pixels, of a card of 107 x 76


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("step", [16, 22, 35])
def test_four_copies_overlapping_in_a_row_are_four_cards(step: float, seed: int, table: bool) -> None:
    turn = 30.0 * seed
    a = np.radians(turn)
    row = [
        Laid("AH", (400 + k * step * np.cos(a), 400 + k * step * np.sin(a)), turn, (0, 1) if k == 3 else (0,))
        for k in range(4)
    ]
    cards = assembled(row, seed, table=table)
    assert named(cards) == {"AH": 4}
    assert sorted(len(c.indices) for c in cards) == [1, 1, 1, 2]


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_four_copies_in_a_fan_are_four_cards(seed: int, table: bool) -> None:
    pivot, radius = np.array([450.0, 520.0]), 110.0
    fan = []
    for k in range(4):
        turn = -24 + 16 * k
        a = np.radians(turn)
        at = pivot + radius * np.array([np.sin(a), -np.cos(a)])
        fan.append(Laid("KD", (float(at[0]), float(at[1])), turn, (0, 1) if k == 3 else (0,)))
    assert named(assembled(fan, seed, table=table)) == {"KD": 4}


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_four_copies_edge_to_edge_are_four_whole_cards(seed: int, table: bool) -> None:
    block = [Laid("TC", (300 + 63.5 * i, 300 + 88.9 * j)) for i in range(2) for j in range(2)]
    cards = assembled(block, seed, table=table)
    assert named(cards) == {"TC": 4}
    assert all(len(c.indices) == 2 for c in cards)


def test_copies_that_show_opposite_corners_are_told_apart_on_a_table() -> None:
    # One copy half under a book from below, the other from above: one index each, 12 mm off a whole card's.
    two = [Laid("JS", (400, 400), 0, (0,)), Laid("JS", (412, 400), 0, (1,))]
    assert named(assembled(two, 3, known=SHAPE, table=True)) == {"JS": 2}


def copies(how: str, rng: np.random.Generator) -> list[Laid]:
    """Four copies of a face laid as people lay them, anyhow turned, the last on top."""
    turn, middle = float(rng.uniform(0, 360)), np.array([450.0, 450.0])

    def direction(degrees: float) -> np.ndarray:
        return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])

    laid = []
    step = float(rng.uniform(*{"row": (14, 45), "touching": (64, 66), "fan": (10, 22)}.get(how, (20, 40))))
    for k in (-1.5, -0.5, 0.5, 1.5):
        at, own = middle, turn
        if how in ("row", "touching"):
            at = middle + k * step * direction(turn)
        elif how == "column":
            at = middle + k * step * direction(turn + 90)
        elif how == "fan":
            own = turn + k * step
            at = middle + 115 * direction(own - 90)
        else:
            at, own = middle + rng.uniform(-45, 45, 2), float(rng.uniform(0, 360))
        laid.append(Laid("AH", (float(at[0]), float(at[1])), own + float(rng.normal(0, 1))))
    return laid


LAYOUTS = ("row", "touching", "column", "fan", "heap")
# Without a table's scale, rows and fans of copies with four indices can stand as the indices of one card.
COUNTED = [(how, shape, True) for how in LAYOUTS for shape in (SHAPE, JUMBO, ALL_CORNERS)]
COUNTED += [(how, shape, False) for how in LAYOUTS for shape in (SHAPE, JUMBO)]
COUNTED += [(how, ALL_CORNERS, False) for how in ("touching", "column", "heap")]


@pytest.mark.parametrize(("how", "shape", "table"), COUNTED)
def test_as_many_copies_are_counted_as_show_an_index(how: str, shape: CardShape, table: bool) -> None:
    counts = Counter[int]()
    for seed in range(30):
        for noise in (0.03, 0.05):
            laid = piled(copies(how, np.random.default_rng(seed)), shape)
            cards = assembled(laid, seed, shape=shape, table=table, noise=noise)
            counts[len(cards) - sum(bool(c.corners) for c in laid)] += 1
    # On a table nearly never; alone in a picture, a heap of copies leaves little to tell its scale by.
    assert counts[0] >= (58 if table else 50), counts


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_card_with_indices_in_all_corners_is_one_card_where_it_lies(seed: int, table: bool) -> None:
    laid = Laid("QS", (400, 300), 73.0 * seed, (0, 1, 2, 3))
    (card,) = assembled([laid], seed, shape=ALL_CORNERS, table=table)
    assert len(card.indices) == 4
    expected = laid.outline(ALL_CORNERS) * 1.2
    off = min(np.abs(card.polygon - np.roll(expected, k, axis=0)).max() for k in (0, 2))
    assert off < 8


def test_how_many_indices_a_card_has_is_remembered_for_its_table() -> None:
    square = Table.from_corners([(0, 0), (1080, 0), (1080, 1080), (0, 1080)], (900, 900), (1080, 1080))
    reader = CardReader(Canned([], []), Canned([], []))

    def seen(corners: tuple[int, ...], table: Table) -> int:
        reads = indices([Laid("QS", (400, 300), 20, corners)], ALL_CORNERS, 1.2, np.random.default_rng(5))
        return len(reader.assemble(reads, table))

    assert seen((0, 2), square) == 2  # may be two copies, the one over the other's middle
    assert seen((0, 1, 2, 3), square) == 1
    assert seen((0, 2), square) == 1
    assert seen((0, 2), square.with_card(SHAPE)) == 2  # another table, another deck


def test_indices_far_off_their_height_and_direction_are_one_card_if_their_middles_are_right() -> None:
    # As half covered or blurred indices are found: ends off by a quarter, middles hardly.
    reads = indices([Laid("KC", (400, 400), 30)], SHAPE, 1.2, np.random.default_rng(0), noise=0.01)
    box = reads[0].box
    middle, half = (np.array(box.top) + box.foot) / 2, (np.array(box.top) - box.foot) / 2 * 0.75
    half = half + 0.2 * np.array([-half[1], half[0]])
    (x, y), (u, v) = middle + half, middle - half
    reads[0] = IndexRead(IndexBox((float(x), float(y)), (float(u), float(v)), 0.5), certain("KC", 0.8, "KS"))
    square = Table.from_corners([(0, 0), (1080, 0), (1080, 1080), (0, 1080)], (900, 900), (1080, 1080))
    for table in (None, square):
        assert len(CardReader(Canned([], []), Canned([], [])).assemble(reads, table)) == 1


def test_two_readings_of_one_card_speak_together() -> None:
    reads = indices([Laid("KC", (400, 400))], SHAPE, 1.2, np.random.default_rng(0))
    unsure = [certain("KC", 0.6, "KS"), certain("KC", 0.7, "KS")]
    reads = [IndexRead(r.box, p) for r, p in zip(reads, unsure, strict=True)]
    (card,) = CardReader(Canned([], []), Canned([], [])).assemble(reads)
    assert str(card.face) == "KC"
    assert card.probability == pytest.approx(0.6 * 0.7 / (0.6 * 0.7 + 0.4 * 0.3), abs=0.01)


def test_a_misread_corner_still_belongs_to_its_card() -> None:
    reads = indices([Laid("KC", (400, 400))], SHAPE, 1.2, np.random.default_rng(0), noise=0.01)
    reads[1] = IndexRead(reads[1].box, certain("KS", 0.7))
    (card,) = CardReader(Canned([], []), Canned([], [])).assemble(reads)
    assert str(card.face) == "KC"
    assert card.probability < 0.97


@pytest.mark.parametrize("table", [False, True])
def test_another_decks_index_size_is_found_by_vote(table: bool) -> None:
    rng = np.random.default_rng(8)
    places = [(100 + 110 * i, 120 + 120 * j) for i in range(4) for j in range(3)]
    cards = [
        Laid(str(f), at, float(rng.uniform(0, 360))) for f, at in zip(DOUBLE.faces, places, strict=False)
    ]
    seen = assembled(cards, 8, shape=JUMBO, table=table)
    assert named(seen) == Counter(c.face for c in cards)
    reads = indices(cards, JUMBO, 1.0, rng)
    shape = learn(place(reads), Belief(SHAPE)).shape
    assert shape.index_height == pytest.approx(JUMBO.index_height, rel=0.15)


def test_a_lone_index_says_where_its_card_lies() -> None:
    laid = Laid("9H", (300, 300), 40, (1,))
    reads = indices([laid], SHAPE, 2.0, np.random.default_rng(0), noise=0)
    (card,) = CardReader(Canned([], []), Canned([], []), SINGLE).assemble(reads)
    assert np.abs(card.polygon - np.roll(laid.outline(SHAPE) * 2, 2, axis=0)).max() < 0.5


def test_the_deck_masks_and_a_sure_foreign_face_is_reported() -> None:
    mask = deck_mask(DOUBLE)
    assert mask.sum() == 21
    assert deck_mask(None).all()
    unsure, foreign = fit_to_deck(certain("7S", 0.7, "TS"), mask)
    assert not foreign
    assert CLASSES[int(unsure.argmax())] == "TS"
    assert unsure[CLASSES.index("7S")] == 0
    assert unsure.sum() == pytest.approx(1, abs=1e-5)
    sure, foreign = fit_to_deck(certain("7S", 0.9), mask)
    assert foreign
    assert CLASSES[int(sure.argmax())] == "7S"
    assert not fit_to_deck(certain("9S", 0.99), deck_mask(SINGLE))[1]


def test_combining_is_a_product_and_forgives_a_zero() -> None:
    both = combine(np.stack([certain("AS", 0.9, "AC"), certain("AS", 0.9, "AC")]))
    assert both[CLASSES.index("AS")] == pytest.approx(0.81 / 0.82, abs=1e-3)
    zero = certain("AS", 0.999999, "AC")
    zero[CLASSES.index("AC")] = 0
    assert np.isfinite(combine(np.stack([zero, certain("AC")]))).all()


def test_an_index_found_upside_down_is_turned_and_no_index_is_dropped() -> None:
    boxes = [
        IndexBox((50, 20), (50, 50), 0.9),
        IndexBox((90, 20), (90, 50), 0.8),
        IndexBox((150, 20), (150, 50), 0.7),
    ]
    none = certain("none", 0.99)
    # Read as found; then, turned, the two that were none.
    stub = Canned(boxes, [[certain("AS"), none, none], [certain("QH"), none]])
    reads = CardReader(stub, stub).read_indices(PICTURE, boxes)
    assert [CLASSES[int(r.probabilities.argmax())] for r in reads] == ["AS", "QH"]
    assert reads[1].box == IndexBox((90, 50), (90, 20), 0.8)


SQUARE = Table.from_corners([(100, 100), (1000, 100), (1000, 1000), (100, 1000)], (900, 900), (1920, 1080))


def test_reading_looks_at_the_table_alone_and_knows_its_scale() -> None:
    # The crop begins at (80, 80): the table and a margin.
    boxes = [
        IndexBox((220, 220), (220, 238), 0.9),
        IndexBox((5, 400), (5, 418), 0.9),
        IndexBox((930, 3), (930, 21), 0.9),
    ]
    stub = Canned(boxes, [[certain("JD"), certain("AS"), certain("KC")], []])
    cards = CardReader(stub, stub).read(PICTURE, SQUARE)
    assert stub.shape == pytest.approx((940, 940), abs=1)
    assert stub.asked == pytest.approx(SHAPE.index_height, rel=0.01)
    assert sorted(str(c.face) for c in cards) == ["AS", "JD", "KC"]
    jack = next(c for c in cards if str(c.face) == "JD")
    assert jack.polygon[:, 0].min() == pytest.approx(300 - SHAPE.index_x, abs=1)
    assert jack.probabilities[NOT_AN_INDEX] < 0.01


def test_what_lies_beyond_a_slanting_tables_edge_is_not_read() -> None:
    slant = Table.from_corners([(300, 100), (800, 100), (1000, 1000), (100, 1000)], (900, 900), (1920, 1080))
    beside = slant.pixels((-500, 300))
    on = slant.pixels((-440, 300))
    boxes = [IndexBox((float(x), float(y) - 9), (float(x), float(y) + 9), 0.9) for x, y in (beside, on)]
    stub = Canned(boxes, [])
    left, top = slant.pixels(np.array(slant.polygon_mm(1)) * (1 + 40 / 900)).min(0)
    stub.boxes = [
        IndexBox(
            (b.top[0] - int(left), b.top[1] - int(top)), (b.foot[0] - int(left), b.foot[1] - int(top)), 0.9
        )
        for b in boxes
    ]
    (found,) = CardReader(stub, stub).find(PICTURE, slant)
    assert found.top == pytest.approx(boxes[1].top, abs=1)


def test_what_is_far_too_large_or_small_on_the_table_is_no_index() -> None:
    heights = (6, 12, 27, 40)  # of 18 expected, 27 in a jumbo deck
    boxes = [IndexBox((100 + 80 * k, 300), (100 + 80 * k, 300 + h), 0.9) for k, h in enumerate(heights)]
    stub = Canned(boxes, [])
    assert [round(b.height) for b in CardReader(stub, stub).find(PICTURE, SQUARE)] == [12, 27]
    assert len(CardReader(stub, stub).find(PICTURE)) == 4


@pytest.mark.parametrize("table", [None, SQUARE])
def test_a_region_is_looked_at_alone_and_told_in_pixels_of_the_whole(table: Table | None) -> None:
    stub = Canned([IndexBox((30, 20), (30, 38), 0.9)], [])
    (found,) = CardReader(stub, stub).find(PICTURE, table, (400, 300, 520, 390))
    assert stub.shape == (90, 120)
    assert found.top == (430, 320)
    assert CardReader(stub, stub).find(PICTURE, SQUARE, (1500, 300, 1600, 390)) == []


def test_an_empty_picture_has_no_cards() -> None:
    stub = Canned([], [[], []])
    assert CardReader(stub, stub).read(PICTURE) == []
