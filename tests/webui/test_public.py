"""Nothing that a player may not know is in any byte that a player's browser gets.

The check knows what may be seen from the log alone, by rules of its own: the open book's cards, meld
while it lies there. Whatever else is in the log carries a mark that must never come out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from webui_samples import Sample, browser, make

from device.pins import hash_of
from engine.cards import ALL_FACES, Face
from engine.events import (
    BookClosed,
    CardExposed,
    CardLaid,
    CardTakenBack,
    Corrected,
    Event,
    HandEnded,
    MeldClosed,
    MeldLaid,
    Reading,
    ReadingRevised,
    RenegeCalled,
    RulingMade,
    SightLost,
    SightRegained,
    Undone,
    What,
)
from webui import live
from webui.app import create_app
from webui.desk import Desk
from webui.roles import Keys
from webui.source import FolderSource
from webui.sse import Message
from webui.writing import FolderWriter

MARK = "hushhush"
NAMES = {f.name: f for f in ALL_FACES}
WORDS = re.compile(
    r"renege|proven|suspect|pending|evidence|offence|correct|ruling|ruled|called|flag|probab|picture|director",
    re.IGNORECASE,
)


def allowed(events: Iterable[Event]) -> Counter[Face]:
    """The cards that lie in everybody's sight after these events."""
    meld: list[Face] = []
    book: dict[str, Face] = {}
    for event in events:
        match event.what:
            case MeldLaid(reading=reading):
                meld.append(reading.face)
            case MeldClosed() | HandEnded():
                meld, book = [], {}
            case CardLaid(card=card, reading=reading):
                meld = []
                book[card] = reading.face
            case CardTakenBack(card=card):
                book.pop(card, None)
            case BookClosed():
                book = {}
            case ReadingRevised(card=card, reading=reading) if card in book:
                book[card] = reading.face
            case Corrected(card=card, face=face) if card in book and face:
                book[card] = face
    return Counter(meld) + Counter(book.values())


def hushed(sample: Sample) -> list[Event]:
    """The sample's log with everything a director's log may hold besides, each piece with the mark."""
    events: list[Event] = []

    def add(what: What, like: Event) -> None:
        events.append(replace(like, seq=len(events) + 1, what=what))

    last: dict[str, Face] = {}
    closed: list[str] = []
    for event in sample.events:
        what = event.what
        if isinstance(what, CardLaid | MeldLaid):
            what = replace(what, reading=replace(what.reading, picture=f"pictures/{MARK}-{what.card}.jpg"))
        add(what, event)
        if isinstance(what, CardLaid):
            last[what.card] = what.reading.face
        if isinstance(what, BookClosed):
            closed = list(last)
            card = closed[(what.number * 7) % len(closed)]
            add(ReadingRevised(card, Reading(last[card], 0.6, Face("9", "S"), 0.4, f"{MARK}.jpg")), event)
            if what.number == 4:
                add(CardExposed(f"x{MARK}", "W", Reading(Face("2", "D"), picture=f"{MARK}.jpg")), event)
            if what.number == 6:
                add(Corrected(card, face=last[card], why=MARK), event)
                add(SightLost(MARK), event)
                add(SightRegained(), event)
            if what.number == 14:
                add(RenegeCalled("N", "E", MARK, (Face("3", "C"), Face("4", "C"))), event)
                add(RulingMade("cannot_tell", None, MARK), event)
    return events


def cards_in(text: str) -> Counter[Face]:
    """Every card that a text names in words, by two letters, or by a drawing of its suit and rank."""
    named = [NAMES[n] for n in re.findall(r"[a-z]+ of [a-z]+", text) if n in NAMES]
    short = [Face(*m) for m in re.findall(r"(?<![A-Za-z0-9])([AKQJT2-9])([SHDC])(?![A-Za-z0-9])", text)]  # type: ignore[arg-type]
    return Counter(named) | Counter(short)


def without_palettes(html: str) -> str:
    """The page without the choices of all faces, which tell nothing because each face is in them alike."""
    for palette in re.findall(r'<form class="fan palette".*?</form>', html, flags=re.DOTALL):
        counts = cards_in(palette)
        assert len(counts) == 20
        assert len(set(counts.values())) == 1
        html = html.replace(palette, "", 1)
    return html


SCORE = hash_of("4711")
STREAMS = ("live.table_stream",)
"""Endpoints that never end; `Players.stream` reads what they send."""
SAME_FOR_ALL = ("static", "site.source", "site.licence", "site.favicon")
"""Endpoints that know no hand: files of the program."""


class Players:
    """A browser of the lower roles: it asks for everything that the application answers to them."""

    def __init__(self, app: Flask, code: str | None = None) -> None:
        self.app = app
        self.client = browser(app, "192.0.2.7")
        self.desk: Desk = app.extensions["bookwatch"]
        if code:
            assert self.client.post("/sign-in", data={"pin": code}).status_code == 303

    def pages(self) -> Iterator[str]:
        values = {"table": "Table 1", "hand": "h"}
        for rule in self.app.url_map.iter_rules():
            if "GET" not in (rule.methods or ()) or rule.endpoint in (*STREAMS, *SAME_FOR_ALL):
                continue
            if not rule.rule.startswith("/director") and rule.arguments <= values.keys() | {"name"}:
                with self.app.test_request_context():
                    yield self.app.url_for(rule.endpoint, **{k: values[k] for k in rule.arguments})

    def stream(self, last_id: str | None = None) -> list[Message]:
        from webui.drawing import drawn_table

        def draw() -> tuple[str, str]:
            with self.app.app_context():
                return drawn_table(self.desk, None)

        feed = live.TableFeed(self.desk, None, draw, last_id)
        return [*feed.news(), feed.beat()]

    def texts(self) -> Iterator[str]:
        for url in self.pages():
            answer = self.client.get(url)
            assert answer.status_code in (200, 403), url
            if answer.status_code == 403:  # the sign-in page may name the role that is needed, but no card
                assert MARK not in answer.text
                assert not cards_in(answer.text), url
                continue
            yield without_palettes(re.sub(r"<footer>.*?</footer>", "", answer.text, flags=re.DOTALL))
            yield "\n".join(f"{k}: {v}" for k, v in answer.headers if k != "Content-Security-Policy")
        for message in self.stream():
            yield f"{message.id} {message.event} {message.data}"


@pytest.mark.parametrize(
    ("seed", "step", "code"),
    [(1, 1, None), (2, 6, None), (3, 6, None), (5, 7, None), (1, 3, "4711"), (2, 5, "4711")],
)
def test_no_byte_for_the_lower_roles_tells_a_secret(
    home: Path, seed: int, step: int, code: str | None
) -> None:
    sample = make(seed, hand="h")
    sample.events = hushed(sample)
    app = create_app(
        FolderSource(home, poll=0.0),
        writer=FolderWriter(home),
        keys=Keys(b"x" * 32, hash_of("director's"), SCORE),
    )
    players = Players(app, code)
    shown = 0
    for upto in range(1, len(sample.events) + 1, step):
        sample.write(home, upto, pictures=False)
        may = allowed(sample.events[:upto])
        for text in players.texts():
            assert MARK not in text
            assert not WORDS.search(text), (WORDS.search(text), text)
            cards = cards_in(text)
            assert cards <= may, f"event {upto}: {cards - may}"
            shown += cards.total()
        page = players.client.get("/").text
        assert cards_in(page) == may, f"event {upto}: what lies in sight is not shown"
    assert shown > 100


def test_the_check_itself_finds_a_leak() -> None:
    assert cards_in('aria-label="ten of hearts"') == {Face("T", "H"): 1}
    assert cards_in('{"open_book": {"N": ["TH", "JS"]}}') == {Face("T", "H"): 1, Face("J", "S"): 1}
    assert WORDS.search('<span class="chip suspected">')


def test_the_stream_is_silent_about_what_players_may_not_know(home: Path, sample: Sample) -> None:
    """No message comes, none is put off, and none differs, because of a hidden event."""
    plain = Sample(**{**vars(sample), "events": list(sample.events)})
    cut = plain.upto(BookClosed, 9)
    plain.write(home, cut, pictures=False)
    players = Players(create_app(FolderSource(home, poll=0.0), keys=Keys(b"x" * 32, None, SCORE)), "4711")
    before, beat_before = players.stream()
    score_before = players.client.get("/score/").text
    laid = [e.what for e in plain.events[:cut] if isinstance(e.what, CardLaid)]
    like = plain.events[cut - 1]
    hidden: list[What] = [
        ReadingRevised(laid[3].card, Reading(Face("A", "S"), 0.5)),
        Corrected(laid[5].card, why="x"),
        CardExposed("x1", "W", Reading(Face("J", "D"))),
        RenegeCalled("N", "W", "follow"),
        RulingMade("denied"),
        Undone(cut + 5),
    ]
    plain.events = plain.events[:cut] + [
        replace(like, seq=cut + 1 + n, what=w, by="director", utc=None) for n, w in enumerate(hidden)
    ]
    plain.write(home, pictures=False)
    after, beat_after = players.stream()
    assert after == before
    assert players.client.get("/score/").text == score_before
    assert json.loads(beat_after.data)["age"] == pytest.approx(json.loads(beat_before.data)["age"], abs=5)
    back = players.stream(last_id=before.id)
    assert [m.event for m in back] == ["beat"]


def test_a_browser_that_comes_back_gets_the_present_not_the_past(home: Path, sample: Sample) -> None:
    players = Players(create_app(FolderSource(home, poll=0.0)))
    third = sample.upto(BookClosed, 3)
    sample.write(home, third - 1, pictures=False)
    four_cards, _ = players.stream()
    assert cards_in(four_cards.data).total() == 4
    sample.write(home, third, pictures=False)
    now, _ = players.stream(last_id=four_cards.id)
    assert now.event == "table"
    assert cards_in(now.data).total() == 0


def test_points_and_score_only_when_the_hand_is_over(home: Path, sample: Sample) -> None:
    client = create_app(FolderSource(home, poll=0.0)).test_client()
    sample.write(home, sample.upto(BookClosed, 20), pictures=False)
    teams = client.get("/api/v1/table").json["teams"]
    assert all(t["points"] is None and t["score"] is None for t in teams.values())
    sample.write(home, pictures=False)
    teams = client.get("/api/v1/table").json["teams"]
    assert sum(t["points"] for t in teams.values()) == 50
    assert sum(t["books"] for t in teams.values()) == 20
    assert all(isinstance(t["score"], int) for t in teams.values())
