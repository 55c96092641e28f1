"""Frames from a camera that runs now: USB or network through OpenCV, or a Raspberry Pi's own.

A live camera does not wait. One thread takes every frame and keeps only the newest; whoever is
slow misses frames, which are counted, and nothing queues up.
"""

from __future__ import annotations

import importlib
import logging
import threading
import time
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from device.cameras.base import Source
from device.cameras.files import quiet_opencv
from device.config import CameraSettings
from device.errors import UserError
from vision.types import Frame, Image

log = logging.getLogger(__name__)

STALE_SECONDS = 5.0
"""A camera that gave no new frame for so long is opened again."""
RETRIES = 5


class LiveSource(Source):
    """Newest-frame reading of a camera that subclasses open, read and close."""

    live = True

    def __init__(self, name: str, stale: float = STALE_SECONDS, retries: int = RETRIES) -> None:
        super().__init__(name)
        self._stale = stale
        self._retries = retries
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._closing = False

    @abstractmethod
    def _open(self) -> None:
        """Opens the camera. Raises UserError."""

    @abstractmethod
    def _read(self) -> tuple[Image, float] | None:
        """Waits for the next frame: picture and time on a monotonic clock, seconds. None: no frame came."""

    @abstractmethod
    def _release(self) -> None: ...

    def _run(self) -> None:
        number = 0
        while not self._closing:
            got = self._read()
            if got is None:
                time.sleep(0.02)
                continue
            with self._changed:
                if self._newest is not None:
                    self.dropped += 1
                self._newest = Frame(got[0], got[1], number)
                self._changed.notify()
            number += 1

    def __iter__(self) -> Iterator[Frame]:
        reader = threading.Thread(target=self._run, name="camera", daemon=True)
        reader.start()
        tries = 0
        while not self._closing:
            with self._changed:
                if self._newest is None:
                    self._changed.wait(self._stale)
                frame, self._newest = self._newest, None
            if frame is not None:
                tries = 0
                yield frame
            elif not self._closing:
                tries += 1
                if tries > self._retries:
                    self.problem = UserError(
                        f"the camera gives no pictures any more ({self._retries} attempts)",
                        where=self.name,
                        do="Check its cable and power, then start again.",
                    )
                    return
                log.warning(
                    "No picture from %s for %.0f s; opening it again (%d).", self.name, self._stale, tries
                )
                try:
                    self._release()
                    self._open()
                except UserError as error:
                    log.warning("%s", error)

    def interrupt(self) -> None:
        self._closing = True
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        self.interrupt()
        self._release()


class OpenCvCamera(LiveSource):
    """A USB camera by number or a network stream by address."""

    def __init__(self, target: int | str, settings: CameraSettings) -> None:
        super().__init__(f"camera {target}" if isinstance(target, int) else _without_password(target))
        self._target = target
        self._settings = settings
        self._lock = threading.Lock()
        self._capture: Any = None
        self._open()

    def _open(self) -> None:
        quiet_opencv()
        with self._lock:
            self._capture = cv2.VideoCapture(self._target)
            if self._capture.isOpened():
                if isinstance(self._target, int):
                    self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._settings.width)
                    self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._settings.height)
                    self._capture.set(cv2.CAP_PROP_FPS, self._settings.fps)
                return
        hint = (
            "Is it plugged in, does no other program use it, and may you use it (group `video`)?"
            if isinstance(self._target, int)
            else "Check the address, the network, and the name and password in it."
        )
        raise UserError("the camera cannot be opened", where=self.name, do=hint)

    def _read(self) -> tuple[Image, float] | None:
        with self._lock:
            good, image = self._capture.read()
        return (np.asarray(image, np.uint8), time.monotonic()) if good else None

    def _release(self) -> None:
        with self._lock:
            self._capture.release()


def _without_password(address: str) -> str:
    """The address as it may be shown and logged."""
    scheme, mark, rest = address.partition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}"


class PiCamera(LiveSource):
    """A Raspberry Pi's own camera through picamera2, which comes from apt with libcamera."""

    def __init__(self, settings: CameraSettings) -> None:
        super().__init__("picamera2")
        self._settings = settings
        self._camera: Any = None
        self._open()

    def _open(self) -> None:
        try:
            picamera2 = importlib.import_module("picamera2")
        except ImportError as error:
            raise UserError(
                f"picamera2 is not installed here ({error})",
                where=self.name,
                do="On a Pi: `sudo apt install python3-picamera2 --no-install-recommends`, and make "
                "the environment with --system-site-packages.",
            ) from error
        try:
            self._camera = picamera2.Picamera2()
            size = (self._settings.width, self._settings.height)
            # libcamera names formats by their order in a word: RGB888 is BGR in memory.
            config = self._camera.create_video_configuration(
                main={"size": size, "format": "RGB888"}, controls={"FrameRate": self._settings.fps}
            )
            self._camera.configure(config)
            self._camera.start()
        except (RuntimeError, IndexError, OSError) as error:
            raise UserError(
                f"the camera cannot be started ({error})",
                where=self.name,
                do="Check the ribbon cable; `rpicam-hello --list-cameras` must show the camera, and no other "
                "program may use it.",
            ) from error

    def _read(self) -> tuple[Image, float] | None:
        try:
            with self._camera.captured_request(flush=True) as request:
                image = request.make_array("main")
                stamp = request.get_metadata().get("SensorTimestamp")
        except (RuntimeError, OSError) as error:
            log.warning("picamera2: %s", error)
            return None
        return np.asarray(image, np.uint8)[..., :3], stamp / 1e9 if stamp else time.monotonic()

    def _release(self) -> None:
        if self._camera is not None:
            self._camera.stop()
            self._camera.close()
