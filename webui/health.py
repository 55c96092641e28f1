"""Is it alive, and is it ready: for supervisors and `bookwatch doctor`."""

from __future__ import annotations

import logging
from typing import Any

from flask import Blueprint, jsonify

from webui.desk import desk

log = logging.getLogger(__name__)
blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Any:
    """200 while the process answers at all."""
    return jsonify(status="ok")


@blueprint.get("/readyz")
def readyz() -> Any:
    """200 when the record can be read, else 503. Tells nothing about any hand: anyone may ask."""
    try:
        desk().source.cursor()
        desk().source.hands()
    except Exception:
        log.exception("the record cannot be read")
        return jsonify(status="the record cannot be read; see the server's log"), 503
    return jsonify(status="ready")
