"""The finder's own work: sizes, tiles, decoding, suppression. A stand-in plays the network."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision import detector
from vision.detector import OVERLAP, Found, OnnxFinder, alike, decode, distinct, settled, spans, told
from vision.types import Image
from vision.weights import ModelError


class DotNetwork:
    """Answers like a YOLO pose network for marks of a red dot (top) over a blue one (foot).

    It sees only marks that lie wholly in its tile, knows indices of 12 to 60 pixels, and, like the
    real one, reports each twice. It insists on the input the real one wants.
    """

    def __init__(self, height: object = "height", width: object = "width", end_to_end: bool = False) -> None:
        self.shape, self.end_to_end, self.calls = [1, 3, height, width], end_to_end, 0

    def get_inputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name="images", shape=self.shape)]

    def run(self, names: None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.calls += 1
        pixels = feed["images"]
        assert pixels.dtype == np.float32
        assert pixels.max() <= 1
        assert pixels.shape[2] % 32 == 0
        assert pixels.shape[3] % 32 == 0
        assert max(pixels.shape[2:]) <= 640
        red, green, blue = pixels[0]
        tops, feet = (self.dots(c - np.maximum(green, o)) for c, o in ((red, blue), (blue, red)))
        rows = []
        for x, y in tops:
            near = [f for f in feet if abs(f[0] - x) < 4 and 12 <= f[1] - y <= 60]
            if near:
                rows += [
                    [x, y, 20, 40, 0.9, x, y, 1, *near[0], 1],
                    [x + 1, y, 20, 40, 0.6, x + 1, y, 1, *near[0], 1],
                ]
        table = np.array(rows, np.float32).reshape(-1, 11)
        if self.end_to_end:
            return [np.insert(table, 5, 0, axis=1)[None]]
        return [np.concatenate((table, np.zeros((5, 11), np.float32))).T[None]]

    @staticmethod
    def dots(channel: np.ndarray) -> list[tuple[float, float]]:
        middles = cv2.connectedComponentsWithStats((channel > 0.3).astype(np.uint8))[3]
        return [(float(x), float(y)) for x, y in middles[1:]]


def finder(network: DotNetwork, monkeypatch: pytest.MonkeyPatch) -> OnnxFinder:
    monkeypatch.setattr(detector, "session", lambda file, threads: network)
    return OnnxFinder(Path("dots.onnx"))


def picture(size: tuple[int, int], marks: list[tuple[int, int]], height: int) -> Image:
    image: Image = np.full((size[1], size[0], 3), 90, np.uint8)
    r = max(2, height // 10)
    for x, y in marks:
        image[y - r : y + r + 1, x - r : x + r + 1] = (0, 0, 255)
        image[y + height - r : y + height + r + 1, x - r : x + r + 1] = (255, 0, 0)
    return image


@pytest.mark.parametrize("end_to_end", [False, True])
@pytest.mark.parametrize("shape", [("height", "width"), (416, 416)])
@pytest.mark.parametrize(
    ("size", "height"), [((500, 300), 28), ((1920, 1080), 28), ((1333, 777), 60), ((3000, 900), 110)]
)
def test_every_mark_is_found_once_where_it_is(
    size: tuple[int, int],
    height: int,
    shape: tuple[object, object],
    end_to_end: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(size[0])
    columns, rows = np.arange(40, size[0] - 40, 80), np.arange(30, size[1] - height - 20, height + 60)
    marks = [(int(x + rng.integers(-9, 9)), int(y + rng.integers(-9, 9))) for x in columns for y in rows]
    found = finder(DotNetwork(*shape, end_to_end), monkeypatch).find(picture(size, marks, height), height)
    assert len(found) == len(marks)
    near = max(2.5, 0.03 * height)  # within a pixel of the network's picture
    for x, y in marks:
        nearest = min(found, key=lambda b: abs(b.top[0] - x) + abs(b.top[1] - y))
        assert nearest.top == pytest.approx((x, y), abs=near)
        assert nearest.foot == pytest.approx((x, y + height), abs=near)
        assert nearest.score == pytest.approx(0.9)


@pytest.mark.parametrize("height", [24, 45, 90, 150])
def test_without_calibration_the_size_is_found_out(height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = [(200, 60), (420, 300), (100, 250)]
    found = finder(DotNetwork(), monkeypatch).find(picture((640, 480), marks, height))
    assert sorted(round(b.height / height, 1) for b in found) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("size", [(3000, 2), (2, 3000), (3000, 1), (1, 1)])
@pytest.mark.parametrize("height", [None, 28, 3000])
def test_a_picture_too_thin_for_an_index_holds_none(
    size: tuple[int, int], height: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert finder(DotNetwork(), monkeypatch).find(picture(size, [], 28), height) == []


def test_a_known_size_costs_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    network = DotNetwork()
    look = finder(network, monkeypatch)
    look.find(picture((640, 480), [], 30), 30)
    assert network.calls == 1
    look.find(picture((640, 480), [], 30))
    assert network.calls == 4


@pytest.mark.parametrize(
    ("length", "tile"), [(100, 640), (640, 640), (641, 640), (1920, 640), (4608, 640), (1000, 416)]
)
def test_tiles_cover_all_and_each_place_is_owned_well_inside_a_tile(length: int, tile: int) -> None:
    tiles = spans(length, tile)
    assert all(s.stop - s.start <= tile and s.start >= 0 and s.stop <= length for s in tiles)
    for x in range(length):
        owners = [s for s in tiles if s.own_from <= x < s.own_to]
        assert owners
        for s in owners:
            assert s.start == 0 or x - s.start >= OVERLAP / 2 - 6
            assert s.stop == length or s.stop - x >= OVERLAP / 2 - 6


def column(*marks: tuple[float, float, float, float]) -> Found:
    """Upright marks from (x, y of the middle, height, score)."""
    m = np.array(marks, np.float32).reshape(-1, 4)
    tops, feet = m[:, :2] - m[:, 2:3] * (0, 0.5), m[:, :2] + m[:, 2:3] * (0, 0.5)
    return Found(tops.astype(np.float32), feet.astype(np.float32), m[:, 3])


def test_suppression_keeps_neighbours_of_a_tight_fan() -> None:
    height = 30.0
    fan = column(*[(100 + 0.55 * height * k, 100, height, 0.5 + 0.1 * k) for k in range(4)])
    assert sorted(distinct(fan)) == [0, 1, 2, 3]


def test_suppression_drops_the_weaker_of_the_same_index_in_any_direction_and_size() -> None:
    found = column((100, 100, 30, 0.5), (103, 104, 34, 0.8), (400, 100, 30, 0.4))
    turned = Found(
        np.vstack((found.tops, [[115, 100]])),
        np.vstack((found.feet, [[85, 100]])),
        np.append(found.scores, 0.7),
    )
    assert distinct(turned) == [1, 2]


def test_a_huge_false_mark_does_not_swallow_true_ones() -> None:
    assert sorted(distinct(column((100, 100, 300, 0.3), (140, 100, 30, 0.9), (100, 150, 30, 0.8)))) == [
        0,
        1,
        2,
    ]


def test_marks_of_another_size_than_the_rest_are_left_out() -> None:
    found = column(
        (0, 0, 30, 0.8), (100, 0, 40, 0.9), (200, 0, 9, 0.5), (300, 0, 140, 0.6), (400, 0, 55, 0.4)
    )
    assert alike(found).scores.tolist() == pytest.approx([0.8, 0.9, 0.4])
    assert len(alike(column()).scores) == 0


def test_an_output_of_another_kind_is_refused() -> None:
    with pytest.raises(ModelError, match="neither kind"):
        decode(np.zeros((1, 84, 8400), np.float32), 0.25)


def test_an_index_lies_at_the_mean_of_the_anchors_that_agree() -> None:
    tops = np.array([(100, 80), (108, 82), (92, 82), (100, 120)], np.float32)
    feet = np.array([(100, 120), (92, 118), (108, 118), (100, 80)], np.float32)
    found = Found(tops, feet, np.array([0.5, 0.5, 0.5, 0.3], np.float32))
    best = settled(found, [0])
    assert best.tops[0] == pytest.approx((100, 81.3), abs=0.1)  # the one upside down has no part in it
    assert best.feet[0] == pytest.approx((100, 118.7), abs=0.1)


def test_marks_that_settle_on_one_index_are_told_once() -> None:
    # Kept apart at first, 16 pixels from each other, the weaker then settles near the stronger.
    wide = [(100, 100, 30, 0.9), (116, 100, 30, 0.4)] + [(108, 100, 30, 0.39)] * 9
    output = np.zeros((1, 11, len(wide)), np.float32)
    for k, (x, y, height, score) in enumerate(wide):
        output[0, :5, k] = x, y, height * 0.6, height, score
        output[0, 5:11, k] = x, y - height / 2, 1, x, y + height / 2, 1
    found = decode(output, 0.25)
    assert len(distinct(found)) == 2
    assert len(told(found).scores) == 1
