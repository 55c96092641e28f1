"""Enrolled decks: where they are kept, which one is in play, and the eye for it."""

from __future__ import annotations

import hashlib
import logging
import os
import re
from dataclasses import replace
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
from vision.enrol import EnrolError, EnrolledDeck
from vision.glyphs import load_reader
from vision.table import Table
from vision.weights import locate

ANY = "any"
KINDS = (*DECKS, ANY)
"""Decks that need no enrolment; `any` is all 52 faces."""
SUFFIX = ".npz"
IN_PLAY = "in-play"
"""File of the decks' folder that names the deck chosen on the set-up page; none where none is."""
log = logging.getLogger(__name__)
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
    """What --deck says: a kind, or an enrolled deck; None: all 52 faces.

    Without it the deck chosen on the set-up page, else as configured. Raises UserError and EnrolError.
    """
    if name is None and (name := in_play(settings)):
        return playable(settings, name)
    name = name or settings.game.deck
    return DECKS.get(name) if name in KINDS else load(settings, name)


def in_play(settings: Settings) -> str | None:
    """The name of the enrolled deck chosen on the set-up page; None: cards are read as any others."""
    try:
        return (folder(settings) / IN_PLAY).read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UserError(
            f"the chosen deck cannot be told ({error})",
            where=str(folder(settings) / IN_PLAY),
            do="Choose it again on the set-up page.",
        ) from error


def choose(settings: Settings, name: str | None) -> None:
    """Reads with an enrolled deck from now on; None: with none. Raises UserError, EnrolError and OSError."""
    file = folder(settings) / IN_PLAY
    if name is None:
        file.unlink(missing_ok=True)
        return
    playable(settings, name)
    draft = file.with_name(f".{IN_PLAY}.draft")
    draft.write_text(name + "\n", encoding="utf-8")
    os.replace(draft, file)


def delete(settings: Settings, name: str) -> None:
    """Deletes an enrolled deck's file; if it was chosen, cards are read with none from now on.

    Raises UserError and OSError.
    """
    file = folder(settings) / f"{checked_name(name)}{SUFFIX}"
    if not file.is_file():
        raise UserError(f"no deck is called {name!r}", do="Load the page again: it may be deleted already.")
    if in_play(settings) == name:
        choose(settings, None)
    file.unlink(missing_ok=True)


def playable(settings: Settings, name: str) -> EnrolledDeck:
    """An enrolled deck with the faces that are played here. Raises UserError and EnrolError."""
    found, kind = load(settings, checked_name(name)), settings.game.deck
    if found.kind not in (kind, ANY):
        raise UserError(
            f"{name} is a {found.kind} deck, but a {kind} deck is played here",
            do="Choose another deck on the set-up page.",
        )
    return replace(found, kind=kind)


def reader_in_play(settings: Settings) -> CardReader:
    """The eye for the chosen deck, or the common one if that deck cannot be used. Raises ModelError."""
    try:
        return card_reader(chosen(settings, None))
    except (UserError, EnrolError) as error:
        log.error("cards are read without the chosen deck: %s", error)
        return card_reader(DECKS[settings.game.deck])


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
