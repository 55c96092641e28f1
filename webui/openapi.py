"""The JSON API in words for machines: OpenAPI 3.1, one document for everybody, one for the director."""

from __future__ import annotations

from typing import Any, TypeAlias

from engine.cards import SEATS, SUITS, TEAMS

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
SIGHT = record(
    state={"type": "string", "enum": ["waiting", "live", "ended"]},
    age=maybe({**NUMBER, "description": "Seconds since the camera last saw the table."}),
    limit={**NUMBER, "description": "Seconds after which it counts as not seen any more."},
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
    meld=many(record(seat=SEAT, cards=many(CARD), groups=many(record(name=TEXT, value=INT)), total=INT)),
    teams=by_key(record(books=INT, meld=maybe(INT), points=maybe(INT), score=maybe(INT))),
    sees_table=YES_NO,
    sight=ref("Sight"),
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


def operation(
    id: str, summary: str, answer: Schema, *parameters: str, errors: tuple[int, ...] = ()
) -> Schema:
    """A GET. `parameters` stand in its path."""
    words = {403: "Another role is needed.", 404: "There is no such thing.", 503: "It cannot be read now."}
    answers: Schema = {"200": _answer("What was asked for.", answer)}
    answers |= {str(code): _answer(words[code], ref("Error")) for code in errors}
    names = [
        {"name": p, "in": "path", "required": True, "schema": {**TEXT, "minLength": 1}} for p in parameters
    ]
    return {"get": {"operationId": id, "summary": summary, "parameters": names, "responses": answers}}


def _answer(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


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
    }
    return _document("Bookwatch", version, paths, {"Error": ERROR, "Sight": SIGHT, "Table": TABLE})


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
    }
    schemas = {"Error": ERROR, "CardShown": SHOWN, "Flag": FLAG, "Hand": record(**_HAND), "Call": CALL}
    return _document("Bookwatch, director", version, paths, schemas)


def _document(title: str, version: str, paths: Schema, schemas: Schema) -> Schema:
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "license": {"name": "AGPL-3.0-or-later"}},
        "paths": paths,
        "components": {"schemas": schemas},
    }
