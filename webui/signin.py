"""Signing in and out: one field, for the director's PIN or the scorekeepers' code."""

from __future__ import annotations

import logging
import math
from urllib.parse import urlsplit

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from device import pins
from webui.limit import Limiter
from webui.roles import Role, keys, role, sign_in, sign_out

log = logging.getLogger(__name__)
blueprint = Blueprint("signin", __name__)
_ROLES: tuple[Role, ...] = ("director", "scorekeeper")


@blueprint.get("/sign-in")
def page() -> str:
    return render_template("signin.html", then=_then(request.args.get("then")), role=role(), wrong=None)


@blueprint.post("/sign-in")
def enter() -> Response | tuple[str, int, dict[str, str]]:
    address, then = request.remote_addr or "", _then(request.form.get("then"))
    limiter: Limiter = current_app.config["BOOKWATCH_LIMITER"]
    wait = limiter.take(address)
    if wait:
        log.warning("too many sign-ins from %s", address)
        minutes = math.ceil(wait / 60)
        wrong = f"Too many tries. Wait {minutes} minute{'s' if minutes > 1 else ''} and try again."
        return _again(then, wrong), 429, {"Retry-After": str(math.ceil(wait))}
    pin = request.form.get("pin", "")
    for found in _ROLES:
        hashed = keys().of(found)
        if hashed and pins.matches(pin, hashed):
            if found == "director":
                limiter.forget(address)
            else:  # whoever knows the table's code must not guess on at the PIN by it
                limiter.give_back(address)
            sign_in(found)
            log.info("%s signed in from %s", found, address)
            home = "director.hands" if found == "director" else "score.page"
            return redirect(then or url_for(home), 303)
    log.warning("wrong PIN from %s", address)
    return _again(then, "That is not a PIN or code of this dashboard."), 403, {}


@blueprint.post("/sign-out")
def leave() -> Response:
    sign_out()
    return redirect(url_for("players.newest"), 303)


def _again(then: str, wrong: str) -> str:
    return render_template("signin.html", then=then, role=role(), wrong=wrong)


def _then(given: str | None) -> str:
    """A page of ours to go to afterwards; "" for anything else."""
    if not given or not given.startswith("/") or given.startswith("//") or "\\" in given:
        return ""
    parts = urlsplit(given)
    return "" if parts.scheme or parts.netloc or not given.isprintable() else given
