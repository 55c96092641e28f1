"""Which table a picture shows: the calibration of the source, of the command line, or of the settings."""

from __future__ import annotations

from device.cameras.base import Source
from device.config import Settings
from device.errors import UserError
from vision.table import Table
from vision.types import Frame


def table_of(settings: Settings, image_size: tuple[int, int]) -> Table | None:
    """The configured table for pictures of this width and height, if calibrated. Raises TableError."""
    table = settings.table
    if table.corners is None:
        return None
    return Table.from_corners(table.corners, (table.width_mm, table.height_mm), image_size)


def calibrated(source: Source, frame: Frame, settings: Settings, given: bool = False) -> Table:
    """The source's table, unless corners were given, else the settings'. Raises UserError and TableError."""
    size = (frame.image.shape[1], frame.image.shape[0])
    table = (None if given else source.table(size)) or table_of(settings, size)
    if table is None:
        raise UserError(
            "the table is not calibrated",
            where=source.name,
            do='Give the pixels of its corners, from north-west clockwise, with --corners "x,y x,y x,y x,y", '
            "or set table.corners in the configuration.",
        )
    return table
