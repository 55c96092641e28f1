"""The deck on the set-up page: learnt, told in words, kept under a name, chosen, and read with."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from test_casual import Eye, multipart, picture, row, seen, text
from test_setup import settings
from webui_samples import browser
from werkzeug.test import TestResponse

from device import decks, learning
from device.config import GameSettings, Settings
from device.pins import hash_of
from engine.deck import DOUBLE
from vision import adapter, enrol
from vision.adapter import AdaptedReader
from vision.cards import CardReader
from vision.simulator.scenes import table_scene
from vision.types import CLASSES, CardSeen, Floats, Image
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource

__all__ = ["settings"]  # a fixture
PAGE = "/director/set-up/"
ALL = " ".join(str(f) for f in DOUBLE.faces)


class Glyphs:
    """Holds everything for anything."""

    def read(self, patches: Image) -> Floats:
        return np.full((len(patches), len(CLASSES)), 1 / len(CLASSES), np.float32)


@pytest.fixture
def app(home: Path, settings: Settings) -> Iterator[Flask]:
    made = create_app(FolderSource(home, poll=0.0), settings=settings)
    yield made
    made.extensions["bookwatch_setup"].viewfinder.close()


@pytest.fixture
def director(app: Flask) -> FlaskClient:
    return browser(app)


def lay(monkeypatch: pytest.MonkeyPatch, cards: list[CardSeen]) -> Eye:
    """What the eye sees of the laid deck from now on."""
    eye = Eye(*cards)
    monkeypatch.setattr(adapter, "CHECKS_EACH", 1)
    monkeypatch.setattr(adapter, "MOST_CUTS", 1)
    monkeypatch.setattr(learning, "networks", lambda _: (eye, Glyphs(), decks.reader_checksum()))
    return eye


def learn(director: FlaskClient) -> TestResponse:
    return director.post(f"{PAGE}deck/camera")


def keep(director: FlaskClient, name: str, **more: str) -> TestResponse:
    return director.post(f"{PAGE}deck/keep", data={"name": name, **more})


def upload(director: FlaskClient, data: bytes) -> TestResponse:
    with director.session_transaction() as session:
        token = session.setdefault("csrf", "t")
    kind = "multipart/form-data; boundary=b"
    return director.open(f"{PAGE}deck/photo", method="POST", data=multipart(data, token), content_type=kind)


def test_a_deck_is_learnt_told_kept_and_read_with(
    app: Flask, director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = app.extensions["bookwatch_setup"]
    assert "Lay each of the 20 faces once" in text(director.get(PAGE))
    lay(monkeypatch, row(ALL))
    answer = learn(director)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{PAGE}#deck")
    told = text(director.get(PAGE))
    assert "20 of 20 faces learnt." in told
    assert "Missing" not in told
    assert "Doubted" not in told
    shown = cv2.imdecode(np.frombuffer(director.get(f"{PAGE}deck/picture.jpg").data, np.uint8), 1)
    assert shown.shape[0] < 400, "the cards alone are shown, not all of the picture"
    assert decks.enrolled(settings) == [], "nothing is kept before it has a name"

    first = place.photos._reader = object()
    assert keep(director, "hall").status_code == 303
    told = text(director.get(PAGE))
    assert "hall · 20 faces" in told
    assert "Cards are read with it" in told
    assert director.get(f"{PAGE}deck/picture.jpg").status_code == 404
    assert place.photos._reader is not first, "the eye must be loaded anew"
    assert app.extensions["bookwatch_casual"].photos is place.photos
    played = decks.chosen(settings, None)
    assert isinstance(played, enrol.EnrolledDeck)
    assert (played.name, len(set(played.faces))) == ("hall", 20)
    assert decks.chosen(settings, "double") is DOUBLE, "what --deck says goes first"

    assert director.post(f"{PAGE}deck/use", data={}).status_code == 303
    told = text(director.get(PAGE))
    assert "Read with hall" in told
    assert decks.chosen(settings, None) is DOUBLE
    assert director.post(f"{PAGE}deck/use", data={"name": "hall"}).status_code == 303
    assert decks.in_play(settings) == "hall"


def test_what_is_missing_or_doubted_is_told_in_words(
    director: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = row("AS TS KS QS JS AH TH KH QH JH AC TC KC QC JC AD TD")
    lay(monkeypatch, [*cards, seen("AD", 17, 0.6, second="KD")])
    learn(director)
    told = text(director.get(PAGE))
    assert "18 of 20 faces learnt." in told
    assert "Missing : queen of diamonds, jack of diamonds." in told
    assert "Doubted : king of diamonds: it looked like the ace of diamonds" in told


def test_a_photograph_has_the_guests_limits(
    app: Flask, director: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    eye = lay(monkeypatch, row(ALL))
    large = cv2.imencode(".jpg", np.random.default_rng(1).integers(0, 255, (2000, 2800, 3), np.uint8))[1]
    assert len(large) > app.config["MAX_CONTENT_LENGTH"]
    assert upload(director, large.tobytes()).status_code == 303
    assert max(eye.pictures[0].shape) == 2560
    for data, words in (
        (b"", "no picture was chosen"),
        (b"%PDF-1.4" + bytes(100), "not a picture that can be read"),
        (picture()[:2000], "cut short or damaged"),
        (picture(".png", 10)[:16] + (90_000).to_bytes(4, "big") * 2 + bytes(99), "too large"),
    ):
        answer = upload(director, data)
        assert answer.status_code == 400
        assert words.lower() in text(answer).lower()
    assert upload(director, bytes(13 * 2**20)).status_code == 413
    assert len(eye.pictures) == 1


@pytest.mark.parametrize("name", ["", "double", "../up", "a b", "x" * 41, "<b>"])
def test_names_that_no_deck_may_have(
    director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lay(monkeypatch, row(ALL))
    learn(director)
    answer = keep(director, name)
    assert answer.status_code == 400
    assert "cannot be called" in text(answer)
    assert "20 of 20 faces learnt." in text(answer), "what was learnt is still there"
    assert not decks.folder(settings).exists()


def test_a_deck_is_replaced_only_when_that_is_said(
    director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert keep(director, "hall").status_code == 410
    lay(monkeypatch, row(ALL))
    learn(director)
    keep(director, "hall")
    before = (decks.folder(settings) / "hall.npz").read_bytes()
    lay(monkeypatch, row("AS TS AH TH"))
    learn(director)
    answer = keep(director, "hall")
    assert answer.status_code == 409
    assert "There is a deck “hall” already" in text(answer)
    assert (decks.folder(settings) / "hall.npz").read_bytes() == before
    assert keep(director, "hall", replace="hill").status_code == 409
    assert keep(director, "hall", replace="hall").status_code == 303
    assert "hall · 4 faces" in text(director.get(PAGE))


def test_what_teaches_nothing_is_refused_in_words(
    director: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cards, words in (
        ([], "no card is seen"),
        (row("AS TS KS"), "at least two ranks and two suits"),
        (row(f"{ALL} {ALL} {ALL} {ALL}"), "80 cards are seen. Lay each of the 20 faces once"),
    ):
        lay(monkeypatch, cards)
        answer = learn(director)
        assert answer.status_code == 400
        assert words.lower() in text(answer).lower()
        assert "faces learnt" not in text(director.get(PAGE))


def test_one_at_a_time(app: Flask, director: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    eye, place = lay(monkeypatch, row(ALL)), app.extensions["bookwatch_setup"]
    monkeypatch.setattr("webui.enrolment.PATIENCE", 0.01)
    with place.learning:
        answer = learn(director)
    assert answer.status_code == 429
    assert "being learnt just now" in text(answer)
    with place.photos.turn():
        answer = learn(director)
    assert answer.status_code == 429
    assert "being read just now" in text(answer)
    assert eye.pictures == []
    assert learn(director).status_code == 303, "both are free again"


def test_a_chosen_deck_that_cannot_be_used_is_told(
    director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(monkeypatch, row(ALL))
    learn(director)
    keep(director, "hall")
    (decks.folder(settings) / "spoilt.npz").write_bytes(b"no deck")
    told = text(director.get(PAGE))
    assert "spoilt Cannot be used: learn it again." in told
    assert director.post(f"{PAGE}deck/use", data={"name": "spoilt"}).status_code == 400
    assert director.post(f"{PAGE}deck/use", data={"name": "../in-play"}).status_code == 400
    assert decks.in_play(settings) == "hall"
    (decks.folder(settings) / "hall.npz").unlink()
    assert "its file is gone" in text(director.get(PAGE))
    assert director.post(f"{PAGE}deck/use", data={}).status_code == 303
    assert "its file is gone" not in text(director.get(PAGE))


def test_a_kept_deck_is_deleted_only_when_that_is_meant(
    app: Flask, director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete(**form: str) -> TestResponse:
        return director.post(f"{PAGE}deck/delete", data=form)

    for name in ("hall", "club"):
        lay(monkeypatch, row(ALL))
        learn(director)
        keep(director, name)
    director.post(f"{PAGE}deck/use", data={"name": "hall"})
    assert "Delete hall It is gone for good" in text(director.get(PAGE))
    for form in (
        {},
        {"name": "hall"},
        {"name": "hall", "sure": "club"},
        {"sure": "hall"},
        {"name": "", "sure": ""},
    ):
        answer = delete(**form)
        assert answer.status_code == 400
        assert "Nothing was deleted" in text(answer)
    assert [p.stem for p in decks.enrolled(settings)] == ["club", "hall"]

    assert delete(name="club", sure="club").status_code == 303
    assert decks.in_play(settings) == "hall", "another deck's choice stays"
    place = app.extensions["bookwatch_setup"]
    eye = place.photos._reader = object()
    assert delete(name="hall", sure="hall").status_code == 303
    assert decks.enrolled(settings) == []
    assert decks.in_play(settings) is None
    assert place.photos._reader is not eye, "no eye may go on reading with it"
    assert "Kept decks" not in text(director.get(PAGE))
    assert "No deck is called" in text(delete(name="hall", sure="hall"))


def test_nothing_but_a_deck_is_deleted(director: FlaskClient, settings: Settings) -> None:
    folder = decks.folder(settings)
    folder.mkdir(parents=True)
    outside = folder.parent / "other.npz"
    for file in (outside, folder / "in-play", folder / "spoilt.npz"):
        file.write_text("x")
    for name in ("../other", "in-play", "/etc/passwd", "", ".", "spoilt.npz", "x" * 400):
        answer = director.post(f"{PAGE}deck/delete", data={"name": name, "sure": name})
        assert answer.status_code == 400, name
    assert outside.exists()
    assert (folder / "in-play").exists()
    answer = director.post(f"{PAGE}deck/delete", data={"name": "spoilt", "sure": "spoilt"})
    assert answer.status_code == 303, "a deck that cannot be read can be deleted"
    assert not (folder / "spoilt.npz").exists()


def test_a_full_disk_is_told(
    director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(monkeypatch, row(ALL))
    learn(director)
    (decks.folder(settings) / ".hall.npz.draft").mkdir(parents=True)
    answer = keep(director, "hall")
    assert answer.status_code == 503
    assert "The deck was not kept" in text(answer)
    assert "20 of 20 faces learnt." in text(answer)
    assert decks.in_play(settings) is None


def test_only_the_director_and_only_with_the_token(
    home: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    eye = lay(monkeypatch, row(ALL))
    app = create_app(
        FolderSource(home), settings=settings, keys=Keys(b"s" * 32, hash_of("director-pin"), hash_of("4711"))
    )
    client = browser(app, "192.0.2.7")
    for code in (None, "4711"):
        if code:
            client.post("/sign-in", data={"pin": code})
        assert client.get(f"{PAGE}deck/picture.jpg").status_code == 403
        for path in ("camera", "keep", "use", "forget", "delete"):
            form = {"name": "hall", "sure": "hall"}
            assert client.post(f"{PAGE}deck/{path}", data=form).status_code == 403
        assert upload(client, picture()).status_code == 403
    bare = app.test_client()
    client.post("/sign-in", data={"pin": "director-pin"})
    for path in ("camera", "keep", "use", "forget", "delete"):
        assert bare.post(f"{PAGE}deck/{path}").status_code in (400, 403)
    data = {"photo": (io.BytesIO(picture()), "a.jpg"), "csrf": "forged"}
    assert client.post(f"{PAGE}deck/photo", data=data).status_code == 400
    assert eye.pictures == []


def test_a_dashboard_of_recorded_hands_alone_learns_none(home: Path) -> None:
    client = browser(create_app(FolderSource(home)))
    assert client.post(f"{PAGE}deck/camera").status_code == 404
    assert upload(client, picture()).status_code == 404


def test_the_deck_of_another_game_is_not_played_with(
    app: Flask, director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(monkeypatch, row(ALL))
    learn(director)
    keep(director, "hall")
    place = app.extensions["bookwatch_setup"]
    place.settings = settings.model_copy(update={"game": GameSettings(deck="single")})
    assert "A double deck; a single deck is played here." in text(director.get(PAGE))
    assert director.post(f"{PAGE}deck/use", data={"name": "hall"}).status_code == 400


@pytest.mark.slow
def test_from_the_laid_deck_to_a_guest_with_the_shipped_networks(
    app: Flask, director: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "SECONDS_MAX", 600.0)
    image = table_scene(1_000_001, "deck", width=2304, height=1296).image
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    assert upload(director, data).status_code == 303
    learnt = app.extensions["bookwatch_setup"].learnt
    assert (learnt.reached, learnt.missing) == (20, ())
    assert len({str(c.face) for c in learnt.marked}) == 20
    deck = learnt.deck
    keep(director, "hall")
    # So that it is told from a reader without: a weight that the trial need not have chosen.
    enrol.save(
        replace(deck, name="hall", adapter=deck.adapter._replace(weight=0.2)),
        decks.folder(settings) / "hall.npz",
    )
    photos = app.extensions["bookwatch_casual"].photos
    assert {str(c.face) for c in photos.read(image)} == {str(f) for f in DOUBLE.faces}
    reader = photos._reader
    assert isinstance(reader, CardReader)
    assert isinstance(reader.reader, AdaptedReader)
    assert reader.reader.adapter.weight == pytest.approx(0.2)
