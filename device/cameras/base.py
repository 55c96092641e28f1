"""What every camera offers: frames, one after the other, and a clear word when there are none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

import numpy as np

from device.errors import UserError
from vision.table import Table
from vision.types import Frame, Image

BLACK_LEVEL = 8.0
"""Grey levels of 255: 99 of 100 pixels darker than this, and nothing can be seen."""


class Source(ABC):
    """A place that frames come from. Iterate once; `close` when done (or use `with`).

    live: frames come whether or not they are taken, and old ones are dropped and counted.
    total: how many frames there are, None if unknown. problem: set once the frames have ended, when
    they ended otherwise than they should; what came before is good. wants: whether a picture of that
    time would be looked at; a source that saves work by it leaves others out and counts them as passed.
    """

    live = False
    wants: Callable[[float], bool] | None = None
    passed = 0
    total: int | None = None
    problem: UserError | None = None
    dropped = 0

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def __iter__(self) -> Iterator[Frame]: ...

    def interrupt(self) -> None:  # noqa: B027 - only a live camera keeps its reader waiting
        """Ends the frames soon, even if none comes any more. May be called from a signal handler."""

    def table(self, image_size: tuple[int, int]) -> Table | None:
        """The calibration that comes with the source, for pictures of this width and height, if any."""
        return None

    def close(self) -> None:  # noqa: B027 - most sources hold nothing
        """Lets the camera or file go."""

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_black(image: Image) -> bool:
    """Whether nothing can be seen in a BGR picture: a closed lens, no light, a lost signal."""
    return bool(np.percentile(image[::8, ::8], 99) < BLACK_LEVEL)
