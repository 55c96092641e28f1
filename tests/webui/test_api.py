"""The API answers as its OpenAPI documents say; the figures are for those who may know them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from webui_samples import Browser, Sample, browser, make

from engine.events import BookClosed, MeldClosed, RenegeCalled
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter

TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None),
    "array": list, "object": dict,
}  # fmt: skip


def check(value: Any, schema: dict[str, Any], document: dict[str, Any], at: str = "$") -> None:
    """Holds a value to as much of JSON Schema as the documents use; an unknown keyword is an error."""
    known = {
        "type", "enum", "pattern", "minimum", "maximum", "anyOf", "items", "properties", "required",
        "additionalProperties", "$ref", "description", "minLength",
    }  # fmt: skip
    assert schema.keys() <= known, at
    if "$ref" in schema:
        return check(
            value, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document, at
        )
    if "anyOf" in schema:
        for one in schema["anyOf"]:
            try:
                return check(value, one, document, at)
            except AssertionError as error:
                last = error
        raise last
    assert isinstance(value, TYPES[schema["type"]]), f"{at}: {value!r} is no {schema['type']}"
    assert not isinstance(value, bool) or schema["type"] == "boolean", at
    assert value in schema.get("enum", [value]), f"{at}: {value!r}"
    if "pattern" in schema:
        assert re.search(schema["pattern"], value), f"{at}: {value!r}"
    if isinstance(value, int | float):
        assert schema.get("minimum", value) <= value <= schema.get("maximum", value), f"{at}: {value}"
    if isinstance(value, list):
        for n, item in enumerate(value):
            check(item, schema["items"], document, f"{at}[{n}]")
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= value.keys(), f"{at}: {schema['required']} in {[*value]}"
        for key, item in value.items():
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties", True))
            assert inner is not False, f"{at}.{key} is not documented"
            if inner is not True:
                check(item, inner, document, f"{at}.{key}")
    return None


@pytest.fixture
def documents(client: Browser) -> list[dict[str, Any]]:
    return [client.get(f"{base}/api/v1/openapi.json").json for base in ("", "/director")]  # type: ignore[misc]


def answers(client: Browser, documents: list[dict[str, Any]], hand: str, table: str) -> set[tuple[str, int]]:
    """Asks everything documented and holds each answer to its schema; which answers came."""
    seen = set()
    for document in documents:
        for path, methods in document["paths"].items():
            answer = client.get(path.replace("{hand}", hand).replace("{table}", table))
            code = answer.status_code
            assert str(code) in methods["get"]["responses"], f"{path}: {code}"
            schema = methods["get"]["responses"][str(code)]["content"]["application/json"]["schema"]
            check(answer.json, schema, document, path)
            seen.add((path, code))
    return seen


def test_every_answer_is_as_documented(
    client: Browser, documents: list[dict[str, Any]], home: Path, sample: Sample
) -> None:
    assert ("/api/v1/table", 404) in answers(client, documents, "none", "none")
    upto = [3, sample.upto(MeldClosed) - 1, *(sample.upto(BookClosed, n) - 1 for n in (1, 9, 20)), None]
    for n in upto:
        sample.write(home, n)
        seen = answers(client, documents, sample.hand, "Table 1")
        running = {("/api/v1/history/{hand}", 403)} if n else set()
        assert {(path, code) for path, code in seen if code != 200} == running
    FolderWriter(home).append(sample.hand, RenegeCalled("N", "E", "did not follow suit"), "director")
    make(2, hand="doubt", table=None, doubt=True).write(home, pictures=False)
    answers(client, documents, sample.hand, "Table 1")
    lower = browser(client.application, "192.0.2.7")
    assert ("/director/api/v1/hands", 403) in answers(lower, documents[1:], sample.hand, "Table 1")


def test_every_machine_address_is_documented(app: Flask, documents: list[dict[str, Any]]) -> None:
    known = {re.sub(r"{(\w+)}", r"<\1>", p) for d in documents for p in d["paths"]}
    served = {r.rule for r in app.url_map.iter_rules() if "/api/v1/" in r.rule}
    assert {r for r in served if not r.endswith(("/v1/", "openapi.json"))} <= known


def test_the_checker_finds_what_is_wrong(documents: list[dict[str, Any]]) -> None:
    schema = documents[0]["components"]["schemas"]["Sight"]
    good = {"state": "live", "age": None, "limit": 15}
    check(good, schema, documents[0])
    for bad in (
        {},
        {**good, "more": 1},
        {**good, "state": "dead"},
        {**good, "age": "x"},
        {**good, "limit": True},
    ):
        with pytest.raises(AssertionError):
            check(bad, schema, documents[0])


def test_people_can_read_it(client: Browser, documents: list[dict[str, Any]]) -> None:
    for base, document in zip(("", "/director"), documents, strict=True):
        page = client.get(f"{base}/api/v1/").text
        assert all(path in page for path in document["paths"])
        assert all(f'id="{name}"' in page for name in document["components"]["schemas"])
        assert f"{base}/api/v1/openapi.json" in page


def test_figures(client: Browser, home: Path, sample: Sample) -> None:
    folder = sample.write(home, 30, pictures=False)
    (folder / "alive").touch()
    make(2, hand="over", table='odd "name"\\').write(home, pictures=False)
    client.get("/nowhere")
    answer = client.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4"
    lines = answer.text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values["bookwatch_hands"] == "2"
    assert values["bookwatch_hands_open"] == "1"
    assert float(values["bookwatch_events_total"]) == 30 + len(make(2).events)
    assert values['bookwatch_answers_total{status="404"}'] == "1"
    assert 0 <= float(values['bookwatch_sight_age_seconds{table="Table 1"}']) < 60
    assert r'bookwatch_sight_age_seconds{table="odd \"name\"\\"}' in values
    assert all(
        re.fullmatch(r'# (HELP|TYPE) .+|[a-z_]+({[a-z]+="(\\.|[^"\\])*"})? [-+.e0-9]+', x) for x in lines
    )


def test_figures_are_not_for_players(home: Path) -> None:
    app = create_app(FolderSource(home))
    assert browser(app, "192.0.2.7").get("/metrics").status_code == 403
    assert browser(app).get("/metrics", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 403
