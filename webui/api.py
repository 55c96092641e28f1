"""The JSON API, version 1: for everybody what the players' pages show, for the director all of it."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, abort, jsonify, render_template, url_for

from engine import notation
from webui import claims, openapi, proof, public
from webui.desk import desk
from webui.roles import only_for

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")
director_blueprint = Blueprint("director_api", __name__, url_prefix="/director/api/v1")
only_for("director", director_blueprint)


@blueprint.get("/")
def page() -> str:
    return render_template("api.html", document=openapi.public_document("1"), machine=url_for("api.document"))


@blueprint.get("/openapi.json")
def document() -> Any:
    return jsonify(openapi.public_document("1"))


@director_blueprint.get("/")
def director_page() -> str:
    machine = url_for("director_api.director_document")
    return render_template("api.html", document=openapi.director_document("1"), machine=machine)


@director_blueprint.get("/openapi.json")
def director_document() -> Any:
    return jsonify(openapi.director_document("1"))


@blueprint.get("/table", defaults={"table": None})
@blueprint.get("/table/<table>")
def table(table: str | None) -> Any:
    """The hand on the table as everybody may see it, and the age of that."""
    judged = desk().current(table)
    if judged is None:
        abort(404, "No hand has been recorded at this table.")
    return jsonify(**public.as_json(public.project(judged)), sight=public.beat(desk(), table))


@director_blueprint.get("/hands")
def hands() -> Any:
    return jsonify(hands=[proof.hand_json(row) for row in proof.worst_first(desk().hands())])


@director_blueprint.get("/hands/<hand>")
def hand(hand: str) -> Any:
    judged = desk().hand(hand)
    if judged is None:
        abort(404, f"There is no hand called “{hand}”.")
    flags = [proof.flag_json(f) for f in proof.flags_of(judged)]
    calls = judged.state.calls
    last = claims.claim_json(claims.claim(judged, calls[-1])) if calls else None
    return jsonify(**proof.hand_json(proof.row(judged)), flags=flags, call=last)


@director_blueprint.get("/hands/<hand>/events")
def events(hand: str) -> Any:
    """The record itself, in the form of the hand's log."""
    found = desk().source.events(hand)
    if not found:
        abort(404, f"There is no hand called “{hand}”.")
    return jsonify(events=[json.loads(notation.event_to_json(e)) for e in found])
