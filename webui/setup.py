"""The set-up page: the live picture, the table's corners, a test card, and what is still to be mended."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import TypeAlias

import cv2
import numpy as np
from flask import Blueprint, Response, abort, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from device import setup
from device.calibration import Calibration, Corners, save, table_of
from device.config import Settings
from device.errors import UserError
from device.learning import Learnt
from device.photo import BYTES_MAX, Busy, OneAtATime, smaller
from device.viewfinder import View, Viewfinder
from engine.cards import SEATS
from vision.annotate import annotated
from vision.table import CORNER_NAMES, Table, TableError
from vision.types import Image
from vision.weights import ModelError
from webui.deckview import deck_section
from webui.roles import only_for

blueprint = Blueprint("setup", __name__, url_prefix="/director/set-up")
only_for("director", blueprint)

SIDE_SHOWN = 1600
_FIRST_GUESS = 0.15
"""Where the corners start, as a share of the picture's width and height from its edges."""
Points: TypeAlias = list[tuple[float, float]]


@dataclass(slots=True)
class SetUp:
    """What the page works with. `tried`: the last test card; `learnt`: the last deck, not kept yet."""

    settings: Settings
    viewfinder: Viewfinder
    photos: OneAtATime
    tried: setup.Trial | None = None
    learnt: Learnt | None = None
    learning: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class Marking:
    """The table as it is marked in a picture: corners NW, NE, SE, SW in pixels, size in centimetres."""

    corners: Points
    width_cm: float
    height_cm: float

    @property
    def names(self) -> Points:
        """Where the sides' names are written, North first: a little inwards from each side's middle."""
        (x, y), found = np.mean(self.corners, axis=0), []
        for (ax, ay), (bx, by) in zip(self.corners, self.corners[1:] + self.corners[:1], strict=True):
            found.append((0.41 * (ax + bx) + 0.18 * float(x), 0.41 * (ay + by) + 0.18 * float(y)))
        return found


def place() -> SetUp:
    """What this dashboard was given to set up. Aborts if it was started without a machine."""
    found: SetUp | None = current_app.extensions.get("bookwatch_setup")
    if found is None:
        abort(404, "This dashboard shows recorded hands only; it has no camera to set up.")
    return found


@blueprint.get("/")
def page() -> str:
    return show()


@blueprint.get("/picture.jpg")
def picture() -> Response:
    """The newest picture, as large as a page needs it."""
    seen = look()
    if isinstance(seen, UserError):
        abort(503, f"{seen.what}. {seen.do}")
    return jpeg(seen.image)


@blueprint.post("/corners")
def corners() -> Redirect | tuple[str, int]:
    """Keeps the marked table, or turns the seats' names by one side."""
    try:
        marking, width, height = _marking()
    except ValueError as error:
        abort(400, str(error))
    if request.form.get("turn"):
        turned = Marking(marking.corners[1:] + marking.corners[:1], marking.height_cm, marking.width_cm)
        return show(turned), 200
    points: Corners = tuple(marking.corners)  # type: ignore[assignment]
    found = Calibration(points, width, height, marking.width_cm * 10, marking.height_cm * 10)
    try:
        save(place().settings.store.folder, found)
    except TableError as error:
        return show(marking, f"{error}"), 400
    except OSError as error:
        abort(503, f"It was not kept: {error.strerror or error}. Make room on the disk and keep it again.")
    return redirect(url_for("setup.page", kept=1), 303)


@blueprint.post("/card")
def card() -> Redirect | tuple[str, int]:
    """Reads the test card."""
    seen = look()
    if isinstance(seen, UserError):
        return show(problem=f"{seen}"), 503
    try:
        read = place().photos.read(seen.image, _table(seen))
    except Busy:
        return show(problem="Photographs are being read just now. Try again in a moment."), 429
    except (ModelError, TableError) as error:
        return show(problem=f"{error}"), 503
    place().tried = setup.Trial(seen.image, tuple(read))
    return redirect(url_for("setup.page", _anchor="card"), 303)


@blueprint.get("/card.jpg")
def tried() -> Response:
    """The test card's picture with what was read: the card and some table around it, or all of it."""
    last = place().tried
    if last is None:
        abort(404, "No test card was read yet.")
    image = annotated(last.image, last.cards)
    if len(last.cards) == 1:
        outline = last.cards[0].polygon
        size = float(max(outline.max(0) - outline.min(0)))
        x0, y0 = (max(0, round(float(v) - size / 2)) for v in outline.min(0))
        x1, y1 = (round(float(v) + size / 2) for v in outline.max(0))
        image = image[y0:y1, x0:x1]
    return jpeg(image)


def show(marking: Marking | None = None, problem: str = "", deck_name: str = "", taken: bool = False) -> str:
    """The page. deck_name: the name that was typed for the deck learnt; taken: another deck has it."""
    seen = look()
    findings = setup.look_over(place().settings, seen, place().tried)
    view = None if isinstance(seen, UserError) else seen
    table = _table(view) if view else None
    return render_template(
        "director/setup.html",
        view=view,
        marking=marking or (_marked(view, table) if view else None),
        marked=marking is None and table is not None,
        areas=_areas(table) if table and marking is None else {},
        corner_names=CORNER_NAMES,
        findings=findings,
        issues=[f for f in findings if f.level == "issue"],
        warnings=[f for f in findings if f.level == "warning"],
        tried=place().tried,
        megabytes=BYTES_MAX // 2**20,
        deck=deck_section(place().settings, place().learnt, deck_name, taken),
        kept=request.args.get("kept"),
        problem=problem,
    )


def look() -> View | UserError:
    """The newest picture, or why there is none."""
    try:
        return place().viewfinder.look()
    except UserError as error:
        return error


def _table(view: View) -> Table | None:
    """The table as a watch would take it; None where it cannot be used, which the findings tell."""
    try:
        return view.own or table_of(place().settings, view.size)
    except TableError:
        return None


def _marked(view: View, table: Table | None) -> Marking:
    """The table as it is known, or a first guess."""
    if table:
        points = [(round(float(x), 1), round(float(y), 1)) for x, y in table.corners]
        return Marking(points, table.size_mm[0] / 10, table.size_mm[1] / 10)
    (w, h), given = view.size, place().settings.table
    near, far = _FIRST_GUESS, 1 - _FIRST_GUESS
    guess = [(x * w, y * h) for x, y in ((near, near), (far, near), (far, far), (near, far))]
    return Marking(guess, given.width_mm / 10, given.height_mm / 10)


def _areas(table: Table) -> dict[str, Points]:
    """What the marked corners mean: the play area, the seats' sides, and where a card fits exactly."""
    names = ("play", *SEATS)
    shown = {name: table.area_px(name).tolist() for name in names}  # type: ignore[arg-type]
    w, h = table.card.width / 2, table.card.height / 2
    shown["card"] = table.pixels([(-w, h), (w, h), (w, -h), (-w, -h)]).tolist()
    return shown


def _marking() -> tuple[Marking, int, int]:
    """The form's corners, and the width and height of the picture they were marked in. Raises ValueError."""
    points = [(_number(f"x{n}", -1e5, 1e5), _number(f"y{n}", -1e5, 1e5)) for n in range(4)]
    marking = Marking(points, _number("width_cm", 1, 400), _number("height_cm", 1, 400))
    return marking, int(_number("width", 100, 20_000)), int(_number("height", 100, 20_000))


def _number(name: str, least: float, most: float) -> float:
    text = request.form.get(name, "").strip().replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise ValueError(
            f"{name.replace('_', ' in ')}: enter a number from {least:g} to {most:g}, not “{text[:20]}”."
        )
    return value


def jpeg(image: Image) -> Response:
    """A picture, no larger than a page needs it."""
    _, data = cv2.imencode(".jpg", smaller(image, SIDE_SHOWN), [cv2.IMWRITE_JPEG_QUALITY, 80])
    return Response(data.tobytes(), mimetype="image/jpeg")
