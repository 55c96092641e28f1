"""The scorekeeper's pages: what is entered at a table beside the camera, and the score sheet."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from engine.cards import SUITS, TEAMS, CardError, face, seat
from engine.events import (
    BidMade,
    CardsCounted,
    Corrected,
    DealerNamed,
    DealNoted,
    HandEnded,
    MeldClosed,
    MeldLaid,
    Reading,
    ScoreAgreed,
    TrumpNamed,
    Undone,
    What,
)
from webui import rounds, scoresheet
from webui.desk import Judged, desk
from webui.drawing import drawn_table
from webui.public import project
from webui.roles import only_for
from webui.scoreview import DEAL_FACTS, ENDINGS, entries, last_entry, score_page

blueprint = Blueprint("score", __name__, url_prefix="/score")
only_for("scorekeeper", blueprint)

CALL_MAX = 40


@blueprint.get("/", defaults={"table": None})
@blueprint.get("/table/<table>")
def page(table: str | None) -> str:
    mark, _ = drawn_table(desk(), table)
    judged = desk().current(table)
    return render_template(
        "score/page.html",
        table=table,
        hand=judged.info.hand if judged else None,
        page=score_page(judged) if judged else None,
        clock=rounds.clock_of(desk(), judged) if judged else None,
        totals=scoresheet.game_so_far(scoresheet.sheet(desk(), table)),
        endings=ENDINGS,
        deal_facts=DEAL_FACTS,
        mark=mark,
        fix=request.args.get("fix"),
        stream=url_for("live.table_stream", table=table),
    )


@blueprint.get("/sheet", defaults={"table": None})
@blueprint.get("/sheet/<table>")
def sheet(table: str | None) -> str:
    """The score sheet as on paper, for printing."""
    return render_template("score/sheet.html", table=table, sheet=scoresheet.sheet(desk(), table))


@blueprint.get("/sheet.csv", defaults={"table": None})
@blueprint.get("/sheet/<table>/sheet.csv")
def csv(table: str | None) -> Response:
    text = scoresheet.as_csv(scoresheet.sheet(desk(), table))
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="score-sheet.csv"'
    return response


@blueprint.post("/hands/<hand>")
def enter(hand: str) -> Redirect:
    """One entry. `entries` tells how many the sender knew of: nobody enters a call or a card over another's
    head. What means the same whenever it comes is always taken. The very same form is taken once.
    """
    fix = desk().once.take(lambda: _record(hand))
    table = request.form.get("table") or None
    return redirect(url_for("score.page", table=table, fix=fix, _anchor=fix and f"meld-{fix}"), 303)


def _record(hand: str) -> str | None:
    """Records the form's entry; the seat whose meld is being mended, if it is."""
    judged = desk().hand(hand)
    if judged is None:
        abort(404, f"There is no hand called “{hand}”.")
    in_order = request.form.get("kind") in ("bid", "meld", "deal", "undo")
    if in_order and request.form.get("entries", type=int) != entries(judged):
        abort(
            409, "Something was entered meanwhile; this was not. Go back to the table's page and look again."
        )
    try:
        what = _entry(judged)
    except CardError as error:
        abort(400, str(error))
    if what is None:
        abort(400, "This entry makes no sense here. Go back to the table's page and look again.")
    if len(judged.state.agreed) == len(TEAMS) and not isinstance(what, Undone):
        abort(400, "Both teams have agreed this score. Take the agreement back first.")
    _append(hand, what)
    return request.form.get("seat") if isinstance(what, MeldLaid | Corrected) else None


def _entry(judged: Judged) -> What | None:
    """What the form says; None where it says nothing that can be. Raises CardError."""
    form, state = request.form, judged.state
    match form.get("kind"):
        case "dealer":
            return DealerNamed(seat(form.get("seat", "")))
        case "bid":
            said = " ".join(form.get("call", "").split())[:CALL_MAX]
            return BidMade(seat(form.get("seat", "")), said) if said else None
        case "trump" if form.get("suit") in (*SUITS, "none"):
            suit = None if form["suit"] == "none" else form["suit"]
            return TrumpNamed(suit, state.bidder)  # type: ignore[arg-type]
        case "meld":
            return _meld(judged)
        case "picked_up":
            return MeldClosed()
        case "counted":
            return _counted(judged)
        case "deal" if state.ended is not None:
            abort(400, "The hand is over: facts of its deal change nothing now. Count the cards instead.")
        case "deal" if found := DEAL_FACTS.get(form.get("fact", "")):
            number = _number("How many", judged.state.deck.size) if found.asks else None
            return DealNoted(found.what, number)
        case "agree" if form.get("team") in TEAMS and state.ended is None:
            abort(400, "A score is agreed when the hand is over. End the hand first.")
        case "end" if form.get("how") in ENDINGS and state.ended is not None:
            abort(400, "This hand is over already. Take its end back first if it goes on.")
        case "end" if form.get("how") in ENDINGS and state.ended is None:
            return HandEnded(form["how"])
        case "agree" if form.get("team") in TEAMS and state.ended is not None:
            return ScoreAgreed(form["team"])  # type: ignore[arg-type]
        case "undo" if last := last_entry(judged):
            return Undone(last.seq)
    return None


def _meld(judged: Judged) -> What | None:
    """A card taken away or added, while meld lies there. Cards are named by face: their ids tell too much."""
    whose = seat(request.form.get("seat", ""))
    if not project(judged).meld:
        return None
    if taken := request.form.get("taken"):
        named = face(taken)
        there = [m for m in judged.state.meld[whose] if m.face == named and m.counts != "no"]
        return Corrected(there[-1].card, withdrawn=True, why="not in the meld") if there else None
    named = face(request.form.get("added", ""))
    if named not in judged.state.deck.faces:
        return None
    return MeldLaid(f"s{judged.events[-1].seq + 1}", whose, Reading(named))


def _counted(judged: Judged) -> CardsCounted:
    """A player's number of cards as dealt, entered as such or by what was left over or missing."""
    whose, dealt = seat(request.form.get("seat", "")), judged.state.rules.deal.cards_each
    number = _number("How many cards", judged.state.deck.size)
    match request.form.get("as"):
        case "over":
            number = dealt + number
        case "short" if number <= dealt:
            number = dealt - number
        case "short":
            abort(400, f"A player is dealt {dealt} cards: {number} of them cannot be missing.")
        case "dealt":
            pass
        case _:
            abort(400, "Say whether cards were left over, were missing, or all were counted.")
    if number > judged.state.deck.size:
        abort(400, f"The deck has {judged.state.deck.size} cards: no player was dealt {number}.")
    return CardsCounted(whose, number)


def _number(what: str, most: int) -> int:
    text = request.form.get("number", "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 4 and int(text) <= most):
        abort(400, f"{what}: enter a whole number from 0 to {most}, not “{text[:20]}”.")
    return int(text)


def _append(hand: str, what: What) -> None:
    writer = desk().writer
    if writer is None:
        abort(403, "This dashboard only reads: it was started without the right to write the record.")
    try:
        desk().record(writer, hand, what, "scorekeeper")
    except LookupError:
        abort(404, f"The folder of the hand “{hand}” is gone.")
    except OSError as error:
        abort(
            503, f"Nothing was recorded: {error.strerror or error}. Make room on the disk and enter it again."
        )
