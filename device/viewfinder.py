"""The table's camera as the dashboard's pages see it.

One camera has one user. While a watch runs, it leaves its newest picture in the store's folder for as long
as somebody asks for it; without one the dashboard opens the camera itself, and lets it go when nobody
looks any more or a watch begins.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from device.cameras import Source, open_source
from device.config import CameraSettings, Settings
from device.errors import UserError
from vision.table import Table
from vision.types import Image

log = logging.getLogger(__name__)

FOLDER = "view"
_WATCHED, _WANTED, _OPEN, _PICTURE = "watching", "wanted", "open", "frame.jpg"
WATCH_LIMIT = 5.0
"""Seconds after its last sign of life after which a watch counts as ended."""
START_LIMIT = 30.0
"""Seconds that a watch may take until its first picture."""
WANTED_LIMIT = 10.0
"""Seconds after the last request for which a watch goes on leaving pictures."""
IDLE_LIMIT = 15.0
"""Seconds after the last request after which the dashboard lets the camera go."""
_EVERY = 0.7
_PATIENCE = 8.0


def _age(file: Path) -> float:
    """Seconds since a file was touched; infinite where there is none."""
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return float("inf")


def _touch(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    except OSError as error:
        log.debug("cannot touch %s: %s", file, error)


def _remove(*files: Path) -> None:
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink()


class Shown:
    """What a watch leaves for the dashboard."""

    def __init__(self, store: Path) -> None:
        self._folder = store / FOLDER
        self._last = float("-inf")

    @contextlib.contextmanager
    def taken(self, patience: float = 6.0) -> Iterator[None]:
        """The camera is this watch's: a dashboard that holds it lets it go first, and keeps off meanwhile."""
        watching = self._folder / _WATCHED
        _touch(watching)
        with contextlib.suppress(OSError):  # from the future: no picture comes while networks are loaded
            os.utime(watching, (time.time() + START_LIMIT,) * 2)
        until = time.monotonic() + patience
        while _age(self._folder / _OPEN) < WATCH_LIMIT and time.monotonic() < until:
            time.sleep(0.1)
        try:
            yield
        finally:
            _remove(watching, self._folder / _PICTURE)

    def offer(self, image: Image) -> None:
        """Says that the watch lives and leaves the picture if somebody wants it, about once a second."""
        now = time.monotonic()
        if now - self._last < _EVERY:
            return
        self._last = now
        _touch(self._folder / _WATCHED)
        if _age(self._folder / _WANTED) > WANTED_LIMIT:
            return
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])
        draft = self._folder / f".{_PICTURE}"
        try:
            draft.write_bytes(data.tobytes())
            os.replace(draft, self._folder / _PICTURE)
        except OSError as error:
            log.debug("cannot leave a picture: %s", error)


@dataclass(frozen=True, slots=True)
class View:
    """A picture of the table. `watched`: a watch took it; `own`: the calibration that its source brings."""

    image: Image
    watched: bool
    own: Table | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.image.shape[1], self.image.shape[0]


class Viewfinder:
    """Pictures of the table for pages, whoever holds the camera."""

    def __init__(
        self, settings: Settings, open_camera: Callable[[str, CameraSettings], Source] = open_source
    ) -> None:
        self._settings = settings
        self._folder = settings.store.folder / FOLDER
        self._open_camera = open_camera
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._newest: tuple[float, View] | None = None
        self._problem: UserError | None = None
        self._asked = 0.0
        self._closing = False

    def look(self) -> View:
        """A picture that is a few seconds old at most. Raises UserError."""
        if self.watched():
            return self._left()
        with self._changed:
            self._asked = time.monotonic()
            if self._thread is None:
                self._problem = None
                self._thread = threading.Thread(target=self._run, name="viewfinder", daemon=True)
                self._thread.start()
            self._changed.wait_for(lambda: self._fresh() or self._problem, _PATIENCE)
            if self._problem:
                raise self._problem
            if not self._fresh():
                raise UserError(
                    "the camera gives no picture", where=self._settings.camera.source, do="Check its cable."
                )
            assert self._newest is not None
            return self._newest[1]

    def watched(self) -> bool:
        """Whether a watch holds the camera."""
        return _age(self._folder / _WATCHED) < WATCH_LIMIT

    def close(self) -> None:
        """Lets the camera go."""
        with self._changed:
            self._closing = True
            thread = self._thread
        if thread:
            thread.join(5)

    def _fresh(self) -> bool:
        return self._newest is not None and time.monotonic() - self._newest[0] < 3.0

    def _left(self) -> View:
        _touch(self._folder / _WANTED)
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            if _age(self._folder / _PICTURE) < 3.0:
                data = np.fromfile(self._folder / _PICTURE, np.uint8)
                image = cv2.imdecode(data, cv2.IMREAD_COLOR)
                if image is not None:
                    return View(np.asarray(image, np.uint8), watched=True)
            time.sleep(0.1)
        raise UserError(
            "the watch that is running leaves no picture",
            do="Wait a moment and look again; is there room on the disk?",
        )

    def _run(self) -> None:
        try:
            self._follow()
        except UserError as error:
            with self._changed:
                self._problem = error
        finally:
            _remove(self._folder / _OPEN)
            with self._changed:
                self._thread, self._newest = None, None
                self._changed.notify_all()

    def _follow(self) -> None:
        """Keeps the newest picture until nobody asks any more; a file or folder begins again at its end."""
        while not self._let_go():
            _touch(self._folder / _OPEN)
            with self._open_camera(self._settings.camera.source, self._settings.camera) as source:
                own: Table | None = None
                touched = 0.0
                for frame in source:
                    height, width = frame.image.shape[:2]
                    own = own or source.table((width, height))
                    with self._changed:
                        self._newest = (time.monotonic(), View(frame.image, watched=False, own=own))
                        self._changed.notify_all()
                    if time.monotonic() - touched > 1.0:
                        touched = time.monotonic()
                        _touch(self._folder / _OPEN)
                    if self._let_go():
                        return
                    if not source.live:
                        time.sleep(0.5)
                if source.problem:
                    raise source.problem

    def _let_go(self) -> bool:
        idle = time.monotonic() - self._asked > IDLE_LIMIT
        return self._closing or idle or self.watched()
