"""The players' pages: one table, live. Nothing but `webui.public` reaches them."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, url_for

from webui.desk import desk
from webui.drawing import drawn_table

blueprint = Blueprint("players", __name__)


@blueprint.get("/")
def newest() -> str:
    """The table at which a hand began last: all there is where one camera watches one table."""
    return _page(None)


@blueprint.get("/table/<table>")
def table(table: str) -> str:
    if desk().current(table) is None:
        abort(404, f"No hand was recorded at a table called “{table}”.")
    return _page(table)


def _page(table: str | None) -> str:
    _, live = drawn_table(desk(), table)
    return render_template(
        "players/table.html", live=live, table=table, stream=url_for("live.table_stream", table=table)
    )
