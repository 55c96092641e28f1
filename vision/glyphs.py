"""The glyph reader: which face an upright patch shows, by ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vision.types import CLASSES, PATCH_HEIGHT, PATCH_WIDTH, Floats, Image
from vision.weights import ModelError, locate, session

_BATCH = 128


class OnnxReader:
    """Probabilities over CLASSES for upright patches.

    The network takes floats (n, 3, 64, 40), BGR from 0 to 255, and gives one logit a class.
    temperature: logits are divided by it, so that a stated 0.9 is right nine times in ten
    (Guo et al. 2017, "On Calibration of Modern Neural Networks").
    """

    def __init__(self, file: Path, temperature: float = 1.0, threads: int = 0) -> None:
        self._session = session(file, threads)
        self._temperature = temperature
        entry, outcome = self._session.get_inputs()[0], self._session.get_outputs()[0]
        self._input = entry.name
        shape = (3, PATCH_HEIGHT, PATCH_WIDTH)
        if tuple(entry.shape[1:]) != shape or outcome.shape[-1] != len(CLASSES):
            raise ModelError(
                f"{file} is no glyph reader of this version: it takes {entry.shape} and gives "
                f"{outcome.shape}, where patches of {shape} and {len(CLASSES)} classes are wanted"
            )

    def read(self, patches: Image) -> Floats:
        """uint8 (n, 64, 40, 3) to float32 (n, len(CLASSES)), rows summing to one."""
        if len(patches) == 0:
            return np.zeros((0, len(CLASSES)), np.float32)
        logits = [self._run(patches[i : i + _BATCH]) for i in range(0, len(patches), _BATCH)]
        scaled = np.concatenate(logits).astype(np.float32) / self._temperature
        scaled -= scaled.max(axis=1, keepdims=True)
        weights = np.exp(scaled)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)

    def _run(self, patches: Image) -> Floats:
        pixels = np.ascontiguousarray(patches.transpose(0, 3, 1, 2), np.float32)
        return np.asarray(self._session.run(None, {self._input: pixels})[0])


def load_reader(path: Path | str | None = None, threads: int = 0) -> OnnxReader:
    """The reader in the models folder (see vision.weights), or the one at `path`. Raises ModelError."""
    weights = locate("reader", path)
    classes = weights.facts.get("classes")
    if classes is not None and tuple(classes) != CLASSES:
        raise ModelError(
            f"{weights.file} was trained for other classes than this version's; update both together"
        )
    return OnnxReader(weights.file, float(weights.facts.get("temperature", 1.0)), threads)
