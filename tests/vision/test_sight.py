"""Lost sight and a bumped camera: frozen pictures are told, a moved table is found again, or not claimed."""

from __future__ import annotations

import numpy as np
import pytest

from engine.events import SightLost, SightRegained
from vision.motion import HIDDEN, Motion
from vision.sight import FROZEN_AFTER, Frozen, Sight, register
from vision.simulator.disturbances import NAMES, Disturbance, Disturbed, bump, planned
from vision.simulator.table import SimulatedTable
from vision.table import Table
from vision.types import Image, Observed

SIZE = (960, 540)


@pytest.fixture(scope="module")
def simulation() -> SimulatedTable:
    return SimulatedTable(1000000, width=SIZE[0], height=SIZE[1])


@pytest.fixture(scope="module")
def table(simulation: SimulatedTable) -> Table:
    return Table.from_corners(simulation.corners, (simulation.size_mm,) * 2, SIZE)


def seen(simulation: SimulatedTable, d: Disturbance, at: float) -> Image:
    return next(Disturbed(simulation, d).frames(at)).image


def test_a_bumped_camera_is_found_though_cards_were_laid_meanwhile(
    simulation: SimulatedTable, table: Table
) -> None:
    d = Disturbance("bumped", 0.0, float("inf"), dx=24.0, dy=-16.0, turn=1.2)
    now = seen(simulation, d, simulation.script.duration / 2)
    found = register(table, simulation.picture(1.0), now)
    assert found is not None
    assert found.table is not None
    assert found.moved
    matrix = bump(d, SIZE)
    truth = table.corners @ matrix[:, :2].T + matrix[:, 2]
    off = np.hypot(*(found.table.corners - truth).T) / table.px_per_mm()
    assert off.max() < 3.0
    assert "bumped" in found.message()


def test_a_camera_that_was_not_moved_is_not_said_to_be(simulation: SimulatedTable, table: Table) -> None:
    found = register(table, simulation.picture(1.0), simulation.picture(simulation.script.duration / 2))
    assert found is not None
    assert not found.moved


def test_a_camera_that_was_moved_far_is_to_be_set_up_again(simulation: SimulatedTable, table: Table) -> None:
    d = Disturbance("bumped", 0.0, float("inf"), dx=230.0)
    found = register(table, simulation.picture(1.0), seen(simulation, d, 1.0))
    assert found is not None
    assert found.table is None
    assert "mark the table's corners again" in found.message()


@pytest.mark.parametrize("name", ["covered", "lights_out"])
def test_where_nothing_is_seen_no_table_is_claimed(
    name: str, simulation: SimulatedTable, table: Table
) -> None:
    d = Disturbance(name, 0.0, float("inf"))  # type: ignore[arg-type]
    assert register(table, simulation.picture(1.0), seen(simulation, d, 5.0)) is None


def test_only_a_picture_that_repeats_itself_is_frozen(simulation: SimulatedTable) -> None:
    d = Disturbance("frozen", 4.0, 6.0)
    frozen = Frozen()
    told = [f.at for f in Disturbed(simulation, d).frames(3.0, 7.0) if frozen.push(f.image, f.at)]
    assert told
    assert told[0] == pytest.approx(4.0 + FROZEN_AFTER, abs=0.1)
    assert told[-1] < 6.0


def followed(simulation: SimulatedTable, table: Table, d: Disturbance) -> list[Observed]:
    """What `Sight` tells of a disturbance, all that settles being taken as looked at."""
    motion = Motion(table)
    sight = Sight(table, motion)
    out = []
    for frame in Disturbed(simulation, d).frames(d.start - 2, min(d.end, d.start + 4) + 1):
        motion.push(frame.image, frame.at)
        out += sight.push(frame.image, frame.at)
        if sight.clear:
            for region in motion.settled(6):
                motion.accept(region.cells)
    assert sight.clear
    return out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("lights_out", "the picture is dark"),
        ("covered", "the camera is covered"),
        ("leaning", HIDDEN),
        ("frozen", "the picture is frozen"),
    ],
)
def test_lost_sight_is_told_with_its_reason_and_its_end(
    name: str, why: str, simulation: SimulatedTable, table: Table
) -> None:
    d = Disturbance(name, 45.0, 48.0)  # type: ignore[arg-type]
    lost, regained = followed(simulation, Table(table.corners, table.size_mm, SIZE, 0.5, table.card), d)
    assert lost.what == SightLost(why)
    assert lost.at == pytest.approx(d.start, abs=0.1)
    assert regained.what == SightRegained()
    assert regained.at == pytest.approx(d.end, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("dx", "dy", "turn"), [(-7.0, 5.0, 0.8), (20.0, 12.0, -1.4)])
def test_a_bumped_camera_is_followed_within_half_a_second(
    dx: float, dy: float, turn: float, simulation: SimulatedTable, table: Table
) -> None:
    d = Disturbance("bumped", 45.0, float("inf"), dx, dy, turn)
    moving = Table(table.corners, table.size_mm, SIZE, 0.5, table.card)
    lost, regained = followed(simulation, moving, d)
    assert lost.what == SightLost("the camera was moved")
    assert d.start <= lost.at <= regained.at < d.start + 0.5
    matrix = bump(d, SIZE)
    truth = table.corners @ matrix[:, :2].T + matrix[:, 2]
    assert np.hypot(*(moving.corners - truth).T).max() / table.px_per_mm() < 3.0


@pytest.mark.slow
def test_a_camera_bumped_too_far_is_to_be_set_up_again(simulation: SimulatedTable, table: Table) -> None:
    d = Disturbance("bumped", 45.0, 47.0, dx=230.0)
    moving = Table(table.corners, table.size_mm, SIZE, 0.5, table.card)
    lost, regained = followed(simulation, moving, d)
    assert "mark the table's corners again" in lost.what.why  # type: ignore[union-attr]
    assert regained.at == pytest.approx(47.0, abs=0.1)  # somebody put it back
    assert (moving.corners == table.corners).all()


@pytest.mark.slow
def test_play_alone_is_no_lost_sight(simulation: SimulatedTable, table: Table) -> None:
    assert followed(simulation, table, Disturbance("frozen", 45.0, 45.0)) == []


def test_disturbances_follow_from_the_seed_and_stand_in_the_record(simulation: SimulatedTable) -> None:
    for name in NAMES:
        d = planned(name, 1000000, simulation.script.duration)
        assert d == planned(name, 1000000, simulation.script.duration)
        truth = Disturbed(simulation, d).truth
        assert [e.seq for e in truth] == list(range(1, len(truth) + 1))
        gaps = [(type(e.what), e.at) for e in truth if isinstance(e.what, SightLost | SightRegained)]
        assert gaps == ([] if name == "bumped" else [(SightLost, d.start), (SightRegained, d.end)])
