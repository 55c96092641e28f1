"""The dashboard: `create_app` puts the blueprints, one per audience, over a source of hands."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from flask import Flask, jsonify, render_template, request, url_for
from werkzeug.exceptions import HTTPException

from device.config import Settings
from device.decks import reader_in_play
from device.photo import OneAtATime
from device.viewfinder import Viewfinder
from engine import rules
from engine.cards import SEAT_NAMES, SEATS, SUIT_NAMES
from engine.deck import DECKS
from webui import (
    api,
    audit,
    casual,
    director,
    enrolment,
    entries,
    health,
    history,
    live,
    metrics,
    players,
    rounds,
    scorekeeper,
    setup,
    signin,
    site,
)
from webui.auditview import Audits
from webui.desk import Desk
from webui.limit import Limiter
from webui.names import TEAM_NAMES
from webui.roles import Keys, Refused, refuse_guesses, template_words
from webui.security import protect
from webui.source import Source
from webui.streams import OF_ONE, Streams
from webui.writing import Writer


def create_app(
    source: Source,
    *,
    writer: Writer | None = None,
    keys: Keys | None = None,
    settings: Settings | None = None,
    threshold: float = 0.95,
    source_url: str | None = None,
    beat_seconds: float = 2.0,
    streams_of_one: int = OF_ONE,
) -> Flask:
    """The WSGI application.

    writer: takes what people enter; without one the record is read-only. keys: PINs and the key of
    sessions; without any, all but the table screen is for this machine alone. settings: the machine's, for
    what reads pictures and for setting its camera up, which is not offered without. threshold: probability
    from which a renege counts as proven. source_url: where the running version's source is (AGPL
    section 13); by default this server packs its own files. beat_seconds: pause between heartbeats.
    streams_of_one: players' live streams that one address may hold.
    """
    app = Flask(__name__)
    app.config.update(
        BOOKWATCH_KEYS=keys or Keys.none(),
        BOOKWATCH_LIMITER=Limiter(),
        BOOKWATCH_STREAMS=Streams(streams_of_one),
        BOOKWATCH_BEAT=beat_seconds,
        MAX_CONTENT_LENGTH=64 * 1024,
        BOOKWATCH_UPLOADS=dict.fromkeys(("/meld/", audit.PATH, enrolment.PATH), casual.BODY_MAX),
        SEND_FILE_MAX_AGE_DEFAULT=365 * 24 * 3600,
        SESSION_COOKIE_NAME="bookwatch",
        SESSION_COOKIE_SAMESITE="Strict",
        PERMANENT_SESSION_LIFETIME=12 * 3600,
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.secret_key = app.config["BOOKWATCH_KEYS"].secret
    app.extensions["bookwatch"] = Desk(source, threshold=threshold, writer=writer)
    game = (settings or Settings()).game
    photos = OneAtATime(DECKS[game.deck], lambda _: reader_in_play(settings or Settings()))
    guests = casual.Casual(photos, rules.load(game.ruleset))
    app.extensions["bookwatch_casual"] = guests
    if settings:
        viewfinder = Viewfinder(settings)
        guests.camera = casual.TableCamera(settings, viewfinder)
        app.extensions["bookwatch_setup"] = setup.SetUp(settings, viewfinder, photos)
    app.extensions["bookwatch_audits"] = Audits()
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        seats=SEATS,
        seat_names=SEAT_NAMES,
        suit_names=SUIT_NAMES,
        team_names=TEAM_NAMES,
        clock_steps=rounds.STEPS,
        version=_version(),
        camera=settings is not None,
        source_url=source_url or "/source.tar.gz",
        static=_Static(app),
        **template_words,
    )
    metrics.measure(app)
    casual.allow_photographs(app)
    protect(app)
    refuse_guesses(app)
    for blueprint in (
        players.blueprint,
        casual.blueprint,
        live.blueprint,
        api.blueprint,
        health.blueprint,
        metrics.blueprint,
        site.blueprint,
        signin.blueprint,
        scorekeeper.blueprint,
        history.blueprint,
        director.blueprint,
        audit.blueprint,
        setup.blueprint,
        enrolment.blueprint,
        entries.blueprint,
        rounds.blueprint,
        live.director_blueprint,
        api.director_blueprint,
    ):
        app.register_blueprint(blueprint)
    app.register_error_handler(HTTPException, _error)
    return app


class _Static:
    """Addresses of static files with a mark of their content, so that browsers may keep them for a year."""

    def __init__(self, app: Flask) -> None:
        self._folder = Path(app.static_folder or "")
        self._marks: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        if name not in self._marks:
            self._marks[name] = hashlib.sha256((self._folder / name).read_bytes()).hexdigest()[:10]
        return url_for("static", filename=name, v=self._marks[name])


def _version() -> str:
    try:
        return version("bookwatch")
    except PackageNotFoundError:  # run from a bare checkout
        return "(unreleased)"


def _error(error: HTTPException) -> Any:
    """One shape for machines, a page for people. A redirect is no error."""
    code = error.code or 500
    if code < 400:
        return error.get_response()
    if request.path.startswith(("/api/", "/director/api/")):
        return jsonify(error={"code": code, "name": error.name, "message": error.description}), code
    sign_in = isinstance(error, Refused) and error.pin_set
    then = request.full_path.rstrip("?") if request.method == "GET" else ""
    page = render_template(
        "error.html", name=error.name, message=error.description, sign_in=sign_in, then=then
    )
    return page, code
