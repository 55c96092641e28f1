"""What every answer carries, and which forms are taken."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, Request, Response, abort, request

from webui.roles import csrf_holds

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
    # "no-referrer" would make browsers send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def protect(app: Flask) -> None:
    """Puts the headers on every answer, keeps what is live out of every cache, refuses foreign forms."""

    @app.before_request
    def _own_forms() -> None:
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return
        if not _from_here(request):
            abort(403, "This form was sent from another site; nothing was changed.")
        if not csrf_holds(request):
            abort(400, "This form is too old, or cookies are off. Load its page again; nothing was changed.")

    @app.after_request
    def _headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.is_secure:  # elsewhere browsers ignore it, and complain
            response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
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
