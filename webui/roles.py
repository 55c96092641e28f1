"""Who may do what: the table screen is for everybody, scorekeepers and the director sign in.

Where no PIN is set for a role, whoever sits at this machine itself has it: requests that come over
loopback, ask for loopback by name (another site's name may be made to point here), and passed no proxy.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Request, current_app, request, session
from markupsafe import Markup
from werkzeug.exceptions import Forbidden

log = logging.getLogger(__name__)

Role: TypeAlias = Literal["player", "scorekeeper", "director"]
ENDED_KEPT = 5000
"""Ended sessions remembered: far more than anybody signs out of in the hours that a cookie holds."""
ROLES: Final[tuple[Role, ...]] = ("player", "scorekeeper", "director")
"""Each may do what those before it may."""
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
PROXY_HEADERS: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")


@dataclass(frozen=True, slots=True)
class Keys:
    """`secret` signs sessions; the others are argon2 hashes, None where no PIN is set."""

    secret: bytes
    director: str | None = None
    scorekeeper: str | None = None

    @classmethod
    def none(cls) -> Keys:
        """No PINs: all but the table screen on this machine only."""
        return cls(secrets.token_bytes(32))

    def of(self, role: Role) -> str | None:
        return {"player": None, "scorekeeper": self.scorekeeper, "director": self.director}[role]

    def mark(self, role: Role) -> str:
        """Goes into a session, so that it ends when the role's PIN is changed."""
        return hmac.new(self.secret, f"{role} {self.of(role)}".encode(), hashlib.sha256).hexdigest()[:16]


class Refused(Forbidden):
    """The page is for another role."""

    def __init__(self, role: Role) -> None:
        self.role = role
        self.pin_set = keys().of(role) is not None
        text = f"This page is for the {role}."
        if not self.pin_set:
            option = "" if role == "director" else f" --for {role}"
            text += (
                f" No PIN is set for the {role}, so it opens only on the machine that runs Bookwatch, at "
                f"http://127.0.0.1. Set one there with “bookwatch pin{option}”."
            )
        super().__init__(text)


def keys() -> Keys:
    found: Keys = current_app.config["BOOKWATCH_KEYS"]
    return found


def role() -> Role:
    """The role of whoever sent the present request."""
    known = keys()
    signed: Role | None = session.get("role")
    found: Role = "player"
    if session.get("id") in _ended():
        signed = None
    if signed in ROLES and known.of(signed) and hmac.compare_digest(session["mark"], known.mark(signed)):
        found = signed
    if is_local(request):
        free = [r for r in ROLES if known.of(r) is None]
        found = max((found, *free), key=ROLES.index)
    return found


def may(needed: Role) -> bool:
    return ROLES.index(role()) >= ROLES.index(needed)


def is_local(request: Request) -> bool:
    """Whether the request comes from a browser on this machine that knows it is talking to it."""
    try:
        loopback = ip_address(request.remote_addr or "").is_loopback
        name = urlsplit(f"//{request.host}").hostname
    except ValueError:
        return False
    return loopback and name in LOCAL_NAMES and not any(h in request.headers for h in PROXY_HEADERS)


def sign_in(as_role: Role) -> None:
    session.clear()  # a token from before must not live on
    session.update(role=as_role, mark=keys().mark(as_role), id=secrets.token_urlsafe(9))
    session.permanent = True


def sign_out() -> None:
    """Ends the session for good: a copy of its cookie opens nothing any more, as long as this server runs."""
    if name := session.get("id"):
        ended = _ended()
        ended[name] = None
        while len(ended) > ENDED_KEPT:
            ended.pop(next(iter(ended)))
    session.clear()


def _ended() -> dict[str, None]:
    found: dict[str, None] = current_app.extensions.setdefault("bookwatch_ended", {})
    return found


def only_for(needed: Role, blueprint: Blueprint) -> None:
    """Shuts the blueprint to lower roles."""

    @blueprint.before_request
    def _gate() -> None:
        let_in(needed)


def let_in(needed: Role) -> None:
    """Raises Refused for lower roles; their tries are logged."""
    if not may(needed):
        log.warning(
            "refused: %s %r, which is for the %s, to a %s at %s",
            request.method, request.path[:200], needed, role(), request.remote_addr,
        )  # fmt: skip
        raise Refused(needed)


def refuse_guesses(app: Flask) -> None:
    """Addresses that look like the director's are refused even where there is no page."""

    @app.before_request
    def _guess() -> None:
        if request.endpoint is None and request.path.startswith("/director"):
            let_in("director")


def csrf_token() -> str:
    """The token that every form of this browser carries."""
    if "csrf" not in session:
        session["csrf"] = secrets.token_urlsafe(18)
    return str(session["csrf"])


def csrf_field() -> Markup:
    return Markup('<input type="hidden" name="csrf" value="{}">').format(csrf_token())


def csrf_holds(request: Request) -> bool:
    given, known = request.form.get("csrf", ""), session.get("csrf", "")
    return bool(known) and hmac.compare_digest(given.encode(), str(known).encode())


template_words: dict[str, Callable[..., object]] = {"csrf": csrf_field, "may": may}
