"""The JSON API, version 1: for everybody what the players' pages show, for the director all of it."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from flask import Blueprint, abort, jsonify, render_template, request, url_for

from engine import notation
from webui import claims, history, openapi, proof, public, rounds
from webui.desk import desk
from webui.historyview import matches, open_cards, past, past_json, replay, replay_json
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
    return jsonify(
        **public.as_json(public.project(judged)),
        sight=public.beat(desk(), table),
        round_clock=rounds.clock_json(rounds.clock_of(desk(), judged), time.time()),
    )


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


@blueprint.get("/history", defaults={"director": False})
@director_blueprint.get("/history", defaults={"director": True})
def past_hands(director: bool) -> Any:
    """Past hands. For everybody the same, whoever asks: a director has an address of their own."""
    wanted = _search({**openapi.SEARCH, **({"rulings": {"enum": ["yes"]}} if director else {})})
    known = (past(judged, director) for judged in history.newest(director))
    return jsonify(hands=[past_json(one) for one in known if matches(one, wanted)])


@blueprint.get("/history/<hand>", defaults={"director": False})
@director_blueprint.get("/history/<hand>", defaults={"director": True})
def past_hand(hand: str, director: bool) -> Any:
    judged = history.past_hand(hand, director)
    shown = replay_json(replay(judged)) if open_cards(judged, director) else None
    return jsonify(**past_json(past(judged, director)), replay=shown)


@blueprint.get("/statistics", defaults={"director": False})
@director_blueprint.get("/statistics", defaults={"director": True})
def statistics(director: bool) -> Any:
    return jsonify(history.all_figures(director))


def _search(known: dict[str, openapi.Schema]) -> dict[str, str]:
    """The query's parameters, held to their schemas: a search that says nothing sensible finds nothing."""
    for name in request.args:
        if name not in known:
            abort(400, f"There is no parameter “{name[:80]}”. Known: {', '.join(known)}.")
    wanted = request.args.to_dict()
    for name, value in wanted.items():
        schema = known[name]
        if (
            value not in schema.get("enum", [value])
            or len(value) > schema.get("maxLength", len(value))
            or not re.fullmatch(schema.get("pattern", "(?s).*"), value)
        ):
            allowed = ", ".join(schema.get("enum", ())) or schema.get("pattern") or "at most 80 letters"
            abort(400, f"{name}: “{value[:80]}” is not allowed. Allowed: {allowed}.")
    return wanted
