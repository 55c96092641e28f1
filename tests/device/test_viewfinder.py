"""One camera, one user: the dashboard looks through it, or through the eyes of the watch that runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from device_samples import picture

from device import viewfinder as finding
from device.cameras.base import Source
from device.config import CameraSettings, Settings, StoreSettings
from device.errors import UserError
from device.viewfinder import Shown, Viewfinder
from vision.types import Frame


class Camera(Source):
    """Gives pictures without end; `held`: how many have it open."""

    live = True
    held = 0

    def __init__(self) -> None:
        super().__init__("camera")
        Camera.held += 1

    def __iter__(self) -> Iterator[Frame]:
        for n in range(10_000):
            time.sleep(0.01)
            yield Frame(picture(n % 100), time.monotonic(), n)

    def close(self) -> None:
        Camera.held -= 1


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=StoreSettings(folder=tmp_path), camera=CameraSettings(source="7"))


@pytest.fixture
def look(settings: Settings) -> Iterator[Viewfinder]:
    Camera.held = 0
    made = Viewfinder(settings, lambda *_: Camera())
    yield made
    made.close()
    assert Camera.held == 0


def until(true: Callable[[], bool], seconds: float = 8.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_without_a_watch_the_camera_itself_is_opened_once(look: Viewfinder) -> None:
    seen = [look.look() for _ in range(3)]
    assert Camera.held == 1
    assert {(v.size, v.watched) for v in seen} == {((320, 240), False)}


def test_the_camera_is_let_go_when_nobody_looks(look: Viewfinder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "IDLE_LIMIT", 0.2)
    look.look()
    until(lambda: Camera.held == 0)
    assert look.look().size == (320, 240)


def test_a_watch_gets_the_camera_and_its_pictures_are_shown(
    look: Viewfinder, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_EVERY", 0.0)
    look.look()
    shown, stop = Shown(settings.store.folder), threading.Event()
    began = time.monotonic()
    with shown.taken():
        assert Camera.held == 0
        assert time.monotonic() - began < 5
        monkeypatch.setattr(finding, "WATCH_LIMIT", 0.5)
        time.sleep(0.6)
        assert look.watched(), "a watch that is still beginning has the camera too"

        def watch() -> None:
            while not stop.wait(0.02):
                shown.offer(np.full((90, 160, 3), 77, np.uint8))

        thread = threading.Thread(target=watch)
        thread.start()
        seen = look.look()
        stop.set()
        thread.join()
        assert (seen.size, seen.watched) == ((160, 90), True)
        assert abs(int(seen.image.mean()) - 77) <= 2
        assert Camera.held == 0
    assert look.look().watched is False


def test_a_watch_writes_no_picture_that_nobody_wants(settings: Settings) -> None:
    Shown(settings.store.folder).offer(picture())
    assert [f.name for f in (settings.store.folder / "view").iterdir()] == ["watching"]


def test_what_is_wrong_with_the_camera_is_said_each_time(settings: Settings) -> None:
    def broken(*_: object) -> Source:
        raise UserError("the camera cannot be opened", do="Check its cable.")

    made = Viewfinder(settings, broken)
    for _ in range(2):
        with pytest.raises(UserError, match="cannot be opened"):
            made.look()


def test_a_folder_of_pictures_begins_again_at_its_end(tmp_path: Path) -> None:
    import cv2

    folder = tmp_path / "pictures"
    folder.mkdir()
    cv2.imwrite(str(folder / "1.png"), picture())
    made = Viewfinder(
        Settings(store=StoreSettings(folder=tmp_path / "s"), camera=CameraSettings(source=str(folder)))
    )
    first = made.look()
    time.sleep(1.2)
    assert np.array_equal(made.look().image, first.image)
    made.close()
