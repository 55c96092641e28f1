"""Pictures, videos and hands for the device's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import pytest
from device_samples import picture

from device.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "bookwatch.db")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty pictures at twenty a second. AVI keeps what it has when it is cut off, unlike MP4."""
    path = tmp_path_factory.mktemp("video") / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (320, 240))
    for number in range(60):
        writer.write(picture(number))
    writer.release()
    return path


@pytest.fixture(scope="session")
def mp4(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("video") / "table.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 20, (320, 240))
    for number in range(60):
        writer.write(picture(number))
    writer.release()
    return path


@pytest.fixture
def cut(tmp_path: Path) -> Callable[[Path, float], Path]:
    """Cuts a copy of a file down to a share of its bytes."""

    def cut_file(path: Path, share: float) -> Path:
        data = path.read_bytes()
        short = tmp_path / f"cut{path.suffix}"
        short.write_bytes(data[: int(len(data) * share)])
        return short

    return cut_file
