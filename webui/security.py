"""What every answer carries, and who may ask for the director's pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlsplit

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
    """Puts the headers on every answer, keeps what is live out of every cache, refuses other sites' forms."""

    @app.before_request
    def _same_site() -> None:
        if request.method not in ("GET", "HEAD", "OPTIONS") and not _from_here(request):
            abort(403, "This form was sent from another site; nothing was changed.")

    @app.after_request
    def _headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static":
            # A closed book must not come back out of a cache.
            response.headers["Cache-Control"] = "no-store"
        return response


def _from_here(request: Request) -> bool:
    """Whether a request that changes something comes from one of our own pages, or from no browser."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host


def for_the_director(blueprint: Blueprint) -> None:
    """Shuts the blueprint to everyone whom the application's gate does not let in."""

    @blueprint.before_request
    def _gate() -> None:
        gate: Gate = current_app.config["BOOKWATCH_GATE"]
        if not gate(request):
            abort(403)
