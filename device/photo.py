"""Photographs that people send: judged by their first bytes before they are decoded, read one by one."""

from __future__ import annotations

import contextlib
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Final

import cv2
import numpy as np

from device.cameras import is_black
from device.cameras.files import kind_of, quiet_opencv
from device.errors import UserError
from engine.deck import Deck
from vision.cards import CardReader
from vision.detector import load_finder
from vision.glyphs import load_reader
from vision.table import Table
from vision.types import CardSeen, Image

UNSURE = 0.95
"""A card read with less probability is shown for checking."""
BYTES_MAX: Final = 12 * 1024 * 1024
PIXELS_MAX: Final = {"JPEG": 50_000_000, "PNG": 25_000_000, "WebP": 25_000_000}
"""Largest picture that is decoded. Phones make 12 to 50 million pixels, and those are JPEG."""
SIDE_LEAST, SIDE_MAX = 64, 2560
"""Pixels: smaller is no photograph; larger is made smaller first, which costs no card and saves seconds."""
_HALVED_FROM = 16_000_000
_AGAIN = "Take the picture again, or choose another one (JPEG, PNG or WebP)."


def card_reader(deck: Deck | None) -> CardReader:
    """The shipped networks for one deck; None: all 52 faces. Raises ModelError."""
    return CardReader(load_finder(), load_reader(), deck)


def decode(data: bytes) -> Image:
    """A sent file as a BGR picture of at most SIDE_MAX pixels a side, turned as its EXIF tag says.

    What the file's header declares is held to PIXELS_MAX before any memory is taken. Raises UserError.
    """
    if not data:
        raise UserError("no picture was chosen", do="Choose one, or take one with the camera.")
    if len(data) > BYTES_MAX:
        raise UserError(
            f"the file is too large ({len(data) / 1e6:.0f} MB; at most {BYTES_MAX / 2**20:.0f})", do=_AGAIN
        )
    kind, width, height, whole = _declared(data)
    if min(width, height) < SIDE_LEAST:
        raise UserError(f"the picture is too small ({width} x {height} pixels)", do=_AGAIN)
    if width * height > PIXELS_MAX[kind]:
        raise UserError(
            f"the picture is too large ({width} x {height} pixels)",
            do=f"Send one of at most {PIXELS_MAX[kind] // 1_000_000} million pixels.",
        )
    if not whole:
        raise _damaged()
    halved = kind == "JPEG" and width * height > _HALVED_FROM
    quiet_opencv()
    try:
        image = cv2.imdecode(
            np.frombuffer(data, np.uint8), cv2.IMREAD_REDUCED_COLOR_2 if halved else cv2.IMREAD_COLOR
        )
    except cv2.error:
        image = None
    if image is None:
        raise _damaged()
    if is_black(np.asarray(image, np.uint8)):
        raise UserError("the picture is black", do="Uncover the lens or switch the light on, and try again.")
    return smaller(np.asarray(image, np.uint8), SIDE_MAX)


def smaller(image: Image, side: int) -> Image:
    """The picture, made so small that its longer side has at most so many pixels."""
    height, width = image.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return image
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _damaged() -> UserError:
    return UserError("the picture is cut short or damaged", do=_AGAIN)


def _declared(data: bytes) -> tuple[str, int, int, bool]:
    """Format, width and height as the header says, and whether the file has its end. Raises UserError."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            return ("PNG", *struct.unpack(">II", data[16:24]), b"IEND" in data[-4096:])
        if data.startswith(b"\xff\xd8\xff"):
            return ("JPEG", *_jpeg(data))
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return ("WebP", *_webp(data), len(data) >= struct.unpack("<I", data[4:8])[0] + 8)
    except (struct.error, IndexError):
        raise _damaged() from None
    if data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"heif", b"mif1", b"avif"):
        raise UserError(
            "this is a HEIC picture, which cannot be read here",
            do="Take it with the button on this page, or set the phone's camera to JPEG (“Most compatible”).",
        )
    raise UserError(f"this is not a picture that can be read ({kind_of(data)})", do=_AGAIN)


def _jpeg(data: bytes) -> tuple[int, int, bool]:
    at = 2
    width = height = 0
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # padding
            at += 1
            continue
        if marker == 0xDA:  # the scan; an end marker after it is no thumbnail's
            return width, height, data.find(b"\xff\xd9", at) > 0
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
        at += 2 + length
    raise IndexError


def _webp(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            (bits,) = struct.unpack("<I", data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
    raise IndexError


class Busy(Exception):  # noqa: N818 - a state, not a fault
    """Too many photographs at once. `seconds`: when to try again."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too many photographs are being read at once")
        self.seconds = seconds


class OneAtATime:
    """Reads photographs one after the other, so that a Pi's table is not starved by its guests.

    The networks are loaded for the first photograph. At most `waiting` wait, `patience` seconds each.
    """

    def __init__(
        self,
        deck: Deck,
        load: Callable[[Deck | None], CardReader] = card_reader,
        *,
        waiting: int = 2,
        patience: float = 30.0,
    ) -> None:
        self.deck = deck
        self._load = load
        self._reader: CardReader | None = None
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(waiting + 1)
        self._patience = patience

    def read(self, image: Image, table: Table | None = None) -> list[CardSeen]:
        """Every card of a picture. Raises Busy, ModelError and TableError."""
        with self.turn():
            reader = self._reader = self._reader or self._load(self.deck)
            return reader.read(image, table)

    @contextlib.contextmanager
    def turn(self, patience: float | None = None) -> Iterator[None]:
        """Whoever has it is alone with this machine's eye. patience: seconds, if other. Raises Busy."""
        patience = self._patience if patience is None else patience
        if not self._places.acquire(blocking=False):
            raise Busy(patience / 3)
        try:
            if not self._turn.acquire(timeout=patience):
                raise Busy(patience)
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()

    def load_anew(self) -> None:
        """For the next photograph, as when another deck was chosen."""
        self._reader = None
