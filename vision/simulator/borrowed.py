"""Decks that others drew and gave away, as further variety for training and as unseen test of it.

The art is not part of this project: `borrowed_decks` reads it where it lies, rasterises it once
(`rsvg-convert`, from librsvg) and keeps the cards with the boxes measured on them as .npz files.

Families go by the index's typeface, as nothing else of a card is read. Kept out of training ("unseen"):

| family | decks | used for |
|---|---|---|
| standard | kde/standard | evaluation |
| narrow | gnome/anglo_modern, atlasnye | evaluation |
| all other families below | | training |
| own | own_deck(seed), seed < 1,000,000 | training |
| own | own_deck(seed), seed in drawn.EVALUATION_SEEDS | evaluation |
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import subprocess
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, cast

import cv2
import numpy as np

from engine.cards import ALL_FACES, Face, Rank, Suit, face
from vision.simulator import backs
from vision.simulator.deckart import CardArt
from vision.simulator.drawn import quad_of, rounded
from vision.types import Floats, Image

HELD_OUT_FAMILIES: Final = frozenset({"standard", "narrow"})
"""Families that training never sees."""
_HEIGHT: Final = 440
_HEIGHT_MM: Final = 88.0
_STRAY: Final = 0.015
"""In card heights: a box that reaches further than this beyond its deck's custom has other ink in it."""
_VERSION: Final = 1
"""Raised when the cutting or the measuring changes, so that old caches are not used."""
_UP: Final = "A23456789TJQK"
_DOWN: Final = "AKQJT98765432"
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, foot; right and foot are one past the last pixel."""


class ArtError(RuntimeError):
    """Card art cannot be read or cut; says which file and what to do."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One file with a whole deck: cards in rows by suit and columns by rank, other things after them."""

    file: str
    family: str
    suits: str = "CDHS"
    """Rows from the top."""
    ranks: str = _UP
    """Columns from the left."""
    rows: int = 5
    """Rows that the sheet's height has room for."""
    islands: bool = False
    """Cards lie apart; else they fill a grid without gaps."""
    usable: str = _UP
    """Ranks whose index is that of an English deck."""
    window: tuple[float, float] = (0.2, 0.26)
    """Where the index ends at the latest, in card widths and heights."""
    four: bool = False
    """An index in every corner."""
    back: int | None = 2
    """Which of the things after the cards is the back, from 0."""


SHEETS: Final = (
    Sheet("gnome/anglo.svgz", "anglo"),
    Sheet("gnome/gnomangelo.svgz", "anglo"),
    Sheet("gnome/paris.svgz", "anglo"),
    Sheet("gnome/dondorf.svgz", "anglo", four=True),
    # Its courts carry no index.
    Sheet("gnome/guyenne-classic.svgz", "anglo", usable="A23456789T"),
    Sheet("gnome/tigullio.svgz", "anglo"),
    Sheet("kde/tigullio-international.svgz", "anglo", suits="DHCS", islands=True, back=1),
    Sheet("kde/standard.svgz", "standard", suits="SHCD", ranks=_DOWN, rows=4, window=(0.2, 0.34), back=None),
    Sheet("gnome/anglo_modern.svgz", "narrow"),
    Sheet("gnome/atlasnye.svgz", "narrow"),
    # Its jack and queen run into the card's edge.
    Sheet("gnome/bellot.svgz", "bellot", usable="A23456789TK"),
    # Its jack and queen are a B and a D.
    Sheet("gnome/berlin.svgz", "berlin", usable="A23456789TK"),
    Sheet("gnome/neoclassical.svgz", "neoclassical"),
    Sheet("gnome/ornamental.svgz", "ornamental", window=(0.27, 0.46)),
    # Its ace and queen run into the card's edge.
    Sheet("kde/penguins.svgz", "penguins", suits="CSHD", ranks=_DOWN, islands=True, usable="23456789TJK",
          window=(0.23, 0.3), back=None),
)  # fmt: skip
"""Left out: kde/french and german (foreign letters), konqi (red spades), oxygen (no pip at the index),
future (no pips), jolly-royal (lines run out of the indices), Ancient_Egyptians (pictures too large to
draw), kde/dondorf, ornamental and paris (the gnome decks again)."""


@dataclass(frozen=True, slots=True)
class BorrowedDeck:
    """A deck cut from a sheet; see `DeckArt`."""

    name: str
    family: str
    size_mm: tuple[float, float]
    arts: dict[Face, CardArt]
    picture_of_back: Image

    def faces(self) -> tuple[Face, ...]:
        """Those with an index as an English deck prints it."""
        return tuple(self.arts)

    def art(self, face: Face) -> CardArt:
        """See `DeckArt.art`. Raises KeyError for a face not in `faces`."""
        return self.arts[face]

    def back(self) -> Image:
        """See `DeckArt.back`."""
        return self.picture_of_back


def rasterise(file: Path, height: int) -> Image:
    """An SVG or SVGZ file as BGRA, `height` pixels high. Raises ArtError."""
    if shutil.which("rsvg-convert") is None:
        raise ArtError("rsvg-convert is not installed: install librsvg2-bin, or train without art")
    with tempfile.TemporaryDirectory() as folder:
        source, out = file, Path(folder) / "out.png"
        if file.suffix == ".svgz":
            source = Path(folder) / "in.svg"
            try:
                source.write_bytes(gzip.decompress(file.read_bytes()))
            except (OSError, EOFError, zlib.error) as error:
                raise ArtError(f"{file} cannot be unpacked ({error}): fetch it again") from error
        command = ["rsvg-convert", "--unlimited", "--keep-aspect-ratio", "--height", str(height), str(source)]
        done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, timeout=300)
        picture = cv2.imread(str(out), cv2.IMREAD_UNCHANGED) if done.returncode == 0 else None
    if picture is None:
        raise ArtError(f"rsvg-convert cannot draw {file}: {done.stderr.strip()[:300]}")
    if picture.shape[2] == 3:
        picture = cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)
    return cast(Image, picture)


def borrowed_decks(art_root: Path, cache: Path) -> list[BorrowedDeck]:
    """Every usable deck under `art_root` (a folder with gnome/, kde/ and vector-playing-cards/).

    Slow once (a minute); then read from the .npz files in `cache`. Raises ArtError if a file that is
    there cannot be used; decks that are not there are left out.
    """
    decks = []
    for sheet in SHEETS:
        file = art_root / sheet.file
        if file.is_file():
            mark = hashlib.sha256(f"{_VERSION}{_HEIGHT}{sheet}".encode() + file.read_bytes())
            store = (
                cache / f"{sheet.file.replace('/', '-').removesuffix('.svgz')}-{mark.hexdigest()[:12]}.npz"
            )
            if not store.exists():
                cards, back = _cut(rasterise(file, _HEIGHT * sheet.rows), sheet)
                _save(store, cards, back, sheet.window, sheet.four)
            decks.append(_load(store, sheet.file.removesuffix(".svgz"), sheet.family))
    folder = art_root / "vector-playing-cards" / "cards-svg"
    if folder.is_dir():
        store = cache / f"vector-playing-cards-{_VERSION}-{_HEIGHT}.npz"
        if not store.exists():
            cards = {}
            for f in ALL_FACES:
                name = ("10" if f.rank == "T" else f.rank) + f.suit
                cards[f] = _round_off(_fit(rasterise(folder / f"{name}.svg", 2 * _HEIGHT)))
            _save(store, cards, None, (0.2, 0.27), False)
        decks.append(_load(store, "vector-playing-cards", "byron"))
    return decks


def _fit(card: Image) -> Image:
    """A card without the emptiness round it, _HEIGHT high."""
    solid = card[..., 3] > 128
    ys, xs = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
    card = card[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]
    width = round(card.shape[1] * _HEIGHT / card.shape[0])
    return cast(Image, cv2.resize(card, (width, _HEIGHT), interpolation=cv2.INTER_AREA))


def _round_off(card: Image) -> Image:
    """A card whose file has no transparency, with its corners taken off."""
    if card[0, 0, 3] < 128:
        return card
    return np.dstack([card[..., :3], rounded(card.shape[1], card.shape[0], 0.045 * card.shape[1])])


def _cut(picture: Image, sheet: Sheet) -> tuple[dict[Face, Image], Image | None]:
    """The cards of a sheet, and its back."""
    if sheet.islands:
        found = cv2.connectedComponentsWithStats((picture[..., 3] > 128).astype(np.uint8))[2][1:]
        found = found[found[:, 4] > 0.3 * found[:, 4].max()]
        pitch = np.median(found[:, 3])
        line = np.round((found[:, 1] - found[:, 1].min()) / (1.08 * pitch))
        boxes = [tuple(map(int, found[i, :4])) for i in np.lexsort((found[:, 0], line))]
    else:
        high, wide = picture.shape[0] / sheet.rows, picture.shape[1] / len(sheet.ranks)
        boxes = [
            (round(c * wide), round(r * high), round((c + 1) * wide) - round(c * wide), round(high))
            for r in range(sheet.rows)
            for c in range(len(sheet.ranks))
        ]
    faces = [Face(cast(Rank, r), cast(Suit, s)) for s in sheet.suits for r in sheet.ranks]
    wanted = len(faces) + (0 if sheet.back is None else sheet.back + 1)
    if len(boxes) < wanted:
        raise ArtError(
            f"{sheet.file}: found {len(boxes)} cards of {wanted}; is it the deck that Debian ships?"
        )
    pictures = [picture[y : y + h, x : x + w] for x, y, w, h in boxes[:wanted]]
    cards = {f: _fit(p) for f, p in zip(faces, pictures, strict=False) if f.rank in sheet.usable}
    return cards, None if sheet.back is None else _fit(pictures[len(faces) + sheet.back])


def _glyph_boxes(card: Image, window: tuple[float, float]) -> list[Box]:
    """Rank and pip in the upper left corner; the two as one box if they touch, none if other ink does."""
    h, w = card.shape[:2]
    right, foot = round(window[0] * w), round(window[1] * h)
    # One pixel more, so that ink which goes on beyond the window shows itself.
    part = card[: foot + 1, : right + 1].astype(np.int16)
    paper = np.median(part[part[..., 3] > 250][:, :3], axis=0)
    ink = (np.abs(part[..., :3] - paper).max(-1) > 70) & (part[..., 3] > 200)
    blobs = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)[2][1:]
    inside = [
        (x, y, x + ww, y + hh)
        for x, y, ww, hh, area in blobs.tolist()
        if area > 25 and x + ww <= right and y + hh <= foot
    ]
    inside.sort(key=lambda b: b[1])
    best: list[Box] = []
    widest = -3
    for n in range(1, len(inside)):
        above, below = _union(inside[:n]), _union(inside[n:])
        gap = below[1] - above[3]
        if min(above[3] - above[1], below[3] - below[1]) > 0.03 * h and gap > widest:
            best, widest = [above, below], gap
    if not best and inside and (whole := _union(inside))[3] - whole[1] > 0.12 * h:
        best = [whole]
    return best


def _union(boxes: list[Box]) -> Box:
    lows, highs = np.min(boxes, axis=0), np.max(boxes, axis=0)
    return int(lows[0]), int(lows[1]), int(highs[2]), int(highs[3])


def measure(cards: dict[Face, Image], window: tuple[float, float]) -> dict[Face, Box]:
    """Each card's upper left index box.

    Where a figure touches an index, the median boxes of the deck's cards of its rank and of its suit
    stand in for the card's own. Raises ArtError if a rank or suit is clear on no card.
    """
    seen = {f: boxes for f, card in cards.items() if (boxes := _glyph_boxes(card, window))}
    pairs = {f: boxes for f, boxes in seen.items() if len(boxes) == 2}
    measured = {}
    for f in cards:
        rank = [b[0] for g, b in pairs.items() if g.rank == f.rank]
        suit = [b[1] for g, b in pairs.items() if g.suit == f.suit]
        custom = _union([_median(rank), _median(suit)]) if rank and suit else None
        if f in pairs and (custom is None or _beyond(_union(pairs[f]), custom) <= _STRAY * _HEIGHT):
            measured[f] = _union(pairs[f])
        elif custom:
            measured[f] = custom
        elif f in seen:
            measured[f] = _union(seen[f])
        else:
            raise ArtError(
                f"the index of {f.name} touches other ink on every card: change the sheet's window"
            )
    return measured


def _beyond(box: Box, other: Box) -> int:
    """How many pixels a box reaches beyond another."""
    return max(other[0] - box[0], other[1] - box[1], box[2] - other[2], box[3] - other[3])


def _median(boxes: list[Box]) -> Box:
    left, top, right, foot = np.round(np.median(boxes, axis=0)).astype(int).tolist()
    return left, top, right, foot


def _save(
    store: Path, cards: dict[Face, Image], back: Image | None, window: tuple[float, float], four: bool
) -> None:
    width = round(float(np.median([c.shape[1] for c in cards.values()])))
    size = (width, _HEIGHT)
    cards = {f: cast(Image, cv2.resize(c, size, interpolation=cv2.INTER_AREA)) for f, c in cards.items()}
    last = np.array([width - 1, _HEIGHT - 1], np.float32)
    quads: dict[Face, list[Floats]] = {f: [] for f in cards}
    for mirrored in (False, True) if four else (False,):
        for turned in (False, True):
            step = -1 if turned else 1
            across = -step if mirrored else step
            boxes = measure({f: c[::step, ::across] for f, c in cards.items()}, window)
            for f, (left, top, right, foot) in boxes.items():
                if mirrored:
                    left, right = width - right, width - left
                quad = quad_of(left, top, right, foot)
                quads[f].append(last - quad if turned else quad)
    if back is None:
        seed = int.from_bytes(hashlib.sha256(store.name.encode()).digest()[:4], "big")
        drawn = backs.draw_back(np.random.default_rng(seed), width, _HEIGHT, (250, 250, 250))
        back = np.dstack([drawn, next(iter(cards.values()))[..., 3]])
    store.parent.mkdir(parents=True, exist_ok=True)
    part = store.with_name(f"{store.stem}.part.npz")
    np.savez_compressed(
        part,
        names=np.array([str(f) for f in cards]),
        cards=np.stack(list(cards.values())),
        indices=np.stack([np.stack(q) for q in quads.values()]),
        back=cv2.resize(back, size, interpolation=cv2.INTER_AREA),
    )
    part.replace(store)


def _load(store: Path, name: str, family: str) -> BorrowedDeck:
    with np.load(store) as kept:
        cards, indices, back = kept["cards"], kept["indices"], kept["back"]
        arts = {face(str(n)): CardArt(cards[i], indices[i]) for i, n in enumerate(kept["names"])}
    size_mm = (_HEIGHT_MM * cards.shape[2] / cards.shape[1], _HEIGHT_MM)
    return BorrowedDeck(name, family, size_mm, arts, back)
