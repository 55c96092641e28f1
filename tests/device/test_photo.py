"""Sent photographs: what is refused, with which words, and before how much memory is taken."""

from __future__ import annotations

import contextlib
import struct
import threading
import time
import tracemalloc
import zlib

import cv2
import numpy as np
import pytest

from device.errors import UserError
from device.photo import BYTES_MAX, Busy, OneAtATime, decode
from engine.deck import DOUBLE
from vision.types import Image


def painted(width: int = 320, height: int = 240) -> Image:
    return np.random.default_rng(3).integers(0, 255, (height, width, 3), np.uint8)


def encoded(kind: str, image: Image | None = None) -> bytes:
    _, data = cv2.imencode(kind, painted() if image is None else image)
    return data.tobytes()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def bomb(side: int = 60_000) -> bytes:
    """A PNG of a few kilobytes that declares gigabytes."""
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(1_000_000), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", [".jpg", ".png", ".webp"])
def test_pictures_are_read(kind: str) -> None:
    assert decode(encoded(kind)).shape == (240, 320, 3)


@pytest.mark.parametrize("flags", [[cv2.IMWRITE_WEBP_QUALITY, 101], [cv2.IMWRITE_WEBP_QUALITY, 50]])
def test_both_kinds_of_webp_are_read(flags: list[int]) -> None:
    _, data = cv2.imencode(".webp", painted(), flags)
    assert decode(data.tobytes()).shape == (240, 320, 3)


def test_a_progressive_jpeg_is_read() -> None:
    _, data = cv2.imencode(".jpg", painted(), [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])
    assert decode(data.tobytes()).shape == (240, 320, 3)


def test_a_large_picture_is_made_smaller() -> None:
    image = cv2.resize(painted(), (5100, 3400), interpolation=cv2.INTER_NEAREST)
    assert decode(encoded(".jpg", image)).shape == (1700, 2550, 3)


def test_a_bomb_is_refused_by_what_it_declares() -> None:
    data = bomb()
    tracemalloc.start()
    with pytest.raises(UserError, match="too large") as refused:
        decode(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "60000 x 60000" in refused.value.what
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no picture was chosen"),
        (b"hello\n" * 40, "text file"),
        (b"%PDF-1.7 \xe2\xe3" + bytes(90), "not a picture"),
        (b"GIF89a" + bytes(range(256)), "not a picture"),
        (b"\0\0\0\x18ftypheic" + bytes(100), "HEIC"),
        (encoded(".jpg")[:4000], "cut short"),
        (encoded(".png")[:4000], "cut short"),
        (encoded(".webp")[:4000], "cut short"),
        (encoded(".jpg")[:30], "cut short"),
        (b"\xff\xd8\xff", "cut short"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "cut short"),
        (encoded(".jpg", painted(40, 40)), "too small"),
        (encoded(".jpg", np.zeros((200, 200, 3), np.uint8)), "black"),
        (bytes(BYTES_MAX + 1), "too large"),
    ],
)
def test_what_is_no_good_picture_is_refused_in_plain_words(data: bytes, words: str) -> None:
    with pytest.raises(UserError) as refused:
        decode(data)
    assert words in refused.value.what
    assert refused.value.do


def test_random_damage_never_escapes_as_another_error() -> None:
    dice = np.random.default_rng(5)
    for kind in (".jpg", ".png", ".webp"):
        whole = np.frombuffer(encoded(kind), np.uint8)
        for _ in range(60):
            hurt = whole.copy()
            hurt[dice.integers(0, min(len(hurt), 600), 6)] = dice.integers(0, 256, 6)
            with contextlib.suppress(UserError):
                assert decode(hurt.tobytes()).ndim == 3


class Slow:
    """Notes how many read at once."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.go = threading.Event()

    def read(self, *_: object) -> list[object]:
        self.now += 1
        self.most = max(self.most, self.now)
        self.go.wait(5)
        self.now -= 1
        return []


def test_photographs_are_read_one_at_a_time_and_few_wait() -> None:
    eye = Slow()
    photos = OneAtATime(DOUBLE, lambda _: eye, waiting=2)  # type: ignore[arg-type, return-value]
    done: list[object] = []

    def read() -> None:
        try:
            done.append(photos.read(painted()))
        except Busy as busy:
            done.append(busy)

    threads = [threading.Thread(target=read) for _ in range(5)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 5
    while len(done) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert [type(d) for d in done] == [Busy, Busy]
    eye.go.set()
    for thread in threads:
        thread.join()
    assert done.count([]) == 3
    assert eye.most == 1


def test_who_waits_too_long_is_told_so() -> None:
    eye = Slow()
    photos = OneAtATime(DOUBLE, lambda _: eye, patience=0.05)  # type: ignore[arg-type, return-value]
    first = threading.Thread(target=photos.read, args=(painted(),))
    first.start()
    while not eye.now:
        time.sleep(0.005)
    with pytest.raises(Busy):
        photos.read(painted())
    eye.go.set()
    first.join()
