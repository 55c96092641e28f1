"""`bookwatch read` and `bookwatch meld`: what lies in a photograph, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import cv2

from device import report
from device.calibration import table_of
from device.cameras import is_black, read_picture
from device.commands.common import Progress, command, print_error, print_json, write_file
from device.config import Settings
from device.decks import card_reader, chosen
from device.errors import UserError
from device.photo import UNSURE
from engine import meld as melding
from engine import rules as rulesets
from engine.cards import SUIT_NAMES, SUITS, Suit
from engine.rules import RuleSet
from vision.annotate import annotated
from vision.melds import Group, by_place, by_seat
from vision.types import CLASSES, CardSeen, Image

DECK_HELP = (
    "The deck in play: double, single, any (52 faces), or an enrolled deck's name; "
    "by default the one chosen on the set-up page, else [game.deck]."
)


def _photo(path: Path) -> Image:
    image = read_picture(path)
    if is_black(image):
        raise UserError(
            "the picture is black", where=str(path), do="Uncover the lens or switch the light on."
        )
    return image


def _points(points: Any) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]


def card_json(card: CardSeen) -> dict[str, Any]:
    """A card for machines: faces, probabilities, polygon and indices in pixels of the picture."""
    second, second_probability = card.second
    return {
        "face": str(card.face),
        "probability": round(card.probability, 4),
        "second": str(second),
        "second_probability": round(second_probability, 4),
        "foreign": card.foreign,
        "polygon": _points(card.polygon),
        "indices": [
            {
                "read": CLASSES[int(index.probabilities.argmax())],
                "probability": round(float(index.probabilities.max()), 4),
                "top": _points([index.box.top])[0],
                "foot": _points([index.box.foot])[0],
                "score": round(index.box.score, 4),
            }
            for index in card.indices
        ],
    }


def card_line(card: CardSeen) -> str:
    x, y = card.center
    second, second_probability = card.second
    doubt = f"  or {second} {second_probability:.2f}" if card.probability < UNSURE else ""
    note = "  not of this deck" if card.foreign else ""
    return f"  {card.face}  {card.probability:.2f}  at {x:.0f}, {y:.0f}{doubt}{note}"


@click.command()
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--deck", help=DECK_HELP)
@click.option(
    "--annotate", type=click.Path(file_okay=False, path_type=Path), help="Folder for marked pictures."
)
@command
@click.pass_obj
def read(
    settings: Settings, photos: Sequence[Path], deck: str | None, annotate: Path | None, as_json: bool
) -> None:
    """Read every card that shows an index in PHOTOS.

    With --json: one object a photo and line, with each card's face, probability, second-best face,
    polygon and indices in pixels.
    """
    reader = card_reader(chosen(settings, deck))
    progress = Progress("photographs", len(photos))
    worst = 0
    for number, path in enumerate(photos, 1):
        try:
            image = _photo(path)
        except UserError as error:  # the others are read all the same
            worst = print_error(error, as_json)
            continue
        cards = reader.read(image)
        progress.clear()
        if annotate is not None:
            annotate.mkdir(parents=True, exist_ok=True)
            _write_picture(annotate / f"{path.stem}.read.jpg", annotated(image, cards))
        if as_json:
            height, width = image.shape[:2]
            print_json(
                {"photo": str(path), "width": width, "height": height, "cards": [card_json(c) for c in cards]}
            )
        else:
            click.echo(f"{path}: {len(cards)} cards")
            for card in cards:
                click.echo(card_line(card))
        progress.step(number)
    progress.clear()
    if worst:
        click.get_current_context().exit(worst)


def _write_picture(path: Path, image: Image) -> None:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])
    write_file(path, data.tobytes())


def _groups(cards: list[CardSeen], players: str, settings: Settings, image: Image) -> list[Group]:
    if players == "heaps":
        return by_place(cards)
    if players == "seats":
        table = table_of(settings, (image.shape[1], image.shape[0]))
        if table is None:
            raise UserError(
                "the seats are not known: the table is not calibrated",
                where="table.corners",
                do="Set it (docs/configuration.md), or use --players one or heaps.",
            )
        return by_seat(cards, table)
    return [Group("all", None, tuple(cards))]


def _count_json(group: Group, trump: Suit | None, rules: RuleSet) -> dict[str, Any]:
    counted = melding.count(group.faces, trump, rules)
    return {
        "player": group.name,
        "cards": [str(face) for face in group.faces],
        "total": counted.total,
        "groups": [
            {
                "kind": g.kind,
                "sets": g.sets,
                "value": g.value,
                "cards": [str(f) for f in g.cards],
                "clauses": g.clauses,
            }
            for g in counted.groups
        ],
        "total_by_trump": {suit: melding.count(group.faces, suit, rules).total for suit in SUITS},
        "unsure": [card_json(card) for card in group.cards if card.foreign or card.probability < UNSURE],
    }


def _show(count: dict[str, Any], trump: Suit | None, several: bool) -> None:
    head = f"Player {count['player']}: " if several else ""
    named = f" with {SUIT_NAMES[trump]} trump" if trump else " without a trump (no run, no royal marriage)"
    click.echo(f"{head}{count['total']} meld{named}, {len(count['cards'])} cards")
    for group in count["groups"]:
        times = f"{group['sets']} x " if group["sets"] > 1 else ""
        click.echo(
            f"  {group['value']:4}  {times}{report.kind_name(group['kind'])}: {' '.join(group['cards'])}"
        )
    if trump is None:
        totals = ", ".join(f"{SUIT_NAMES[suit]} {total}" for suit, total in count["total_by_trump"].items())
        click.echo(f"  with trump: {totals}")
    for card in count["unsure"]:
        why = "not of this deck, left out" if card["foreign"] else f"or {card['second']}: please check"
        click.echo(f"  unsure: {card['face']} {card['probability']:.2f} ({why})")


@click.command()
@click.argument("photo", type=click.Path(path_type=Path))
@click.option("--trump", type=click.Choice(SUITS, case_sensitive=False), help="The trump suit.")
@click.option("--ruleset", help="Rule set whose meld table counts. [game.ruleset]")
@click.option(
    "--players",
    type=click.Choice(["one", "heaps", "seats"]),
    default="one",
    show_default=True,
    help="Whose cards: all one player's; each heap a player's; or by the calibrated table's seats.",
)
@click.option(
    "--picture", type=click.Path(dir_okay=False, path_type=Path), help="Where the marked picture goes."
)
@click.option("--no-picture", is_flag=True, help="Write no marked picture.")
@click.option("--deck", help=DECK_HELP)
@command
@click.pass_obj
def meld(
    settings: Settings,
    photo: Path,
    trump: Suit | None,
    ruleset: str | None,
    players: str,
    picture: Path | None,
    no_picture: bool,
    deck: str | None,
    as_json: bool,
) -> None:
    """Count the meld in PHOTO, group by group.

    A picture with every card marked as it was read is written to PHOTO.meld.jpg in the current folder.
    """
    rules = rulesets.load(ruleset or settings.game.ruleset)
    image = _photo(photo)
    cards = card_reader(chosen(settings, deck)).read(image)
    if not cards:
        raise UserError(
            "no card was found",
            where=str(photo),
            do="Take the picture from above, sharp, with the corners of the cards visible.",
        )
    groups = _groups(cards, players, settings, image)
    counts = [_count_json(group, trump, rules) for group in groups]
    marked = None if no_picture else picture or Path(f"{photo.stem}.meld.jpg")
    if marked is not None:
        _write_picture(marked, annotated(image, cards, groups if players != "one" else ()))
    if as_json:
        print_json(
            {
                "photo": str(photo),
                "ruleset": rules.name,
                "trump": trump,
                "players": counts,
                "picture": str(marked) if marked else None,
            }
        )
        return
    for count in counts:
        _show(count, trump, several=players != "one")
    if marked:
        click.echo(f"Marked picture: {marked}")
