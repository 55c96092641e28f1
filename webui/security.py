"""What every answer carries, and who may ask for the director's pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flask import Blueprint, Flask, Request, Response, abort, current_app, request

Gate: TypeAlias = Callable[[Request], bool]
"""Whether the sender of a request may act as the director."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""No inline script or style, nothing from another origin."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def anyone(_: Request) -> bool:
    """The gate of a dashboard without roles: it must not be reachable by people who may not see all."""
    return True


def protect(app: Flask) -> None:
    """Puts the headers on every answer and keeps what is live out of every cache."""

    @app.after_request
    def _headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static":
            # A closed book must not come back out of a cache.
            response.headers["Cache-Control"] = "no-store"
        return response


def for_the_director(blueprint: Blueprint) -> None:
    """Shuts the blueprint to everyone whom the application's gate does not let in."""

    @blueprint.before_request
    def _gate() -> None:
        gate: Gate = current_app.config["BOOKWATCH_GATE"]
        if not gate(request):
            abort(403)
