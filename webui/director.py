"""The director's pages: all tables, worst first; a hand with its proofs, books and meld; pictures."""

from __future__ import annotations

from flask import Blueprint, Response, abort, render_template, request, send_file

from webui import proof, rounds
from webui.desk import desk
from webui.handpage import hand_page
from webui.live import position
from webui.roles import only_for
from webui.sheet import sheet
from webui.trail import changes

blueprint = Blueprint("director", __name__, url_prefix="/director")
only_for("director", blueprint)


@blueprint.get("/")
def hands() -> str:
    here = position(desk(), desk().source.cursor())
    tables = rounds.present(desk())
    return render_template(
        "director/hands.html",
        rows=proof.worst_first(desk().hands()),
        position=here,
        clock_form=rounds.clock_form(desk(), tables) if desk().writer else None,
        clocks={judged.info.hand: rounds.clock_of(desk(), judged) for judged in tables},
    )


@blueprint.get("/hands/<hand>")
def hand(hand: str) -> str:
    here = position(desk(), desk().source.cursor())
    judged = desk().hand(hand)
    if judged is None:
        abort(404, f"There is no hand called “{hand}”.")
    page = hand_page(judged, request.args.get("book", type=int))
    after = request.args.get("after", type=int)
    return render_template(
        "director/hand.html",
        page=page,
        position=here,
        can_write=desk().writer is not None,
        clock=rounds.clock_of(desk(), judged),
        clock_form=rounds.clock_form(desk(), [judged], hand),
        changes=changes(judged, after, desk().threshold) if after else [],
    )


@blueprint.get("/hands/<hand>/sheet")
def ruling_sheet(hand: str) -> str:
    """For printing and signing."""
    judged = desk().hand(hand)
    if judged is None:
        abort(404, f"There is no hand called “{hand}”.")
    return render_template(
        "director/sheet.html", page=hand_page(judged), sheet=sheet(judged), info=judged.info
    )


@blueprint.get("/pictures/<hand>/<path:name>")
def picture(hand: str, name: str) -> Response:
    """An evidence picture that the hand's record names; nothing else of the disk."""
    file = desk().source.picture(hand, name)
    if file is None:
        abort(404, "The record names no such picture, or its file is gone.")
    return send_file(file, mimetype="image/png" if file.suffix.lower() == ".png" else "image/jpeg")
