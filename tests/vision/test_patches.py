import cv2
import numpy as np
import pytest

from vision.patches import both_ways_up, cut
from vision.types import PATCH_HEIGHT, PATCH_PAD, PATCH_WIDTH, Image, IndexBox


def scene(degrees: float, height: float) -> tuple[Image, tuple[float, float], tuple[float, float]]:
    """A glyph (a flag: bar with a corner block, so that no turn or mirror looks the same) at an angle."""
    image: Image = np.full((400, 400, 3), 230, np.uint8)
    a = np.radians(degrees)
    up, right = np.array([np.sin(a), -np.cos(a)]), np.array([np.cos(a), np.sin(a)])
    centre = np.array([200.0, 200.0])

    def place(x: float, y: float) -> np.ndarray:  # in index heights, from the centre, y up
        return centre + right * x * height + up * y * height

    flag = [place(-0.2, 0.5), place(0.25, 0.5), place(0.25, 0.1), place(-0.2, 0.1)]
    pole = [place(-0.2, 0.5), place(-0.1, 0.5), place(-0.1, -0.5), place(-0.2, -0.5)]
    for shape in (flag, pole):
        cv2.fillPoly(image, [np.round(np.array(shape) * 16).astype(np.int32)], (20, 20, 160), cv2.LINE_AA, 4)
    top, foot = place(0, 0.5), place(0, -0.5)
    return image, (top[0], top[1]), (foot[0], foot[1])


@pytest.mark.parametrize("height", [20, 43, 90, 200])
def test_a_turned_index_comes_out_upright(height: float) -> None:
    straight = cut(*scene(0, height))[0].astype(int)
    for degrees in (37, 90, 180, 251):
        turned = cut(*scene(degrees, height))[0].astype(int)
        assert np.abs(straight - turned).mean() < 6


def test_the_index_fills_its_part_of_the_patch_and_is_not_mirrored() -> None:
    patch = cut(*scene(130, 60))[0][..., 0]
    dark = np.argwhere(patch < 120)
    assert abs((dark[:, 0].max() - dark[:, 0].min() + 1) - PATCH_HEIGHT / PATCH_PAD) <= 2
    middle = PATCH_HEIGHT // 2
    assert (patch[:middle, PATCH_WIDTH // 2 :] < 120).any()  # the block: upper right ...
    assert not (patch[middle:, PATCH_WIDTH // 2 :] < 120).any()  # ... and there alone


def test_a_large_index_is_averaged_not_sampled() -> None:
    stripes = np.zeros((600, 600, 3), np.uint8)
    stripes[:, ::2] = 255
    inner = cut(stripes, [(300, 60)], [(300, 540)])[0][8:-8, 8:-8]
    assert np.ptp(inner) < 40


def test_the_other_way_up_is_the_index_turned_by_half() -> None:
    image, top, foot = scene(20, 50)
    _, turned = both_ways_up(image, [IndexBox(top, foot, 1.0)])
    direct = cut(image, [foot], [top])
    assert np.abs(turned.astype(int) - direct.astype(int)).max() < 30


def test_jitter_moves_the_cut_and_follows_its_generator() -> None:
    image, top, foot = scene(0, 60)
    plain = cut(image, [top] * 3, [foot] * 3)
    first = cut(image, [top] * 3, [foot] * 3, np.random.default_rng(5))
    again = cut(image, [top] * 3, [foot] * 3, np.random.default_rng(5))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, plain)
    assert not np.array_equal(first[0], first[1])


def test_no_index_gives_no_patch_and_the_border_is_repeated() -> None:
    image: Image = np.full((50, 50, 3), 77, np.uint8)
    assert cut(image, [], []).shape == (0, PATCH_HEIGHT, PATCH_WIDTH, 3)
    assert (cut(image, [(2, -20)], [(2, 10)]) == 77).all()
