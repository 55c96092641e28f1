"""Past hands: a list with search, one hand's replay, statistics. `webui.historyview` says who sees what."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, render_template, request

from webui.desk import KEPT, Judged, desk
from webui.historyview import RESULTS, listed, matches, open_cards, past, replay, statistics
from webui.roles import may

blueprint = Blueprint("history", __name__, url_prefix="/history")

FIELDS = ("q", "date", "table", "bidder", "trump", "result", "rulings")


@blueprint.get("/")
def hands() -> str:
    director = may("director")
    wanted = {f: request.args.get(f, "").strip()[:80] for f in FIELDS}
    known = [past(j, director) for j in newest(director)]
    return render_template(
        "history/hands.html",
        hands=[one for one in known if matches(one, wanted)],
        known=len(known),
        limit=KEPT,
        tables=sorted({one.table for one in known if one.table}),
        results=RESULTS,
        wanted=wanted,
        director=director,
    )


@blueprint.get("/hands/<hand>")
def one(hand: str) -> str:
    director = may("director")
    judged = past_hand(hand, director)
    return render_template(
        "history/hand.html",
        past=past(judged, director),
        replay=replay(judged) if open_cards(judged, director) else None,
        director=director,
    )


def past_hand(hand: str, director: bool) -> Judged:
    """The hand, if the reader may know of it; else the answer is an error."""
    judged = desk().hand(hand)
    if judged is None:
        abort(404, f"There is no past hand called “{hand}”.")
    if not listed(judged, director):
        abort(403, "This hand is still being played. Look again when it is over.")
    return judged


@blueprint.get("/statistics")
def figures() -> str:
    director = may("director")
    return render_template("history/statistics.html", stats=all_figures(director), director=director)


def all_figures(director: bool) -> dict[str, Any]:
    """Statistics of the hands that are over and whose cards the reader may see."""
    return statistics(j for j in newest(director) if j.state.ended is not None and open_cards(j, director))


def newest(director: bool) -> list[Judged]:
    """The newest hands that the reader may know of."""
    infos = desk().source.hands()[:KEPT]
    found = (desk().hand(info.hand) for info in infos)
    return [j for j in found if j is not None and listed(j, director)]
