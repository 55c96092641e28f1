"""Which table a picture shows: the calibration of the source, of the command line, of the set-up page, or
of the settings.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from device.cameras.base import Source
from device.config import Settings
from device.errors import UserError
from vision.table import Table, TableError
from vision.types import Frame

CALIBRATION = "calibration.json"
"""File of the store's folder that the set-up page writes."""
Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A table as somebody marked it: corners NW, NE, SE, SW in pixels of a picture of `width` by `height`."""

    corners: Corners
    width: int
    height: int
    width_mm: float
    height_mm: float

    def table(self) -> Table:
        """Raises TableError."""
        return Table.from_corners(self.corners, (self.width_mm, self.height_mm), (self.width, self.height))


def save(folder: Path, calibration: Calibration) -> None:
    """Keeps it for whoever watches this table. Raises TableError if it makes no table, and OSError."""
    calibration.table()
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{CALIBRATION}.draft"
    draft.write_text(json.dumps(asdict(calibration), indent=1) + "\n", encoding="utf-8")
    os.replace(draft, folder / CALIBRATION)


def saved(folder: Path) -> Calibration | None:
    """What was saved, if anything was. Raises TableError."""
    file = folder / CALIBRATION
    if not file.is_file():
        return None
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        corners = tuple((float(x), float(y)) for x, y in facts.pop("corners"))
        found = Calibration(corners=corners, **facts)  # type: ignore[arg-type]
        found.table()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TableError(
            f"{file} cannot be used ({error}): set the table up again, or remove the file"
        ) from error
    return found


def table_of(settings: Settings, image_size: tuple[int, int], given: bool = False) -> Table | None:
    """The table for pictures of this width and height, as set up or, without that, as configured, if it is.

    given: the settings' corners come from the command line and go before all else. Raises TableError.
    """
    if not given and (found := saved(settings.store.folder)):
        return found.table().for_picture(*image_size)
    table = settings.table
    if table.corners is None:
        return None
    return Table.from_corners(table.corners, (table.width_mm, table.height_mm), image_size)


def calibrated(source: Source, frame: Frame, settings: Settings, given: bool = False) -> Table:
    """The source's table, unless corners were given, else as set up. Raises UserError and TableError."""
    size = (frame.image.shape[1], frame.image.shape[0])
    table = (None if given else source.table(size)) or table_of(settings, size, given)
    if table is None:
        raise UserError(
            "the table is not calibrated",
            where=source.name,
            do="Mark its corners on the dashboard's set-up page, or give their pixels, from north-west "
            'clockwise, with --corners "x,y x,y x,y x,y" or table.corners in the configuration.',
        )
    return table
