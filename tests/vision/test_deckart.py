"""Drawn and borrowed decks: the boxes are training labels, so they are held to the pixel."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import ALL_FACES, face
from vision.simulator import borrowed, pips
from vision.simulator.borrowed import HELD_OUT_FAMILIES, ArtError, borrowed_decks
from vision.simulator.deckart import CardArt, DeckArt
from vision.simulator.drawn import EVALUATION_SEEDS, own_deck
from vision.types import Image

SHARED = Path(os.environ.get("BOOKWATCH_SHARED", Path(__file__).parents[2] / ".." / "shared"))
ART = SHARED / "data" / "card-art"
needs_art = pytest.mark.skipif(
    not ART.is_dir() or shutil.which("rsvg-convert") is None,
    reason="needs shared card art (BOOKWATCH_SHARED) and rsvg-convert",
)
FOUR_INDICES, SINGLE_PIP = 6, 2  # seeds


def upright(art: CardArt, n: int) -> Image:
    """The n-th index, 48 x 96, turned so that it reads upright."""
    target = np.array([(-0.5, -0.5), (47.5, -0.5), (47.5, 95.5), (-0.5, 95.5)], np.float32)
    turn = cv2.getPerspectiveTransform(art.indices[n], target)
    return cv2.warpPerspective(art.image[..., :3], turn, (48, 96), flags=cv2.INTER_LINEAR)


def ink(art: CardArt) -> np.ndarray:
    paper = np.median(art.image[art.image[..., 3] == 255][:, :3], axis=0)
    return np.abs(art.image[..., :3].astype(float) - paper).max(-1) > 25


def box_of(quad: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, foot as pixel numbers, the last two one past the end."""
    low, high = np.round(quad.min(0) + 0.5).astype(int), np.round(quad.max(0) + 0.5).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


@pytest.mark.parametrize("seed", [12, FOUR_INDICES, EVALUATION_SEEDS.start])
def test_every_face_is_drawn_with_its_indices_inside_the_card(seed: int) -> None:
    deck = own_deck(seed)
    assert deck.faces() == ALL_FACES
    assert 55 < deck.size_mm[0] < 66
    assert 85 < deck.size_mm[1] < 91
    shape = deck.back().shape
    assert 420 <= shape[0] <= 480
    assert shape[1] / shape[0] == pytest.approx(deck.size_mm[0] / deck.size_mm[1], abs=0.01)
    for f in ALL_FACES:
        art = deck.art(f)
        assert art.image.shape == shape
        assert art.image.dtype == np.uint8
        assert art.image[0, 0, 3] == 0
        assert art.image[shape[0] // 2, shape[1] // 2, 3] == 255
        assert len(art.indices) in (2, 4)
        assert art.indices.dtype == np.float32
        assert art.indices.min() >= -0.5
        assert (art.indices.reshape(-1, 2).max(0) <= (shape[1] - 0.5, shape[0] - 0.5)).all()


@pytest.mark.parametrize("fonts", [False, True])
@pytest.mark.parametrize("seed", [3, 5, FOUR_INDICES, 24])
def test_the_box_is_tight_round_rank_and_pip(seed: int, fonts: bool) -> None:
    deck = fonts_or_skip(seed) if fonts else own_deck(seed)
    for suit in "SHDC":
        art = deck.art(face("A" + suit))  # aces have nothing else near the index
        mask = ink(art)
        for quad in art.indices:
            left, top, right, foot = box_of(quad)
            part = mask[max(0, top) : foot, max(0, left) : right]
            assert part[:2].any()
            assert part[-2:].any()
            assert part[:, :2].any()
            assert part[:, -2:].any()
            if left > 2 and top > 2:
                ring = mask[top - 2 : foot + 2, left - 2 : right + 2].copy()
                ring[2:-2, 2:-2] = False
                assert not ring.any()


@pytest.mark.parametrize("seed", [0, 1, 12, FOUR_INDICES])
def test_all_indices_of_a_card_read_alike_and_none_is_mirrored(seed: int) -> None:
    deck = own_deck(seed)
    for name in ("4S", "JD", "TC", "QH"):
        art = deck.art(face(name))
        first = upright(art, 0).astype(float)
        for n in range(1, len(art.indices)):
            other = upright(art, n).astype(float)
            assert np.abs(first - other).mean() < 6
            assert np.abs(first - other[:, ::-1]).mean() > 6


def test_some_decks_have_four_indices_and_some_jumbo_ones() -> None:
    counts, shares = [], []
    for seed in range(60):
        art = own_deck(seed).art(face("AS"))
        counts.append(len(art.indices))
        shares.append(np.ptp(art.indices[0][:, 1]) / art.image.shape[0])
    assert counts.count(4) in range(1, 20)
    assert min(shares) < 0.16
    assert max(shares) > 0.28
    assert 0.15 < np.median(shares) < 0.23


def test_a_seed_is_one_deck_and_other_seeds_are_others() -> None:
    one, again, other = own_deck(7), own_deck(7), own_deck(8)
    for name in ("KS", "9H", "AD"):
        assert (one.art(face(name)).image == again.art(face(name)).image).all()
        assert (one.art(face(name)).indices == again.art(face(name)).indices).all()
    assert (one.back() == again.back()).all()
    assert (
        one.art(face("KS")).image.shape != other.art(face("KS")).image.shape
        or (one.art(face("KS")).image != other.art(face("KS")).image).any()
    )
    assert one.art(face("KS")) is one.art(face("KS"))


@pytest.mark.parametrize("seed", [0, 5])
def test_no_two_faces_have_the_same_index(seed: int) -> None:
    deck = own_deck(seed)
    patches = np.stack([upright(deck.art(f), 0).astype(float) for f in ALL_FACES])
    for n in range(len(patches)):
        apart = np.abs(patches - patches[n]).mean((1, 2, 3))
        apart[n] = 255
        assert apart.min() > 2, f"{ALL_FACES[n]} and {ALL_FACES[int(apart.argmin())]}"


@pytest.mark.parametrize("seed", [3, 30, 31])
def test_number_cards_carry_as_many_pips_as_they_say(seed: int) -> None:
    deck = own_deck(seed)
    for rank, count in zip("A23456789T", range(1, 11), strict=True):
        for suit in "HD":
            art = deck.art(face(rank + suit))
            mask = ink(art)
            for quad in art.indices:
                left, top, right, foot = box_of(quad)
                mask[top:foot, left:right] = False
            blobs = cv2.connectedComponentsWithStats(mask.astype(np.uint8))[2][1:]
            assert (blobs[:, 4] > 60).sum() == count
            assert len(pips.pip_places(count)) == count


def test_big_pip_decks_show_one_pip() -> None:
    art = own_deck(SINGLE_PIP).art(face("9S"))
    mask = ink(art)
    for quad in art.indices:
        left, top, right, foot = box_of(quad)
        mask[top:foot, left:right] = False
    assert (cv2.connectedComponentsWithStats(mask.astype(np.uint8))[2][1:, 4] > 60).sum() == 1


def fonts_or_skip(seed: int) -> DeckArt:
    pytest.importorskip("PIL", reason="Pillow is in the extra `train`")
    if shutil.which("fc-list") is None:
        pytest.skip("needs fontconfig's fc-list")
    try:
        return own_deck(seed, fonts=True)
    except RuntimeError as error:
        pytest.skip(str(error))


def test_decks_from_fonts_are_their_own() -> None:
    deck = fonts_or_skip(3)
    assert deck.name != own_deck(3).name
    assert deck.art(face("TS")).image.shape[2] == 4


@needs_art
def test_a_borrowed_deck_is_cut_measured_and_kept(tmp_path: Path) -> None:
    root, cache = tmp_path / "art", tmp_path / "cache"
    (root / "kde").mkdir(parents=True)
    shutil.copy(ART / "kde" / "standard.svgz", root / "kde")
    (deck,) = borrowed_decks(root, cache)
    assert set(deck.faces()) == set(ALL_FACES)
    assert deck.family in HELD_OUT_FAMILIES
    assert deck.back().shape == deck.art(face("AS")).image.shape
    check_boxes(deck)
    before = {p: p.stat().st_mtime_ns for p in cache.iterdir()}
    (again,) = borrowed_decks(root, cache)
    assert {p: p.stat().st_mtime_ns for p in cache.iterdir()} == before
    assert (again.art(face("QH")).image == deck.art(face("QH")).image).all()


@needs_art
def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "kde").mkdir()
    (tmp_path / "kde" / "standard.svgz").write_bytes(b"no picture")
    with pytest.raises(ArtError, match=r"standard\.svgz"):
        borrowed_decks(tmp_path, tmp_path / "cache")


def test_no_art_no_decks(tmp_path: Path) -> None:
    assert borrowed_decks(tmp_path, tmp_path / "cache") == []


@needs_art
@pytest.mark.slow
def test_all_borrowed_decks(tmp_path: Path) -> None:
    decks = borrowed_decks(ART, tmp_path)
    assert len(decks) == len(borrowed.SHEETS) + 1
    assert len({d.name for d in decks}) == len(decks)
    assert {d.family for d in decks} > HELD_OUT_FAMILIES
    for deck in decks:
        assert len(deck.faces()) >= 40
        check_boxes(deck)


def check_boxes(deck: DeckArt) -> None:
    """Indices of one card read alike, as nearly as the artist drew them alike."""
    for f in deck.faces():
        art = deck.art(f)
        first = upright(art, 0).ravel()
        for n in range(1, len(art.indices)):
            alike = np.corrcoef(first, upright(art, n).ravel())[0, 1]
            assert alike > 0.7, f"{deck.name} {f}: index {n} is alike by {alike:.2f} only"
        heights = np.hypot(*(art.indices[:, 0] - art.indices[:, 3]).T)
        assert np.ptp(heights) <= 6, f"{deck.name} {f}"
