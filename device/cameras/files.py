"""Frames from files: a video, a folder of pictures, single pictures."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

import device
from device.cameras.base import Source
from device.errors import UserError
from vision.table import Table
from vision.types import Frame, Image

VIDEO_SUFFIXES = {
    ".mp4",
    ".m4v",
    ".mov",
    ".mkv",
    ".avi",
    ".webm",
    ".mjpeg",
    ".mjpg",
    ".ts",
    ".mpg",
    ".mpeg",
    ".h264",
}
PICTURE_SUFFIXES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}


def quiet_opencv() -> None:
    """Keeps OpenCV and FFmpeg from writing to stderr what an error message here says better."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def read_picture(path: Path) -> Image:
    """A picture file as a BGR array, turned as its EXIF tag says. Raises UserError."""
    try:
        data = path.read_bytes()
    except IsADirectoryError as error:
        raise UserError(
            "this is a folder, not a picture",
            where=str(path),
            do="Name the pictures in it, or follow them with `bookwatch watch`.",
        ) from error
    except OSError as error:
        raise UserError(
            f"the picture cannot be read: {_reason(error)}",
            where=str(path),
            do="Check the name and the rights.",
        ) from error
    quiet_opencv()
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error as error:
        raise UserError(
            "the picture is too large to be read",
            where=str(path),
            do=f"Give one of at most {device.PIXELS_MAX // 1_000_000} million pixels.",
        ) from error
    if image is None:
        raise UserError(
            f"this is not a picture that can be read ({kind_of(data)})",
            where=str(path),
            do="Give a whole JPEG, PNG, WebP, BMP or TIFF file.",
        )
    return np.asarray(image, np.uint8)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def kind_of(data: bytes) -> str:
    """In plain words, what a file that could not be read looks like from its first bytes."""
    if not data:
        return "the file is empty"
    head = data[:512]
    if data.startswith((b"\xff\xd8\xff", b"\x89PNG", b"RIFF", b"BM", b"II*\0", b"MM\0*")):
        return "it begins like a picture but is cut short or damaged"
    if head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"heif", b"mif1", b"avif"):
        return "it is a HEIC or AVIF picture, as some phones take them; export it as JPEG"
    if head[4:8] == b"ftyp" or head.startswith((b"\x1aE\xdf\xa3", b"RIFF")):
        return "it begins like a video but is cut short or damaged"
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        return "its format is unknown"
    return "it is a text file" if text.isprintable() or "\n" in text else "its format is unknown"


class VideoFile(Source):
    """A video file. Times are the video's own; a file cut short yields what it has and sets `problem`."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        quiet_opencv()
        try:
            with open(path, "rb") as file:
                head = file.read(512)
        except OSError as error:
            raise UserError(
                f"the video cannot be read: {_reason(error)}",
                where=self.name,
                do="Check the name and the rights.",
            ) from error
        self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            self._capture.release()
            raise UserError(
                f"this is not a video that can be read ({kind_of(head)})",
                where=self.name,
                do="Copy the recording again. An MP4 that was cut off while being written has no index; "
                "only a repair tool can save it.",
            )
        rate = float(self._capture.get(cv2.CAP_PROP_FPS))
        self._fps = rate if 0.1 <= rate <= 1000 else 25.0
        count = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.total = count if count > 0 else None

    def __iter__(self) -> Iterator[Frame]:
        at, number = -1.0, 0
        while self._capture.grab():
            stamp = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
            at = stamp if stamp > at else max(number / self._fps, at + 1e-3)
            if self.wants is None or self.wants(at):  # converting costs a good part of decoding
                good, image = self._capture.retrieve()
                if not good:
                    break
                yield Frame(np.asarray(image, np.uint8), at, number)
            else:
                self.passed += 1
            number += 1
        self._judge_end(number)

    def _judge_end(self, read: int) -> None:
        if read == 0:
            self.problem = UserError(
                "no picture of this video can be read (it is cut short or damaged)",
                where=self.name,
                do="Copy the recording again.",
            )
        elif self.total and self.total - read > max(
            5, self.total // 50
        ):  # containers only estimate the count
            self.problem = UserError(
                f"the video is cut short: {read} of {self.total} pictures could be read, "
                f"up to {read / self._fps:.1f} s",
                where=self.name,
                do="Copy the recording again if it should be longer.",
            )

    def table(self, image_size: tuple[int, int]) -> Table | None:
        """From `hand.table.json` beside `hand.mp4`, as `bookwatch simulate` writes it."""
        beside = Path(self.name).with_suffix(".table.json")
        if not beside.is_file():
            return None
        try:
            facts = json.loads(beside.read_text(encoding="utf-8"))
            return Table.from_corners(facts["corners"], (facts["size_mm"],) * 2, image_size)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"this calibration cannot be used ({error})",
                where=str(beside),
                do="Remove it and give the corners with --corners, or make it again.",
            ) from error

    def close(self) -> None:
        self._capture.release()


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sorts 2.jpg before 10.jpg."""
    return [
        (int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name.lower())
    ]


class PictureFolder(Source):
    """The pictures of a folder in the order of their names, `fps` a second.

    Pictures that cannot be read, or whose size is not the first one's, are left out; `problem`
    then says how many.
    """

    def __init__(self, folder: Path, fps: float) -> None:
        super().__init__(str(folder))
        try:
            self._files = sorted(
                (p for p in folder.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES and p.is_file()),
                key=_natural,
            )
        except OSError as error:
            raise UserError(
                f"the folder cannot be read: {_reason(error)}",
                where=self.name,
                do="Check the name and the rights.",
            ) from error
        if not self._files:
            raise UserError(
                "there is no picture in this folder",
                where=self.name,
                do=f"Put pictures there ({', '.join(sorted(PICTURE_SUFFIXES))}) or name another folder.",
            )
        self._fps = fps
        self.total = len(self._files)

    def __iter__(self) -> Iterator[Frame]:
        left_out: list[str] = []
        shape: tuple[int, ...] | None = None
        for number, file in enumerate(self._files):
            try:
                image = read_picture(file)
            except UserError as error:
                left_out.append(str(error.what))
                continue
            if shape is not None and image.shape != shape:
                left_out.append(f"{file.name} has another size ({image.shape[1]} x {image.shape[0]})")
                continue
            shape = image.shape
            yield Frame(image, number / self._fps, number)
        if left_out:
            self.problem = UserError(
                f"{len(left_out)} of {len(self._files)} pictures were left out; the first: {left_out[0]}",
                where=self.name,
                do="Remove or replace them.",
            )
