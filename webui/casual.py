"""The casual page: a photograph of meld, counted group by group. For everybody; nothing to configure."""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Callable
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

from device.calibration import table_of
from device.config import Settings
from device.errors import UserError
from device.photo import BYTES_MAX, Busy, OneAtATime, decode
from device.viewfinder import View, Viewfinder
from engine.cards import SUITS, CardError, Face, Suit, face
from engine.rules import RuleSet
from vision.table import Table, TableError
from vision.types import Image
from vision.weights import ModelError
from webui.casualcount import Whose, choices, count, unsure, usual
from webui.desk import desk
from webui.held import Held, Reading, reading_of
from webui.limit import Limiter

log = logging.getLogger(__name__)
blueprint = Blueprint("casual", __name__, url_prefix="/meld")

UPLOADS = frozenset({"casual.send", "audit.send", "enrolment.send"})
"""The only forms that may be large."""
BODY_MAX = BYTES_MAX + 64 * 1024


@dataclass(frozen=True, slots=True)
class TableCamera:
    """This machine's own camera."""

    settings: Settings
    viewfinder: Viewfinder

    def free(self) -> bool:
        """Whether guests may look through it: a picture of a game may show what only one player may see."""
        newest = desk().current()
        return not self.viewfinder.watched() and (newest is None or newest.state.ended is not None)

    def table(self, view: View) -> Table | None:
        """The table that it was set up for, if it was for such pictures."""
        try:
            return view.own or table_of(self.settings, view.size)
        except TableError:
            return None


@dataclass(slots=True)
class Casual:
    """What the page works with. `camera`: None where the machine has none."""

    photos: OneAtATime
    rules: RuleSet
    camera: TableCamera | None = None
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
    sent = request.files.get("photo")

    def take() -> tuple[Image, Table | None]:
        return decode(sent.read() if sent else b""), None

    return _read(take)


@blueprint.post("/table")
def look() -> Response | Redirect:
    """Reads what lies before this machine's own camera, while no game is watched."""
    camera = casual().camera
    if camera is None:
        abort(404, "This dashboard shows recorded hands only; it has no camera.")
    if not camera.free():
        abort(409, "The table’s camera keeps a game just now. Its meld is on the table screen.")

    def take() -> tuple[Image, Table | None]:
        view = camera.viewfinder.look()
        return view.image, camera.table(view)

    return _read(take)


def _read(take: Callable[[], tuple[Image, Table | None]]) -> Response | Redirect:
    address = request.remote_addr or ""
    if wait := casual().limiter.take(address):
        log.warning("too many photos from %s", address)
        return _refused("That was a lot of photos.", f"Wait {math.ceil(wait)} seconds.", 429, wait)
    try:
        image, table = take()
        seen = casual().photos.read(image, table)
    except UserError as error:
        return _refused(f"{error.what[:1].upper()}{error.what[1:]}.", error.do, 400)
    except Busy as error:
        return _refused("Several photos are being read just now.", "Try again soon.", 429, error.seconds)
    except ModelError as error:
        log.error("%s", error)
        return _refused("The card reader of this machine is not ready.", "Tell whoever runs it.", 503)
    name = casual().held.keep(reading_of(image, seen, table))
    return redirect(url_for("casual.reading", photo=name), 303)


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
    camera, megabytes = casual().camera, BYTES_MAX // 2**20
    offered = camera is not None and camera.free()
    return render_template("casual/start.html", problem=problem, do=do, megabytes=megabytes, camera=offered)


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
