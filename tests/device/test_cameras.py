from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from device_samples import picture

from device.cameras import open_source, read_picture
from device.cameras.base import is_black
from device.cameras.live import LiveSource, _without_password
from device.config import CameraSettings
from device.errors import UserError
from vision.types import Image


def test_a_video_gives_its_frames_with_its_own_times(video: Path) -> None:
    with open_source(str(video)) as source:
        frames = list(source)
    assert source.total == 60
    assert [frame.number for frame in frames] == list(range(60))
    assert np.allclose(np.diff([frame.at for frame in frames]), 0.05, atol=0.002)
    assert frames[0].image.shape == (240, 320, 3)
    assert source.problem is None


def test_pictures_of_a_video_that_nobody_wants_are_passed_over_and_counted(video: Path) -> None:
    with open_source(str(video)) as source:
        every = {frame.number: frame for frame in open_source(str(video))}
        source.wants = lambda at: round(at / 0.05) % 3 == 0
        frames = list(source)
    assert [frame.number for frame in frames] == list(range(0, 60, 3))
    assert source.passed == 40
    assert all(np.array_equal(f.image, every[f.number].image) and f.at == every[f.number].at for f in frames)
    assert source.problem is None


def test_a_video_cut_short_gives_what_it_has_and_says_so(
    video: Path, cut: Callable[[Path, float], Path]
) -> None:
    source = open_source(str(cut(video, 0.5)))
    frames = list(source)
    assert 20 < len(frames) < 40
    assert source.problem is not None
    assert f"{len(frames)} of 60 pictures" in source.problem.what
    source.close()


def test_an_mp4_cut_short_is_refused(mp4: Path, cut: Callable[[Path, float], Path]) -> None:
    assert len(list(open_source(str(mp4)))) == 60
    with pytest.raises(UserError, match="begins like a video but is cut short"):
        open_source(str(cut(mp4, 0.5)))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"dear reader,\nthis is a letter\n", "it is a text file"),
        (b"", "the file is empty"),
        (bytes(range(256)) * 9, "unknown"),
    ],
)
def test_a_file_named_mp4_that_is_none(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "letter.mp4"
    path.write_bytes(content)
    with pytest.raises(UserError, match=why) as caught:
        open_source(str(path))
    assert caught.value.where == str(path)


def test_a_folder_gives_its_pictures_in_natural_order(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        cv2.imwrite(str(tmp_path / f"shot{number}.png"), picture(number))
    (tmp_path / "notes.txt").write_text("not a picture")
    source = open_source(str(tmp_path), CameraSettings(fps=4))
    frames = list(source)
    assert [frame.at for frame in frames] == [0, 0.25, 0.5]
    assert np.array_equal(frames[2].image, picture(10))
    assert source.problem is None


def test_bad_pictures_of_a_folder_are_left_out_and_told(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), picture(1))
    (tmp_path / "2.jpg").write_text("a letter")
    cv2.imwrite(str(tmp_path / "3.png"), picture(3, (100, 100)))
    source = open_source(str(tmp_path))
    assert len(list(source)) == 1
    assert source.problem is not None
    assert "2 of 3 pictures were left out" in source.problem.what


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda p: p.mkdir(), "no picture in this folder"),
        (lambda p: None, "no such file or folder"),
    ],
)
def test_no_frames_at_all(tmp_path: Path, make: Callable[[Path], None], what: str) -> None:
    path = tmp_path / "x"
    make(path)
    with pytest.raises(UserError, match=what):
        open_source(str(path))


def test_a_single_picture_is_no_source(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), picture())
    with pytest.raises(UserError, match="single picture") as caught:
        open_source(str(tmp_path / "1.png"))
    assert "bookwatch meld" in caught.value.do


def test_pictures_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    good = tmp_path / "good.jpg"
    cv2.imwrite(str(good), picture())
    assert read_picture(good).shape == (240, 320, 3)
    short = tmp_path / "short.jpg"
    short.write_bytes(good.read_bytes()[:60])
    for path, why in ((short, "cut short"), (tmp_path / "none.jpg", "cannot be read")):
        with pytest.raises(UserError, match=why):
            read_picture(path)


def test_black_is_black() -> None:
    assert is_black(np.full((60, 80, 3), 5, np.uint8))
    assert not is_black(picture())
    noisy = np.random.default_rng(1).integers(0, 7, (600, 800, 3)).astype(np.uint8)
    assert is_black(noisy)


def test_a_camera_that_is_not_there() -> None:
    with pytest.raises(UserError, match="cannot be opened") as caught:
        open_source("97")
    assert caught.value.where == "camera 97"


def test_passwords_are_not_shown() -> None:
    assert _without_password("rtsp://me:secret@10.0.0.7/main") == "rtsp://10.0.0.7/main"


class Scripted(LiveSource):
    """A camera that gives `images` as fast as they are read, and then nothing."""

    def __init__(self, images: int, failures: int = 0) -> None:
        super().__init__("scripted", stale=0.05, retries=2)
        self.left = images
        self.failures = failures
        self.opened = 0
        self.slow = threading.Event()

    def _open(self) -> None:
        self.opened += 1
        if self.failures:
            self.failures -= 1
            raise UserError("not yet", where=self.name)
        self.left += 1

    def _read(self) -> tuple[Image, float] | None:
        if not self.left:
            return None
        self.left -= 1
        return picture(), time.monotonic()

    def _release(self) -> None: ...


def test_a_slow_reader_misses_frames_and_they_are_counted() -> None:
    source = Scripted(50)
    frames = iter(source)
    next(frames)
    while source.left:
        time.sleep(0.01)
    second = next(frames)
    assert second.number >= 49  # more when the source was found stale and opened again
    assert source.dropped + 2 == second.number + 1
    source.close()
    assert list(frames) == []


def test_a_stalled_camera_is_opened_again_and_given_up_in_the_end() -> None:
    source = Scripted(1, failures=1)
    frames = iter(source)
    next(frames)
    next(frames)  # came only after the camera had been opened again, at the second attempt
    assert source.opened == 2
    source.failures = 99
    assert list(frames) == []
    assert source.problem is not None
    assert "no pictures any more" in source.problem.what
    source.close()


def test_waiting_for_a_camera_can_be_interrupted() -> None:
    source = Scripted(1)
    source._stale = 30.0
    frames = iter(source)
    next(frames)
    threading.Timer(0.05, source.interrupt).start()
    start = time.monotonic()
    assert list(frames) == []
    assert time.monotonic() - start < 5
    assert source.problem is None


def test_picamera2_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(UserError, match="not installed") as caught:
        open_source("picamera2")
    assert "apt install python3-picamera2" in caught.value.do


class FakePicamera2:
    """What of picamera2 is used, as its manual describes it."""

    def __init__(self) -> None:
        self.running = False
        self.config: dict[str, Any] = {}

    def create_video_configuration(self, main: dict[str, Any], controls: dict[str, Any]) -> dict[str, Any]:
        return {"main": main, "controls": controls}

    def configure(self, config: dict[str, Any]) -> None:
        self.config = config

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False

    def close(self) -> None: ...

    @contextmanager
    def captured_request(self, flush: bool) -> Iterator[FakePicamera2]:
        assert flush
        if not self.running:
            raise RuntimeError("camera is not running")
        yield self

    def make_array(self, name: str) -> Image:
        assert name == "main"
        width, height = self.config["main"]["size"]
        return picture(size=(width, height))

    def get_metadata(self) -> dict[str, int]:
        return {"SensorTimestamp": 7_500_000_000}


def test_picamera2_gives_frames_with_the_sensors_time(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("picamera2")
    module.Picamera2 = FakePicamera2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)
    source = open_source("picamera2", CameraSettings(width=640, height=480))
    frame = next(iter(source))
    assert frame.at == 7.5
    assert frame.image.shape == (480, 640, 3)
    source.close()
