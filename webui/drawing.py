"""The players' table as HTML: drawn once for each look it has, however many streams want it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TypeAlias
from weakref import WeakKeyDictionary

from flask import current_app, render_template
from markupsafe import Markup

from engine.cards import Team
from engine.roundclock import Clock
from webui import scoresheet
from webui.desk import Desk
from webui.public import PublicTable, project
from webui.rounds import clock_of

Totals: TypeAlias = tuple[tuple[Team, int], ...]
_known: WeakKeyDictionary[Desk, dict[str | None, tuple[object, Totals]]] = WeakKeyDictionary()


def _totals(desk: Desk, table: str | None) -> Totals:
    """The running game, counted anew only when a hand that is over has changed: streams ask very often."""
    newest = desk.current(table)
    if newest is None:
        return ()
    kept = _known.setdefault(desk, {})
    mark = (tuple(i for i in desk.source.hands() if i.ended), newest.info.hand)
    found = kept.get(table)
    if found is None or found[0] != mark:
        sums = scoresheet.game_so_far(scoresheet.sheet(desk, table))
        found = kept[table] = (mark, tuple(sums.items()) if sums else ())
    return found[1]


def drawn_table(desk: Desk, table: str | None) -> tuple[str, Markup]:
    """A mark of what is shown and its HTML. Needs an application context."""
    judged = desk.current(table)
    view = project(judged) if judged else None
    clock = clock_of(desk, judged) if judged else None
    timed = judged is not None and judged.state.rules.game.timed
    return _draw(current_app.name, view, _totals(desk, table), clock, timed)


@lru_cache(maxsize=256)
def _draw(
    _: str, view: PublicTable | None, totals: Totals, clock: Clock | None, timed: bool
) -> tuple[str, Markup]:
    page = "players/_live.html"
    html = Markup(render_template(page, view=view, totals=dict(totals), clock=clock, timed=timed))
    return hashlib.sha256(html.encode()).hexdigest()[:16], html
