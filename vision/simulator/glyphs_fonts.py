"""Rank glyphs and suit pips from installed fonts, for training only: what is installed differs by machine."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path
from typing import Final

import numpy as np

from engine.cards import Suit
from vision.simulator.glyphs_drawn import CAP, DIGITS_AND_LETTERS, crop
from vision.types import Image

LATIN: Final = ":lang=en:slant=0"
_WITH_PIPS: Final = ":charset=2660 2663 2665 2666"
_SUIT_SIGNS: Final[dict[Suit, str]] = {"S": "\u2660", "H": "\u2665", "D": "\u2666", "C": "\u2663"}

_EXCLUDED: Final = (
    "italic", "oblique", "slanted", "symbol", "emoji", "script", "dingbat", "hand", "cursive", "math", "icon",
    "barcode", "music", "ornament", "sorts", "zapf", "chancery", "calli", "brush", "outline", "stencil",
    "braille", "webdings", "wingdings", "opensymbol", "last resort", "cjk", "fallback", "d050000l", "z003",
    "smallcap",
)  # fmt: skip
"""Parts of names of fonts that no playing card is printed in, or that lack plain Latin letters."""


class FontGlyphs:
    """Glyphs of one font file, drawn by Pillow."""

    def __init__(self, path: Path, index: int, stretch: float = 1.0, weight: int = 0) -> None:
        """`stretch`: width factor; `weight`: pixels of CAP that strokes gain (or lose) on either side.

        Raises OSError if Pillow cannot read the font.
        """
        from PIL import ImageFont

        self.path, self._stretch, self._weight = path, stretch, weight
        trial = ImageFont.truetype(str(path), CAP, index=index)
        top, foot = trial.getbbox("K", anchor="ls")[1::2]
        self._font = ImageFont.truetype(str(path), round(CAP * CAP / max(1.0, foot - top)), index=index)
        self._masks: dict[str, Image] = {}

    def mask(self, character: str) -> Image:
        """See `Glyphs.mask`. Raises ValueError if the font draws nothing."""
        if character not in self._masks:
            self._masks[character] = self._render(character)
        return self._masks[character]

    def _render(self, character: str) -> Image:
        import cv2
        from PIL import Image as Pictures
        from PIL import ImageDraw

        picture = Pictures.new("L", (4 * CAP, 3 * CAP))
        ImageDraw.Draw(picture).text((CAP, 2 * CAP), character, font=self._font, fill=255, anchor="ls")
        ink: Image = np.where(np.asarray(picture) > 127, 255, 0).astype(np.uint8)
        if not ink.any():
            raise ValueError(f"{self.path} draws no '{character}'")
        ink = crop(ink)
        size = (max(4, round(ink.shape[1] * self._stretch)), ink.shape[0])
        mask: Image = np.where(cv2.resize(ink, size) > 127, 255, 0).astype(np.uint8)
        if self._weight:
            pen = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(self._weight) + 1,) * 2)
            room = np.pad(mask, abs(self._weight))
            heavier = (cv2.dilate if self._weight > 0 else cv2.erode)(room, pen)
            if heavier.any():
                mask = cv2.resize(crop(heavier), mask.shape[1::-1])
        return mask

    def fit(self) -> bool:
        """Whether all ranks are there, are as high as the capitals, differ, and are neither hair nor blot."""
        try:
            masks = [self.mask(c) for c in DIGITS_AND_LETTERS]
        except (ValueError, OSError):
            return False
        heights = np.array([m.shape[0] for m in masks]) / CAP
        widths = np.array([m.shape[1] for m in masks]) / CAP
        ink = np.array(
            [m.mean() / 255 for m, c in zip(masks, DIGITS_AND_LETTERS, strict=True) if c not in "1J"]
        )
        shapes = {(*m.shape, int(m.sum())) for m in masks}
        upright = heights.min() > 0.9 and heights.max() < 1.35 and widths.max() < 1.3
        return bool(upright and len(shapes) > 11 and 0.16 < ink.mean() < 0.72)


@functools.cache
def font_files(wanted: str = LATIN) -> tuple[tuple[Path, int], ...]:
    """Installed fonts that may print a card, as (file, index in the file), in a fixed order.

    wanted: a pattern of fontconfig's; without one, upright Latin fonts. From fontconfig's `fc-list`.
    Raises RuntimeError if that tool is not installed.
    """
    try:
        out = subprocess.run(
            ["fc-list", wanted, "file", "index", "family", "style"],
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise RuntimeError(
            f"cannot list fonts: {error}; install fontconfig, or draw without fonts"
        ) from error
    found = set()
    for line in out.splitlines():
        file, _, rest = line.partition(": ")
        if Path(file).suffix.lower() not in (".ttf", ".otf", ".ttc"):
            continue
        if wanted == LATIN and any(word in line.lower() for word in _EXCLUDED):
            continue
        index = rest.rpartition("index=")[2]
        # fontconfig packs the named instance of a variable font into the upper half.
        found.add((Path(file), int(index) & 0xFFFF if index.isdigit() else 0))
    return tuple(sorted(found))


@functools.cache
def _fitting(number: int) -> bool:
    path, index = font_files()[number]
    try:
        return FontGlyphs(path, index).fit()
    except OSError:
        return False


def random_font(rng: np.random.Generator) -> FontGlyphs:
    """A fitting font, slightly stretched. Raises RuntimeError if none is found."""
    files = font_files()
    for number in rng.permutation(len(files)):
        if _fitting(int(number)):
            path, index = files[number]
            weight = int(rng.integers(-5, 9)) if rng.random() < 0.4 else 0
            return FontGlyphs(path, index, float(rng.uniform(0.66, 1.08)), weight)
    raise RuntimeError("no installed font is fit for playing cards: install some, or draw without fonts")


def random_pips(rng: np.random.Generator) -> dict[Suit, Image] | None:
    """The four suits' ink as an installed font draws them, slightly stretched; None if none has them."""
    import cv2

    files = font_files(_WITH_PIPS)
    stretch = float(rng.uniform(0.82, 1.15))
    for number in rng.permutation(len(files))[:8]:
        try:
            font = FontGlyphs(*files[number])
            masks = {suit: font.mask(sign) for suit, sign in _SUIT_SIGNS.items()}
        except (ValueError, OSError):
            continue
        # A frame for a missing sign, or an outlined suit, has little ink; text faces have no such shapes.
        if all(m.mean() > 255 * 0.36 and 0.5 < m.shape[1] / m.shape[0] < 1.5 for m in masks.values()):
            return {s: cv2.resize(m, (round(m.shape[1] * stretch), m.shape[0])) for s, m in masks.items()}
    return None
