"""The set-up page: for the director alone; what it keeps, what it refuses, what it says is to be mended."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from test_casual import Eye, seen, text
from webui_samples import Sample, browser

from device.calibration import saved
from device.config import CameraSettings, Settings, StoreSettings
from device.photo import OneAtATime
from device.pins import hash_of
from device.viewfinder import Shown
from engine.deck import DOUBLE
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource

SIZE = (1600, 900)
CORNERS = [(400, 50), (1200, 50), (1200, 850), (400, 850)]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    folder = tmp_path / "camera"
    folder.mkdir()
    image = np.full((SIZE[1], SIZE[0], 3), 60, np.uint8)
    image[50:850, 400:1200] = 120
    for n in range(6):
        image[200:290, 450 + 110 * n : 515 + 110 * n] = 240
    cv2.imwrite(str(folder / "1.png"), image)
    return Settings(store=StoreSettings(folder=tmp_path / "store"), camera=CameraSettings(source=str(folder)))


def make(home: Path, settings: Settings | None, keys: Keys | None = None) -> Flask:
    app = create_app(FolderSource(home, poll=0.0), settings=settings, keys=keys)
    if settings:
        place = app.extensions["bookwatch_setup"]
        place.photos = OneAtATime(DOUBLE, lambda _: Eye(seen("KH", 0)))  # type: ignore[arg-type, return-value]
    return app


@pytest.fixture
def app(home: Path, settings: Settings) -> Iterator[Flask]:
    made = make(home, settings)
    yield made
    made.extensions["bookwatch_setup"].viewfinder.close()


def form(**changed: object) -> dict[str, str]:
    data: dict[str, object] = {"width": SIZE[0], "height": SIZE[1], "width_cm": 70, "height_cm": "71,5"}
    for n, (x, y) in enumerate(CORNERS):
        data |= {f"x{n}": x, f"y{n}": y}
    return {name: str(value) for name, value in (data | changed).items()}


def corners_in(page: str) -> list[float]:
    return [float(v) for v in re.findall(r'name="[xy]\d"[^>]*value="([^"]+)"', page)]


@pytest.mark.filterwarnings("ignore:.*__version__")
def test_it_walks_from_nothing_to_ready(app: Flask, settings: Settings) -> None:
    client = browser(app)
    first = text(client.get("/director/set-up/"))
    assert "Not ready yet" in first
    assert "the table is not calibrated" in first
    assert "no test card" in first
    answer = client.post("/director/set-up/corners", data=form())
    assert answer.status_code == 303
    kept = saved(settings.store.folder)
    assert kept is not None
    assert (kept.corners, kept.width, kept.height_mm) == (tuple(CORNERS), 1600, 715.0)
    second = client.get(answer.headers["Location"])
    assert "The corners are kept" in text(second)
    assert "not calibrated" not in text(second)
    assert "pixels high" in text(second)
    assert corners_in(second.get_data(as_text=True)) == [v for c in CORNERS for v in c]
    assert client.get("/director/set-up/card.jpg").status_code == 404
    assert client.post("/director/set-up/card").status_code == 303
    last = text(client.get("/director/set-up/"))
    assert "king of hearts, 99 % sure" in last
    assert client.get("/director/set-up/card.jpg").mimetype == "image/jpeg"
    assert "Not ready" not in last
    assert "Ready." in last


def test_the_live_picture_is_a_picture(app: Flask) -> None:
    answer = browser(app).get("/director/set-up/picture.jpg")
    image = cv2.imdecode(np.frombuffer(answer.data, np.uint8), cv2.IMREAD_COLOR)
    assert image.shape == (900, 1600, 3)
    assert answer.headers["Cache-Control"] == "no-store"


def test_names_are_turned_without_keeping_anything(app: Flask, settings: Settings) -> None:
    page = browser(app).post("/director/set-up/corners", data=form(turn="1"))
    assert page.status_code == 200
    turned = [*CORNERS[1:], CORNERS[0]]
    html = page.get_data(as_text=True)
    assert corners_in(html) == [v for c in turned for v in c]
    assert re.search(r'name="width_cm"[^>]*value="71.5"', html)
    assert saved(settings.store.folder) is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"x0": 1300}, "anticlockwise|crossed|dented"),
        ({"x1": 401, "y1": 51}, "only"),
        ({"x0": "-900"}, "outside the picture"),
        ({"x0": "nan"}, "enter a number"),
        ({"x0": "inf"}, "enter a number"),
        ({"x0": "<script>"}, "enter a number"),
        ({"y3": ""}, "enter a number"),
        ({"width_cm": "0"}, "enter a number"),
        ({"width_cm": "5"}, "too small for four players"),
        ({"width": "1e9"}, "enter a number"),
    ],
)
def test_what_makes_no_table_is_refused_in_words(
    app: Flask, settings: Settings, changed: dict[str, object], words: str
) -> None:
    answer = browser(app).post("/director/set-up/corners", data=form(**changed))
    assert answer.status_code == 400
    assert re.search(words, text(answer))
    assert "<script>" not in answer.get_data(as_text=True).replace("<script src", "")
    assert saved(settings.store.folder) is None


def test_lower_roles_are_shut_out(home: Path, settings: Settings) -> None:
    keys = Keys(b"s" * 32, hash_of("director-pin"), hash_of("4711"))
    app = make(home, settings, keys)
    client = browser(app, "192.0.2.7")
    for code in (None, "4711"):
        if code:
            client.post("/sign-in", data={"pin": code})
        for path in ("", "picture.jpg", "card.jpg"):
            assert client.get(f"/director/set-up/{path}").status_code == 403
        for path in ("corners", "card"):
            assert client.post(f"/director/set-up/{path}", data=form()).status_code == 403
        assert "set-up" not in client.get("/").get_data(as_text=True)
    assert saved(settings.store.folder) is None
    assert app.extensions["bookwatch_setup"].viewfinder._thread is None, "the camera was opened for nobody"


def test_a_form_without_the_token_is_refused(app: Flask, settings: Settings) -> None:
    client = app.test_client()
    assert client.post("/director/set-up/corners", data=form()).status_code == 400
    assert saved(settings.store.folder) is None


def test_a_camera_that_fails_is_told_on_the_page(home: Path, tmp_path: Path) -> None:
    settings = Settings(
        store=StoreSettings(folder=tmp_path / "store"), camera=CameraSettings(source=str(tmp_path / "none"))
    )
    client = browser(make(home, settings))
    page = text(client.get("/director/set-up/"))
    assert "The camera gives no picture" in page
    assert "no such file or folder" in page
    assert client.get("/director/set-up/picture.jpg").status_code == 503
    assert client.post("/director/set-up/card").status_code == 503


def test_a_full_disk_is_told(app: Flask, settings: Settings) -> None:
    settings.store.folder.mkdir(parents=True, exist_ok=True)
    (settings.store.folder / ".calibration.json.draft").mkdir()
    answer = browser(app).post("/director/set-up/corners", data=form())
    assert answer.status_code == 503
    assert "It was not kept" in text(answer)


def test_a_dashboard_of_recorded_hands_alone_has_no_such_page(home: Path) -> None:
    client = browser(make(home, None))
    assert client.get("/director/set-up/").status_code == 404
    assert "set-up" not in client.get("/").get_data(as_text=True)


def test_guests_read_with_the_same_eye_one_at_a_time(home: Path, settings: Settings) -> None:
    app = create_app(FolderSource(home), settings=settings)
    assert app.extensions["bookwatch_setup"].photos is app.extensions["bookwatch_casual"].photos


def test_guests_use_the_tables_camera_while_no_game_is_watched(
    app: Flask, home: Path, sample: Sample, settings: Settings
) -> None:
    director, guest = browser(app), browser(app, "192.0.2.9")
    app.extensions["bookwatch_casual"].photos = app.extensions["bookwatch_setup"].photos
    director.post("/director/set-up/corners", data=form())
    assert "Use the table’s camera" in text(guest.get("/meld/"))
    answer = guest.post("/meld/table")
    assert answer.status_code == 303
    page = guest.get(answer.headers["Location"])
    assert "0 meld" in text(page)
    assert "By seat" in text(page)

    sample.write(home, 8, pictures=False)
    assert guest.post("/meld/table").status_code == 409
    assert "Use the table’s camera" not in text(guest.get("/meld/"))
    sample.write(home, pictures=False)
    assert guest.post("/meld/table").status_code == 303
    with Shown(settings.store.folder).taken():
        assert guest.post("/meld/table").status_code == 409


def test_no_file_is_taken_for_a_number(app: Flask, settings: Settings) -> None:
    data = form() | {"x0": (io.BytesIO(b"9"), "9.txt")}  # type: ignore[dict-item]
    answer = browser(app).post("/director/set-up/corners", data=data, content_type="multipart/form-data")
    assert answer.status_code == 400
    assert saved(settings.store.folder) is None
