from __future__ import annotations

import io
import re
import tarfile
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webui_samples import Sample, browser, cards_of, make

from engine.cards import SEAT_NAMES
from engine.deck import DOUBLE
from engine.events import (
    BookClosed,
    CardExposed,
    CardLaid,
    Event,
    HandStarted,
    MeldClosed,
    Reading,
    RenegeCalled,
    RulingMade,
)
from webui.app import create_app
from webui.source import FolderSource

PAGES = ("/", "/table/Table 1", "/director/", "/director/hands/hand-1", "/nowhere", "/director/hands/none")


def text(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def append(sample: Sample, home: Path, *whats: object) -> None:
    """Writes the sample's log with these events after its last one."""
    last = sample.events[-1]
    extra = [replace(last, seq=last.seq + 1 + n, what=w, by="director") for n, w in enumerate(whats)]  # type: ignore[arg-type]
    Sample(sample.hand, sample.trump, sample.bidder, sample.dealt, sample.events + extra).write(
        home, pictures=False
    )


def test_an_empty_house_has_pages(client: FlaskClient) -> None:
    assert "No hand yet" in client.get("/").text
    assert "No hand has been recorded" in client.get("/director/").text
    assert client.get("/api/v1/table").status_code == 404
    assert client.get("/readyz").json == {"status": "ready"}


@pytest.mark.parametrize("url", PAGES)
def test_headers_and_no_inline_script_or_style(
    client: FlaskClient, home: Path, sample: Sample, url: str
) -> None:
    sample.write(home, pictures=False)
    answer = client.get(url)
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    html = answer.text
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html)
    assert all(re.search(r"\ssrc=", tag) for tag in re.findall(r"<script[^>]*>", html))
    assert not re.search(r"(?:src|href|action)=\"(?:https?:)?//", html)
    assert "GNU AGPL" in html
    assert 'href="/source.tar.gz"' in html


def test_the_footer_leads_to_the_running_source_and_the_licence(client: FlaskClient) -> None:
    data = io.BytesIO(client.get("/source.tar.gz").data)
    with tarfile.open(fileobj=data) as archive:
        names = archive.getnames()
        app = archive.extractfile("bookwatch/webui/app.py")
        assert app is not None
        assert app.read() == Path(create_app.__code__.co_filename).read_bytes()
    assert "bookwatch/engine/renege.py" in names
    assert "bookwatch/webui/templates/base.html" in names
    assert not any(n.endswith(".pyc") or "/." in n or n.startswith("/") for n in names)
    assert "GNU AFFERO GENERAL PUBLIC LICENSE" in client.get("/licence").text


def test_the_players_page_shows_the_open_book(client: FlaskClient, home: Path, sample: Sample) -> None:
    cut = sample.upto(BookClosed, 6)
    sample.write(home, cut - 1, pictures=False)
    view = client.get("/api/v1/table").json
    laid = [e.what for e in sample.events[:cut] if isinstance(e.what, CardLaid)][-4:]
    assert view["open_book"] == {c.seat: [str(c.reading.face)] for c in laid}
    assert view["leader"] == laid[0].seat
    assert (view["phase"], view["book"], view["trump"]) == ("play", 6, sample.trump)
    assert sum(t["books"] for t in view["teams"].values()) == 5
    page = client.get("/").text
    assert all(f'aria-label="{c.reading.face.name}"' in page for c in laid)


def test_meld_is_shown_with_its_groups_while_it_lies_there(
    client: FlaskClient, home: Path, sample: Sample
) -> None:
    closed = sample.upto(MeldClosed)
    sample.write(home, closed - 1, pictures=False)
    view = client.get("/api/v1/table").json
    assert view["phase"] == "meld"
    assert len(view["meld"]) == 4
    for seat in view["meld"]:
        assert seat["total"] == sum(g["value"] for g in seat["groups"])
    teams = {t: v["meld"] for t, v in view["teams"].items()}
    assert sum(teams.values()) == sum(s["total"] for s in view["meld"])
    sample.write(home, closed, pictures=False)
    after = client.get("/api/v1/table").json
    assert after["meld"] == []
    assert {t: v["meld"] for t, v in after["teams"].items()} == teams


def test_the_proof_names_both_cards_the_duty_the_law_and_the_sureness(
    client: FlaskClient, home: Path, sample: Sample
) -> None:
    sample.write(home)
    assert sample.renege is not None
    assert sample.corrected is not None
    hand = client.get(f"/director/api/v1/hands/{sample.hand}").json
    proven = [f for f in hand["flags"] if f["status"] == "proven"]
    assert [f["offence"]["card"] for f in proven] == [sample.renege.card]
    flag = proven[0]
    assert flag["offence"]["face"] == str(sample.renege.face)
    assert (flag["seat"], flag["book"]) == (sample.renege.seat, sample.renege.book)
    assert flag["shown_by"]["where"] == f"book {sample.renege.proof_book}"
    assert flag["duty"]["where"] == f"book {sample.renege.book}"
    assert 0.9 < flag["probability"] < 1
    back = [f for f in hand["flags"] if f["status"] == "corrected"]
    assert [f["offence"]["card"] for f in back] == [sample.corrected[0]]

    page = client.get(f"/director/hands/{sample.hand}").text
    first = page[page.index(f'id="flag-{sample.renege.card}"') :].split("</details>")[0]
    for card in (flag["offence"], flag["shown_by"]):
        assert f'<img src="{card["picture"]}"' in first
        with client.get(card["picture"]) as answer:
            assert answer.mimetype == "image/jpeg"
            assert answer.data.startswith(b"\xff\xd8")
    words = text(first)
    assert flag["rule"] in words
    assert all(c in words for c in flag["clauses"])
    assert "LV-102" in words or "LV-103" in words or "LV-105" in words
    assert "If confirmed" in words
    assert f"{flag['probability'] * 100:.1f} %" in words


def test_a_doubtful_reading_is_suspected_and_says_which(client: FlaskClient, home: Path) -> None:
    sample = make(2, doubt=True)
    sample.write(home, pictures=False)
    assert sample.renege is not None
    flags = client.get(f"/director/api/v1/hands/{sample.hand}").json["flags"]
    flag = next(f for f in flags if f["offence"]["card"] == sample.renege.card)
    assert flag["status"] == "suspected"
    assert flag["offence"]["second"]
    page = text(client.get(f"/director/hands/{sample.hand}").text)
    assert f"the {sample.renege.face.name} (book {sample.renege.book}), read 71%" in page


def test_tables_come_worst_first_and_calls_before_all(client: FlaskClient, home: Path) -> None:
    calm = make(11, hand="calm", table="A", renege=False)
    calm.write(home, pictures=False)
    make(2, hand="doubt", table="B", doubt=True).write(home, pictures=False)
    make(3, hand="bad", table="C").write(home, pictures=False)
    hands = client.get("/director/api/v1/hands").json["hands"]
    assert [h["hand"] for h in hands] == ["bad", "doubt", "calm"]
    append(calm, home, RenegeCalled("N", "E", "did not follow"))
    rows = client.get("/director/api/v1/hands").json["hands"]
    assert [h["hand"] for h in rows] == ["calm", "bad", "doubt"]
    assert "North called a renege on East" in text(client.get("/director/hands/calm").text)
    html = client.get("/director/").text
    assert html.index("/hands/calm") < html.index("/hands/bad") < html.index("/hands/doubt")


def test_a_ruling_takes_a_flag_off_the_top(client: FlaskClient, home: Path, sample: Sample) -> None:
    assert sample.renege is not None
    append(sample, home, RulingMade("denied", sample.renege.card))
    hand = client.get(f"/director/api/v1/hands/{sample.hand}").json
    assert "proven" not in hand["counts"]
    assert hand["flags"][-1]["ruling"] == "denied"


def test_a_broken_duty_of_an_exposed_card_is_told_to_the_director(
    client: FlaskClient, home: Path, sample: Sample
) -> None:
    leads = [e.what for e in sample.events if isinstance(e.what, CardLaid)]
    first = leads[0]
    other = next(f for f in DOUBLE.faces if f.suit != first.reading.face.suit)
    at = next(n for n, e in enumerate(sample.events) if e.what is first)
    begun = replace(sample, events=sample.events[:at])
    append(begun, home, CardExposed("x1", first.seat, Reading(other)), first)
    page = text(client.get(f"/director/hands/{sample.hand}").text)
    assert f"Exposed card: Book 1: {SEAT_NAMES[first.seat]} laid the {first.reading.face.name}" in page
    assert other.name not in text(client.get("/").text)


def test_the_scrubber_opens_any_book(client: FlaskClient, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    first = [(seat, face) for _, seat, face in cards_of(sample)][:4]
    page = client.get(f"/director/hands/{sample.hand}?book=1").text
    section = page[page.index('id="books"') :].split("</section>")[0]
    assert section.count('class="tick') == 20
    assert [n for n in re.findall(r"\((\w+ of \w+)\)", text(section)) if n in {f.name for _, f in first}]
    for role, (_, face) in zip(("Led", "Second", "Third", "Fourth"), first, strict=True):
        assert re.search(rf"{role}.*?{face.name}", text(section))
    for odd in ("0", "99", "-1", "x", ""):
        assert client.get(f"/director/hands/{sample.hand}?book={odd}").status_code == 200


def test_a_damaged_log_is_shown_as_damaged(client: FlaskClient, home: Path, sample: Sample) -> None:
    folder = sample.write(home, 60, pictures=False)
    with (folder / "log.jsonl").open("a") as log:
        log.write("not json\n")
    assert "record damaged" in client.get("/director/").text
    assert "log.jsonl, line 61" in client.get(f"/director/hands/{sample.hand}").text
    assert client.get("/").status_code == 200


def test_a_hand_of_unknown_rules_is_still_shown(client: FlaskClient, home: Path, sample: Sample) -> None:
    other = Sample(**vars(sample))
    other.events = [
        Event(
            e.seq, e.at, replace(e.what, ruleset="none-such") if isinstance(e.what, HandStarted) else e.what
        )
        for e in sample.events
    ]
    other.write(home, pictures=False)
    assert client.get("/").status_code == 200
    assert "none-such" in client.get(f"/director/hands/{sample.hand}").text


def test_pictures_open_nothing_else(client: FlaskClient, home: Path, sample: Sample) -> None:
    folder = sample.write(home, pictures=False)
    (folder / "pictures" / "secret.jpg").write_bytes(b"secret")
    (home / "secret.jpg").write_bytes(b"secret")
    for path in (
        f"{sample.hand}/pictures/secret.jpg",
        f"{sample.hand}/../secret.jpg",
        f"{sample.hand}/%2e%2e/secret.jpg",
        f"{sample.hand}/log.jsonl",
        f"{sample.hand}//etc/passwd",
        "%2e%2e/x",
    ):
        answer = client.get(f"/director/pictures/{path}")
        assert answer.status_code in (308, 404), path
        assert b"secret" not in answer.data.replace(path.encode(), b"").replace(b"secret.jpg", b"")


def test_the_gate_shuts_every_door_of_the_director(home: Path, sample: Sample) -> None:
    sample.write(home)
    app: Flask = create_app(FolderSource(home, poll=0.0))
    client = browser(app, "192.0.2.7")
    picture = next(iter(sample.pictures))
    values = {"hand": sample.hand, "name": picture, "table": "Table 1", "filename": "base.css"}
    shut = 0
    for rule in app.url_map.iter_rules():
        if rule.endpoint in ("live.table_stream", "signin.enter"):
            continue
        with app.test_request_context():
            asked = rule.arguments - (rule.defaults or {}).keys()
            url = app.url_for(rule.endpoint, **{k: values.get(k, "none") for k in asked})
        method = "POST" if "POST" in (rule.methods or ()) else "GET"
        with client.post(url) if method == "POST" else client.get(url) as answer:
            code = answer.status_code
        assert (code == 403) == url.startswith(("/director", "/score", "/metrics")), url
        shut += code == 403
    assert shut >= 16


def test_machines_get_errors_in_one_shape(client: FlaskClient) -> None:
    for url in ("/api/v1/table", "/director/api/v1/hands/none", "/api/v1/nothing"):
        answer = client.get(url)
        assert answer.status_code == 404
        assert set(answer.json["error"]) == {"code", "name", "message"}
    assert client.post("/api/v1/table").json["error"]["code"] == 405


def test_the_record_can_be_read_as_it_was_written(client: FlaskClient, home: Path, sample: Sample) -> None:
    sample.write(home, 30, pictures=False)
    events = client.get(f"/director/api/v1/hands/{sample.hand}/events").json["events"]
    assert [e["seq"] for e in events] == list(range(1, 31))
    assert events[0]["kind"] == "hand_started"
