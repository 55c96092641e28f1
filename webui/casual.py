"""The casual page: a photograph of meld, counted group by group. For everybody; nothing to configure."""

from __future__ import annotations

import io
import logging
import math
from dataclasses import dataclass, field
from typing import IO, Any, get_args

from flask import (
    Blueprint,
    Flask,
    Request,
    Response,
    abort,
    current_app,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Redirect

from device.errors import UserError
from device.photo import BYTES_MAX, Busy, OneAtATime, decode
from engine.cards import SUITS, CardError, Face, Suit, face
from engine.rules import RuleSet
from vision.weights import ModelError
from webui.casualcount import Whose, choices, count, unsure, usual
from webui.held import Held, Reading, reading_of
from webui.limit import Limiter

log = logging.getLogger(__name__)
blueprint = Blueprint("casual", __name__, url_prefix="/meld")

UPLOADS = frozenset({"casual.send"})
"""The only forms that may be large."""
BODY_MAX = BYTES_MAX + 64 * 1024


@dataclass(slots=True)
class Casual:
    """What the page works with."""

    photos: OneAtATime
    rules: RuleSet
    held: Held = field(default_factory=Held)
    limiter: Limiter = field(default_factory=lambda: Limiter(most=12, seconds=60.0))


class UploadRequest(Request):
    """Keeps a sent file in memory, so that no photograph of a guest ever touches the disk here."""

    def _get_file_stream(self, *_: Any, **__: Any) -> IO[bytes]:
        return io.BytesIO()


def allow_photographs(app: Flask) -> None:
    """Lets the upload form be larger than others. Call it before anything reads a form."""
    app.request_class = UploadRequest

    @app.before_request
    def _larger() -> None:
        if request.endpoint in UPLOADS:
            request.max_content_length = BODY_MAX


def casual() -> Casual:
    found: Casual = current_app.extensions["bookwatch_casual"]
    return found


@blueprint.get("/")
def page() -> str:
    return _start()


@blueprint.post("/")
def send() -> Response | Redirect:
    """Reads a photograph. Nothing of it is kept but what `Held` holds in memory for a while."""
    address = request.remote_addr or ""
    if wait := casual().limiter.take(address):
        log.warning("too many photographs from %s", address)
        return _refused("That was a lot of photographs.", f"Wait {math.ceil(wait)} seconds.", 429, wait)
    sent = request.files.get("photo")
    try:
        image = decode(sent.read() if sent else b"")
        seen = casual().photos.read(image)
    except UserError as error:
        return _refused(f"{error.what[:1].upper()}{error.what[1:]}.", error.do, 400)
    except Busy as error:
        return _refused(
            "Several photographs are being read just now.", "Try again in a moment.", 429, error.seconds
        )
    except ModelError as error:
        log.error("%s", error)
        return _refused("The card reader of this machine is not ready.", "Tell whoever runs it.", 503)
    return redirect(url_for("casual.reading", photo=casual().held.keep(reading_of(image, seen))), 303)


@blueprint.get("/<photo>")
def reading(photo: str) -> str:
    found = _held(photo)
    trump, whose = _trump(request.args.get("trump")), _whose(request.args.get("whose"), found)
    chosen = found.card(request.args.get("card", 0, type=int))
    counted = count(found, trump, whose, casual().rules)
    group = request.args.get("group", "")
    shown = next((g for p in counted for g in p.groups if g.key == group), None)
    return render_template(
        "casual/reading.html",
        photo=photo,
        reading=found,
        trump=trump,
        whose=whose,
        choices=choices(found),
        counted=counted,
        group=shown,
        unsure=unsure(found),
        card=chosen,
        adding=request.args.get("card") == "new",
        faces=casual().photos.deck.faces,
        rules=casual().rules,
    )


@blueprint.get("/<photo>/picture.jpg")
def picture(photo: str) -> Response:
    return Response(_held(photo).jpeg, mimetype="image/jpeg")


@blueprint.post("/<photo>")
def correct(photo: str) -> Redirect:
    """Somebody's word for a card: what it is, that it does not count, or that one was not found."""
    found = _held(photo)
    said = request.form.get("face", "")
    number = request.form.get("card", 0, type=int)
    if number and found.card(number) is None:
        abort(400, "There is no such card in this picture.")
    if said == "none" and number:
        casual().held.change(photo, lambda r: r.with_face(number, None))
    else:
        named = _face(said)
        casual().held.change(photo, lambda r: r.with_face(number, named) if number else r.with_added(named))
    trump, whose = _trump(request.form.get("trump")), request.form.get("whose") or None
    return redirect(url_for("casual.reading", photo=photo, trump=trump, whose=whose, _anchor="count"), 303)


@blueprint.post("/<photo>/forget")
def forget(photo: str) -> Redirect:
    casual().held.forget(photo)
    return redirect(url_for("casual.page"), 303)


def _start(problem: str = "", do: str = "") -> str:
    return render_template("casual/start.html", problem=problem, do=do, megabytes=BYTES_MAX // 2**20)


def _refused(problem: str, do: str, status: int, wait: float | None = None) -> Response:
    answer = Response(_start(problem, do), status)
    if wait is not None:
        answer.headers["Retry-After"] = str(math.ceil(wait))
    return answer


def _held(photo: str) -> Reading:
    found = casual().held.get(photo)
    if found is None:
        abort(410, "This picture was forgotten, as every picture is after a while. Take it again.")
    return found


def _trump(text: str | None) -> Suit | None:
    return text if text in SUITS else None


def _whose(text: str | None, found: Reading) -> Whose:
    known = choices(found)
    if text in get_args(Whose) and text in known:
        return text
    return usual(found, casual().rules.deal.cards_each)


def _face(text: str) -> Face:
    try:
        named = face(text)
    except CardError as error:
        abort(400, str(error))
    if named not in casual().photos.deck.faces:
        abort(400, f"This deck has no {named.name}.")
    return named
