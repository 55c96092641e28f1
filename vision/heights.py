"""How surely indices are read by how many pixels high they are, as measured with the shipped networks.

`benchmarks/heights.py` measures it and writes heights.json beside the networks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.weights import ModelError, models_folder

FILE = "heights.json"


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares of 0..1 by index height, rising heights in pixels of the camera's picture.

    found: of indices in plain view, those that the finder finds; read: of the same, cut where they truly
    are, those read right; both: found and read right, each by itself. indices: how many were looked at at
    each height. finder, reader: checksums of the networks measured.
    """

    heights: tuple[float, ...]
    indices: tuple[int, ...]
    found: tuple[float, ...]
    read: tuple[float, ...]
    both: tuple[float, ...]
    finder: str
    reader: str

    def right(self, height: float) -> float:
        """Share of indices this high that are found and read right, between the measured heights."""
        return float(np.interp(np.log(max(height, 1e-3)), np.log(self.heights), self.both))

    def least_height(self, share: float) -> float | None:
        """The lowest height, in pixels, from which on at least this share is right; None: nowhere."""
        if self.both[-1] < share:
            return None
        enough = len(self.both) - 1
        while enough and self.both[enough - 1] >= share:
            enough -= 1
        if enough == 0:
            return self.heights[0]
        low, high = self.both[enough - 1], self.both[enough]
        part = (share - low) / (high - low)
        return float(np.exp(np.interp(part, (0, 1), np.log(self.heights[enough - 1 : enough + 1]))))


def load_curve() -> Curve | None:
    """The curve in the models folder, if there is one. Raises ModelError for a file that is no curve."""
    path = models_folder() / FILE
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        networks = facts["networks"]
        rows = sorted(facts["heights"], key=lambda row: row["pixels"])
        columns = {k: tuple(row[k] for row in rows) for k in ("pixels", "indices", "found", "read", "both")}
        curve = Curve(
            columns["pixels"], columns["indices"], columns["found"], columns["read"], columns["both"],
            networks["finder"], networks["reader"],
        )  # fmt: skip
        if not rows:
            raise ValueError("it holds no heights")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is no curve of heights ({error}); measure it again, or remove it"
        ) from error
    return curve
