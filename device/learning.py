"""Learning a deck from one picture, for a page that waits: whole or not at all, in less than a minute."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from device import decks
from device.config import Settings
from device.errors import UserError
from engine.cards import ALL_FACES, Face
from engine.deck import DECKS
from vision import enrol
from vision.cards import CardReader
from vision.detector import load_finder
from vision.enrol import EnrolledDeck, Laid
from vision.glyphs import load_reader
from vision.types import CardSeen, Floats, GlyphReader, Image

SECONDS_MAX, PATIENCE = 45.0, 10.0
"""To learn in, and to wait for the eye before: nobody waits for a page longer than a minute."""
CARDS_MAX = 60
"""In one picture: more than any deck has faces, so they were not laid once each."""
_AT_A_TIME = 64


@dataclass(frozen=True, slots=True)
class Learnt:
    """What one picture taught. missing: faces of the deck that were seen on no card."""

    deck: EnrolledDeck
    image: Image
    laid: tuple[Laid, ...]
    missing: tuple[Face, ...]

    @property
    def doubted(self) -> tuple[Laid, ...]:
        return tuple(x for x in self.laid if x.doubted)

    @property
    def reached(self) -> int:
        """Different faces seen."""
        return len({x.face for x in self.laid})

    @property
    def marked(self) -> list[CardSeen]:
        """The laid cards as they were taken: a doubtful card has the face that was left over for it."""
        return [_taken(x) for x in self.laid]


class InTime:
    """A glyph reader that gives up when its time is over. Raises UserError."""

    def __init__(self, reader: GlyphReader, seconds: float) -> None:
        self._reader = reader
        self._until = time.monotonic() + seconds

    def read(self, patches: Image) -> Floats:
        """In small batches, so that the clock is looked at often."""
        if len(patches) <= _AT_A_TIME:
            return self._batch(patches)
        starts = range(0, len(patches), _AT_A_TIME)
        return np.concatenate([self._batch(patches[n : n + _AT_A_TIME]) for n in starts])

    def _batch(self, patches: Image) -> Floats:
        if time.monotonic() > self._until:
            raise UserError(
                "this machine is too busy to learn a deck just now",
                do="Wait until no hand is watched and nobody counts a meld, and try again.",
            )
        return self._reader.read(patches)


def networks(settings: Settings) -> tuple[CardReader, GlyphReader, str]:
    """The eye for the kind of deck that is played, its reader of indices, that one's checksum.

    Raises ModelError.
    """
    reader = InTime(load_reader(), SECONDS_MAX)
    return CardReader(load_finder(), reader, DECKS[settings.game.deck]), reader, decks.reader_checksum()


def learn(image: Image, settings: Settings) -> Learnt:
    """A deck, without a name yet, from a picture in which each of its faces lies once.

    Raises UserError, EnrolError and ModelError.
    """
    eye, reader, checksum = networks(settings)
    kind = settings.game.deck
    faces = DECKS[kind].faces
    shown = enrol.look(eye, [image])
    if (count := len(shown[0].cards)) > CARDS_MAX:
        raise UserError(
            f"{count} cards are seen", do=f"Lay each of the {len(faces)} faces once, and nothing else."
        )
    laid = enrol.recognised(shown, faces)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = enrol.enrol("", kind, shown, laid, reader, checksum, now)
    return Learnt(made, image, tuple(laid), tuple(enrol.missing(laid, faces)))


def _taken(laid: Laid) -> CardSeen:
    if laid.read == laid.face:
        return laid.card
    p = laid.card.probabilities.copy()
    here, there = ALL_FACES.index(laid.face), ALL_FACES.index(laid.read)
    p[[here, there]] = p[[there, here]]
    return CardSeen(p, laid.card.polygon, laid.card.indices, laid.card.foreign)
