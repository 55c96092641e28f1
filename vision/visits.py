"""Where something came and went over the table, and was not looked at since.

A white card on white cloth changes so little that no change is seen. But a hand that came and left has
probably laid something: where it was, the networks look once more. A place that was visited more than
once before it was looked at does not tell by which visit its card came.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.motion import CELL, Cells, Motion, Region, Spot
from vision.table import Doubles

CALM = 0.25
"""Seconds of calm by which two movements are two visits, and after which a place may be looked at."""
PLAINLY = 0.5
"""Share of a card's place that must have changed for the time of its coming to have been seen."""
HIDDEN = 0.5
"""How likely a card found after a gap in sight is to have come before the others found there."""
LEAST_CELLS = 20
"""A third of a card."""


class Visits:
    """Counts, for each cell of the plan, the movements over it since it was last looked at."""

    def __init__(self, motion: Motion, within: Doubles) -> None:
        """within: corners (n, 2) in mm of the part of the table that matters."""
        plan = motion.plan
        self._motion = motion
        whole = np.zeros((plan.height, plan.width), np.uint8)
        spot = plan.spot(within)
        whole[spot.rows, spot.columns][spot.mask] = 255
        self._within: Cells = plan.cell_means(whole) > 127
        self._before: NDArray[np.float64] = motion.last_active.copy()
        self._count: NDArray[np.int32] = np.zeros(motion.active.shape, np.int32)
        self._hidden: Cells = np.zeros(motion.active.shape, bool)

    def push(self) -> None:
        """Take note of what moves in the last picture. Call once for each."""
        m = self._motion
        self._count[m.active & (m.at - self._before > CALM)] += 1
        self._before[m.active] = m.at

    def blind(self) -> None:
        """Nothing can be seen: anything may happen meanwhile."""
        self._hidden[:] = True

    def looked(self, low: Doubles, high: Doubles) -> None:
        """The networks looked at a box of the table, in mm, in the last picture."""
        corners = self._motion.plan.pixels([(low[0], high[1]), (high[0], low[1])]) / CELL
        (x0, y0), (x1, y1) = np.maximum(np.round(corners), 0).astype(int).tolist()
        box = np.s_[y0:y1, x0:x1]
        calm = ~self._motion.active[box]
        self._count[box][calm] = 0
        self._hidden[box][calm] = False

    def unseen(self) -> Region | None:
        """The largest part that was visited, is calm, and was not looked at since."""
        m = self._motion
        cells = ((self._count > 0) | self._hidden) & self._within & (m.last_active < m.at - CALM)
        if np.count_nonzero(cells) < LEAST_CELLS:
            return None
        count, labels, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8))
        if count < 2:
            return None
        label = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
        x, y, w, h, area = stats[label].tolist()
        if area < LEAST_CELLS:
            return None
        (x0, y0), (x1, y1) = m.plan.mm(
            [(x * CELL - 0.5, (y + h) * CELL - 0.5), ((x + w) * CELL - 0.5, y * CELL - 0.5)]
        ).tolist()
        return Region(labels == label, (x0, y0), (x1, y1), False, False)

    def late(self, spot: Spot, changed: float) -> float:
        """How likely it is that a card first seen in a spot came there before the last movement over it.

        changed: the share of the spot that is seen to have changed by its coming.
        """
        if not spot.mask.any():
            return 0.0
        over = self._motion.plan.over_cells
        visits = float(np.median(np.asarray(over(self._count, spot), np.float64)))
        late = 1 - 1 / max(visits, 1.0) if changed < PLAINLY else 0.0
        return max(late, HIDDEN) if over(self._hidden, spot).mean() > 0.5 else late
