"""Book audit: the director photographs a team's turned books one by one and sees where they differ."""

from __future__ import annotations

import secrets
import zlib
from dataclasses import replace
from functools import cache

from flask import Blueprint, Response, abort, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from device.errors import UserError
from device.photo import BYTES_MAX, Busy, OneAtATime, decode
from engine.bookaudit import taken
from engine.cards import TEAMS, Face, Team
from engine.deck import DECKS
from engine.events import BooksAudited
from vision.weights import ModelError
from webui.auditview import AuditPage, Audits, Spread, audit_page
from webui.books import Showcase
from webui.casual import casual
from webui.desk import Judged, desk
from webui.entries import enter, face_named
from webui.held import ReadCard, Reading, reading_of
from webui.roles import only_for
from webui.trail import trail

blueprint = Blueprint("audit", __name__, url_prefix="/director")
only_for("director", blueprint)

PATH = "/director/audit"
"""Where photographs are sent; the hand and the team are named behind the question mark."""


def audits() -> Audits:
    found: Audits = current_app.extensions["bookwatch_audits"]
    return found


@blueprint.get("/hands/<hand>/audit")
def page(hand: str) -> str:
    return _page(_judged(hand))


@blueprint.post("/audit")
def send() -> Response | Redirect:
    """The photograph of the next spread book, or another one of the book at `place`."""
    judged, team = _judged(request.args.get("hand", "")), _team()
    place = request.args.get("place", type=int)
    spread = audits().spread(judged.info.hand, team)
    if place is not None and not 1 <= place <= len(spread):
        abort(400, f"No book was spread at place {place}. Go back and load the page again.")
    if place is None and len(spread) >= _most(judged):
        abort(400, f"A hand has no more than {_most(judged)} books. Take one away first.")
    sent = request.files.get("photo")
    try:
        image = decode(sent.read() if sent else b"")
        seen = _photos(judged).read(image)
    except UserError as error:
        return _refused(judged, team, f"{error.what[:1].upper()}{error.what[1:]}. {error.do}", 400)
    except Busy as error:
        answer = _refused(judged, team, "Several photographs are being read just now. Try again.", 429)
        answer.headers["Retry-After"] = str(round(error.seconds) + 1)
        return answer
    except ModelError as error:
        current_app.logger.error("%s", error)
        return _refused(judged, team, "The card reader of this machine is not ready.", 503)
    reading = reading_of(image, seen)

    def put(before: tuple[Reading, ...]) -> tuple[Reading, ...]:
        if place is not None and place <= len(before):
            return (*before[: place - 1], reading, *before[place:])
        return (*before, reading)[: _most(judged)]

    audits().change(judged.info.hand, team, put)
    return _back(judged, team, f"place-{place}" if place else "spread")


@blueprint.post("/hands/<hand>/audit/mend")
def mend(hand: str) -> Redirect:
    """The director's word for what lies in one photograph, or that the photograph goes."""
    judged, team = _judged(hand), _team()
    place = request.form.get("place", 0, type=int)
    if not 1 <= place <= len(audits().spread(hand, team)):
        abort(400, "That photograph is no longer here. Go back and load the page again.")
    if "away" in request.form:
        audits().change(hand, team, lambda before: (*before[: place - 1], *before[place:]))
        return _back(judged, team, "spread")
    faces = [face_named(judged, text) for text in request.form.getlist("face")[:8] if text]

    def mended(before: tuple[Reading, ...]) -> tuple[Reading, ...]:
        if place > len(before):
            return before
        cards = tuple(ReadCard(n, (), (0, 0), face, 1.0, by_hand=True) for n, face in enumerate(faces, 1))
        return (*before[: place - 1], replace(before[place - 1], cards=cards), *before[place:])

    audits().change(hand, team, mended)
    return _back(judged, team, f"place-{place}")


@blueprint.post("/hands/<hand>/audit/record")
def record(hand: str) -> Redirect:
    """Puts the audit on record: what was spread and the photographs. What it comes to is derived."""
    team = _team()
    answer = enter(hand, lambda judged: _recorded(judged, team), "trail")
    audits().change(hand, team, lambda _: ())
    return answer


def _recorded(judged: Judged, team: Team) -> BooksAudited:
    hand, writer = judged.info.hand, desk().writer
    spread = audits().spread(hand, team)
    if not spread:
        abort(400, "No book has been photographed yet.")
    if writer is None:
        abort(403, "This dashboard only reads: it was started without the right to write the record.")
    mark = secrets.token_hex(4)
    names = tuple(f"pictures/audit-{team.lower()}-{mark}-{n:02}.jpg" for n in range(1, len(spread) + 1))
    try:
        for name, reading in zip(names, spread, strict=True):
            writer.keep_picture(hand, name, reading.jpeg)
    except LookupError:
        abort(404, f"The folder of the hand “{hand}” is gone.")
    except OSError as error:
        abort(503, f"Nothing was recorded: {error.strerror or error}. Make room on the disk and try again.")
    return BooksAudited(team, tuple(faces_of(r) for r in spread), names)


@blueprint.get("/hands/<hand>/audit/picture")
def picture(hand: str) -> Response:
    """A photograph that is not on record yet."""
    place = request.args.get("place", 0, type=int)
    spread = audits().spread(_judged(hand).info.hand, _team())
    if not 1 <= place <= len(spread):
        abort(404, "That photograph is no longer here.")
    return Response(spread[place - 1].jpeg, mimetype="image/jpeg")


def faces_of(reading: Reading) -> tuple[Face, ...]:
    """The cards of a photograph as they stand now."""
    return tuple(card.face for card in reading.cards if card.face is not None)


def _page(judged: Judged, problem: str = "") -> str:
    team, entry = request.args.get("team"), request.args.get("entry", type=int)
    chosen: Team | None = team if team in TEAMS else None
    event = next((e for e in judged.events if e.seq == entry and isinstance(e.what, BooksAudited)), None)
    if entry is not None and event is None:
        abort(404, f"Entry {entry} of this hand is no book audit.")
    hand, shown = judged.info.hand, None
    if event is not None and isinstance(event.what, BooksAudited):
        chosen, shown = event.what.team, _on_record(judged, event.what)
    elif chosen is not None:
        shown = audit_page(judged, chosen, _in_memory(hand, chosen))
    return render_template(
        "director/audit.html",
        hand=hand,
        table=judged.state.table,
        team=chosen,
        counts={t: len(taken(judged.state.books, t)) for t in TEAMS},
        page=shown,
        entry=event,
        problem=problem,
        faces=judged.state.deck.faces,
        can_write=desk().writer is not None,
        entries=len(trail(judged.events)),
        called=bool(judged.state.calls),
        megabytes=BYTES_MAX // 2**20,
        position=desk().source.cursor(),
    )


def _in_memory(hand: str, team: Team) -> list[Spread]:
    return [
        Spread(
            faces_of(reading),
            url_for("audit.picture", hand=hand, team=team, place=place, v=f"{zlib.crc32(reading.jpeg):x}"),
            reading.cards,
        )
        for place, reading in enumerate(audits().spread(hand, team), 1)
    ]


def _on_record(judged: Judged, what: BooksAudited) -> AuditPage:
    showcase = Showcase(judged.info.hand, judged.events)
    pictures = [*what.pictures, *[""] * len(what.spread)]
    spread = [Spread(faces, showcase.picture(p)) for faces, p in zip(what.spread, pictures, strict=False)]
    return audit_page(judged, what.team, spread)


def _judged(hand: str) -> Judged:
    judged = desk().hand(hand)
    if judged is None:
        abort(404, f"There is no hand called “{hand}”.")
    return judged


def _team() -> Team:
    team = request.args.get("team") or request.form.get("team")
    if team not in TEAMS:
        abort(400, "Say whose books are spread: NS or EW.")
    return team


def _most(judged: Judged) -> int:
    return judged.state.deck.size // 4


def _photos(judged: Judged) -> OneAtATime:
    """The one reader of this machine where the hand's deck is the machine's, else one of its own."""
    shared, deck = casual().photos, judged.state.deck
    return shared if shared.deck.name == deck.name else _reader_of(deck.name)


@cache
def _reader_of(deck: str) -> OneAtATime:
    return OneAtATime(DECKS[deck])


def _back(judged: Judged, team: Team, anchor: str) -> Redirect:
    return redirect(url_for("audit.page", hand=judged.info.hand, team=team, _anchor=anchor), 303)


def _refused(judged: Judged, team: Team, problem: str, status: int) -> Response:
    return Response(_page(judged, problem), status)
