"""Where something changed on the table, and where it has become still: without any network.

Every picture is looked at as a small grey *plan*: the table seen from straight above, a few
millimetres a pixel, the same for every camera. A cell of the plan is *active* while it differs from
a moment ago, and *changed* while it differs from what is known to lie there (`Motion.accept`).
What is changed and no longer active has settled, and only there is it worth reading.

Differences are taken beyond the lightest and darkest of a pixel's surroundings, so that a trembling
camera, or a card a hair's breadth off, is no change.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.table import Doubles, Table
from vision.types import Image

Cells: TypeAlias = NDArray[np.bool_]
Grey: TypeAlias = NDArray[np.uint8]

MM_PER_PIXEL = 2.5
CELL = 4
"""Pixels of the plan along a cell's side: 10 mm."""
LAG = 0.13
"""Seconds over which a cell must not differ to be still."""
SPARSE = 0.4
"""Pictures further apart than this, in seconds, tell nothing of movement: each is taken as still."""
ACTIVE, CHANGED = 4.0, 6.0
"""Mean grey levels by which a cell must differ."""
PIXEL_CHANGED = 12
RESTLESS_CELLS = 20
RESTS = 0.1
"""Seconds for which something beside a movement must be still besides: sleeves pause, cards stay."""
LIKE_BARE = 3.0
"""Mean grey levels within which a cell shows the bare table; less than a card's edge or index makes."""
_KEPT = 3.0
_SPOTS_KEPT = 512
_EVERY = 5
"""Of so many cells one tells the brightness."""
_REFRESH = 0.5
_BARE_AFTER = 1.0
_BLIND = 0.4
_DARK = 6.0
_FLAT = 0.5
"""How much less of edges and grain than the table what hides it shows, if it is close to the lens."""
_SHIFTED, _SIDES = 0.6, 0.8
_DETAIL = 24.0
"""Grey levels about a pixel, averaged over a cell, that make a cell tell whether it moved."""
_LEAST_DETAIL = 24
HIDDEN = "something hides most of the table"


class Spot(NamedTuple):
    """A small part of the plan: its rows, its columns, and which of its pixels are meant."""

    rows: slice
    columns: slice
    mask: Cells

    @property
    def area(self) -> int:
        return int(self.mask.sum())


class Region(NamedTuple):
    """Cells that settled together: which (as the whole grid) and their bounds in table mm."""

    cells: Cells
    low: tuple[float, float]
    high: tuple[float, float]
    beside_motion: bool
    restless: bool
    """Something moves beside it, and it reaches the table's edge, is small, or has only just stopped:
    most likely an arm."""


class Plan:
    """The table's plan: which pixels of the picture it is made of, and how millimetres lie on it."""

    def __init__(self, table: Table) -> None:
        w, h = table.size_mm
        self.columns = max(round(w / MM_PER_PIXEL / CELL), 8)
        self.rows = max(round(h / MM_PER_PIXEL / CELL), 8)
        self.width, self.height = self.columns * CELL, self.rows * CELL
        self._spots: dict[bytes, Spot] = {}
        self._low, self._step = np.array([-w / 2, h / 2]), np.array([w / self.width, -h / self.height])
        self.aim(table)

    def aim(self, table: Table) -> None:
        """Take the plan from where the table lies in the picture."""
        columns, rows = np.meshgrid(np.arange(self.width), np.arange(self.height))
        mm = self.mm(np.stack((columns.ravel(), rows.ravel()), axis=1).astype(np.float64))
        at = table.pixels(mm).reshape(self.height, self.width, 2).astype(np.float32)
        self._maps = cv2.convertMaps(at[..., 0], at[..., 1], cv2.CV_16SC2)

    def of(self, image: Image) -> Grey:
        """The plan (height, width) of a BGR picture."""
        seen = cv2.remap(image, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.blur(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), (3, 3)), np.uint8)

    def mm(self, points: ArrayLike) -> Doubles:
        """Plan pixels (n, 2), column and row, to table millimetres."""
        return np.asarray(self._low + (np.asarray(points, np.float64) + 0.5) * self._step)

    def pixels(self, mm: ArrayLike) -> Doubles:
        """Table millimetres (n, 2) to plan pixels, column and row."""
        return np.asarray((np.asarray(mm, np.float64) - self._low) / self._step - 0.5)

    def spot(self, polygon_mm: ArrayLike) -> Spot:
        """The pixels of a convex polygon (n, 2) in millimetres, as far as they lie on the table.

        Cards lie still for long and their spots are asked for all the time: the last ones are kept.
        """
        key = np.asarray(polygon_mm, np.float64).tobytes()
        spot = self._spots.get(key)
        if spot is None:
            if len(self._spots) >= _SPOTS_KEPT:
                self._spots.clear()
            spot = self._spots[key] = self._spot(polygon_mm)
        return spot

    def _spot(self, polygon_mm: ArrayLike) -> Spot:
        points = self.pixels(polygon_mm)
        x0, y0 = np.clip(np.floor(points.min(axis=0)), 0, (self.width, self.height)).astype(int)
        x1, y1 = np.clip(np.ceil(points.max(axis=0)) + 1, 0, (self.width, self.height)).astype(int)
        mask = np.zeros((max(y1 - y0, 0), max(x1 - x0, 0)), np.uint8)
        if mask.size:
            cv2.fillConvexPoly(mask, np.round((points - (x0, y0)) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        inside = mask.astype(bool)
        inside.flags.writeable = False
        return Spot(slice(y0, y1), slice(x0, x1), inside)

    def without(self, spot: Spot, covers: list[Spot]) -> Spot:
        """What of a spot is not under any of the others."""
        mask = spot.mask.copy()
        for c in covers:
            y0, y1 = max(spot.rows.start, c.rows.start), min(spot.rows.stop, c.rows.stop)
            x0, x1 = max(spot.columns.start, c.columns.start), min(spot.columns.stop, c.columns.stop)
            if y0 < y1 and x0 < x1:
                own = mask[
                    y0 - spot.rows.start : y1 - spot.rows.start,
                    x0 - spot.columns.start : x1 - spot.columns.start,
                ]
                own &= ~c.mask[
                    y0 - c.rows.start : y1 - c.rows.start, x0 - c.columns.start : x1 - c.columns.start
                ]
        return spot._replace(mask=mask)

    def cell_means(self, values: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(rows, columns): mean of each cell."""
        small = cv2.resize(values, (self.columns, self.rows), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.float32)

    def over_cells(self, values: NDArray[np.generic], spot: Spot) -> NDArray[np.generic]:
        """Values of a grid of cells at each of a spot's pixels, (n,)."""
        rows, columns = np.nonzero(spot.mask)
        return np.asarray(values[(rows + spot.rows.start) // CELL, (columns + spot.columns.start) // CELL])


@dataclass(frozen=True, slots=True)
class _Past:
    at: float
    low: Grey
    high: Grey
    foreground: Cells


def _envelope(plan: Grey) -> tuple[Grey, Grey]:
    return np.asarray(cv2.erode(plan, None), np.uint8), np.asarray(cv2.dilate(plan, None), np.uint8)


def _beyond(plan: Grey, low: Grey, high: Grey) -> Grey:
    """By how much each pixel is darker than `low` or lighter than `high`."""
    return np.asarray(cv2.max(cv2.subtract(plan, high), cv2.subtract(low, plan)), np.uint8)


class Motion:
    """Follows the plan over time. `push` takes each picture; the rest asks about the last one."""

    def __init__(self, table: Table) -> None:
        self.plan = Plan(table)
        grid = (self.plan.rows, self.plan.columns)
        self.now: Grey = np.zeros((self.plan.height, self.plan.width), np.uint8)
        self.at = -np.inf
        self.step = LAG / 2
        """Seconds between pictures, smoothed."""
        self.active: Cells = np.zeros(grid, bool)
        self.changed: Cells = np.ones(grid, bool)
        self.last_active: NDArray[np.float64] = np.full(grid, -np.inf)
        self.since: NDArray[np.float64] = np.full(grid, -np.inf)
        """When each cell that is changed became so."""
        self._known: Grey | None = None
        self._low: Grey = self.now
        self._high: Grey = self.now
        self._difference: Grey = self.now
        self._accepted: Cells = np.zeros(grid, bool)
        self._bare: Grey = self.now.copy()
        self._bare_known: Cells = np.zeros(self.now.shape, bool)
        self._past: deque[_Past] = deque()
        self._refreshed = -np.inf

    def push(self, image: Image, at: float) -> None:
        """Take the picture of time `at` (seconds, rising)."""
        interval = at - self.at
        self.at = at
        self.now = self._levelled(self.plan.of(image))
        low, high = _envelope(self.now)
        if self._known is None:
            self._known, self._low, self._high = self.now.copy(), low, high
        self._find_active(interval)
        self._difference = _beyond(self.now, self._low, self._high)
        changed = (self.plan.cell_means(self._difference) > CHANGED) | ~self._accepted
        self.since[changed & ~self.changed] = at
        self.changed = changed
        self.last_active[self.active] = at
        self._past.append(_Past(at, low, high, (changed & self._accepted) | self.active))
        while self._past and self._past[0].at < at - _KEPT:
            self._past.popleft()

    def aim(self, table: Table, image: Image) -> None:
        """The table lies elsewhere in the picture from now on, beginning with this one."""
        self.plan.aim(table)
        at, self.at = self.at, -np.inf
        self.push(image, at)

    def _levelled(self, plan: Grey) -> Grey:
        """The plan at the brightness of what is known: cameras and lamps drift."""
        if self._known is None:
            return plan
        steady = ~self.changed
        if np.count_nonzero(steady) < steady.size // 5:
            return plan
        some = np.flatnonzero(steady)[::_EVERY]
        mine, known = self.plan.cell_means(plan).flat[some], self.plan.cell_means(self._known).flat[some]
        gain = float(np.median(known / np.maximum(mine, 1.0)))
        if 0.99 < gain < 1.01 or not 0.4 < gain < 2.5:
            return plan
        return np.asarray(cv2.convertScaleAbs(plan, alpha=gain), np.uint8)

    def _find_active(self, interval: float) -> None:
        if not interval < SPARSE:
            self.active = np.zeros_like(self.active)
            self._past.clear()
            return
        self.step += 0.1 * (interval - self.step)
        then = self._past[0]
        for past in self._past:
            if past.at > self.at - LAG:
                break
            then = past
        self.active = self.plan.cell_means(_beyond(self.now, then.low, then.high)) > ACTIVE

    # -- what has settled -----------------------------------------------------------------------

    def settled(self, least_cells: int) -> list[Region]:
        """Groups of changed cells that no longer move, largest first."""
        cells = self.changed & ~self.active
        if not cells.any():
            return []
        joined = cv2.morphologyEx(cells.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        count, labels = cv2.connectedComponents(joined)
        near_motion = cv2.dilate(self.active.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
        regions = []
        for label in range(1, count):
            mine = (labels == label) & cells
            if np.count_nonzero(mine) < least_cells:
                continue
            rows, columns = np.nonzero(mine)
            corners = self.plan.mm(
                [
                    (columns.min() * CELL - 0.5, (rows.max() + 1) * CELL - 0.5),
                    ((columns.max() + 1) * CELL - 0.5, rows.min() * CELL - 0.5),
                ]
            )
            (x0, y0), (x1, y1) = corners.tolist()
            edge = min(rows.min(), columns.min()) == 0 or (
                rows.max() == self.plan.rows - 1 or columns.max() == self.plan.columns - 1
            )
            beside = bool((near_motion & mine).any())
            stopped = self.at - float(np.median(self.last_active[mine]))
            restless = beside and (edge or len(rows) < RESTLESS_CELLS or stopped < RESTS)
            regions.append(Region(mine, (x0, y0), (x1, y1), beside, restless))
        return sorted(regions, key=lambda r: -int(r.cells.sum()))

    def is_bare(self, region: Region) -> bool:
        """Whether the bare table is to be seen all over a region, as where an arm was: nothing to read."""
        mask = np.repeat(np.repeat(region.cells, CELL, axis=0), CELL, axis=1)
        if not self._bare_known[mask].all():
            return False
        low, high = _envelope(self._bare)
        return bool(self.plan.cell_means(_beyond(self.now, low, high))[region.cells].max() < LIKE_BARE)

    def accept(self, cells: Cells) -> None:
        """What is to be seen there now is known from here on."""
        assert self._known is not None
        mask = np.repeat(np.repeat(cells, CELL, axis=0), CELL, axis=1)
        self._known[mask] = self.now[mask]
        self._low, self._high = _envelope(self._known)
        self._accepted |= cells
        self.changed &= ~cells

    def cells(self, spots: list[Spot]) -> Cells:
        """The cells under any of the spots that do not move."""
        whole = np.zeros((self.plan.height, self.plan.width), np.uint8)
        for spot in spots:
            whole[spot.rows, spot.columns][spot.mask] = 255
        return (self.plan.cell_means(whole) > 127) & ~self.active

    def refresh(self, occupied: list[Spot]) -> None:
        """Follow slow changes of light, and learn the bare table outside the spots where something lies."""
        if self.at - self._refreshed < _REFRESH or self._known is None:
            return
        self._refreshed = self.at
        calm = ~self.changed & ~self.active
        mask = np.repeat(np.repeat(calm, CELL, axis=0), CELL, axis=1)
        self._known[mask] = cv2.addWeighted(self._known, 0.8, self.now, 0.2, 0)[mask]
        self._low, self._high = _envelope(self._known)
        calm &= self.last_active < self.at - _BARE_AFTER
        mask = np.repeat(np.repeat(calm, CELL, axis=0), CELL, axis=1)
        for spot in occupied:
            mask[spot.rows, spot.columns] &= ~spot.mask
        self._bare[mask] = self.now[mask]
        self._bare_known |= mask

    # -- about one spot -------------------------------------------------------------------------

    def share_changed(self, spot: Spot) -> float:
        """Which share of a spot differs from what is known to lie there; 0 for an empty spot."""
        return _share(self._difference[spot.rows, spot.columns] > PIXEL_CHANGED, spot.mask)

    def share_active(self, spot: Spot) -> float:
        """Which share of a spot moves."""
        if not spot.mask.any():
            return 0.0
        return float(self.plan.over_cells(self.active, spot).mean())

    def share_bare(self, spot: Spot) -> float | None:
        """Which share of a spot looks like the bare table; None where that was never seen."""
        known = spot.mask & self._bare_known[spot.rows, spot.columns]
        if np.count_nonzero(known) < 0.5 * max(spot.area, 1):
            return None
        low, high = _envelope(self._bare[spot.rows, spot.columns])
        return _share(_beyond(self.now[spot.rows, spot.columns], low, high) <= PIXEL_CHANGED, known)

    def share_explained(self, spot: Spot, known: list[Spot]) -> float:
        """Which share of a spot looks like the bare table, or as before and belongs to known things."""
        low, high = _envelope(self._bare[spot.rows, spot.columns])
        seen = self.now[spot.rows, spot.columns]
        bare = (_beyond(seen, low, high) <= PIXEL_CHANGED) & self._bare_known[spot.rows, spot.columns]
        free = self.plan.without(spot, known).mask
        same = self._difference[spot.rows, spot.columns] <= PIXEL_CHANGED
        return _share(bare | (same & ~free), spot.mask)

    def rested(self, spot: Spot) -> float:
        """When what lies in the spot came to rest."""
        if not spot.mask.any():
            return self.at
        times = self.plan.over_cells(self.last_active, spot)
        moved = times[np.isfinite(times)]
        if len(moved) < len(times) / 2:
            return self.at
        return float(min(np.median(moved) - LAG + self.step, self.at))

    def arrived(self, spot: Spot) -> float:
        """When most of the spot began to differ from what lay there before."""
        times = self.plan.over_cells(self.since, spot)
        times = times[np.isfinite(times)]
        return float(np.median(times)) if len(times) else self.at

    def approach(self, spot: Spot, start: float, end: float) -> list[Cells]:
        """For each picture from `start` to `end`: the moving or new things that reached the spot."""
        grown = np.zeros((self.plan.height, self.plan.width), np.uint8)
        grown[spot.rows, spot.columns] = spot.mask
        at_spot = self.plan.cell_means(cv2.dilate(grown * np.uint8(255), np.ones((5, 5), np.uint8))) > 60
        out = []
        for past in self._past:
            if start <= past.at <= end:
                solid = cv2.dilate(past.foreground.astype(np.uint8), np.ones((3, 3), np.uint8))
                _, labels = cv2.connectedComponents(solid)
                touching = np.unique(labels[at_spot & (labels > 0)])
                out.append(np.isin(labels, touching[touching > 0]) & past.foreground)
        return out

    # -- about the whole ------------------------------------------------------------------------

    def blind(self) -> str | None:
        """Why the table can hardly be seen in the last picture, in words; None if it can."""
        if float(self.now.mean()) < _DARK:
            return "the picture is dark"
        if (self.changed & self._accepted).mean() <= _BLIND:
            return None
        low, high = _envelope(self.now)
        flat = cv2.subtract(high, low).mean() < _FLAT * cv2.subtract(self._high, self._low).mean()
        return "the camera is covered" if flat else HIDDEN

    def shifted(self) -> bool:
        """Whether so much changed at once that the camera may have been moved.

        Either along the table's sides, of which arms cross but parts, or wherever before two seats or
        more there is anything to tell by; not in the middle, from where a book is taken all at once.
        """
        changed = self.changed & self._accepted
        if np.count_nonzero(changed) < _LEAST_DETAIL:
            return False
        sides = (changed[0], changed[-1], changed[:, 0], changed[:, -1])
        if sum(float(side.mean()) for side in sides) > _SIDES:
            return True
        detail = self.plan.cell_means(cv2.subtract(self._high, self._low)) > _DETAIL
        down, across = self.plan.rows // 4, self.plan.columns // 4
        strips = (np.s_[:down], np.s_[-down:], np.s_[:, :across], np.s_[:, -across:])
        telling = [s for s in strips if np.count_nonzero(detail[s]) >= _LEAST_DETAIL]
        shares = [float(changed[s][detail[s]].mean()) for s in telling]
        return len(shares) > 1 and min(shares) > _SHIFTED


def _share(holds: Cells, mask: Cells) -> float:
    area = int(mask.sum())
    return float((holds & mask).sum()) / area if area else 0.0
