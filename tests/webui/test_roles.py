"""Roles: who gets in, what keeps others out, and what is logged."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from flask import Flask
from webui_samples import Sample, browser

from device.pins import hash_of, session_key
from engine.events import Corrected
from webui.app import create_app
from webui.limit import Limiter
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

DIRECTOR, SCORE = hash_of("director-pin"), hash_of("4711")
ELSEWHERE = "192.0.2.7"


def with_pins(home: Path, director: str | None = DIRECTOR, secret: bytes = b"s" * 32) -> Flask:
    keys = Keys(secret, director, SCORE)
    return create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home), keys=keys)


def test_the_director_signs_in_and_out(home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    page = f"/director/hands/{sample.hand}?book=3"
    client = browser(with_pins(home), ELSEWHERE)
    shut = client.get(page)
    assert shut.status_code == 403
    assert f'name="then" value="{page}"' in shut.text
    answer = client.post("/sign-in", data={"pin": "director-pin", "then": page})
    assert (answer.status_code, answer.headers["Location"]) == (303, page)
    cookie = answer.headers["Set-Cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Expires="))
    assert client.get(page).status_code == 200
    client.post("/sign-out")
    assert client.get(page).status_code == 403


def test_a_scorekeeper_is_none_of_the_directors_and_is_logged(
    home: Path, sample: Sample, caplog: pytest.LogCaptureFixture
) -> None:
    sample.write(home, pictures=False)
    client = browser(with_pins(home), ELSEWHERE)
    assert client.post("/sign-in", data={"pin": "4711"}).status_code == 303
    url = f"/director/hands/{sample.hand}/corrections"
    with caplog.at_level(logging.WARNING):
        assert client.get("/director/").status_code == 403
        assert client.post(url, data={"card": "c1", "change": "withdrawn"}).status_code == 403
        assert client.get("/director/x%0aforged").status_code == 403
    said = [r.getMessage() for r in caplog.records]
    assert any("refused" in m and "POST" in m and "scorekeeper at 192.0.2.7" in m for m in said)
    assert any(r"'/director/x\nforged'" in m for m in said)
    assert not any("\n" in m for m in said)
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)


def test_without_a_pin_the_director_is_whoever_sits_at_the_machine(home: Path) -> None:
    app = create_app(FolderSource(home, poll=0.0))
    assert browser(app).get("/director/").status_code == 200
    assert browser(app, "::1").get("/director/", headers={"Host": "[::1]:8765"}).status_code == 200
    refused = browser(app, ELSEWHERE).get("/director/")
    assert refused.status_code == 403
    assert "bookwatch pin" in refused.text
    assert "<input" not in refused.text.split("<main")[1]
    for headers in ({"Host": "evil.example"}, {"X-Forwarded-For": "192.0.2.9"}, {"Forwarded": "for=x"}):
        assert browser(app).get("/director/", headers=headers).status_code == 403, headers
    assert browser(with_pins(home)).get("/director/").status_code == 403, "a PIN binds the machine too"


def test_a_new_pin_ends_sessions_and_a_forged_cookie_is_none(home: Path) -> None:
    client = browser(with_pins(home), ELSEWHERE)
    cookie = client.post("/sign-in", data={"pin": "director-pin"}).headers["Set-Cookie"]
    value = re.match(r"bookwatch=([^;]+)", cookie)
    assert value is not None

    def status(app: Flask, value: str) -> int:
        other = browser(app, ELSEWHERE)
        other.set_cookie("bookwatch", value)
        return other.get("/director/").status_code

    assert status(with_pins(home), value[1]) == 200
    assert status(with_pins(home, hash_of("another-pin")), value[1]) == 403
    assert status(with_pins(home, None), value[1]) == 403
    assert status(with_pins(home, secret=b"t" * 32), value[1]) == 403
    payload, _, rest = value[1].partition(".")
    assert status(with_pins(home), f"{payload[:-2]}xx.{rest}") == 403


def test_forms_without_the_browsers_own_token_change_nothing(home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    app = create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home))
    url, form = f"/director/hands/{sample.hand}/corrections", {"card": "c1", "change": "withdrawn"}
    page = app.test_client()
    html = page.get(f"/director/hands/{sample.hand}").text
    tokens = set(re.findall(r'name="csrf" value="([^"]+)"', html))
    assert len(tokens) == 1
    assert html.count('<form method="post"') == len(re.findall(r'name="csrf"', html))
    assert app.test_client().post(url, data={**form, "csrf": tokens.copy().pop()}).status_code == 400
    for wrong in ("", "x", "ü"):
        assert page.post(url, data={**form, "csrf": wrong}).status_code == 400
    assert page.post(url, data=form).status_code == 400
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)
    assert page.post(url, data={**form, "csrf": tokens.pop()}).status_code == 303
    assert FolderSource(home).events(sample.hand)[-1].what == Corrected("c1", withdrawn=True)


def test_guesses_are_slowed_down_and_never_logged(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = browser(with_pins(home), ELSEWHERE)
    with caplog.at_level(logging.INFO):
        answers = [client.post("/sign-in", data={"pin": f"guess-{n}"}) for n in range(6)]
        late = client.post("/sign-in", data={"pin": "director-pin"})
    assert [a.status_code for a in answers] == [403] * 5 + [429]
    assert late.status_code == 429
    assert 0 < int(late.headers["Retry-After"]) <= 300
    assert "guess" not in caplog.text
    assert "guess" not in answers[0].text
    assert browser(client.application, "192.0.2.8").post("/sign-in", data={"pin": "4711"}).status_code == 303


def test_the_tables_code_between_guesses_at_the_pin_does_not_start_the_count_anew(home: Path) -> None:
    client = browser(with_pins(home), ELSEWHERE)
    pins = ("a", "b", "4711", "c", "4711", "d", "e", "f", "g")
    assert [client.post("/sign-in", data={"pin": p}).status_code for p in pins][-2:] == [429, 429]


def test_signing_in_with_the_tables_code_costs_no_try(home: Path) -> None:
    client = browser(with_pins(home), ELSEWHERE)
    assert [client.post("/sign-in", data={"pin": "4711"}).status_code for _ in range(8)] == [303] * 8


def test_the_limiter_counts_senders_apart_and_forgets_in_time() -> None:
    now = [0.0]
    limiter = Limiter(2, 60, senders=3, clock=lambda: now[0])
    assert [limiter.take("a"), limiter.take("a"), limiter.take("a")] == [0, 0, 60]
    assert limiter.take("b") == 0
    now[0] = 59.0
    assert limiter.take("a") == 1
    now[0] = 60.0
    assert limiter.take("a") == 0
    limiter.take("2001:db8::1")
    limiter.take("2001:db8::2")
    assert limiter.take("2001:db8::3") == 60, "one network of IPv6 is one sender"
    assert limiter.take("2001:db8:0:1::1") == 0
    limiter.forget("2001:db8:0:1::9")
    assert [limiter.take("2001:db8:0:1::1") for _ in range(3)] == [0, 0, 60]


@pytest.mark.parametrize(
    "then",
    ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "x", "/a\nb"],
)
def test_signing_in_leads_nowhere_else(home: Path, then: str) -> None:
    client = browser(with_pins(home), ELSEWHERE)
    answer = client.post("/sign-in", data={"pin": "director-pin", "then": then})
    assert answer.headers["Location"] == "/director/"


def test_the_session_key_is_its_owners_alone_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "store"
    key = session_key(folder)
    file = folder / "session.key"
    assert len(key) == 32
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert session_key(folder) == key
    assert file.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in folder.iterdir()] == ["session.key"]
