"""`bookwatch audit`: a team's turned books, photographed one after another, against the record."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from device.cameras import is_black, read_picture
from device.commands.common import command, print_json
from device.commands.judge import rules_for
from device.config import Settings
from device.errors import UserError
from device.handlog import LOG
from device.photo import UNSURE, card_reader
from engine import notation
from engine.bookaudit import compare, taken
from engine.cards import TEAMS, Face, Team
from engine.deck import DECKS
from engine.hand import fold
from vision.cards import CardReader


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.argument("pictures", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--team", type=click.Choice(TEAMS), required=True, help="Whose books are spread.")
@command
@click.pass_obj
def audit(settings: Settings, log: Path, pictures: tuple[Path, ...], team: Team, as_json: bool) -> None:
    """Compare a team's spread books with the hand's LOG, for the director.

    PICTURES show one book each, face up, the team's first book first. Says which books differ in
    their cards, lie out of order, are missing, or are not the team's. Changes nothing in the log.
    """
    path = log / LOG if log.is_dir() else log
    events = notation.read_log(path)
    state = fold(events, rules_for(events, path, None))
    record = taken(state.books, team)
    if not record:
        raise UserError(
            f"the log gives {team} no closed book", where=str(path), do="Name the other team with --team."
        )
    reader = card_reader(DECKS[settings.game.deck])
    spread, unsure = [], []
    for place, picture in enumerate(pictures, 1):
        cards, doubts = _book(picture, reader)
        spread.append(cards)
        unsure += [f"Place {place}: {doubt}" for doubt in doubts]
    differences = compare(record, spread)
    if as_json:
        found = [
            asdict(d) | {"lacking": _names(d.lacking), "foreign": _names(d.foreign), "text": str(d)}
            for d in differences
        ]
        books = [{"number": b.number, "cards": _names(b.cards)} for b in record]
        print_json(
            {
                "team": team,
                "recorded": books,
                "spread": [_names(c) for c in spread],
                "differences": found,
                "unsure": unsure,
            }
        )
        return
    click.echo(f"{team}: {len(record)} books in the record, {len(spread)} spread")
    for difference in differences:
        click.echo(f"  {difference}")
    if not differences:
        click.echo("  Contents and order agree with the record.")
    for line in unsure:
        click.echo(f"  {line}")


def _book(path: Path, reader: CardReader) -> tuple[tuple[Face, ...], list[str]]:
    """The cards in a picture, left to right, and what is doubtful about them."""
    image = read_picture(path)
    if is_black(image):
        raise UserError(
            "the picture is black", where=str(path), do="Uncover the lens or switch the light on."
        )
    cards = sorted(reader.read(image), key=lambda card: card.center[0])
    doubts = []
    if len(cards) != 4:
        doubts.append(f"{len(cards)} cards were read, not 4; look at it, or photograph it again")
    doubts += [
        f"{c.face.name} may be {c.second[0].name} ({c.probability:.2f})"
        for c in cards
        if c.probability < UNSURE
    ]
    return tuple(card.face for card in cards), doubts


def _names(cards: tuple[Face, ...]) -> list[str]:
    return [str(card) for card in cards]
