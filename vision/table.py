"""The calibrated table: from pixels to millimetres and back, and whose part of the table is where.

The camera is treated as a pinhole over a plane (a homography); lens distortion is not modelled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.cards import SEATS, Seat
from vision.types import Floats

Doubles: TypeAlias = NDArray[np.float64]
Area: TypeAlias = Literal["play", "N", "E", "S", "W", "off"]
"""Where a point lies: the play area in the middle, a seat's side of the table, or beyond its edge."""

CORNER_NAMES: Final = ("north-west", "north-east", "south-east", "south-west")
_LEAST_SIDE_PX = 100
_LEAST_MM = 300.0


class TableError(ValueError):
    """Corners or sizes from which no table can be made; says which, and what to do."""


@dataclass(frozen=True, slots=True)
class CardShape:
    """A deck's card and where its corner index is printed, in millimetres.

    index_height: upper edge of the rank to lower edge of the small pip. index_x, index_y: the
    index's centre from the card's nearest corner. four_indices: all corners carry one, not just upper
    left and lower right. The defaults were measured on a Bicycle
    pinochle deck (poker width); `vision.deckshape.learn` finds another deck's.
    """

    width: float = 63.5
    height: float = 88.9
    index_height: float = 18.0
    index_x: float = 5.5
    index_y: float = 12.0
    four_indices: bool = False


class Table:
    """A rectangular play surface seen by a fixed camera.

    Millimetres run from the table's centre, x to East, y to North; seats N, E, S, W sit at the
    sides so named. Make it with `from_corners`.
    """

    def __init__(
        self,
        corners: Doubles,
        size_mm: tuple[float, float],
        image_size: tuple[int, int],
        play: float,
        card: CardShape,
    ) -> None:
        self.size_mm, self.image_size = size_mm, image_size
        self.play, self.card = play, card
        self._lie(corners)

    def _lie(self, corners: Doubles) -> None:
        self.corners = corners
        plane = self.polygon_mm(1.0).astype(np.float32)
        self.to_image: Doubles = cv2.getPerspectiveTransform(plane, corners.astype(np.float32))
        """3 x 3, homogeneous table millimetres to image pixels."""
        self.to_table: Doubles = np.linalg.inv(self.to_image)

    @classmethod
    def from_corners(
        cls,
        corners_px: ArrayLike,
        size_mm: tuple[float, float],
        image_size: tuple[int, int],
        *,
        play: float = 0.5,
        card: CardShape | None = None,
    ) -> Table:
        """A table from its four corners in the picture.

        corners_px: (4, 2) image pixels in the order north-west, north-east, south-east, south-west,
        where North is the side that the operator called so, wherever it lies in the picture.
        size_mm: East-West and North-South extent. image_size: width, height of the camera's
        picture. play: the play area's share of the table's width and height, about the centre.
        Raises TableError.
        """
        try:
            corners = np.asarray(corners_px, np.float64)
        except (TypeError, ValueError):
            corners = np.empty(0)
        if corners.shape != (4, 2) or not np.isfinite(corners).all():
            raise TableError("a table needs four corners, each with x and y in pixels of the picture")
        _check(corners, size_mm, image_size, play)
        return cls(corners, size_mm, image_size, play, card or CardShape())

    def polygon_mm(self, share: float) -> Doubles:
        """(4, 2): the table's outline shrunk about its centre to `share`, NW, NE, SE, SW."""
        w, h = self.size_mm
        return np.array([(-w, h), (w, h), (w, -h), (-w, -h)]) * share / 2

    def mm(self, pixels: ArrayLike) -> Doubles:
        """Image points (n, 2) or (2,) to table millimetres, same shape."""
        return _project(self.to_table, pixels)

    def pixels(self, mm: ArrayLike) -> Doubles:
        """Table millimetres (n, 2) or (2,) to image points, same shape."""
        return _project(self.to_image, mm)

    def px_per_mm(self, mm: ArrayLike = (0.0, 0.0)) -> float:
        """Pixels a millimetre at a point of the table (the square root of how areas grow)."""
        x, y = np.asarray(mm, np.float64)
        around = self.pixels([(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)])
        across, up = around[1] - around[0], around[3] - around[2]
        return float(np.sqrt(abs(across[0] * up[1] - across[1] * up[0]))) / 2

    def index_height(self, mm: ArrayLike = (0.0, 0.0)) -> float:
        """Pixels that a corner index is high at a point of the table."""
        return self.card.index_height * self.px_per_mm(mm)

    def with_card(self, card: CardShape) -> Table:
        """The same table for another deck."""
        return Table(self.corners, self.size_mm, self.image_size, self.play, card)

    def follow(self, other: Table) -> None:
        """Lie where another table does: the camera was moved, and what lies on the table was not."""
        self._lie(other.corners)

    def for_picture(self, width: int, height: int) -> Table:
        """The same table in a larger or smaller picture of the same camera. Raises TableError."""
        if (width, height) == self.image_size:
            return self
        across, down = width / self.image_size[0], height / self.image_size[1]
        if abs(across / down - 1) > 0.01:
            raise TableError(
                f"the picture has {width} x {height} pixels, but the table was calibrated in one of "
                f"{self.image_size[0]} x {self.image_size[1]}, which is cut differently: calibrate it anew"
            )
        return Table(self.corners * (across, down), self.size_mm, (width, height), self.play, self.card)

    def bounds_px(self, margin_mm: float = 0.0) -> tuple[int, int, int, int]:
        """x0, y0, x1, y1: the least upright rectangle of pixels around the table and a margin."""
        corners = self.pixels(self.polygon_mm(1.0) * (1 + 2 * margin_mm / np.asarray(self.size_mm)))
        (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
        return math.floor(x0), math.floor(y0), math.ceil(x1), math.ceil(y1)

    def holds(self, mm: ArrayLike, margin_mm: float = 0.0) -> bool:
        """Whether a point lies on the table, or no further than a margin beyond its edge."""
        return bool((np.abs(np.asarray(mm)) <= np.asarray(self.size_mm) / 2 + margin_mm).all())

    def seat(self, mm: ArrayLike) -> Seat:
        """Whose side of the table a point is nearest to, the table's diagonals being the borders."""
        x, y = np.asarray(mm, np.float64) / np.asarray(self.size_mm)
        if abs(y) >= abs(x):
            return "N" if y > 0 else "S"
        return "E" if x > 0 else "W"

    def area(self, mm: ArrayLike) -> Area:
        """Which area of the table a point lies in."""
        reach = float(np.abs(2 * np.asarray(mm, np.float64) / np.asarray(self.size_mm)).max())
        if reach > 1:
            return "off"
        return "play" if reach <= self.play else self.seat(mm)

    def area_mm(self, area: Area) -> Doubles:
        """(4, 2) millimetres: an area's outline. A seat melds and piles on its own. Raises KeyError."""
        inner, outer = self.polygon_mm(self.play), self.polygon_mm(1.0)
        if area == "play":
            return inner
        side = {s: i for i, s in enumerate(SEATS)}[area]  # type: ignore[index]
        after = (side + 1) % 4
        return np.array([outer[side], outer[after], inner[after], inner[side]])

    def area_px(self, area: Area) -> Floats:
        """(4, 2) image pixels: an area's outline. Raises KeyError."""
        return self.pixels(self.area_mm(area)).astype(np.float32)


def _project(matrix: Doubles, points: ArrayLike) -> Doubles:
    given = np.asarray(points, np.float64)
    out = np.column_stack((given.reshape(-1, 2), np.ones(given.size // 2))) @ matrix.T
    return np.asarray((out[:, :2] / out[:, 2:]).reshape(given.shape))


def _check(corners: Doubles, size_mm: tuple[float, float], image_size: tuple[int, int], play: float) -> None:
    width, height = image_size
    if min(size_mm) < _LEAST_MM:
        raise TableError(
            f"a table of {size_mm[0]:g} x {size_mm[1]:g} mm is too small for four players: "
            f"give the play surface's size in millimetres, at least {_LEAST_MM:g}"
        )
    if not 0.1 <= play <= 0.9:
        raise TableError(f"the play area's share of the table is {play:g}; it must lie between 0.1 and 0.9")
    for name, (x, y) in zip(CORNER_NAMES, corners, strict=True):
        # A corner may be cut off a little by the picture's edge, but no more than that.
        if not (-0.15 * width <= x <= 1.15 * width and -0.15 * height <= y <= 1.15 * height):
            raise TableError(
                f"the {name} corner ({x:g}, {y:g}) lies outside the picture of {width} x {height} pixels: "
                "were the corners clicked in a picture of another size?"
            )
    sides = np.roll(corners, -1, axis=0) - corners
    if (lengths := np.hypot(*sides.T)).min() < _LEAST_SIDE_PX:
        a = int(lengths.argmin())
        raise TableError(
            f"the {CORNER_NAMES[a]} and {CORNER_NAMES[(a + 1) % 4]} corners are only {lengths[a]:.0f} "
            "pixels apart: cards cannot be read on so small a table; move the camera in, or mark again"
        )
    after = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    if (turns <= 0).all():
        raise TableError(
            "the corners run anticlockwise in the picture: give them as north-west, north-east, south-east, "
            "south-west (a camera that looks down never mirrors the table)"
        )
    if not (turns > 0).all():
        raise TableError(
            "the corners are crossed or dented: mark the table's four corners in the order "
            "north-west, north-east, south-east, south-west"
        )
