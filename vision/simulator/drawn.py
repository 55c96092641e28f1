"""Our own family of playing cards, drawn from a seed: no two decks alike, every label exact.

A seed chooses paper, proportions, glyphs, pips, indices, courts and back. The same seed gives the
same deck on any machine (OpenCV versions may round single pixels otherwise), because nothing but
arithmetic and OpenCV's polygons is used; only `own_deck(seed, fonts=True)` looks at installed fonts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np

from engine.cards import ALL_FACES, SUITS, Face, Rank, Suit
from vision.simulator import backs, courts, glyphs_drawn, pips
from vision.simulator.backs import Colour
from vision.simulator.deckart import CardArt, DeckArt
from vision.simulator.glyphs_drawn import CAP, Glyphs, rank_mask
from vision.types import Floats, Image

EVALUATION_SEEDS: Final = range(1_000_000, 2_000_000)
"""Seeds of own decks kept for evaluation; training draws its seeds below."""
_LETTERS: Final = "A23456789JQK"


@dataclass(frozen=True, slots=True)
class Look:
    """Everything a seed chooses but shapes. Lengths in pixels of the picture, colours BGR."""

    height: int
    width: int
    size_mm: tuple[float, float]
    paper: Colour
    radius: float
    inks: dict[Suit, Colour]
    index_height: float
    """From the rank's cap line to the pip's foot."""
    rank_share: float
    gap_share: float
    """Shares of the index's height of rank and of the gap under it."""
    margin: tuple[float, float]
    """From the card's edges to the index, x and y."""
    column: float
    """Room for the index's width; all but the ten are squeezed to fit."""
    ten_narrow: float
    ten_spacing: float
    four_indices: bool
    left_aligned: bool
    pip_height: float
    single_pip: bool
    """Number cards carry one big pip, as some large-index decks do."""
    ace_height: float
    ace_inlay: bool
    """The ace of spades is ornate."""
    frame: int
    frame_colour: Colour
    court_pip: float


Panels: TypeAlias = Callable[[Rank], Image]
"""Court pictures drawn for other decks, by rank; they are scaled to fit."""


def own_deck(seed: int, fonts: bool = False, panels: Panels | None = None) -> DeckArt:
    """The deck of a seed, faces drawn when first asked for.

    For training: fonts takes the rank glyphs, and of half the decks the pips, from installed fonts (needs
    Pillow, extra `train`); panels saves the drawing of courts, which is most of a deck's cost. Raises
    RuntimeError if no suitable font is installed.
    """
    rng = np.random.default_rng([seed, int(fonts)])
    glyphs: Glyphs
    signs: dict[Suit, Image] | None = None
    if fonts:
        from vision.simulator.glyphs_fonts import random_font, random_pips

        glyphs = random_font(rng)
        signs = random_pips(rng) if rng.random() < 0.5 else None
    else:
        glyphs = glyphs_drawn.DrawnGlyphs(glyphs_drawn.random_style(rng))
    reach = 1.4 if fonts else 1.0
    return OwnDeck(seed, f"own-{'fonts-' if fonts else ''}{seed}", glyphs, rng, reach, signs, panels)


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _paper(rng: np.random.Generator) -> Colour:
    white = rng.uniform(236, 255)
    cream = rng.uniform(0, 8) if rng.random() < 0.75 else rng.uniform(8, 30)
    return int(white - cream), int(white - cream * 0.3), int(white)


def _inks(rng: np.random.Generator) -> dict[Suit, Colour]:
    def ink(b: float, g: float, r: float, spread: float) -> Colour:
        blue, green, red = (int(np.clip(c + rng.uniform(-spread, spread), 0, 255)) for c in (b, g, r))
        return blue, green, red

    black, red = ink(28, 26, 26, 12), ink(45, 35, 205, 28)
    inks: dict[Suit, Colour] = {"S": black, "C": black, "H": red, "D": red}
    if rng.random() < 0.14:
        inks["C"] = ink(50, 120, 30, 25)
        inks["D"] = ink(190, 90, 30, 30) if rng.random() < 0.7 else ink(20, 120, 240, 20)
    return inks


def _look(rng: np.random.Generator) -> Look:
    poker = rng.random() < 0.72
    size_mm = (63.0 if poker else 58.0) + _between(rng, -1, 1), 88.0 + _between(rng, -1.5, 1.5)
    height = int(rng.integers(430, 481))
    width = round(height * size_mm[0] / size_mm[1])
    kind = rng.choice(3, p=[0.66, 0.14, 0.2])
    share = _between(rng, *((0.14, 0.2), (0.2, 0.26), (0.26, 0.33))[kind])
    index = share * height
    return Look(
        height=height,
        width=width,
        size_mm=size_mm,
        paper=_paper(rng),
        radius=_between(rng, 0.035, 0.07) * width,
        inks=_inks(rng),
        index_height=index,
        rank_share=_between(rng, 0.49, 0.62),
        gap_share=_between(rng, 0.04, 0.12),
        margin=(_between(rng, 0.022, 0.06) * width, _between(rng, 0.022, 0.055) * height),
        column=min(_between(rng, 0.6, 0.8) * index, 0.33 * width),
        ten_narrow=_between(rng, 0.6, 0.95),
        ten_spacing=_between(rng, 0.05, 0.13),
        four_indices=rng.random() < 0.1 and share < 0.2,
        left_aligned=rng.random() < 0.1,
        pip_height=_between(rng, 0.15, 0.2) * height,
        single_pip=share > 0.24 and rng.random() < 0.4,
        ace_height=_between(rng, 0.18, 0.45) * height,
        ace_inlay=rng.random() < 0.5,
        frame=int(rng.integers(0, 4)),
        frame_colour=(30, 30, 30) if rng.random() < 0.6 else (150, 70, 30),
        court_pip=_between(rng, 0.1, 0.16) * height,
    )


class OwnDeck:
    """See `own_deck`."""

    def __init__(
        self, seed: int, name: str, glyphs: Glyphs, rng: np.random.Generator, reach: float = 1.0,
        signs: dict[Suit, Image] | None = None, panels: Panels | None = None,
    ) -> None:  # fmt: skip
        self.name, self.family = name, "own"
        self._seed = seed
        self._glyphs = glyphs
        self._index_ink: dict[str, Image] = {}
        self._look = _look(rng)
        style = pips.random_style(rng, reach)
        self._pips = signs or {s: pips.pip_mask(style, s) for s in SUITS}
        self._panels = panels
        self._courts = courts.random_style(rng, self._look.paper)
        self._arts: dict[Face, CardArt] = {}
        self._back: Image | None = None
        self.size_mm = self._look.size_mm
        rank_height = self._look.rank_share * self._look.index_height
        widest = max(glyphs.mask(c).shape[1] for c in _LETTERS) / CAP * rank_height
        self._squeeze = min(1.0, self._look.column / widest)
        self._alpha = rounded(self._look.width, self._look.height, self._look.radius)
        self._index_right = self._look.margin[0] + max(self._index_size(c) for c in _LETTERS)

    def faces(self) -> tuple[Face, ...]:
        """All 52."""
        return ALL_FACES

    def art(self, face: Face) -> CardArt:
        """See `DeckArt.art`; drawn once."""
        if face not in self._arts:
            self._arts[face] = self._draw(face)
        return self._arts[face]

    def back(self) -> Image:
        """See `DeckArt.back`."""
        if self._back is None:
            look = self._look
            rng = np.random.default_rng([self._seed, 99])
            picture = backs.draw_back(rng, look.width, look.height, look.paper)
            self._back = np.dstack([picture, self._alpha])
        return self._back

    def _index_size(self, rank: str) -> int:
        rank_width = int(self._rank(rank).shape[1])
        return max(rank_width, *(int(self._pip(s).shape[1]) for s in SUITS))

    def _rank(self, rank: str) -> Image:
        """A rank's ink at index size."""
        if rank not in self._index_ink:
            look = self._look
            mask = rank_mask(self._glyphs, rank, look.ten_narrow, look.ten_spacing)
            high = look.rank_share * look.index_height
            room = high + look.gap_share * look.index_height - 1.5
            squeeze = self._squeeze
            if rank == "T":
                squeeze = min(1.0, 1.15 * look.column / (mask.shape[1] / CAP * high))
            size = mask.shape[1] / CAP * high * squeeze, min(mask.shape[0] / CAP * high, room)
            self._index_ink[rank] = scaled(mask, *size)
        return self._index_ink[rank]

    def _pip(self, suit: Suit) -> Image:
        """A suit's ink at index size."""
        if suit not in self._index_ink:
            look, mask = self._look, self._pips[suit]
            high = (1 - look.rank_share - look.gap_share) * look.index_height
            wide = min(high * mask.shape[1] / mask.shape[0], 1.1 * look.column)
            self._index_ink[suit] = scaled(mask, wide, high)
        return self._index_ink[suit]

    def _draw(self, face: Face) -> CardArt:
        look = self._look
        card: Image = np.full((look.height, look.width, 3), look.paper, np.uint8)
        if face.rank in "JQK":
            self._draw_court(card, face)
        elif face.rank == "A":
            high = look.ace_height if face.suit == "S" else min(look.ace_height, 0.25 * look.height)
            self._place_pip(card, face.suit, high, (0.0, 0.5))
            if face.suit == "S" and look.ace_inlay:
                for share, ink in ((0.62, look.paper), (0.5, look.inks["S"]), (0.28, look.paper)):
                    self._place_pip(card, "S", share * high, (0.0, 0.5), ink)
        elif look.single_pip:
            self._place_pip(card, face.suit, max(look.ace_height, 0.3 * look.height), (0.0, 0.5))
        else:
            self._draw_pips(card, face)
        corners = self._draw_indices(card, face)
        return CardArt(np.dstack([card, self._alpha]), corners)

    def _draw_indices(self, card: Image, face: Face) -> Floats:
        look = self._look
        rank, pip = self._rank(face.rank), self._pip(face.suit)
        centre = (look.margin[0] + self._index_right) / 2
        boxes = []
        for mask, top in (
            (rank, look.margin[1]),
            (pip, look.margin[1] + (look.rank_share + look.gap_share) * look.index_height),
        ):
            x = look.margin[0] if look.left_aligned else centre - mask.shape[1] / 2
            x = round(max(0.012 * look.width, x))
            y = round(top)
            for half in range(2):
                view = card[::-1, ::-1] if half else card
                blend(view, mask, x, y, look.inks[face.suit])
                if look.four_indices:
                    blend(view, mask, look.width - x - mask.shape[1], y, look.inks[face.suit])
            boxes.append((x, y, x + mask.shape[1], y + mask.shape[0]))
        left, top = (min(b[i] for b in boxes) for i in (0, 1))
        right, foot = (max(b[i] for b in boxes) for i in (2, 3))
        quads = [quad_of(left, top, right, foot)]
        if look.four_indices:
            # The upper right index stands as the upper left one does, pip and rank each at its own place.
            quads.append(quad_of(look.width - right, top, look.width - left, foot))
        quads += [np.array([look.width - 1, look.height - 1], np.float32) - q for q in quads]
        return np.stack(quads).astype(np.float32)

    def _place_pip(
        self, card: Image, suit: Suit, high: float, at: tuple[float, float], ink: Colour | None = None
    ) -> None:
        """Centre a pip at `at`: x in half widths from the middle, y in heights; below the middle turned."""
        mask = self._pips[suit]
        mask = scaled(mask, high * mask.shape[1] / mask.shape[0], high)
        if at[1] > 0.5:
            mask = mask[::-1, ::-1]
        h, w = card.shape[:2]
        x, y = w / 2 * (1 + at[0]) - mask.shape[1] / 2, h * at[1] - mask.shape[0] / 2
        blend(card, mask, round(x), round(y), ink or self._look.inks[suit])

    def _draw_pips(self, card: Image, face: Face) -> None:
        look = self._look
        count = 10 if face.rank == "T" else int(face.rank)
        mask = self._pips[face.suit]
        index_right = max(self._index_right, look.margin[0] + self._index_size(face.rank))
        room = look.width - 2 * index_right - 0.03 * look.width
        wide = min(look.pip_height * mask.shape[1] / mask.shape[0], room / 2.8)
        high = wide * mask.shape[0] / mask.shape[1]
        span = min(room - wide, 0.48 * look.width) / look.width
        edge = (0.085 * look.height + high / 2) / look.height
        for x, y in pips.pip_places(count):
            self._place_pip(card, face.suit, high, (x * span, edge + y * (1 - 2 * edge)))

    def _draw_court(self, card: Image, face: Face) -> None:
        look = self._look
        rng = np.random.default_rng([self._seed, 7, ALL_FACES.index(face)])
        side = min(self._index_right + 0.015 * look.width, 0.2 * look.width)
        x, y = round(side), round(0.085 * look.height)
        w, h = look.width - 2 * x, look.height - 2 * y
        if self._panels is None:
            panel = courts.draw_court(face.rank, self._courts, rng, w, h)
        else:
            panel = cv2.resize(self._panels(face.rank), (w, h), interpolation=cv2.INTER_AREA)
        mask = self._pips[face.suit]
        pip = scaled(mask, look.court_pip * mask.shape[1] / mask.shape[0], look.court_pip)
        notch = self._index_right + 0.015 * look.width - x
        notch = 0 if notch < 1 else notch
        inset = round(0.025 * w + notch)
        for view in (panel, panel[::-1, ::-1]):
            blend(view, pip, inset, round(0.02 * h), look.inks[face.suit])
        card[y : y + h, x : x + w] = panel
        if look.frame:
            cv2.rectangle(card, (x, y), (x + w - 1, y + h - 1), look.frame_colour, look.frame)
        if notch:
            # A large index sits in a corner cut out of the frame.
            foot = round(look.margin[1] + look.index_height + 0.02 * look.height)
            for view in (card, card[::-1, ::-1]):
                view[:foot, : round(x + notch)] = look.paper
                if look.frame:
                    view[foot : foot + look.frame, x : round(x + notch)] = look.frame_colour
                    view[y:foot, round(x + notch) : round(x + notch) + look.frame] = look.frame_colour


def scaled(mask: Image, width: float, height: float) -> Image:
    """A mask made smaller, as coverage 0 to 255."""
    small: Image = cv2.resize(
        mask, (max(2, round(width)), max(2, round(height))), interpolation=cv2.INTER_AREA
    )
    return small


def blend(card: Image, mask: Image, x: int, y: int, ink: Colour) -> None:
    """Print a mask in an ink with its upper left pixel at (x, y); what lies outside the card is cut off."""
    h, w = card.shape[:2]
    x0, y0 = max(0, x), max(0, y)
    part = mask[y0 - y : h - y, x0 - x : w - x]
    if not part.size:
        return
    cover = part[..., None].astype(np.float32) / 255
    target = card[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]]
    target[:] = np.round(target * (1 - cover) + np.array(ink, np.float32) * cover)


def quad_of(left: float, top: float, right: float, foot: float) -> Floats:
    """The upright box of pixels left..right-1, top..foot-1 as corners; whole numbers are pixel centres."""
    a, b, c, d = left - 0.5, top - 0.5, right - 0.5, foot - 0.5
    return np.array([(a, b), (c, b), (c, d), (a, d)], np.float32)


def rounded(width: int, height: int, radius: float) -> Image:
    """Coverage of a card with rounded corners, 0 to 255."""
    scale = 4
    w, h, r = width * scale, height * scale, round(radius * scale)
    mask: Image = np.zeros((h, w), np.uint8)
    cv2.rectangle(mask, (r, 0), (w - 1 - r, h - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (w - 1, h - 1 - r), 255, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1)
    small: Image = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
    return small
