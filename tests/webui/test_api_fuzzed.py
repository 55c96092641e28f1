"""Every documented operation, asked by every role in every way that schemathesis thinks of.

No fault of the server's, every answer as its document says, every error of the one documented form.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from webui_samples import browser, make

from device.pins import hash_of
from engine.events import BookClosed, RenegeCalled, RulingMade, ScoreAgreed
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

schemathesis = pytest.importorskip("schemathesis")
pytestmark = pytest.mark.slow
from schemathesis import GenerationMode  # noqa: E402

ELSEWHERE = "192.0.2.7"
PINS = {"player": None, "scorekeeper": "4711", "director": "director-pin"}


class Visitor:
    """The application as a browser of this role meets it: at another machine, with its cookie."""

    def __init__(self, app: Flask, pin: str | None) -> None:
        client = browser(app, ELSEWHERE)
        if pin:
            assert client.post("/sign-in", data={"pin": pin}).status_code == 303
        cookie = client.get_cookie("bookwatch")
        self._app, self._cookie = app, f"{cookie.key}={cookie.value}" if cookie else ""

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ |= {"REMOTE_ADDR": ELSEWHERE, "HTTP_COOKIE": self._cookie}
        return self._app(environ, start_response)


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """A hand agreed on, one in play with a call and a ruling, and one whose log is damaged."""
    home: Path = tmp_path_factory.mktemp("hands")
    over, playing, broken = make(1, hand="over"), make(2, hand="playing", table="T 2"), make(3, hand="broken")
    over.write(home, pictures=False)
    for team in ("NS", "EW"):
        FolderWriter(home).append("over", ScoreAgreed(team), "scorekeeper")  # type: ignore[arg-type]
    playing.write(home, playing.upto(BookClosed, 15), pictures=False)
    FolderWriter(home).append("playing", RenegeCalled("N", "E", "did not follow suit"), "director")
    FolderWriter(home).append("playing", RulingMade("cannot_tell"), "director")
    with (broken.write(home, 40, pictures=False) / "log.jsonl").open("a") as log:
        log.write('{"seq": 41, "kind": "nonsense"}\n')
    keys = Keys(b"s" * 32, hash_of("director-pin"), hash_of("4711"))
    return create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home), keys=keys)


@pytest.mark.parametrize("role", PINS)
@pytest.mark.parametrize("base", ["/api/v1", "/director/api/v1"])
def test_every_operation_answers_as_documented(visited: Flask, base: str, role: str) -> None:
    document = Visitor(visited, PINS["director"])
    schema = schemathesis.openapi.from_wsgi(f"{base}/openapi.json", document)
    schema.app = Visitor(visited, PINS[role])
    asked: set[int] = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        fixed: list[dict[str, str] | None] = [None]
        if "{hand}" in operation.path:
            fixed += [{"hand": hand} for hand in ("over", "playing", "broken")]
        if "{table}" in operation.path:
            fixed += [{"table": "T 2"}]
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            for values in fixed:
                if mode is GenerationMode.NEGATIVE and not operation.query:
                    continue  # a name in a path cannot be of a wrong form

                @given(case=operation.as_strategy(mode, path_parameters=values))
                @settings(
                    max_examples=25 if values is None else 3,
                    derandomize=True,
                    deadline=None,
                    database=None,
                    suppress_health_check=list(HealthCheck),
                )
                def ask(case: Any) -> None:
                    asked.add(case.call_and_validate().status_code)

                ask()
    if base.startswith("/director") and role != "director":
        assert asked == {403}
    else:
        assert {200, 400, 404} <= asked <= {200, 400, 403, 404}


def test_an_answer_that_is_not_as_documented_is_found(visited: Flask) -> None:
    document = visited.test_client().get("/api/v1/openapi.json").json
    assert document is not None
    document["components"]["schemas"]["Statistics"]["required"].append("weather")
    schema = schemathesis.openapi.from_dict(document)
    schema.app = Visitor(visited, None)
    case = schema["/api/v1/statistics"]["GET"].Case()
    with pytest.raises(BaseExceptionGroup, match="weather"):
        case.call_and_validate()
