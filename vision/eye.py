"""Looks of the networks at a part of the table: cut from the full picture, read, told in millimetres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.cards import CardReader, shifted
from vision.motion import Motion
from vision.sightings import Card, Sighting, sight
from vision.table import Doubles, Table
from vision.types import Image

_ON_TABLE = 0.97
_LEAST = 8
"""Pixels: nothing is read in a narrower crop."""


@dataclass(slots=True)
class Costs:
    """What watching took: pictures, looks through the networks, and image pixels looked at."""

    frames: int = 0
    looks: int = 0
    pixels: int = 0


class Eye:
    """Reads crops of a calibrated camera's pictures. margin_mm: left around a card in its picture."""

    def __init__(self, table: Table, reader: CardReader, motion: Motion, margin_mm: float) -> None:
        self.costs = Costs()
        self._table, self._reader, self._motion, self._margin = table, reader, motion, margin_mm

    def read(self, image: Image, corners: Doubles) -> list[Sighting]:
        """Cards read in the crop that holds these points (n, 2) in mm."""
        x0, y0, x1, y1 = self._pixels(corners, image)
        if x1 - x0 < _LEAST or y1 - y0 < _LEAST:
            return []
        self.costs.looks += 1
        self.costs.pixels += (x1 - x0) * (y1 - y0)
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        found = self._reader.finder.find(image[y0:y1, x0:x1], self._table.index_height(middle))
        boxes = [shifted(b, x0, y0) for b in found]
        cards = self._reader.assemble(self._reader.read_indices(image, boxes), self._table)
        sightings = [sight(c, self._table) for c in cards]
        half = np.asarray(self._table.size_mm) / 2
        return [s for s in sightings if (np.abs(s.centre) <= half * _ON_TABLE).all()]

    def picture(self, card: Card, image: Image) -> None:
        """Keep the best picture of the card: most sure, all of it to be seen."""
        spot = self._motion.plan.spot(card.polygon)
        worth = float(card.evidence.probabilities.max()) - self._motion.share_active(spot)
        if card.picture is not None and worth < card.picture_worth:
            return
        margin = self._margin * self._table.px_per_mm(card.centre)
        x0, y0, x1, y1 = self._pixels(card.polygon, image, margin)
        card.picture, card.picture_worth = image[y0:y1, x0:x1].copy(), worth

    def _pixels(self, mm: Doubles, image: Image, margin: float = 0.0) -> tuple[int, int, int, int]:
        """Bounds in the picture of points in mm: x0, y0, x1, y1."""
        points = self._table.pixels(mm)
        height, width = image.shape[:2]
        x0, y0 = np.clip(np.floor(points.min(axis=0) - margin), 0, (width, height)).astype(int).tolist()
        x1, y1 = np.clip(np.ceil(points.max(axis=0) + margin), 0, (width, height)).astype(int).tolist()
        return x0, y0, x1, y1
