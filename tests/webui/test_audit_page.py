"""The director's book audit: photographs in, differences from the record out, and the audit on record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask, url_for
from flask.testing import FlaskClient
from test_casual import Eye, multipart, picture, seen, with_eye
from webui_samples import Sample, browser
from werkzeug.test import TestResponse

from device.pins import hash_of
from engine.bookaudit import Recorded, taken
from engine.cards import Face, face
from engine.events import BooksAudited
from engine.hand import fold
from webui.app import create_app
from webui.auditview import Audits
from webui.held import Reading
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter


@pytest.fixture
def app(home: Path, sample: Sample) -> Flask:
    sample.write(home)
    return create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home))


@pytest.fixture
def record(sample: Sample) -> list[Recorded]:
    return taken(fold(sample.events).books, "NS")


class Desk:
    """A director with a camera that sees what a test lays before it."""

    def __init__(self, app: Flask, sample: Sample) -> None:
        self.client, self.hand, self.eye = browser(app), sample.hand, Eye()
        with_eye(app, self.eye)
        self.base = f"/director/hands/{self.hand}/audit"

    def photograph(
        self, cards: tuple[Face, ...], place: int | None = None, sure: float = 0.99
    ) -> TestResponse:
        self.eye.cards = [seen(str(f), n, sure) for n, f in enumerate(cards)]
        return send(self.client, self.hand, picture(), place)

    def page(self, query: str = "team=NS") -> str:
        return text(self.client.get(f"{self.base}?{query}"))


@pytest.fixture
def desk(app: Flask, sample: Sample) -> Desk:
    return Desk(app, sample)


def send(
    client: FlaskClient, hand: str, data: bytes, place: int | None = None, team: str = "NS"
) -> TestResponse:
    with client.session_transaction() as session:
        token = session.setdefault("csrf", "t")
    query = f"hand={hand}&team={team}" + (f"&place={place}" if place else "")
    return client.open(
        f"/director/audit?{query}",
        method="POST",
        data=multipart(data, token),
        content_type="multipart/form-data; boundary=b",
    )


def text(answer: TestResponse) -> str:
    body = re.sub(r"(?s)<(script|svg|option).*?</\1>", "", answer.get_data(as_text=True))
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def events(home: Path, sample: Sample) -> list[object]:
    return [e.what for e in FolderSource(home).events(sample.hand)]


def test_a_pile_as_recorded_agrees_book_by_book_and_in_the_end(desk: Desk, record: list[Recorded]) -> None:
    assert f"{len(record)} books in the record" in desk.page("")
    assert f"The record has {len(record)}" in desk.page()
    assert desk.photograph(record[0].cards).status_code == 303
    page = desk.page()
    assert f"1 of {len(record)} books of North–South spread: contents and order agree" in page
    assert "so far" in page
    assert f"the record has book {record[1].number} next" in page
    for book in record[1:]:
        desk.photograph(tuple(reversed(book.cards)))
    page = desk.page()
    assert "contents and order agree with the record." in page
    assert "differs" not in page
    assert "the record has no more" in page


def test_another_card_and_a_passed_over_book_are_told_at_once(desk: Desk, record: list[Recorded]) -> None:
    desk.photograph(record[0].cards)
    desk.photograph(record[2].cards)
    page = desk.page()
    assert f"2 of {len(record)} books of North–South spread: 1 difference so far." in page
    assert f"Book {record[1].number} is not in the pile" in page
    stranger = next(f for f in (face("JS"), face("JH"), face("AC")) if f not in record[3].cards)
    desk.photograph((*record[3].cards[:3], stranger))
    page = desk.page()
    assert "2 differences so far" in page
    assert f"Book {record[3].number}, at place 3, lacks {record[3].cards[3].name}" in page
    assert f"holds {stranger.name} besides" in page


def test_exchanged_books_are_out_of_order(desk: Desk, record: list[Recorded]) -> None:
    for book in (record[1], record[0]):
        desk.photograph(book.cards)
    page = desk.page()
    assert re.search(
        r"Book \d+ lies out of order, at place \d\. The record has book \d+ at this place\.", page
    )


def test_both_pictures_stand_side_by_side(desk: Desk, record: list[Recorded]) -> None:
    desk.photograph(record[0].cards)
    shown = desk.client.get(f"{desk.base}?team=NS").get_data(as_text=True)
    recorded = set(re.findall(r'<img src="(/director/pictures/[^"]+)"', shown))
    assert len(recorded) == 4
    (spread,) = re.findall(r'<img src="(/director/hands/[^"]+/audit/picture[^"]+)"', shown)
    answer = desk.client.get(spread.replace("&amp;", "&"))
    assert (answer.status_code, answer.mimetype) == (200, "image/jpeg")
    for path in recorded:
        with desk.client.get(path) as answer:
            assert answer.status_code == 200


def test_a_misread_card_is_mended_a_photograph_is_replaced_and_taken_away(
    desk: Desk, record: list[Recorded]
) -> None:
    book = record[0]
    wrong = next(f for f in (face("JS"), face("JH"), face("AC")) if f not in book.cards)
    desk.photograph((*book.cards[:3], wrong), sure=0.6)
    page = desk.page()
    assert f"Look at the photo: {wrong.name} may be the jack of clubs" in page
    assert "1 difference" in page
    mended = {"team": "NS", "place": "1", "face": [str(f) for f in book.cards]}
    assert desk.client.post(f"{desk.base}/mend", data=mended).status_code == 303
    page = desk.page()
    assert "agree with the record so far" in page
    assert "Look at the photo" not in page
    desk.photograph(record[1].cards[:3], place=1)
    assert "3 cards were read, not 4" in desk.page()
    assert (
        desk.client.post(f"{desk.base}/mend", data={"team": "NS", "place": "1", "away": "1"}).status_code
        == 303
    )
    assert f"The record has {len(record)}" in desk.page()


def test_an_audit_goes_on_record_with_its_photographs_and_can_be_undone(
    desk: Desk, record: list[Recorded], home: Path, sample: Sample
) -> None:
    desk.photograph(record[0].cards)
    desk.photograph(record[2].cards)
    before = len(events(home, sample))
    form = {"team": "NS", "entries": "7"}
    answers = [desk.client.post(f"{desk.base}/record", data=form) for _ in range(2)]
    assert [a.status_code for a in answers] == [303, 303]
    found = events(home, sample)
    assert len(found) == before + 1, "sent twice, recorded once"
    what = found[-1]
    assert isinstance(what, BooksAudited)
    assert what.team == "NS"
    assert [set(b) for b in what.spread] == [set(record[0].cards), set(record[2].cards)]
    for name in what.pictures:
        assert (home / sample.hand / name).read_bytes()[:2] == b"\xff\xd8"
        with desk.client.get(f"/director/pictures/{sample.hand}/{name}") as answer:
            assert answer.status_code == 200
    said = f"Book audit: 2 of {len(record)} books of North–South spread: 1 difference so far."
    assert said in text(desk.client.get(f"/director/hands/{sample.hand}"))
    shown = desk.page(f"entry={before + 1}")
    assert f"On record as entry {before + 1}" in shown
    assert f"Book {record[1].number} is not in the pile" in shown
    assert f"Not spread: book {record[3].number}, " in shown
    assert "Mend what was read" not in shown
    assert f"The record has {len(record)}" in desk.page(), "the next audit begins anew"
    undone = {"entry": str(before + 1), "entries": "8"}
    assert desk.client.post(f"/director/hands/{sample.hand}/undo", data=undone).status_code == 303
    assert "Undone: Book audit" in text(desk.client.get(f"/director/hands/{sample.hand}"))


def test_what_is_no_photograph_is_refused_in_words_and_what_was_spread_stays(
    desk: Desk, record: list[Recorded], sample: Sample
) -> None:
    desk.photograph(record[0].cards)
    for data, words in (
        (b"", "No picture was chosen"),
        (b"hello", "not a picture"),
        (picture()[:900], "cut short"),
    ):
        answer = send(desk.client, sample.hand, data)
        assert answer.status_code == 400
        assert words in text(answer)
        assert "1 of " in text(answer)


def test_what_does_not_exist_is_refused(desk: Desk, record: list[Recorded], sample: Sample) -> None:
    assert send(desk.client, "nobody", picture()).status_code == 404
    assert send(desk.client, sample.hand, picture(), team="XX").status_code == 400
    assert send(desk.client, sample.hand, picture(), place=3).status_code == 400
    assert desk.client.get(f"{desk.base}?entry=2").status_code == 404
    assert desk.client.get(f"{desk.base}/picture?team=NS&place=1").status_code == 404
    assert desk.client.post(f"{desk.base}/record", data={"team": "NS"}).status_code == 400
    assert desk.client.post(f"{desk.base}/mend", data={"team": "NS", "place": "1"}).status_code == 400
    for _ in range(20):
        desk.photograph(record[0].cards)
    assert desk.photograph(record[0].cards).status_code == 400


def test_nobody_else_sees_or_sends_anything(home: Path, sample: Sample) -> None:
    keys = Keys(b"s" * 32, hash_of("director-pin"), hash_of("4711"))
    app = create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home), keys=keys)
    sample.write(home)
    client = browser(app, "192.0.2.7")
    assert client.post("/sign-in", data={"pin": "4711"}).status_code == 303
    base = f"/director/hands/{sample.hand}/audit"
    for path in (base, f"{base}?team=NS", f"{base}/picture?team=NS&place=1"):
        assert client.get(path).status_code == 403
    assert send(client, sample.hand, picture()).status_code == 403


def test_the_server_takes_photographs_at_this_address(app: Flask) -> None:
    with app.test_request_context():
        assert app.config["BOOKWATCH_UPLOADS"][url_for("audit.send")] > 10_000_000


def test_pictures_of_audits_are_bounded_the_oldest_go() -> None:
    audits = Audits(most=100)
    reading = Reading(b"x" * 40, 10, 10, ())
    for hand in "abc":
        audits.change(hand, "NS", lambda before: (*before, reading))
    assert audits.spread("a", "NS") == ()
    assert audits.spread("b", "NS") == audits.spread("c", "NS") == (reading,)
    audits.change("b", "NS", lambda _: ())
    assert audits.spread("b", "NS") == ()
