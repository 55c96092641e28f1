"""What the simulated camera shows is what the script says, and a picture's truth fits the picture."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.events import BookClosed, CardLaid, MeldClosed
from engine.notation import read_log
from vision.simulator.camera import Effects, View, shifted
from vision.simulator.drawn import own_deck
from vision.simulator.motions import SEAT_ANGLE, Pose, as_seen, place
from vision.simulator.scenes import table_scene
from vision.simulator.script import Behaviours
from vision.simulator.sprites import CardPress
from vision.simulator.stage import Stage
from vision.simulator.table import CONDITIONS, SimulatedTable

PLAIN = Effects(noise=0, drift=0, gradient=0, shadows=0, defocus=0, warmth=0)


@pytest.fixture(scope="module")
def table() -> SimulatedTable:
    """A small table: speed, not looks, matters here."""
    return SimulatedTable(3, width=960, height=540, effects=PLAIN, behaviours=Behaviours(corrections=1))


def laid(table: SimulatedTable) -> list[tuple[float, str]]:
    return [(e.at, e.what.card) for e in table.truth if isinstance(e.what, CardLaid)]


def test_frames_are_numbered_and_timed(table: SimulatedTable) -> None:
    frames = list(table.frames(10.0, 10.4))
    assert [f.number for f in frames] == [150, 151, 152, 153, 154, 155]
    assert frames[0].at == pytest.approx(10.0)
    assert frames[0].image.shape == (540, 960, 3)
    assert frames[0].image.dtype == np.uint8


def test_a_picture_depends_on_seed_and_time_alone(table: SimulatedTable) -> None:
    at = laid(table)[9][0] - 0.2
    direct = SimulatedTable(3, width=960, height=540, effects=PLAIN, behaviours=Behaviours(corrections=1))
    table.picture(5.0)
    for t in np.arange(at - 3, at, 0.1):
        table.picture(float(t))
    # Whatever was drawn before, kept layers must come to the same picture.
    assert np.array_equal(table.picture(at), direct.picture(at))


def test_a_laid_card_is_seen_where_the_script_says(table: SimulatedTable) -> None:
    at, card = laid(table)[0]
    before, after = table.picture(at - 1.2).astype(int), table.picture(at + 0.02).astype(int)
    seen = next(c for c in table.seen(at + 0.02) if c.card == card)
    assert seen.still
    assert seen.face_up
    x, y = seen.polygon.mean(axis=0).astype(int)
    patch = np.s_[y - 6 : y + 6, x - 6 : x + 6]
    assert np.abs(after[patch] - before[patch]).mean() > 20
    assert not [c for c in table.seen(at - 1.2) if c.card == card and c.still]


def test_the_corner_index_in_the_picture_is_the_decks_own(table: SimulatedTable) -> None:
    at = next(e.at for e in table.truth if isinstance(e.what, MeldClosed)) - 0.1
    image = table.picture(at)
    checked = 0
    for card in table.seen(at):
        art = table.stage.deck.art(card.face)
        for quad, source in zip(card.indices, art.indices, strict=True):
            if quad.visible < 1.0:
                continue
            size = np.array([(0, 0), (20, 0), (20, 40), (0, 40)], np.float32)
            got = cv2.warpPerspective(image, cv2.getPerspectiveTransform(quad.quad, size), (20, 40))
            want = cv2.warpPerspective(
                art.image[..., :3], cv2.getPerspectiveTransform(source.astype(np.float32), size), (20, 40)
            )
            a, b = (cv2.GaussianBlur(i, (0, 0), 2).astype(float).ravel() for i in (got, want))
            assert np.corrcoef(a, b)[0, 1] > 0.8, (card.card, card.face)
            checked += 1
    assert checked > 10


def test_a_turned_card_keeps_its_size_and_its_upper_left() -> None:
    view = View(960, 540, 800.0)
    press = CardPress(own_deck(1), view, 0.0)
    w, h = press.size_mm
    scale = view.scale()
    outline = press.outline(Pose(0, 0, 90.0))
    size = np.ptp(outline, axis=0)
    assert size == pytest.approx((h * scale, w * scale), abs=0.5)
    # Turned by 90 degrees anticlockwise, its upper left is at the lower left of the picture.
    assert outline[0][0] == outline[:, 0].min()
    assert outline[0][1] == outline[:, 1].max()


def test_meld_scenes_show_one_corner_of_nearly_every_card() -> None:
    stage = Stage(11, own_deck(11), PLAIN, width=960, height=540)
    shares = []
    for seed in range(6):
        scene = table_scene(seed, "meld", stage=stage)
        assert len(scene.cards) > 8
        assert len({c.card for c in scene.cards}) == len(scene.cards)
        shares += [max(i.visible for i in c.indices) for c in scene.cards]
    assert np.mean([s > 0.9 for s in shares]) > 0.85


def test_scenes_follow_from_their_seed_and_refuse_other_kinds() -> None:
    stage = Stage(11, own_deck(11), Effects(), width=640, height=360)
    for kind in ("meld", "book", "mixed"):
        a, b = (table_scene(5, kind, stage=stage) for _ in range(2))  # type: ignore[arg-type]
        assert np.array_equal(a.image, b.image)
        assert [c.card for c in a.cards] == [c.card for c in b.cards]
    with pytest.raises(ValueError, match="no kind of scene"):
        table_scene(1, "party", stage=stage)  # type: ignore[arg-type]


def test_gathered_books_lie_face_down_before_the_gatherer(table: SimulatedTable) -> None:
    at = next(e.at for e in table.truth if isinstance(e.what, BookClosed) and e.what.number == 2) + 1.0
    backs = [c for c in table.seen(at) if not c.face_up and c.still]
    assert len(backs) >= 4
    assert all(c.indices == () for c in backs)
    # Listed lowest first: the last of a pile is seen whole, those beneath it hardly at all.
    assert backs[-1].visible == 1.0
    assert sum(c.visible > 0.5 for c in backs) <= 4


def test_corners_are_the_tables_and_in_order(table: SimulatedTable) -> None:
    nw, ne, se, sw = table.corners
    assert nw[0] < ne[0]
    assert sw[0] < se[0]
    assert nw[1] < sw[1]
    assert ne[1] < se[1]
    assert 0.88 * 540 < sw[1] - nw[1] < 0.98 * 540


def test_each_condition_leaves_its_mark() -> None:
    deck = own_deck(2)
    pictures = {}
    for name in CONDITIONS:
        table = SimulatedTable(2, condition=name, width=640, height=360, deck=deck, surface="felt")
        at = next(e.at for e in table.truth if isinstance(e.what, MeldClosed)) - 0.1
        pictures[name] = table.picture(at).astype(float), table.picture(at + 0.03).astype(float)
    clean = pictures["clean"][0]
    assert pictures["dim"][0].mean() < 0.75 * clean.mean()
    noise = {n: np.abs(a - b).mean() for n, (a, b) in pictures.items()}
    assert noise["dim"] > 1.5 * noise["clean"]
    assert (pictures["glare"][0] > 250).mean() > (clean > 250).mean() + 0.001
    shaky = SimulatedTable(2, condition="shaky", deck=deck)
    shifts = [shaky.stage.sensor.shift(t)[0] for t in np.arange(0, 5, 0.1)]
    assert np.ptp(shifts) > 2


def test_a_shaking_cameras_truth_shakes_with_it() -> None:
    table = SimulatedTable(2, condition="shaky", width=640, height=360)
    at = next(e.at for e in table.truth if isinstance(e.what, MeldClosed)) - 0.5
    card = table.seen(at)[0].card
    where = [next(c for c in table.seen(t) if c.card == card).polygon[0] for t in (at, at + 0.2)]
    shifts = [np.array(table.stage.sensor.shift(t)) for t in (at, at + 0.2)]
    assert where[1] - where[0] == pytest.approx(shifts[1] - shifts[0], abs=1e-3)
    assert np.abs(where[1] - where[0]).max() > 0.1


def test_a_shaken_picture_is_the_steady_one_moved() -> None:
    image = cv2.GaussianBlur(np.random.default_rng(1).integers(0, 255, (60, 80, 3), np.uint8), (0, 0), 3)
    for dx, dy in ((1.3, -2.6), (-0.4, 0.2), (0.0, 0.0), (3.0, -1.0)):
        m = np.array([[1, 0, dx], [0, 1, dy]])
        want = cv2.warpAffine(image, m, (80, 60), borderMode=cv2.BORDER_REPLICATE).astype(int)
        assert np.abs(want - shifted(image, dx, dy))[5:-5, 5:-5].max() <= 2


def test_seats_see_the_table_from_their_own_side() -> None:
    assert place("E", 0.0, -100.0) == pytest.approx((100.0, 0.0))
    assert place("N", 50.0, -100.0) == pytest.approx((-50.0, 100.0))
    for seat in SEAT_ANGLE:
        assert as_seen(seat, *place(seat, 12.0, -34.0)) == pytest.approx((12.0, -34.0))


def test_an_unknown_condition_or_surface_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"foggy.*clean"):
        SimulatedTable(1, condition="foggy")
    with pytest.raises(ValueError, match=r"lava.*felt"):
        SimulatedTable(1, surface="lava", width=320, height=180)


def test_a_video_comes_with_its_record_and_its_calibration(tmp_path: Path) -> None:
    table = SimulatedTable(4, width=320, height=180, fps=2.0)
    path = tmp_path / "hands" / "four.mp4"
    told: list[tuple[int, int]] = []
    table.write_video(path, lambda done, total: told.append((done, total)))
    assert told[-1] == (table.frame_count, table.frame_count)
    assert read_log(path.with_suffix(".truth.jsonl")) == table.truth
    facts = json.loads(path.with_suffix(".table.json").read_text())
    assert facts["size_mm"] == table.size_mm
    assert np.allclose(facts["corners"], table.corners, atol=0.01)
    video = cv2.VideoCapture(str(path))
    count = 0
    while video.read()[0]:
        count += 1
    assert count == table.frame_count
