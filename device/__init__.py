"""What runs at a table: cameras, the loop, the store, the commands."""

import os
from typing import Final

PIXELS_MAX: Final = 200_000_000
"""No larger picture file is decoded: a small file may declare more than a machine's memory holds."""

# OpenCV looks at it once, while it is being loaded.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(PIXELS_MAX))
