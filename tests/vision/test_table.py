from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.table import CardShape, Table, TableError

# A table of 900 x 800 mm seen slantwise; North is the picture's upper side.
CORNERS = [(420.0, 130.0), (1500.0, 160.0), (1640.0, 1010.0), (300.0, 980.0)]
TABLE = Table.from_corners(CORNERS, (900, 800), (1920, 1080))


def test_corners_lie_where_they_were_marked() -> None:
    assert TABLE.pixels([(-450, 400), (450, 400), (450, -400), (-450, -400)]) == pytest.approx(
        np.array(CORNERS), abs=1e-3
    )
    assert TABLE.mm(CORNERS[2]) == pytest.approx(np.array([450, -400]), abs=1e-3)


@given(x=st.floats(-450, 450), y=st.floats(-400, 400))
def test_there_and_back(x: float, y: float) -> None:
    assert TABLE.mm(TABLE.pixels((x, y))) == pytest.approx(np.array([x, y]), abs=1e-2)


def test_north_may_be_any_side_of_the_picture() -> None:
    upside_down = Table.from_corners(
        [(900, 900), (100, 900), (100, 100), (900, 100)], (800, 800), (1000, 1000)
    )
    assert upside_down.pixels((0, 300)) == pytest.approx(np.array([500, 800]), abs=1e-3)
    assert upside_down.seat(upside_down.mm((500, 850))) == "N"
    assert upside_down.seat(upside_down.mm((850, 500))) == "W"


def test_scale_follows_the_perspective() -> None:
    flat = Table.from_corners([(0, 0), (900, 0), (900, 900), (0, 900)], (450, 450), (900, 900))
    assert flat.px_per_mm((100, -30)) == pytest.approx(2, abs=1e-6)
    assert flat.index_height() == pytest.approx(36)
    assert flat.with_card(CardShape(index_height=27)).index_height() == pytest.approx(54)
    assert TABLE.px_per_mm((0, -350)) > TABLE.px_per_mm((0, 350))


def test_another_picture_of_the_same_camera_has_the_same_table() -> None:
    still = TABLE.for_picture(3840, 2160)
    assert still.mm((840, 260)) == pytest.approx(np.array([-450, 400]), abs=1e-3)
    assert still.px_per_mm() == pytest.approx(2 * TABLE.px_per_mm())
    assert TABLE.for_picture(1920, 1080) is TABLE
    with pytest.raises(TableError, match="calibrated in one of 1920 x 1080"):
        TABLE.for_picture(4608, 2800)


def test_bounds_and_edge() -> None:
    assert TABLE.bounds_px() == pytest.approx((300, 130, 1640, 1010), abs=1)
    x0, y0, x1, y1 = TABLE.bounds_px(50)
    assert x0 < 250
    assert x1 > 1690
    assert y0 < 110
    assert y1 > 1040
    assert TABLE.holds((450, -400))
    assert not TABLE.holds((460, 0))
    assert TABLE.holds((460, 0), 20)


@pytest.mark.parametrize(
    ("point", "area"),
    [
        ((0, 0), "play"), ((200, -150), "play"), ((0, 300), "N"), ((400, 10), "E"), ((30, -390), "S"),
        ((-300, 0), "W"), ((0, 401), "off"), ((-460, 100), "off"),
    ],
)  # fmt: skip
def test_areas(point: tuple[float, float], area: str) -> None:
    assert TABLE.area(point) == area


@given(x=st.floats(-449, 449), y=st.floats(-399, 399))
def test_a_point_lies_inside_the_outline_of_its_area(x: float, y: float) -> None:
    outline = TABLE.area_mm(TABLE.area((x, y)))
    sides = np.roll(outline, -1, axis=0) - outline
    to = np.array([x, y]) - outline
    assert (sides[:, 0] * to[:, 1] - sides[:, 1] * to[:, 0] <= 1e-6 * 900**2).all()  # clockwise, y up


def test_areas_in_pixels_surround_their_middle() -> None:
    north = TABLE.area_px("N")
    assert north.dtype == np.float32
    assert north[0] == pytest.approx(np.array(CORNERS[0]), abs=1e-2)


@pytest.mark.parametrize(
    ("corners", "size", "message"),
    [
        ([CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]], (900, 900), "crossed or dented"),
        (CORNERS[::-1], (900, 900), "anticlockwise"),
        ([CORNERS[0], CORNERS[1], (960, 400), CORNERS[3]], (900, 900), "crossed or dented"),
        (
            [CORNERS[0], (4000, 160), CORNERS[2], CORNERS[3]],
            (900, 900),
            "north-east corner .* outside the picture",
        ),
        ([(100, 100), (180, 100), (180, 180), (100, 180)], (900, 900), "only 80 pixels apart"),
        (CORNERS, (90, 90), "too small for four players"),
        (CORNERS[:3], (900, 900), "needs four corners"),
        ("nonsense", (900, 900), "needs four corners"),
    ],
)
def test_a_wrong_calibration_is_explained(corners: object, size: tuple[float, float], message: str) -> None:
    with pytest.raises(TableError, match=message):
        Table.from_corners(corners, size, (1920, 1080))  # type: ignore[arg-type]


def test_a_play_area_must_leave_room_for_melds() -> None:
    with pytest.raises(TableError, match="play area"):
        Table.from_corners(CORNERS, (900, 900), (1920, 1080), play=1.0)
