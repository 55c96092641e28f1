"""The players' table as HTML: drawn once for each look it has, however many streams want it."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from flask import current_app, render_template
from markupsafe import Markup

from webui.desk import Desk
from webui.public import PublicTable, project


def drawn_table(desk: Desk, table: str | None) -> tuple[str, Markup]:
    """A mark of what is shown and its HTML. Needs an application context."""
    judged = desk.current(table)
    view = project(judged) if judged else None
    return _draw(current_app.name, view)


@lru_cache(maxsize=256)
def _draw(_: str, view: PublicTable | None) -> tuple[str, Markup]:
    html = Markup(render_template("players/_live.html", view=view))
    return hashlib.sha256(html.encode()).hexdigest()[:16], html
