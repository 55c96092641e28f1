"""What the director enters: corrections, calls, rulings. Each is one more event, and so is undoing it."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from engine.cards import SEATS, TEAMS, CardError, Face, face
from engine.events import CardExposed, CardLaid, Corrected, MeldLaid, RenegeCalled, RulingMade, Undone, What
from webui.claims import KIND_WORDS
from webui.desk import Judged, desk
from webui.roles import only_for
from webui.trail import trail

blueprint = Blueprint("entries", __name__, url_prefix="/director/hands")
only_for("director", blueprint)

WHY_MAX = 300
OUTCOMES = ("confirmed", "denied", "cannot_tell")


@blueprint.post("/<hand>/corrections")
def correct(hand: str) -> Response:
    """One change to one card of the record."""
    return enter(hand, _correction, "books")


@blueprint.post("/<hand>/rulings")
def rule(hand: str) -> Response:
    """The decision on a flag's card, or on the last call where no card is given."""
    return enter(hand, _ruling, "flags" if request.form.get("card") else "call")


@blueprint.post("/<hand>/calls")
def call(hand: str) -> Response:
    """A player's call of a renege, in the caller's own terms."""
    return enter(hand, _call, "call")


@blueprint.post("/<hand>/undo")
def undo(hand: str) -> Response:
    """Takes back what a person entered."""
    return enter(hand, _undoing, "trail")


def _ruling(judged: Judged) -> RulingMade:
    card = request.form.get("card") or None
    outcome = request.form.get("outcome", "")
    if outcome not in OUTCOMES:
        abort(400, "A ruling is confirmed, denied, or cannot tell.")
    if card is None and not judged.state.calls:
        abort(400, "Nobody has called: there is nothing to rule on without a card.")
    if card is not None:
        _known(judged, card)
    disordered = request.form.get("disordered") or None
    if disordered is not None and (disordered not in TEAMS or card is not None):
        abort(400, "Books out of order are those of one team, and matter for a call.")
    return RulingMade(outcome, card, _why(), disordered)  # type: ignore[arg-type]


def _call(judged: Judged) -> RenegeCalled:
    form = request.form
    by, against, kind = form.get("by"), form.get("against"), form.get("kind", "")
    if by not in SEATS or against not in SEATS or by == against:
        abort(400, "Say who calls and on whom.")
    if kind not in KIND_WORDS:
        abort(400, "Say what kind of renege is called.")
    book = _book(judged, form.get("book", "").strip())
    cards = tuple(face_named(judged, text) for text in form.getlist("named")[:2] if text)
    return RenegeCalled(by, against, KIND_WORDS[kind], cards, book)


def _undoing(judged: Judged) -> Undone:
    number = request.form.get("entry", type=int)
    found = next((e for e in trail(judged.events) if e.seq == number), None)
    if number is None or found is None or found.undone:
        abort(400, "There is no such entry to undo. Go back and load the page again.")
    return Undone(number, _why())


def _cards(judged: Judged) -> set[str]:
    return {e.what.card for e in judged.events if isinstance(e.what, CardLaid | MeldLaid | CardExposed)}


def _known(judged: Judged, card: str) -> None:
    if card not in _cards(judged):
        abort(400, f"The record of this hand has no card “{card}”. Go back and load the page again.")


def _why() -> str:
    return " ".join(request.form.get("why", "").split())[:WHY_MAX]


def _correction(judged: Judged) -> Corrected:
    form, why = request.form, _why()
    card = form.get("card", "")
    _known(judged, card)
    match form.get("change"):
        case "face":
            return Corrected(card, face=face_named(judged, form.get("face", "")), why=why)
        case "seat" if form.get("seat") in SEATS:
            return Corrected(card, seat=form["seat"], why=why)  # type: ignore[arg-type]
        case "before" if form.get("before") in _cards(judged) - {card}:
            return Corrected(card, before=form["before"], why=why)
        case "withdrawn":
            return Corrected(card, withdrawn=True, why=why)
        case _:
            raise BadRequest("Say what is wrong: the card, its player, its place, or that it was never laid.")


def _book(judged: Judged, text: str) -> int | None:
    """The number of a book; None where none was named."""
    if not text:
        return None
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
    if not 1 <= number <= judged.state.deck.size // 4:
        abort(400, f"There is no book “{text[:20]}” in a hand.")
    return number


def face_named(judged: Judged, text: str) -> Face:
    """The card that a form names, of the hand's deck."""
    try:
        named = face(text)
    except CardError as error:
        abort(400, str(error))
    if named not in judged.state.deck.faces:
        abort(400, f"There is no {named.name} in a {judged.state.deck.name} deck.")
    return named


def enter(hand: str, said: Callable[[Judged], What], then: str) -> Response:
    """Records what the form says of the hand as it stands, and goes to the page's part `then`."""
    entered = desk().once.take(lambda: _record(hand, said))
    book = request.form.get("book", type=int)
    return redirect(url_for("director.hand", hand=hand, book=book, after=entered, _anchor=then), 303)


def _record(hand: str, said: Callable[[Judged], What]) -> int:
    """The number of the event."""
    judged, writer = desk().hand(hand), desk().writer
    if judged is None:
        abort(404, f"There is no hand called “{hand}”.")
    what = said(judged)
    if writer is None:
        abort(403, "This dashboard only reads: it was started without the right to write the record.")
    try:
        return desk().record(writer, hand, what, "director").seq
    except LookupError:
        abort(404, f"The folder of the hand “{hand}” is gone.")
    except OSError as error:
        abort(
            503, f"Nothing was recorded: {error.strerror or error}. Make room on the disk and enter it again."
        )
