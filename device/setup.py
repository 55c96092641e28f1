"""Setting a table up: is its picture sharp and well lit, can a card be read, and what is to be mended."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from device import health
from device.calibration import table_of
from device.cameras import is_black
from device.config import Settings
from device.errors import UserError
from device.health import Finding
from device.photo import UNSURE
from device.viewfinder import View
from vision.table import Table, TableError
from vision.types import CardSeen, Image

DARK, DIM = 50.0, 100.0
"""Grey levels of 255 of the table's brightest parts (cards, if any lie there): unreadable, grainy below."""
_BRIGHTEST = 99.5
GLARE = 0.02
"""Share of the table that may be burnt out; a card in a lamp's reflection cannot be read."""
_BURNT = 250
SOFT, BLURRED = 0.075, 0.11
"""Blur (standard deviation) as a share of an index's height: from here the reader errs, misses cards."""
_RE_BLUR = 1.5
_EDGES, _LEAST_EDGE = 99.0, 40.0
_LEAST_EDGES = 200


@dataclass(frozen=True, slots=True)
class Trial:
    """A test card's picture and what was read in it."""

    image: Image
    cards: tuple[CardSeen, ...]


def table_part(image: Image, table: Table) -> Image:
    """The upright part of the picture that holds the table."""
    x0, y0, x1, y1 = table.bounds_px()
    return image[max(y0, 0) : max(y1, 1), max(x0, 0) : max(x1, 1)]


def blur(image: Image) -> float | None:
    """How far the picture's sharpest edges are blurred: standard deviation in pixels. None: too few edges.

    An edge loses the less by another known blur the more it was blurred before.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 0.7)
    before, after = _steepness(grey), _steepness(cv2.GaussianBlur(grey, (0, 0), _RE_BLUR))
    edges = before >= max(float(np.percentile(before, _EDGES)), _LEAST_EDGE)
    ratio = before[edges] / np.maximum(after[edges], 1e-3)
    ratio = ratio[ratio > 1.02]
    if len(ratio) < _LEAST_EDGES:
        return None
    return float(np.median(_RE_BLUR / np.sqrt(ratio**2 - 1)))


def _steepness(grey: np.ndarray) -> np.ndarray:
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    return np.asarray(np.hypot(across, down))


def sharpness(image: Image, table: Table) -> Finding:
    """Whether the table's picture is sharp enough for its indices."""
    found = blur(table_part(image, table))
    if found is None:
        return Finding(
            "sharpness",
            "warning",
            "nothing with a clear edge lies there to judge by",
            "Lay a card on the table.",
        )
    share = found / table.index_height()
    text = f"edges are blurred over {found:.1f} pixels, {share:.0%} of an index's height"
    do = "Focus the camera on the table, wipe the lens, and see that nothing shakes it."
    if share > BLURRED:
        return Finding("sharpness", "issue", f"{text}: too much to read", do)
    return Finding("sharpness", "warning", text, do) if share > SOFT else Finding("sharpness", "ok", text)


def light(image: Image, table: Table) -> list[Finding]:
    """Whether the table is neither dark nor washed out, and whether lamps glare on it."""
    grey = cv2.cvtColor(table_part(image, table), cv2.COLOR_BGR2GRAY)
    level, burnt = float(np.percentile(grey, _BRIGHTEST)), float((grey >= _BURNT).mean())
    text = f"the brightest parts of the table have {level:.0f} of 255 grey levels"
    found = [Finding("light", "ok", text)]
    if level < DARK:
        found = [Finding("light", "issue", f"{text}: too dark to read", "Switch more light on.")]
    elif level < DIM:
        do = "If a card lies there, add some light; if not, lay one and look again."
        found = [Finding("light", "warning", f"{text}: dim, so pictures are grainy", do)]
    if burnt > GLARE:
        found.append(
            Finding(
                "glare",
                "warning",
                f"{burnt:.0%} of the table is burnt out",
                "Turn a lamp away, or lower the camera's exposure.",
            )
        )
    return found


def trial(given: Trial | None) -> Finding:
    """What the test card says: one card, surely read, of the deck in play."""
    if given is None:
        return Finding("test card", "issue", "no test card was read yet", "Lay one card and read it.")
    if not given.cards:
        do = "See that it lies face up on the table, with a corner showing; then look at sharpness and light."
        return Finding("test card", "issue", "no card was found", do)
    if len(given.cards) > 1:
        names = ", ".join(c.face.name for c in given.cards[:6])
        return Finding(
            "test card", "issue", f"{len(given.cards)} cards were read: {names}", "Lay a single card."
        )
    card = given.cards[0]
    height = max(index.box.height for index in card.indices)
    sure = min(round(card.probability * 100), 99)
    text = f"{card.face.name}, {sure} % sure; its index is {height:.0f} pixels high"
    if card.foreign:
        return Finding("test card", "issue", f"{text}; not of the deck in play", "Take another card.")
    if card.probability < UNSURE:
        return Finding("test card", "issue", text, "Mend sharpness and light, or move the camera nearer.")
    return Finding("test card", "ok", text)


def look_over(settings: Settings, view: View | UserError, given: Trial | None) -> list[Finding]:
    """Everything that a table needs before its first hand."""
    machine = [f for f in health.examine(settings) if f.subject != "calibration"]
    if isinstance(view, UserError):
        return [Finding("camera", "issue", view.what, view.do), trial(given), *machine]
    if is_black(view.image):
        dark = Finding("camera", "issue", "the picture is black", "Uncover the lens or switch the light on.")
        return [dark, trial(given), *machine]
    width, height = view.size
    camera = Finding("camera", "ok", f"gives pictures of {width} x {height} pixels")
    marked = health.calibration(settings, view.size, view.own)
    try:
        table = view.own or table_of(settings, view.size)
    except TableError:  # told by `marked`
        table = None
    if table is None:
        missing = [replace(f, level="issue", do="Mark its four corners in the picture.") for f in marked]
        return [camera, *missing, trial(given), *machine]
    seen = [sharpness(view.image, table), *light(view.image, table)]
    return [camera, *marked, *seen, trial(given), *machine]
