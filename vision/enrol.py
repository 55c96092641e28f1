"""Enrolling a deck: from pictures in which each of its faces is laid once to what the eye keeps of it.

Faces are told in the order of the layout, or read: then each picture shows a face at most once, which
an assignment of faces to cards makes use of (SciPy), so that a doubtful card gets the face left over.
"""

from __future__ import annotations

import io
import itertools
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.cards import ALL_FACES, SUITS, Face, Suit, face
from vision.adapter import Adapter, AdapterError, Check, Discriminant, fit
from vision.cards import CardReader, place
from vision.deckshape import Belief, learn
from vision.patches import cut
from vision.table import CardShape
from vision.types import CardSeen, GlyphReader, Image

VERSION = 1
DOUBTED = 0.95
"""A face that the layout's order or the others left over is doubted when its probability is below this."""
CONTRADICTED = 0.9
"""The reading contradicts a told face when it holds another with this probability."""
_FLOOR = 1e-6
_VOTES = 2.0
"""Pairs of indices that must have voted before a picture's idea of the card's shape is kept."""


class EnrolError(ValueError):
    """Pictures that cannot be enrolled from; says what, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A card laid for enrolment: where it was seen, and which face it is taken for.

    probability: of that face, as the reader has it before enrolment; read: what it would have said.
    """

    picture: int
    card: CardSeen
    face: Face

    @property
    def read(self) -> Face:
        return self.card.face

    @property
    def probability(self) -> float:
        return float(self.card.probabilities[ALL_FACES.index(self.face)])

    @property
    def doubted(self) -> bool:
        return self.probability < DOUBTED


@dataclass(frozen=True, slots=True)
class EnrolledDeck:
    """What is kept of a deck: its indices as they were photographed, and what was learnt from them.

    kind: `double`, `single`, or `any` for 52 faces. patches: upright, uint8 (n, 64, 40, 3); faces and folds,
    one a patch, as `vision.adapter.fit` wants them. shape: the deck's card, None if no two indices of a
    card told it. reader: checksum of the network that it was learnt with. enrolled: UTC, ISO 8601.
    """

    name: str
    kind: str
    enrolled: str
    reader: str
    patches: Image
    faces: tuple[str, ...]
    folds: tuple[int, ...]
    shape: CardShape | None
    adapter: Adapter
    check: Check

    def learnt_again(self, reader: GlyphReader, checksum: str) -> EnrolledDeck:
        """The same deck for another network."""
        adapter, check = fit(self.patches, self.faces, self.folds, reader)
        return replace(self, adapter=adapter, check=check, reader=checksum)


class Pictured(NamedTuple):
    """A picture and the cards read in it."""

    image: Image
    cards: list[CardSeen]


def look(reader: CardReader, images: Sequence[Image]) -> list[Pictured]:
    """Read the pictures of an enrolment; cards in rows as they lie, from the upper left."""
    found = [apart(reader.read(image)) for image in images]
    return [Pictured(image, list(itertools.chain(*rows(c)))) for image, c in zip(images, found, strict=True)]


def apart(cards: Sequence[CardSeen]) -> list[CardSeen]:
    """Without what lies on another card: for enrolment cards lie apart, so it is a misreading.

    Cards of which more corners were found, and surer ones, come first.
    """
    kept: list[CardSeen] = []
    for card in sorted(cards, key=lambda c: (-len(c.indices), -_score(c))):
        places = [(np.array(i.box.top) + i.box.foot) / 2 for i in card.indices]
        inside = any(
            cv2.pointPolygonTest(k.polygon, (float(x), float(y)), False) >= 0 for k in kept for x, y in places
        )
        if not inside:
            kept.append(card)
    return kept


def rows(cards: Sequence[CardSeen]) -> list[list[CardSeen]]:
    """Cards row by row as in the picture, downwards, each row from left to right."""
    if not cards:
        return []
    downwards = sorted(cards, key=lambda c: c.center[1])
    high = float(np.median([np.ptp(c.polygon[:, 1]) for c in cards]))
    found = [[downwards[0]]]
    for before, card in itertools.pairwise(downwards):
        if card.center[1] - before.center[1] > high / 2:
            found.append([])
        found[-1].append(card)
    return [sorted(row, key=lambda c: c.center[0]) for row in found]


def _score(card: CardSeen) -> float:
    return max(index.box.score for index in card.indices)


def told(pictured: Sequence[Pictured], faces: Sequence[Face]) -> list[Laid]:
    """Cards with faces told in the order of the layout, picture after picture. Raises EnrolError."""
    cards = [(n, card) for n, shown in enumerate(pictured) for card in shown.cards]
    if (most := len(cards) - len(faces)) > 0:  # of what is no card hardly ever two corners are found
        alone = sorted((card for _, card in cards if len(card.indices) == 1), key=_score)[:most]
        cards = [(n, card) for n, card in cards if not any(card is other for other in alone)]
    if len(cards) != len(faces):
        counts = "; ".join(", ".join(str(len(row)) for row in rows(shown.cards)) for shown in pictured)
        raise EnrolError(
            f"{len(faces)} faces are told, but {len(cards)} cards are seen (in rows of {counts}). "
            "Tell one face a card, row by row from the upper left; lay the cards apart, their corners free"
        )
    laid = [Laid(n, card, wanted) for (n, card), wanted in zip(cards, faces, strict=True)]
    against = [x for x in laid if x.read != x.face and x.card.probability >= CONTRADICTED]
    if len(against) > len(laid) / 3:
        first = against[0]
        raise EnrolError(
            f"the faces are told in another order than the cards lie: {len(against)} of {len(laid)} are "
            f"surely others, as the {first.read} told as {first.face}. Tell them row by row, from the left"
        )
    return laid


def recognised(pictured: Sequence[Pictured], faces: Sequence[Face]) -> list[Laid]:
    """Cards with the faces that fit them best, of which each is laid once.

    Where there are no more cards than faces, once in all pictures together; else once in each picture.
    Cards too many (a face seen twice, something that is no card) are left out.
    """
    cards = [(n, card) for n, shown in enumerate(pictured) for card in shown.cards]
    together = len(cards) <= len(faces)
    laid = []
    for _, group in itertools.groupby(cards, key=lambda c: 0 if together else c[0]):
        members = list(group)
        at = [ALL_FACES.index(f) for f in faces]
        chances = np.stack([card.probabilities[at] for _, card in members])
        for row, column in zip(*linear_sum_assignment(-np.log(chances + _FLOOR)), strict=True):
            laid.append(Laid(members[row][0], members[row][1], faces[column]))
    return laid


def missing(laid: Sequence[Laid], faces: Sequence[Face]) -> list[Face]:
    """The faces of the deck that no picture showed."""
    return [f for f in faces if f not in {x.face for x in laid}]


def enrol(
    name: str,
    kind: str,
    pictured: Sequence[Pictured],
    laid: Sequence[Laid],
    reader: GlyphReader,
    checksum: str,
    enrolled: str,
) -> EnrolledDeck:
    """Learn a deck from its laid cards. Raises EnrolError."""
    patches, faces, folds = [], [], []
    for card in laid:
        for corner, index in enumerate(card.card.indices):
            patches.append(cut(pictured[card.picture].image, [index.box.top], [index.box.foot])[0])
            faces.append(str(card.face))
            # One picture: what one corner of the cards teaches is tried on the other.
            folds.append(corner % 2 if len(pictured) == 1 else card.picture % 5)
    if not patches:
        raise EnrolError("no card is seen. Take the picture from above, sharp, with the corners visible")
    stack = np.stack(patches)
    try:
        adapter, check = fit(stack, faces, folds, reader)
    except AdapterError as error:
        raise EnrolError(str(error)) from error
    shape = _shape(pictured)
    return EnrolledDeck(
        name, kind, enrolled, checksum, stack, tuple(faces), tuple(folds), shape, adapter, check
    )


def _shape(pictured: Sequence[Pictured]) -> CardShape | None:
    """The deck's card by vote of all its pictures, if any of their cards shows two indices."""
    belief = Belief(CardShape())
    for shown in pictured:
        reads = [index for card in shown.cards for index in card.indices]
        if reads:
            belief = learn(place(reads), belief)
    return belief.shape if belief.pairs >= _VOTES else None


def inks(deck: EnrolledDeck) -> dict[Suit, str]:
    """The colour of each suit's print as photographed, "#rrggbb": the darkest tenth of its indices."""
    found: dict[Suit, str] = {}
    for suit in SUITS:
        rows = [n for n, name in enumerate(deck.faces) if name[1] == suit]
        if rows:
            pixels = deck.patches[rows, 12:-12, 8:-8].reshape(-1, 3)
            dark = pixels[np.argsort(pixels.sum(1, dtype=np.int32))[: len(pixels) // 10]]
            found[suit] = "#{2:02x}{1:02x}{0:02x}".format(*np.median(dark, axis=0).astype(int))
    return found


def save(deck: EnrolledDeck, path: Path) -> None:
    """Write a deck as .npz. Raises OSError."""
    about = {
        "version": VERSION,
        "name": deck.name,
        "kind": deck.kind,
        "enrolled": deck.enrolled,
        "reader": deck.reader,
        "faces": deck.faces,
        "folds": deck.folds,
        "shape": asdict(deck.shape) if deck.shape else None,
        "check": asdict(deck.check),
        "weight": deck.adapter.weight,
    }
    arrays = {
        f"{which}_{column}": values
        for which in ("ranks", "suits")
        for column, values in getattr(deck.adapter, which)._asdict().items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("wb") as file:
        np.savez_compressed(file, about=np.array(json.dumps(about)), patches=deck.patches, **arrays)
    draft.replace(path)


def load(path: Path) -> EnrolledDeck:
    """Read a deck that `save` wrote. Raises EnrolError."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
        about: dict[str, Any] = json.loads(str(arrays["about"]))
    except FileNotFoundError:
        raise EnrolError(f"no such deck: {path}. Enrol it with `bookwatch deck enrol`") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise EnrolError(f"{path} is no enrolled deck ({error}). Enrol it again") from error
    if about.get("version") != VERSION:
        raise EnrolError(
            f"{path} is of another version of Bookwatch ({about.get('version')}). Enrol the deck again"
        )
    try:
        ranks, suits = (
            Discriminant(*(arrays[f"{which}_{column}"] for column in Discriminant._fields))
            for which in ("ranks", "suits")
        )
        return EnrolledDeck(
            about["name"], about["kind"], about["enrolled"], about["reader"],
            arrays["patches"], tuple(about["faces"]), tuple(about["folds"]),
            CardShape(**about["shape"]) if about["shape"] else None,
            Adapter(ranks, suits, about["weight"]), Check(**about["check"]),
        )  # fmt: skip
    except (KeyError, TypeError) as error:
        raise EnrolError(f"{path} is no whole enrolled deck ({error}). Enrol it again") from error


def faces_told(text: str) -> list[Face]:
    """Faces from words such as "AS TS KS". Raises CardError and EnrolError."""
    found = [face(word) for word in text.replace(",", " ").split()]
    if not found:
        raise EnrolError('tell the faces as in "AS TS KS"')
    return found
