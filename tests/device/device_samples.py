"""Pictures that the device's tests draw."""

from __future__ import annotations

import numpy as np

from vision.types import Image


def picture(number: int = 0, size: tuple[int, int] = (320, 240)) -> Image:
    """A grey picture with a white square that moves with `number`."""
    image = np.full((size[1], size[0], 3), 90, np.uint8)
    image[20:60, 10 + number : 50 + number] = 255
    return image
