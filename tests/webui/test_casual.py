"""The casual page: photographs in, counts out; what is refused, and that nothing is kept."""

from __future__ import annotations

import io
import os
import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from webui_samples import browser
from werkzeug.test import TestResponse

from device.photo import OneAtATime
from engine.cards import ALL_FACES, faces
from engine.deck import DOUBLE
from vision.types import CLASSES, CardSeen, Image, IndexBox, IndexRead
from webui.app import create_app
from webui.casual import Casual
from webui.held import Held, Reading
from webui.limit import Limiter
from webui.source import FolderSource

GUEST = "192.0.2.9"


def seen(
    name: str, at: int, probability: float = 0.99, second: str = "JC", foreign: bool = False
) -> CardSeen:
    """A card 60 pixels wide, the `at`-th in a row."""
    p = np.zeros(len(CLASSES), np.float32)
    p[CLASSES.index(second)] += 1 - probability
    p[CLASSES.index(name)] += probability
    x = 20 + 70 * at
    box = IndexBox((x + 6, 50), (x + 6, 68), 0.9)
    outline = np.array([(x, 40), (x + 60, 40), (x + 60, 124), (x, 124)], np.float32)
    return CardSeen(p, outline, (IndexRead(box, p),), foreign)


class Eye:
    """Reads whatever it was told to."""

    def __init__(self, *cards: CardSeen) -> None:
        self.cards = list(cards)
        self.pictures: list[Image] = []

    def read(self, image: Image, table: object = None) -> list[CardSeen]:
        self.pictures.append(image)
        return self.cards


def row(text: str) -> list[CardSeen]:
    return [seen(str(f), n) for n, f in enumerate(faces(text))]


def picture(kind: str = ".jpg", width: int = 800) -> bytes:
    image = np.random.default_rng(1).integers(0, 255, (300, width, 3), np.uint8)
    _, data = cv2.imencode(kind, image)
    return data.tobytes()


def with_eye(app: Flask, eye: Eye) -> Casual:
    page: Casual = app.extensions["bookwatch_casual"]
    page.photos = OneAtATime(DOUBLE, lambda _: eye)  # type: ignore[arg-type, return-value]
    return page


def multipart(photo: bytes, token: str) -> bytes:
    lines = [
        b"--b", b'Content-Disposition: form-data; name="csrf"', b"", token.encode(),
        b"--b", b'Content-Disposition: form-data; name="photo"; filename="../a"', b"", photo, b"--b--", b"",
    ]  # fmt: skip
    return b"\r\n".join(lines)


def send(client: FlaskClient, data: bytes | None = None) -> TestResponse:
    """Sends a photograph; the client's own way would write large ones to the disk."""
    with client.session_transaction() as session:
        token = session.setdefault("csrf", "t")
    body = multipart(picture() if data is None else data, token)
    return client.open("/meld/", method="POST", data=body, content_type="multipart/form-data; boundary=b")


def text(answer: TestResponse) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", answer.get_data(as_text=True)).split())


@pytest.fixture
def guest(app: Flask) -> FlaskClient:
    return browser(app, GUEST)


def test_anybody_may_count_and_no_second_upload_is_needed(app: Flask, guest: FlaskClient) -> None:
    eye = Eye(*row("AS TS KS QS JS JD"))
    with_eye(app, eye)
    assert guest.get("/meld/").status_code == 200
    answer = send(guest)
    assert answer.status_code == 303
    place = answer.headers["Location"]
    spades = text(guest.get(f"{place}?trump=S"))
    assert "19 meld with spades trump" in spades  # a run 15, pinochle 4
    assert "Run 15" in spades
    hearts = text(guest.get(f"{place}?trump=H"))
    assert "6 meld with hearts trump" in hearts  # a marriage 2, pinochle 4
    assert "Without trump" in text(guest.get(place))
    assert len(eye.pictures) == 1
    assert guest.get(f"{place}/picture.jpg").mimetype == "image/jpeg"


def test_the_cards_of_a_group_are_highlighted(app: Flask, guest: FlaskClient) -> None:
    with_eye(app, Eye(*row("KC QC QC JH")))
    place = send(guest).headers["Location"]
    page = guest.get(f"{place}?trump=S&group=-marriage_C").get_data(as_text=True)
    marked = re.findall(r'class="mark sure in"[^>]*aria-label="([^,]+)', page)
    assert sorted(marked) == ["king of clubs", "queen of clubs"]


def test_heaps_are_players_and_partners_never_combine(app: Flask, guest: FlaskClient) -> None:
    with_eye(app, Eye(seen("KH", 0), seen("QH", 1), seen("KH", 5), seen("QH", 6)))
    place = send(guest).headers["Location"]
    assert "8 meld with hearts trump" in text(guest.get(f"{place}?trump=H"))
    heaps = text(guest.get(f"{place}?trump=H&whose=heaps"))
    assert heaps.count("4 meld with hearts trump") == 2


def test_more_cards_than_a_hand_are_counted_heap_by_heap(app: Flask, guest: FlaskClient) -> None:
    cards = [seen(str(f), 1) for f in DOUBLE.faces] + [seen("AS", 9)]
    with_eye(app, Eye(*cards))
    assert "Heap 2" in text(guest.get(send(guest).headers["Location"]))


def test_doubt_is_shown_and_mended(app: Flask, guest: FlaskClient) -> None:
    with_eye(app, Eye(seen("KH", 0), seen("JH", 1, 0.62, second="QH")))
    place = send(guest).headers["Location"]
    before = text(guest.get(f"{place}?trump=H"))
    assert "Please check" in before
    assert "62 % sure" in before
    assert "0 meld with hearts" in before
    fixing = guest.get(f"{place}?trump=H&card=2").get_data(as_text=True)
    assert fixing.count('name="face"') == len(DOUBLE.faces) + 1
    answer = guest.post(place, data={"card": "2", "face": "QH", "trump": "H"})
    assert answer.status_code == 303
    after = text(guest.get(answer.headers["Location"]))
    assert "4 meld with hearts" in after
    assert "Please check" not in after


def test_a_card_is_left_out_and_another_added(app: Flask, guest: FlaskClient) -> None:
    with_eye(app, Eye(*row("AS AH AD AC")))
    place = send(guest).headers["Location"]
    assert "10 meld" in text(guest.get(place))
    guest.post(place, data={"card": "1", "face": "none"})
    assert "0 meld" in text(guest.get(place))
    guest.post(place, data={"face": "AS"})
    assert "10 meld" in text(guest.get(place))
    for _ in range(40):
        guest.post(place, data={"face": "AS"})
    held = next(iter(app.extensions["bookwatch_casual"].held._readings.values()))[1]
    assert sum(not c.outline for c in held.cards) == 20


def test_a_foreign_card_is_said_not_to_count(app: Flask, guest: FlaskClient) -> None:
    with_eye(app, Eye(seen("9H", 0, foreign=True)))
    page = text(guest.get(send(guest).headers["Location"]))
    assert "not of this deck and does not count" in page


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"card": "9", "face": "QH"}, 400),
        ({"card": "1", "face": "9H"}, 400),
        ({"card": "1", "face": "<b>"}, 400),
        ({"card": "1"}, 400),
        ({"face": "none"}, 400),
        ({"card": "-1", "face": "QH"}, 400),
    ],
)
def test_nonsense_changes_nothing(app: Flask, guest: FlaskClient, form: dict[str, str], status: int) -> None:
    with_eye(app, Eye(*row("KH")))
    place = send(guest).headers["Location"]
    before = guest.get(place).data
    assert guest.post(place, data=form).status_code == status
    assert guest.get(place).data == before


def test_no_card_and_no_picture_are_said_plainly(app: Flask, guest: FlaskClient) -> None:
    with_eye(app, Eye())
    assert "No card was found" in text(guest.get(send(guest).headers["Location"]))
    answer = guest.post("/meld/", data={})
    assert answer.status_code == 400
    assert "No picture was chosen" in text(answer)
    answer = send(guest, b"just words")
    assert answer.status_code == 400
    assert "text file" in text(answer)


def test_size_is_limited_for_photographs_and_smaller_for_all_else(app: Flask, guest: FlaskClient) -> None:
    with_eye(app, Eye(*row("KH")))
    noise = picture(".png", 3000)
    assert len(noise) > 2_000_000
    assert send(guest, noise).status_code == 303
    assert send(guest, bytes(13 * 2**20)).status_code == 413
    assert guest.post("/sign-in", data={"pin": "x" * 70_000}).status_code == 413
    place = send(guest).headers["Location"]
    assert guest.post(place, data={"face": "x" * 70_000}).status_code == 413


def test_too_many_from_one_address_are_told_when_to_come_back(app: Flask, guest: FlaskClient) -> None:
    page = with_eye(app, Eye(*row("KH")))
    page.limiter = Limiter(most=2, seconds=60)
    assert [send(guest).status_code for _ in range(3)] == [303, 303, 429]
    answer = send(guest)
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert send(browser(app, "192.0.2.10")).status_code == 303


def test_too_many_at_once_are_told_to_try_again(app: Flask, guest: FlaskClient) -> None:
    go, inside = threading.Event(), threading.Event()

    class Slow(Eye):
        def read(self, image: Image, table: object = None) -> list[CardSeen]:
            inside.set()
            go.wait(10)
            return []

    page = with_eye(app, Eye())
    page.photos = OneAtATime(DOUBLE, lambda _: Slow(), waiting=0)  # type: ignore[arg-type, return-value]
    first: list[int] = []
    other = threading.Thread(target=lambda: first.append(send(browser(app, "192.0.2.8")).status_code))
    other.start()
    assert inside.wait(10)
    answer = send(guest)
    go.set()
    other.join()
    assert (answer.status_code, first) == (429, [303])
    assert "Retry-After" in answer.headers


def test_a_form_from_elsewhere_is_refused(app: Flask) -> None:
    eye = Eye(*row("KH"))
    with_eye(app, eye)
    client = app.test_client()
    data = {"photo": (io.BytesIO(picture()), "a.jpg")}
    assert client.post("/meld/", data=data, content_type="multipart/form-data").status_code == 400
    assert eye.pictures == []


def test_nothing_is_written_and_names_cannot_be_guessed(
    app: Flask, guest: FlaskClient, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_eye(app, Eye(*row("KH")))

    def no_file(*_: object, **__: object) -> None:
        raise AssertionError("a photograph went to the disk")

    monkeypatch.setattr(tempfile, "TemporaryFile", no_file)
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", no_file)
    before = sorted(os.walk(tmp_path))
    places = {send(guest, picture(".png", 3000)).headers["Location"] for _ in range(3)}
    assert sorted(os.walk(tmp_path)) == before
    assert len({len(p.removeprefix("/meld/")) for p in places} | {22}) == 1
    for guess in ("AAAAAAAAAAAAAAAAAAAAAA", "..%2f..", "%00", "1"):
        assert guest.get(f"/meld/{guess}").status_code in (404, 410)
        assert guest.get(f"/meld/{guess}/picture.jpg").status_code in (404, 410)


def test_a_picture_is_forgotten_when_asked_and_after_a_while(app: Flask, guest: FlaskClient) -> None:
    page = with_eye(app, Eye(*row("KH")))
    place = send(guest).headers["Location"]
    assert guest.post(f"{place}/forget").status_code == 303
    assert guest.get(place).status_code == 410
    now = [0.0]
    page.held = Held(seconds=900, clock=lambda: now[0])
    place = send(guest).headers["Location"]
    now[0] = 899.0
    assert guest.get(place).status_code == 200
    now[0] = 899.0 + 901.0
    assert guest.get(f"{place}/picture.jpg").status_code == 410
    assert not page.held._readings


def test_memory_for_pictures_is_bounded() -> None:
    held = Held(most_bytes=1000)
    names = [held.keep(Reading(bytes(300), 1, 1, ())) for _ in range(9)]
    assert [held.get(n) is not None for n in names] == [False] * 6 + [True] * 3


def test_the_page_is_told_by_the_faces_that_were_read(app: Flask, guest: FlaskClient) -> None:
    """Any face of the deck, read surely, comes back as itself."""
    with_eye(app, Eye(*[seen(str(f), n) for n, f in enumerate(DOUBLE.faces)]))
    page = guest.get(send(guest).headers["Location"]).get_data(as_text=True)
    for f in ALL_FACES:
        assert (f'aria-label="{f.name}, 99 % sure' in page) == (f in DOUBLE.faces)


def test_over_the_wire_only_photographs_may_be_large(
    app: Flask, serve: Callable[[Flask], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_eye(app, Eye(*row("KH")))
    base = serve(app)
    with urlopen(f"{base}/meld/") as page:
        cookie = page.headers["Set-Cookie"].split(";")[0]
        token = re.search(r'name="csrf" value="([^"]+)"', page.read().decode())
    assert token is not None

    def post(path: str, body: bytes) -> int:
        headers = {"Content-Type": "multipart/form-data; boundary=b", "Cookie": cookie}
        try:
            with urlopen(Request(base + path, body, headers)) as answer:
                return int(answer.status)
        except OSError as error:
            return int(getattr(error, "code", 0))

    large = multipart(picture(".png", 3000), token[1])
    for _ in range(8):  # more than are held at one time: each is let go once it is answered
        assert post("/meld/", large) == 200  # after the redirection
    assert post("/sign-in", large) in (0, 413)  # refused by the header, the rest is not read
    assert post("/meld/", multipart(bytes(14 * 2**20), token[1])) in (0, 413)
    monkeypatch.setattr("webui.bodies.AT_ONCE", 0)
    assert post("/meld/", large) in (0, 429)


def test_without_settings_the_usual_deck_and_rules_count(home: Path) -> None:
    page: Casual = create_app(FolderSource(home)).extensions["bookwatch_casual"]
    assert page.photos.deck is DOUBLE
    assert page.rules.name == "LV"
