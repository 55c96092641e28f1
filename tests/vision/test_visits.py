"""What moved over the table and was not looked at: where to look, and whether a card's time is its own."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.motion import Motion
from vision.table import Table
from vision.visits import HIDDEN, Visits

SIZE = 320
PLACE = np.array([(-40.0, -40.0), (-40.0, 40.0), (40.0, 40.0), (40.0, -40.0)])


class World:
    """A bare table over which a dark stick comes and goes; 20 pictures a second."""

    def __init__(self) -> None:
        corners = np.array([(0, 0), (SIZE - 1, 0), (SIZE - 1, SIZE - 1), (0, SIZE - 1)], np.float64)
        table = Table.from_corners(corners, (800.0, 800.0), (SIZE, SIZE))
        self.motion = Motion(table)
        self.visits = Visits(self.motion, table.area_mm("play"))
        self.spot = self.motion.plan.spot(PLACE)
        self.at = 0.0
        self.wait()
        self.look()

    def _frame(self, stick: int | None) -> None:
        image = np.full((SIZE, SIZE, 3), 200, np.uint8)
        if stick is not None:
            cv2.rectangle(image, (SIZE // 2 - 20, 0), (SIZE // 2 + 20, stick), (60, 60, 60), -1)
        self.motion.push(image, self.at)
        self.visits.push()
        self.at += 0.05

    def wait(self, pictures: int = 12) -> None:
        for _ in range(pictures):
            self._frame(None)

    def reach(self) -> None:
        for length in (60, 120, 180, 180, 120, 60):
            self._frame(length)
        self._frame(None)

    def look(self) -> None:
        self.visits.looked(np.array([-400.0, -400.0]), np.array([400.0, 400.0]))


def test_where_a_hand_came_and_left_is_looked_at_once() -> None:
    world = World()
    assert world.visits.unseen() is None
    world.reach()
    assert world.visits.unseen() is None, "it has only just left"
    world.wait()
    region = world.visits.unseen()
    assert region is not None
    assert np.array(region.low) == pytest.approx([-55, -45], abs=25)
    world.look()
    assert world.visits.unseen() is None


def test_a_card_hard_to_see_may_have_come_by_any_visit_since_the_last_look() -> None:
    world = World()
    world.reach()
    world.wait()
    assert world.visits.late(world.spot, 0.1) == 0
    world.reach()
    world.wait()
    assert world.visits.late(world.spot, 0.1) == pytest.approx(0.5)
    assert world.visits.late(world.spot, 0.9) == 0, "its coming was seen"
    world.look()
    world.reach()
    assert world.visits.late(world.spot, 0.1) == 0


def test_after_a_gap_in_sight_no_time_is_a_card_s_own() -> None:
    world = World()
    world.visits.blind()
    world.wait()
    assert world.visits.late(world.spot, 0.9) == HIDDEN
    assert world.visits.unseen() is not None
    world.look()
    assert world.visits.late(world.spot, 0.9) == 0
