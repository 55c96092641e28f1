"""The JSON API in words for machines: OpenAPI 3.1, one document for everybody, one for the director."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, get_args

from engine.cards import SEATS, SUITS, TEAMS
from engine.roundclock import State
from webui.historyview import RESULTS

Schema: TypeAlias = dict[str, Any]

TEXT: Schema = {"type": "string"}
INT: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
YES_NO: Schema = {"type": "boolean"}
SEAT: Schema = {"type": "string", "enum": list(SEATS)}
TEAM: Schema = {"type": "string", "enum": list(TEAMS)}
SUIT: Schema = {"type": "string", "enum": list(SUITS)}
CARD: Schema = {
    "type": "string",
    "pattern": "^[2-9TJQKA][SHDC]$",
    "description": "Rank (A T K Q J, 9 to 2), then suit.",
}
CHANCE: Schema = {"type": "number", "minimum": 0, "maximum": 1}


DATE: Schema = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "description": "A day, UTC."}


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def many(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def record(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def by_key(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


ERROR = record(error=record(code=INT, name=TEXT, message=TEXT))
MELD = record(seat=SEAT, cards=many(CARD), groups=many(record(name=TEXT, value=INT)), total=INT)
SIGHT = record(
    state={"type": "string", "enum": ["waiting", "live", "ended"]},
    age=maybe({**NUMBER, "description": "Seconds since the camera last saw the table."}),
    limit={**NUMBER, "description": "Seconds after which it counts as not seen any more."},
)
ROUND_CLOCK = record(
    state={"type": "string", "enum": ["not_started", *get_args(State)]},
    minutes=maybe({**INT, "description": "Of the whole round."}),
    seconds_left=maybe(
        {**NUMBER, "minimum": 0, "description": "At `server_time`; while it runs, ever less."}
    ),
    server_time={**TEXT, "description": "Date and time, UTC, when this was said."},
)
TABLE = record(
    hand=TEXT,
    table=maybe(TEXT),
    phase={"type": "string", "enum": ["auction", "meld", "play", "ended"]},
    dealer=maybe(SEAT),
    calls=many(record(seat=SEAT, call=TEXT)),
    bid=maybe(INT),
    bidder=maybe(SEAT),
    trump=maybe(SUIT),
    trump_named={**YES_NO, "description": "With trump null: there is no trump."},
    book=INT,
    books_in_hand=INT,
    open_book={**by_key(many(CARD)), "description": "Cards that lie in the open book, by seat."},
    leader=maybe(SEAT),
    to_play=maybe(SEAT),
    meld=many(ref("Meld")),
    teams=by_key(record(books=INT, meld=maybe(INT), points=maybe(INT), score=maybe(INT))),
    sees_table=YES_NO,
    sight=ref("Sight"),
    round_clock=ref("RoundClock"),
)
SHOWN = record(
    card=TEXT,
    face=CARD,
    seat=SEAT,
    where=TEXT,
    probability=CHANCE,
    second=maybe(CARD),
    second_probability=CHANCE,
    picture=maybe({**TEXT, "description": "Address of the picture, on the director's path."}),
    entered_by=maybe(TEXT),
)
FLAG = record(
    key=TEXT,
    status=TEXT,
    seat=SEAT,
    book=INT,
    kind={"type": "string", "enum": ["FOLLOW", "BEAT", "TRUMP", "ACES"]},
    text=TEXT,
    rule=TEXT,
    clauses=many(TEXT),
    evidence=TEXT,
    probability=CHANCE,
    offence=ref("CardShown"),
    shown_by=maybe(ref("CardShown")),
    duty=maybe(ref("CardShown")),
    also_shown_by=many(record(face=CARD, where=TEXT)),
    award_if_confirmed=many(TEXT),
    ruling=maybe(TEXT),
)
_HAND: dict[str, Schema] = {
    "hand": TEXT,
    "table": maybe(TEXT),
    "ended": YES_NO,
    "progress": TEXT,
    "counts": by_key(INT),
    "called": YES_NO,
    "problem": maybe(TEXT),
    "worst": maybe(ref("Flag")),
}
CALL = record(
    said=TEXT,
    cards=many(CARD),
    verdict=TEXT,
    proven=YES_NO,
    lacks=many(TEXT),
    cards_checked=TEXT,
    flag=maybe(TEXT),
    outcomes=many(record(ruling=TEXT, teams=many(TEXT))),
)

_PAST: dict[str, Schema] = {
    "hand": TEXT,
    "table": maybe(TEXT),
    "started": maybe({**TEXT, "description": "Date and time, UTC."}),
    "bidder": maybe(SEAT),
    "bid": maybe(INT),
    "trump": maybe(SUIT),
    "trump_named": YES_NO,
    "result": {"type": "string", "enum": [*RESULTS, "running"]},
    "score": by_key(maybe(INT)),
}
_REPLAY: dict[str, Schema] = {
    "replay": maybe(ref("Replay")) | {"description": "Null until both teams have agreed the score."},
}
_RULINGS: dict[str, Schema] = {"rulings": {**INT, "description": "How many stand."}}
REPLAY = record(
    meld=many(ref("Meld")),
    steps=many(
        record(
            at={**NUMBER, "description": "Seconds since the hand's start."},
            book={**INT, "description": "0 before play."},
            seat=maybe(SEAT),
            card=maybe(CARD),
            said=TEXT,
            taken=by_key(INT),
        )
    ),
)
STATISTICS = record(
    hands={**INT, "description": "Hands counted: those whose cards the asker may see."},
    charts=many(
        record(
            id=TEXT,
            title=TEXT,
            unit=TEXT,
            labels=many(TEXT),
            series=many(record(name=TEXT, values=many(maybe(NUMBER)))),
        )
    ),
)
_OF_HISTORY = {"Replay": REPLAY, "Statistics": STATISTICS}
SEARCH: dict[str, Schema] = {
    "q": {**TEXT, "maxLength": 80, "description": "Part of the hand's or table's name."},
    "date": DATE,
    "table": {**TEXT, "maxLength": 80},
    "bidder": SEAT,
    "trump": {"type": "string", "enum": [*SUITS, "none"]},
    "result": {"type": "string", "enum": list(RESULTS)},
}
"""What narrows the list of past hands."""


def operation(
    id: str,
    summary: str,
    answer: Schema,
    *parameters: str,
    errors: tuple[int, ...] = (),
    query: Mapping[str, Schema] = MappingProxyType({}),
) -> Schema:
    """A GET. `parameters` stand in its path; those of `query` may be left out."""
    words = {
        400: "A parameter is not as it should be.",
        403: "Another role is needed, or the hand is still being played.",
        404: "There is no such thing.",
    }
    answers: Schema = {"200": _answer("What was asked for.", answer)}
    answers |= {str(code): _answer(words[code], ref("Error")) for code in errors}
    names = [
        {"name": p, "in": "path", "required": True, "schema": {**TEXT, "minLength": 1}} for p in parameters
    ]
    names += [{"name": p, "in": "query", "required": False, "schema": schema} for p, schema in query.items()]
    return {"get": {"operationId": id, "summary": summary, "parameters": names, "responses": answers}}


def _answer(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _history(base: str, id: str, more: dict[str, Schema], errors: tuple[int, ...] = ()) -> Schema:
    """Past hands and statistics below `base`; `id` begins the operations' names."""
    past = record(**_PAST, **more)
    rulings = {"rulings": {"type": "string", "enum": ["yes"]}} if more else {}
    return {
        f"{base}/history": operation(
            f"{id}History", "Past hands, the newest first.", record(hands=many(past)),
            errors=(400, *errors), query={**SEARCH, **rulings},
        ),
        f"{base}/history/{{hand}}": operation(
            f"{id}PastHand", "A past hand, with its replay once its cards may be seen.",
            record(**_PAST, **more, **_REPLAY), "hand", errors=(403, 404),
        ),
        f"{base}/statistics": operation(
            f"{id}Statistics", "Figures of past hands, as charts show them.", ref("Statistics"), errors=errors
        ),
    }  # fmt: skip


def public_document(version: str) -> Schema:
    """What everybody may ask."""
    status = record(status=TEXT)
    unready = operation("ready", "Whether the record can be read.", status)
    unready["get"]["responses"]["503"] = _answer("It cannot.", status)
    paths = {
        "/api/v1/table": operation("newestTable", "The hand that began last.", ref("Table"), errors=(404,)),
        "/api/v1/table/{table}": operation(
            "table", "The present hand of a table.", ref("Table"), "table", errors=(404,)
        ),
        "/healthz": operation("healthy", "200 while the server answers at all.", status),
        "/readyz": unready,
        **_history("/api/v1", "public", {}),
    }
    schemas = {"Error": ERROR, "Sight": SIGHT, "Meld": MELD, "Table": TABLE, "RoundClock": ROUND_CLOCK}
    return _document("Bookwatch", version, paths, schemas | _OF_HISTORY)


def director_document(version: str) -> Schema:
    """What the director may ask besides; signed in, or at the machine itself where no PIN is set."""
    base, hand = "/director/api/v1", record(**_HAND, flags=many(ref("Flag")), call=maybe(ref("Call")))
    event = {"type": "object", "description": "A line of the hand's log; see docs/log-format.md."}
    paths = {
        f"{base}/hands": operation(
            "hands", "Hands, worst first.", record(hands=many(ref("Hand"))), errors=(403,)
        ),
        f"{base}/hands/{{hand}}": operation(
            "hand", "A hand with its flags and last call.", hand, "hand", errors=(403, 404)
        ),
        f"{base}/hands/{{hand}}/events": operation(
            "events", "The record itself.", record(events=many(event)), "hand", errors=(403, 404)
        ),
        **_history(base, "director", _RULINGS, (403,)),
    }
    schemas = {"Error": ERROR, "CardShown": SHOWN, "Flag": FLAG, "Hand": record(**_HAND), "Call": CALL}
    return _document("Bookwatch, director", version, paths, schemas | {"Meld": MELD} | _OF_HISTORY)


def _document(title: str, version: str, paths: Schema, schemas: Schema) -> Schema:
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "license": {"name": "AGPL-3.0-or-later"}},
        "paths": paths,
        "components": {"schemas": schemas},
    }
