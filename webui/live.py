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
from webui.desk import Desk
from webui.desk import desk as the_desk
from webui.drawing import drawn_table
from webui.roles import only_for
from webui.sse import Live, Message
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
            return drawn_table(desk, table)

    desk = the_desk()
    feed = TableFeed(desk, table, draw, request.headers.get("Last-Event-ID"))
    return _respond(feed, lambda: streams.close_player(address))


@director_blueprint.get("")
def director_stream() -> Response:
    streams = _streams()
    if not streams.open_director():
        return _too_many()
    feed = DirectorFeed(the_desk(), request.headers.get("Last-Event-ID"))
    return _respond(feed, streams.close_director)


def _respond(feed: sse.Feed, on_close: Callable[[], None]) -> Response:
    return sse.respond(Live(feed, the_desk().pulse, current_app.config["BOOKWATCH_BEAT"], on_close))


def _streams() -> Streams:
    found: Streams = current_app.config["BOOKWATCH_STREAMS"]
    return found


def _too_many() -> Response:
    """Refuses a stream; the page's script comes back by itself."""
    text = "Too many live streams are open. Close some pages of this dashboard, or wait a little.\n"
    return Response(text, 429, {"Retry-After": str(RETRY_SECONDS)}, mimetype="text/plain")


class TableFeed:
    """For players: `table` when it looks different from `shown`, the mark of what they have."""

    def __init__(
        self, desk: Desk, table: str | None, draw: Callable[[], tuple[str, str]], shown: str | None
    ) -> None:
        self._desk, self._table, self._draw, self._shown = desk, table, draw, shown

    def news(self) -> Iterator[Message]:
        mark, html = self._draw()
        if mark != self._shown:
            self._shown = mark
            yield Message(html, "table", mark)

    def beat(self) -> Message:
        return Message(json.dumps(public.beat(self._desk, self._table) | {"now": _now()}), "beat")


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


class DirectorFeed:
    """For a director: `arrived` for each event after `last_id`; `reset` first where that place is unknown."""

    def __init__(self, desk: Desk, last_id: str | None) -> None:
        self._desk = desk
        self._cursor = _cursor_of(desk, last_id)

    def news(self) -> Iterator[Message]:
        desk = self._desk
        if self._cursor is None:
            self._cursor = desk.source.cursor()
            yield Message("{}", "reset", position(desk, self._cursor))
        while arrivals := desk.source.since(self._cursor):
            for arrived in arrivals:
                self._cursor = arrived.id
                about = {
                    "hand": arrived.hand,
                    "seq": arrived.event.seq,
                    "kind": type(arrived.event.what).__name__,
                }
                yield Message(json.dumps(about), "arrived", position(desk, self._cursor))

    def beat(self) -> Message:
        return Message(json.dumps({"hands": self._desk.ages(), "now": _now()}), "beat")


def _now() -> int:
    """The server's time in milliseconds, by which pages show the round's clock."""
    return round(time.time() * 1000)
