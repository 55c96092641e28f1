"""Learning the deck on the set-up page: from the table's camera or from one photograph."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

import numpy as np
from flask import Blueprint, Response, abort, redirect, request, url_for
from werkzeug.wrappers import Response as Redirect

from device import decks
from device.errors import UserError
from device.learning import PATIENCE, learn
from device.photo import Busy, decode
from vision import enrol
from vision.annotate import annotated
from vision.enrol import EnrolError
from vision.types import Image
from vision.weights import ModelError
from webui.roles import only_for
from webui.setup import jpeg, look, place, show

log = logging.getLogger(__name__)
blueprint = Blueprint("enrolment", __name__, url_prefix="/director/set-up/deck")
only_for("director", blueprint)

PATH: Final = "/director/set-up/deck/photo"
"""Where photographs of a laid deck go."""
Answer = Redirect | tuple[str, int]


@blueprint.post("/camera")
def camera() -> Answer:
    """Learns the deck that lies before the table's camera."""
    place()
    seen = look()
    if isinstance(seen, UserError):
        return _refused(f"{seen}", 503)
    return _learn(seen.image)


@blueprint.post("/photo")
def send() -> Answer:
    """Learns the deck of a sent photograph, which is not kept but for cuts of the cards' indices."""
    place()
    sent = request.files.get("photo")
    try:
        image = decode(sent.read() if sent else b"")
    except UserError as error:
        return _refused(f"{error}", 400)
    return _learn(image)


def _learn(image: Image) -> Answer:
    if not place().learning.acquire(blocking=False):
        return _refused("A deck is being learnt just now. Wait until it is done.", 429)
    try:
        with place().photos.turn(PATIENCE):
            place().learnt = learn(image, place().settings)
    except Busy:
        return _refused("Photographs are being read just now. Try again in a moment.", 429)
    except (UserError, EnrolError) as error:
        place().learnt = None
        return _refused(f"{error}", 400)
    except ModelError as error:
        log.error("%s", error)
        return _refused("The card reader of this machine is not ready. Tell whoever runs it.", 503)
    finally:
        place().learning.release()
    return _shown()


@blueprint.get("/picture.jpg")
def picture() -> Response:
    """The cards that the last deck was learnt from, each with the face that it was taken for."""
    learnt = place().learnt
    if learnt is None:
        abort(404, "No deck was learnt, or it is kept already.")
    outlines = np.concatenate([card.polygon for card in learnt.marked])
    margin = 0.1 * np.ptp(outlines, axis=0).max()
    x0, y0 = np.maximum(outlines.min(0) - margin, 0).astype(int)
    x1, y1 = (outlines.max(0) + margin).astype(int)
    return jpeg(annotated(learnt.image, learnt.marked)[y0:y1, x0:x1])


@blueprint.post("/keep")
def keep() -> Answer:
    """Keeps the deck that was learnt under a name, and reads with it from now on."""
    learnt, name = place().learnt, request.form.get("name", "").strip()
    if learnt is None:
        abort(410, "What was learnt is no longer here. Learn the deck again.")
    settings = place().settings
    try:
        file = decks.folder(settings) / f"{decks.checked_name(name)}{decks.SUFFIX}"
        if file.exists() and request.form.get("replace") != name:
            problem = f"There is a deck “{name}” already. Replace it, or keep this one under another name."
            return show(problem=problem, deck_name=name, taken=True), 409
        enrol.save(replace(learnt.deck, name=name), file)
        decks.choose(settings, name)
    except UserError as error:
        return show(problem=f"{error}", deck_name=name[:40]), 400
    except OSError as error:
        problem = f"The deck was not kept: {error.strerror or error}. Make room on the disk, keep it again."
        return show(problem=problem, deck_name=name), 503
    place().learnt = None
    return _anew()


@blueprint.post("/forget")
def forget() -> Answer:
    """Lets go what was learnt, without keeping it."""
    place().learnt = None
    return _shown()


@blueprint.post("/use")
def use() -> Answer:
    """Reads with a kept deck from now on, or with none."""
    try:
        decks.choose(place().settings, request.form.get("name") or None)
    except (UserError, EnrolError) as error:
        return _refused(f"{error}", 400)
    except ModelError as error:
        return _refused(f"{error}", 503)
    except OSError as error:
        return _refused(f"The choice was not kept: {error.strerror or error}. Make room on the disk.", 503)
    return _anew()


@blueprint.post("/delete")
def delete() -> Answer:
    """Deletes a kept deck for good, once the form says that it is meant."""
    name = request.form.get("name", "")
    if not name or request.form.get("sure") != name:
        return _refused("Nothing was deleted. Say which deck, and that you are sure.", 400)
    try:
        decks.delete(place().settings, name)
    except UserError as error:
        return _refused(f"{error}", 400)
    except OSError as error:
        return _refused(f"The deck was not deleted: {error.strerror or error}.", 503)
    return _anew()


def _anew() -> Redirect:
    """The eye and the test card begin again with the deck that is chosen now."""
    place().photos.load_anew()
    place().tried = None
    return _shown()


def _shown() -> Redirect:
    return redirect(url_for("setup.page", _anchor="deck"), 303)


def _refused(problem: str, status: int) -> Answer:
    return show(problem=problem), status
