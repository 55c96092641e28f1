"""Enrolled decks: where they are kept, and the eye for the deck in play."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import click

from device import photo
from device.config import Settings
from device.errors import UserError
from engine.deck import DECKS, Deck
from vision import enrol
from vision.adapter import AdaptedReader
from vision.cards import CardReader
from vision.detector import load_finder
from vision.enrol import EnrolledDeck
from vision.glyphs import load_reader
from vision.table import Table
from vision.weights import locate

ANY = "any"
KINDS = (*DECKS, ANY)
"""Decks that need no enrolment; `any` is all 52 faces."""
SUFFIX = ".npz"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def folder(settings: Settings) -> Path:
    return settings.store.folder / "decks"


def checked_name(name: str) -> str:
    """A name that a deck may have. Raises UserError."""
    if not _NAME.fullmatch(name) or name in KINDS:
        raise UserError(
            f"a deck cannot be called {name!r}",
            do=f"Use up to 40 letters, digits, - and _, and none of {', '.join(KINDS)}.",
        )
    return name


def enrolled(settings: Settings) -> list[Path]:
    """The files of all enrolled decks, by name."""
    return sorted(folder(settings).glob(f"*{SUFFIX}"))


def load(settings: Settings, name: str) -> EnrolledDeck:
    """An enrolled deck by its name, or by the path of a file ending in .npz. Raises UserError and EnrolError.

    One that was learnt with other networks is learnt again from its own indices, which takes seconds.
    """
    path = Path(name) if name.endswith(SUFFIX) else folder(settings) / f"{name}{SUFFIX}"
    if not path.is_file():
        known = ", ".join([*KINDS, *(p.stem for p in enrolled(settings))])
        raise UserError(
            f"no deck is called {name!r}",
            do=f"Known: {known}. Enrol one with `bookwatch deck enrol PICTURE --name NAME`.",
        )
    deck = enrol.load(path)
    if deck.reader == reader_checksum():
        return deck
    deck = deck.learnt_again(load_reader(), reader_checksum())
    try:
        enrol.save(deck, path)
    except OSError:  # it is good for this time all the same
        click.echo(f"bookwatch: {path} cannot be renewed for the present networks", err=True)
    return deck


def chosen(settings: Settings, name: str | None) -> Deck | EnrolledDeck | None:
    """What --deck says: a kind, or an enrolled deck; None: all 52 faces. Without it, as configured."""
    name = name or settings.game.deck
    return DECKS.get(name) if name in KINDS else load(settings, name)


def faces_of(deck: Deck | EnrolledDeck | None) -> Deck | None:
    """The kind of a deck, for the mask of faces; None: all 52."""
    return DECKS.get(deck.kind) if isinstance(deck, EnrolledDeck) else deck


def card_reader(deck: Deck | EnrolledDeck | None) -> CardReader:
    """The shipped networks for a deck, with what was learnt of it. Raises ModelError."""
    if not isinstance(deck, EnrolledDeck):
        return photo.card_reader(deck)
    reader = AdaptedReader(load_reader(), deck.adapter)
    return CardReader(load_finder(), reader, faces_of(deck), expected=deck.shape)


def shaped(table: Table, deck: Deck | EnrolledDeck | None) -> Table:
    """The table with the enrolled deck's cards on it."""
    return table.with_card(deck.shape) if isinstance(deck, EnrolledDeck) and deck.shape else table


def reader_checksum() -> str:
    """Of the glyph reader's file, which an enrolled deck belongs to. Raises ModelError."""
    weights = locate("reader")
    known = weights.facts.get("sha256")
    return str(known) if known else hashlib.sha256(weights.file.read_bytes()).hexdigest()
