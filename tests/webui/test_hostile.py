"""Hostile requests, at every address the application has: refused, and nothing written."""

from __future__ import annotations

import logging
import os
import resource
import struct
import zlib
from pathlib import Path

import pytest
from flask import Flask
from webui_samples import Sample, browser

from device.pins import hash_of
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

ELSEWHERE = "192.0.2.7"
DIRECTOR, SCORE = hash_of("director-pin"), hash_of("4711")


@pytest.fixture
def guarded(home: Path, sample: Sample) -> Flask:
    sample.write(home)
    keys = Keys(b"s" * 32, DIRECTOR, SCORE)
    return create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home), keys=keys)


def addresses(app: Flask, hand: str) -> list[tuple[str, str]]:
    """Method and path of everything the application answers."""
    return [
        (
            method,
            rule.rule.replace("<hand>", hand).replace("<table>", "Table 1").replace("<path:name>", "x.png"),
        )
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


@pytest.mark.parametrize("pin", [None, "4711"])
def test_lower_roles_are_refused_every_address_of_the_director(
    guarded: Flask, sample: Sample, home: Path, pin: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    client = browser(guarded, ELSEWHERE)
    if pin:
        assert client.post("/sign-in", data={"pin": pin}).status_code == 303
    tried = [(m, p) for m, p in addresses(guarded, sample.hand) if p.startswith("/director")]
    assert {m for m, _ in tried} == {"GET", "POST"}
    with caplog.at_level(logging.WARNING):
        for method, path in tried:
            answer = client.post(path) if method == "POST" else client.open(path, method=method)
            assert answer.status_code == 403, (method, path)
    said = [r.getMessage() for r in caplog.records]
    for _, path in tried:
        assert any(path in m for m in said), path
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)


def test_a_form_with_the_token_of_another_session_is_refused(
    guarded: Flask, sample: Sample, home: Path
) -> None:
    other = browser(guarded, ELSEWHERE)
    other.get("/sign-in")
    with other.session_transaction() as session:
        stolen = session["csrf"]
    for _, path in [a for a in addresses(guarded, sample.hand) if a[0] == "POST"]:
        client = guarded.test_client()
        client.environ_base["REMOTE_ADDR"] = ELSEWHERE
        client.get("/sign-in")
        answer = client.post(path, data={"csrf": stolen, "pin": "director-pin"})
        assert answer.status_code in (400, 403), path
        with client.session_transaction() as session:
            assert "role" not in session
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)


def test_a_tampered_cookie_makes_nobody_a_director(guarded: Flask) -> None:
    client = browser(guarded, ELSEWHERE)
    client.post("/sign-in", data={"pin": "director-pin"})
    assert client.get("/director/").status_code == 200
    cookie = client.get_cookie(str(guarded.config["SESSION_COOKIE_NAME"]))
    assert cookie is not None
    for value in (cookie.value[:-3] + "AAA", "x" + cookie.value, cookie.value.split(".")[0], "..", ""):
        client.set_cookie(cookie.key, value)
        assert client.get("/director/").status_code == 403, value


def test_methods_that_no_page_has_are_refused(guarded: Flask, sample: Sample) -> None:
    client = browser(guarded, "127.0.0.1")
    client.post("/sign-in", data={"pin": "director-pin"})
    for path in {p for _, p in addresses(guarded, sample.hand)}:
        for method in ("PUT", "DELETE", "PATCH", "TRACE"):
            answer = client.open(path, method=method)
            assert 400 <= answer.status_code < 500, (method, path)


def test_no_name_leads_a_picture_out_of_its_hand(guarded: Flask, sample: Sample, home: Path) -> None:
    client = browser(guarded, ELSEWHERE)
    client.post("/sign-in", data={"pin": "director-pin"})
    secret = home.parent / "secret.png"
    secret.write_bytes(b"not to be seen")
    os.symlink(secret, home / sample.hand / "link.png")
    for name in (
        "../../secret.png", "..%2f..%2fsecret.png", "%2e%2e/%2e%2e/secret.png", "..%252f..%252fsecret.png",
        f"/{secret}", f"%2f{secret}", "..\\..\\secret.png", "link.png", "x%00.png",
    ):  # fmt: skip
        answer = client.get(f"/director/pictures/{sample.hand}/{name}")
        assert 400 <= answer.status_code < 500 or answer.status_code == 308, name
        assert b"not to be seen" not in answer.data, name
    name = next(iter(sample.pictures))
    answer = client.get(f"/director/pictures/{sample.hand}/{name}", buffered=True)
    assert answer.status_code == 200, "the same way leads to a picture that the record names"
    assert answer.data == (home / sample.hand / name).read_bytes()


def test_a_bomb_of_a_picture_is_sent_as_it_is_and_never_unpacked(
    guarded: Flask, sample: Sample, home: Path
) -> None:
    """60,000 pixels a side in a hundred bytes, in place of an evidence picture: no page opens it."""
    client = browser(guarded, ELSEWHERE)
    client.post("/sign-in", data={"pin": "director-pin"})
    assert sample.renege is not None
    name = f"pictures/{sample.renege.card}.jpg"
    assert name in sample.pictures

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    bomb = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0"))
        + chunk(b"IEND", b"")
    )
    (home / sample.hand / name).write_bytes(bomb)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for path in (f"/director/pictures/{sample.hand}/{name}", "/director/", f"/director/hands/{sample.hand}",
                 f"/director/hands/{sample.hand}/sheet", f"/history/hands/{sample.hand}"):  # fmt: skip
        answer = client.get(path, buffered=True)
        assert answer.status_code == 200, path
        if path.endswith(name):
            assert answer.data == bomb
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 500_000, "kilobytes; unpacked it would be ten millions of them"


@pytest.mark.parametrize("role", ["player", "scorekeeper"])
def test_a_picture_is_not_for_lower_roles_whatever_its_name(
    guarded: Flask, sample: Sample, role: str
) -> None:
    client = browser(guarded, ELSEWHERE)
    if role == "scorekeeper":
        assert client.post("/sign-in", data={"pin": "4711"}).status_code == 303
    for name in (*list(sample.pictures)[:3], "none.jpg", "..%2f..%2fsecret.png", "x" * 5000):
        assert client.get(f"/director/pictures/{sample.hand}/{name}").status_code == 403, name


def test_an_oversized_form_is_refused_by_size(guarded: Flask, sample: Sample, home: Path) -> None:
    client = browser(guarded, ELSEWHERE)
    client.post("/sign-in", data={"pin": "director-pin"})
    most = guarded.config["MAX_CONTENT_LENGTH"]
    answer = client.post(f"/director/hands/{sample.hand}/rulings", data={"why": "x" * (most + 1)})
    assert answer.status_code == 413
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)


def test_a_proxy_header_gives_a_guesser_no_further_tries(
    guarded: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        client = browser(guarded, ELSEWHERE)
        tries = [
            client.post(
                "/sign-in", data={"pin": f"guess-{n}"}, headers={"X-Forwarded-For": f"192.0.2.{n}"}
            ).status_code
            for n in range(7)
        ]
    assert tries[-1] == 429, tries
    assert "guess-" not in caplog.text
