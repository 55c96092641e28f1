"""The live streams: what players may see, and what arrives for the director.

Players get the drawn table as it is now, whenever that changes. Its message id is a mark of what is
shown, so a browser that comes back gets the present table if it differs from the one it has, never
the ones in between: a book that has closed meanwhile is not sent again. Nothing is sent, sooner or
later, because of an event that players may not see: beats keep their own time.

The director gets every event's arrival, once and in order; ids count arrivals.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

from flask import Blueprint, Response, current_app, request

from webui import public, sse
from webui.desk import Desk, desk
from webui.drawing import drawn_table
from webui.roles import only_for
from webui.sse import Message
from webui.streams import RETRY_SECONDS, Streams

blueprint = Blueprint("live", __name__, url_prefix="/live")
director_blueprint = Blueprint("director_live", __name__, url_prefix="/director/live")
only_for("director", director_blueprint)


@blueprint.get("/table", defaults={"table": None})
@blueprint.get("/table/<table>")
def table_stream(table: str | None) -> Response:
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    streams, address = _streams(), request.remote_addr or ""
    if not streams.open_player(address):
        return _too_many()

    def draw() -> tuple[str, str]:
        with app.app_context():
            return drawn_table(desk(), table)

    messages = table_messages(
        desk(), table, draw, request.headers.get("Last-Event-ID"), app.config["BOOKWATCH_BEAT"]
    )
    response = sse.stream(messages)
    response.call_on_close(lambda: streams.close_player(address))
    return response


def _streams() -> Streams:
    found: Streams = current_app.config["BOOKWATCH_STREAMS"]
    return found


def _too_many() -> Response:
    """Refuses a stream; the page's script comes back by itself."""
    text = "Too many live streams are open. Close some pages of this dashboard, or wait a little.\n"
    return Response(text, 429, {"Retry-After": str(RETRY_SECONDS)}, mimetype="text/plain")


def table_messages(
    desk: Desk, table: str | None, draw: Callable[[], tuple[str, str]], shown: str | None, every: float
) -> Iterator[Message]:
    """The players' messages: `table` when it looks different from `shown`, `beat` every `every` seconds."""
    beat_at = time.monotonic()
    while not desk.pulse.closed:
        cursor = desk.source.cursor()
        mark, html = draw()
        if mark != shown:
            shown = mark
            yield Message(html, "table", mark)
        now = time.monotonic()
        if now >= beat_at:
            yield Message(json.dumps(public.beat(desk, table)), "beat")
            beat_at += every * (1 + (now - beat_at) // every)
        desk.pulse.wait(cursor, max(0.0, beat_at - time.monotonic()))


@director_blueprint.get("")
def director_stream() -> Response:
    streams = _streams()
    if not streams.open_director():
        return _too_many()
    last_id, beat = request.headers.get("Last-Event-ID"), current_app.config["BOOKWATCH_BEAT"]
    response = sse.stream(director_messages(desk(), last_id, beat))
    response.call_on_close(streams.close_director)
    return response


def position(desk: Desk, cursor: int) -> str:
    """A place among the arrivals as a message id."""
    return f"{desk.source.epoch}-{cursor}"


def _cursor_of(desk: Desk, id: str | None) -> int | None:
    """The place that `position` named; None if it is none of this source's."""
    epoch, _, number = (id or "").rpartition("-")
    if epoch != desk.source.epoch or not number.isdecimal() or len(number) > 18:
        return None
    cursor = int(number)
    return cursor if cursor <= desk.source.cursor() else None


def director_messages(desk: Desk, last_id: str | None, every: float) -> Iterator[Message]:
    """`arrived` for each event after `last_id`; `reset` first where that place is unknown: look anew."""
    cursor = _cursor_of(desk, last_id)
    if cursor is None:
        cursor = desk.source.cursor()
        yield Message("{}", "reset", position(desk, cursor))
    beat_at = time.monotonic()
    while not desk.pulse.closed:
        for arrived in desk.source.since(cursor):
            cursor = arrived.id
            about = {
                "hand": arrived.hand,
                "seq": arrived.event.seq,
                "kind": type(arrived.event.what).__name__,
            }
            yield Message(json.dumps(about), "arrived", position(desk, cursor))
        now = time.monotonic()
        if now >= beat_at:
            yield Message(json.dumps({"hands": desk.ages()}), "beat")
            beat_at += every * (1 + (now - beat_at) // every)
        desk.pulse.wait(cursor, max(0.0, beat_at - time.monotonic()))
