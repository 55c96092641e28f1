"""`bookwatch deck`: enrol a deck by laying each face once, list decks, show one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from device import decks
from device.cameras import PICTURE_SUFFIXES, is_black, read_picture
from device.commands.common import Progress, command, print_json
from device.config import Settings
from device.errors import UserError
from engine.cards import ALL_FACES, SUIT_NAMES, SUITS, Face
from engine.deck import DECKS
from vision import enrol as enrolling
from vision.adapter import HEIGHTS, Check
from vision.cards import CardReader
from vision.detector import load_finder
from vision.enrol import EnrolledDeck, Laid
from vision.glyphs import load_reader
from vision.types import Image


@click.group("deck")
def deck() -> None:
    """Decks the eye has learnt: lay each face once, and it reads that deck more surely."""


@deck.command()
@click.argument("pictures", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--name", required=True, help="What to call the deck.")
@click.option("--kind", type=click.Choice(decks.KINDS), help="Its faces; `any` is all 52. [game.deck]")
@click.option(
    "--faces", help='The faces as they lie, row by row from the upper left, "AS TS KS"; else they are read.'
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File to keep it in instead.")
@command
@click.pass_obj
def enrol(
    settings: Settings,
    pictures: Sequence[Path],
    name: str,
    kind: str | None,
    faces: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Learn a deck from PICTURES in which each of its faces is laid once.

    PICTURES: one of all faces in rows, or several, or a folder. Lay the cards apart, all corners free, and
    take the picture from above. What was learnt is tried on the same pictures, made small, blurred and
    crooked, and is used only if it reads more of them right. Use it afterwards with --deck NAME.
    """
    kind = kind or settings.game.deck
    path = out or decks.folder(settings) / f"{decks.checked_name(name)}{decks.SUFFIX}"
    of_kind = DECKS[kind].faces if kind in DECKS else ALL_FACES
    told = enrolling.faces_told(faces) if faces else None
    if told and (strange := [str(f) for f in told if f not in of_kind]):
        raise UserError(
            f"a {kind} deck has no {strange[0]}",
            where="--faces",
            do="Choose another --kind, or mend the list.",
        )
    started = time.monotonic()
    reader = load_reader()
    eye, progress = CardReader(load_finder(), reader, DECKS.get(kind)), Progress("pictures")
    shown = []
    for number, picture in enumerate(_files(pictures), 1):
        shown += enrolling.look(eye, [_image(picture)])
        progress.step(number)
    progress.clear()
    laid = enrolling.told(shown, told) if told else enrolling.recognised(shown, of_kind)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = enrolling.enrol(name, kind, shown, laid, reader, decks.reader_checksum(), now)
    try:
        enrolling.save(made, path)
    except OSError as error:
        raise UserError(
            f"the deck cannot be kept: {error.strerror or error}", where=str(path), do="Name another --out."
        ) from error
    missing = enrolling.missing(laid, of_kind) if kind in DECKS else []
    seconds = time.monotonic() - started
    if as_json:
        doubted = [
            {"face": str(x.face), "read": str(x.read), "probability": round(x.probability, 4)}
            for x in laid
            if x.doubted
        ]
        faces_missing = [str(f) for f in missing]
        print_json(
            _facts(made, path) | {"missing": faces_missing, "doubted": doubted, "seconds": round(seconds, 1)}
        )
        return
    _say_laid(made, laid, missing, len(shown))
    _say_check(made.check)
    click.echo(f"Learnt in {seconds:.0f} s and kept in {path}.")
    click.echo(f"Use it with: bookwatch watch --deck {out or name}")


@deck.command("list")
@command
@click.pass_obj
def list_(settings: Settings, as_json: bool) -> None:
    """Name every enrolled deck."""
    found = [(enrolling.load(path), path) for path in decks.enrolled(settings)]
    if as_json:
        print_json([_facts(one, path) for one, path in found])
        return
    for one, _ in found:
        click.echo(f"{one.name:16} {one.kind:7} {len(set(one.faces))} faces, enrolled {one.enrolled}")
    if not found:
        click.echo("No deck is enrolled: bookwatch deck enrol PICTURE --name NAME")


@deck.command()
@click.argument("name")
@command
@click.pass_obj
def show(settings: Settings, name: str, as_json: bool) -> None:
    """Show what was learnt of deck NAME (or of a file ending in .npz)."""
    found = decks.load(settings, name)
    if as_json:
        print_json(_facts(found, Path(name)))
        return
    click.echo(f"{found.name}: {found.kind} deck, enrolled {found.enrolled}")
    click.echo(f"{len(set(found.faces))} faces, {len(found.faces)} indices: {' '.join(_order(found))}")
    if found.shape:
        corners = "all four corners" if found.shape.four_indices else "two corners"
        click.echo(f"An index is {found.shape.index_height:.0f} mm high and stands in {corners}.")
    inks = ", ".join(f"{SUIT_NAMES[s]} {colour}" for s, colour in enrolling.inks(found).items())
    click.echo(f"Inks as photographed: {inks}")
    _say_check(found.check)


def _files(pictures: Sequence[Path]) -> list[Path]:
    """Pictures, with folders opened. Raises UserError."""
    found: list[Path] = []
    for picture in pictures:
        if picture.is_dir():
            inside = sorted(p for p in picture.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES)
            if not inside:
                raise UserError("no picture is in this folder", where=str(picture), do="Name another.")
            found += inside
        else:
            found.append(picture)
    return found


def _image(path: Path) -> Image:
    image = read_picture(path)
    if is_black(image):
        raise UserError(
            "the picture is black", where=str(path), do="Uncover the lens or switch the light on."
        )
    return image


def _order(found: EnrolledDeck) -> list[str]:
    return [str(f) for f in sorted({*found.faces}, key=lambda n: [str(f) for f in ALL_FACES].index(n))]


def _facts(found: EnrolledDeck, path: Path) -> dict[str, Any]:
    return {
        "name": found.name,
        "kind": found.kind,
        "enrolled": found.enrolled,
        "file": str(path),
        "faces": _order(found),
        "indices": len(found.faces),
        "index_mm": round(found.shape.index_height, 1) if found.shape else None,
        "four_indices": found.shape.four_indices if found.shape else None,
        "inks": {suit: enrolling.inks(found).get(suit) for suit in SUITS},
        "check": asdict(found.check),
    }


def _say_laid(made: EnrolledDeck, laid: Sequence[Laid], missing: Sequence[Face], pictures: int) -> None:
    where = "1 picture" if pictures == 1 else f"{pictures} pictures"
    click.echo(f"{made.name}: {len({x.face for x in laid})} faces, {len(made.faces)} indices in {where}")
    if missing:
        click.echo(f"  missing: {' '.join(map(str, missing))} (read as well as without enrolment)")
    for card in laid:
        if card.doubted:
            x, y = card.card.center
            other = "" if card.read == card.face else f", the eye says {card.read}"
            click.echo(f"  doubted: {card.face} at {x:.0f}, {y:.0f}{other}; if wrong, tell --faces")


def _say_check(check: Check) -> None:
    click.echo(
        f"Tried on {check.indices} indices held out in turn, cut {check.trials // check.indices} times each, "
        f"{HEIGHTS[0]:.0f} to {HEIGHTS[1]:.0f} pixels high, blurred and crooked:"
    )
    click.echo(
        f"  {check.before:.1%} read right without enrolment, {check.after:.1%} with it "
        f"(as photographed: {check.plain_before:.1%} and {check.plain_after:.1%})."
    )
    if check.weight == 0:
        click.echo("  It would gain nothing, so the reader stays as it is for this deck.")
