from __future__ import annotations

import numpy as np
import pytest
from scene import Laid, certain

from vision.annotate import annotated
from vision.melds import Group, by_place, by_seat
from vision.table import CardShape, Table
from vision.types import CardSeen, Image, IndexBox, IndexRead

SHAPE = CardShape()


def seen(
    face: str, at: tuple[float, float], turn: float = 0, foreign: bool = False, sure: float = 0.97
) -> CardSeen:
    laid = Laid(face, at, turn)
    top, foot = laid.point(-26, -41), laid.point(-26, -23)
    p = certain(face, sure)
    box = IndexBox((float(top[0]), float(top[1])), (float(foot[0]), float(foot[1])), 0.9)
    return CardSeen(p, laid.outline(SHAPE).astype(np.float32), (IndexRead(box, p),), foreign)


def names(group: Group) -> str:
    return " ".join(str(f) for f in group.faces)


def test_cards_before_a_seat_are_its_meld_and_the_rest_is_nobodys() -> None:
    table = Table.from_corners([(50, 50), (950, 50), (950, 950), (50, 950)], (900, 900), (1000, 1000))
    cards = [
        seen("QS", (500, 130)), seen("JD", (530, 130)), seen("AH", (880, 480)), seen("TC", (500, 500)),
        seen("KS", (10, 10)),
    ]  # fmt: skip
    groups = by_seat(cards, table)
    assert [(g.name, g.seat, names(g)) for g in groups] == [("North", "N", "QS JD"), ("East", "E", "AH")]


@pytest.mark.parametrize("turn", [0, 33])
def test_cards_that_touch_lie_together(turn: float) -> None:
    row = [seen("AS", (200 + 22 * k, 200), turn) for k in range(4)]
    far = [seen("QS", (600, 190)), seen("JD", (640, 205), 15)]
    below = [seen("KH", (210, 600), 45)]
    groups = by_place([below[0], far[0], row[2], row[0], far[1], row[3], row[1]])
    assert [(g.name, names(g)) for g in groups] == [("1", "AS AS AS AS"), ("2", "QS JD"), ("3", "KH")]
    assert by_place([]) == []


def test_a_gap_of_a_card_parts_groups_even_where_bounding_boxes_overlap() -> None:
    # Two long diagonal rows side by side: their upright bounding boxes overlap, the cards do not.
    first = [seen("AS", (200 + 20 * k, 200 + 20 * k), -45) for k in range(8)]
    second = [seen("AH", (200 + 20 * k + 110, 200 + 20 * k - 110), -45) for k in range(8)]
    assert sorted(len(g.cards) for g in by_place(first + second)) == [8, 8]


def test_faces_leave_foreign_cards_out_and_run_by_suit_and_rank() -> None:
    cards = (seen("9H", (0, 0)), seen("TH", (0, 0)), seen("AS", (0, 0)), seen("7C", (0, 0), foreign=True))
    assert names(Group("1", None, cards)) == "AS TH 9H"


def test_the_annotated_picture_marks_cards_and_leaves_the_original_alone() -> None:
    image: Image = np.full((600, 800, 3), 128, np.uint8)
    cards = [
        seen("AS", (200, 200)),
        seen("KH", (500, 300), 30, sure=0.5),
        seen("7C", (700, 560), foreign=True),
    ]
    out = annotated(image, cards, by_place(cards))
    assert out.shape == image.shape
    assert (image == 128).all()
    x, y = cards[1].polygon[0].round().astype(int)
    red = out[y - 1 : y + 2, x - 1 : x + 2].astype(int)
    assert (red[..., 2] - red[..., 1]).max() > 80  # doubtful
    assert (out[:, :100] == 128).all()
    assert np.array_equal(annotated(image, []), image)
