"""What the director enters: corrections of the record and rulings. Each is one more event; none is undone."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from engine.cards import SEATS, CardError, Face, face
from engine.events import CardExposed, CardLaid, Corrected, MeldLaid, RulingMade, What
from webui.desk import Judged, desk
from webui.roles import only_for

blueprint = Blueprint("entries", __name__, url_prefix="/director/hands")
only_for("director", blueprint)

WHY_MAX = 300
OUTCOMES = ("confirmed", "denied", "cannot_tell")


@blueprint.post("/<hand>/corrections")
def correct(hand: str) -> Response:
    """One change to one card of the record."""
    judged = _judged(hand)
    card = request.form.get("card", "")
    if card not in _cards(judged):
        abort(400, f"The record of this hand has no card “{card}”. Go back and load the page again.")
    return _enter(hand, _correction(judged, card), "books")


@blueprint.post("/<hand>/rulings")
def rule(hand: str) -> Response:
    """The decision on a flag's card, or on the last call where no card is given."""
    judged = _judged(hand)
    card = request.form.get("card") or None
    outcome = request.form.get("outcome", "")
    if outcome not in OUTCOMES:
        abort(400, "A ruling is confirmed, denied, or cannot tell.")
    if card is None and not judged.state.calls:
        abort(400, "Nobody has called: there is nothing to rule on without a card.")
    if card is not None and card not in _cards(judged):
        abort(400, f"The record of this hand has no card “{card}”. Go back and load the page again.")
    return _enter(hand, RulingMade(outcome, card, _why()), "flags")  # type: ignore[arg-type]


def _judged(hand: str) -> Judged:
    judged = desk().hand(hand)
    if judged is None:
        abort(404, f"There is no hand called “{hand}”.")
    return judged


def _cards(judged: Judged) -> set[str]:
    return {e.what.card for e in judged.events if isinstance(e.what, CardLaid | MeldLaid | CardExposed)}


def _why() -> str:
    return " ".join(request.form.get("why", "").split())[:WHY_MAX]


def _correction(judged: Judged, card: str) -> Corrected:
    form, why = request.form, _why()
    match form.get("change"):
        case "face":
            return Corrected(card, face=_face(judged, form.get("face", "")), why=why)
        case "seat" if form.get("seat") in SEATS:
            return Corrected(card, seat=form["seat"], why=why)  # type: ignore[arg-type]
        case "before" if form.get("before") in _cards(judged) - {card}:
            return Corrected(card, before=form["before"], why=why)
        case "withdrawn":
            return Corrected(card, withdrawn=True, why=why)
        case _:
            raise BadRequest("Say what is wrong: the card, its player, its place, or that it was never laid.")


def _face(judged: Judged, text: str) -> Face:
    try:
        named = face(text)
    except CardError as error:
        abort(400, str(error))
    if named not in judged.state.deck.faces:
        abort(400, f"There is no {named.name} in a {judged.state.deck.name} deck.")
    return named


def _enter(hand: str, what: What, then: str) -> Response:
    writer = desk().writer
    if writer is None:
        abort(403, "This dashboard only reads: it was started without the right to write the record.")
    try:
        event = writer.append(hand, what, "director")
    except LookupError:
        abort(404, f"The folder of the hand “{hand}” is gone.")
    except OSError as error:
        abort(
            503, f"Nothing was recorded: {error.strerror or error}. Make room on the disk and enter it again."
        )
    book = request.form.get("book", type=int)
    return redirect(url_for("director.hand", hand=hand, book=book, after=event.seq, _anchor=then), 303)
