"""Cameras: whatever a table can be watched through, as an iterator of frames.

`open_source(spec)` understands a video file, a folder of pictures, a camera's number, a network
address, `picamera2`, and `sim:SEED[?options]`, the simulated table.
"""

from __future__ import annotations

from pathlib import Path

from device.cameras.base import Source, is_black
from device.cameras.files import PICTURE_SUFFIXES, PictureFolder, VideoFile, read_picture
from device.config import CameraSettings
from device.errors import UserError

__all__ = [
    "PICTURE_SUFFIXES",
    "PictureFolder",
    "Source",
    "VideoFile",
    "is_black",
    "open_source",
    "read_picture",
]


def open_source(spec: str, settings: CameraSettings | None = None) -> Source:
    """Opens the source that `spec` names. Raises UserError when it cannot give a single frame."""
    settings = settings or CameraSettings()
    if spec.startswith("sim:"):
        from device.cameras.simulated import Simulated

        return Simulated(spec)
    if spec.isdigit() or "://" in spec:
        from device.cameras.live import OpenCvCamera

        return OpenCvCamera(int(spec) if spec.isdigit() else spec, settings)
    if spec == "picamera2":
        from device.cameras.live import PiCamera

        return PiCamera(settings)
    path = Path(spec)
    if path.is_dir():
        return PictureFolder(path, settings.fps)
    if not path.exists():
        raise UserError(
            "there is no such file or folder",
            where=spec,
            do="Give a video file, a folder of pictures, a camera (0, rtsp://..., picamera2), or sim:7.",
        )
    if path.suffix.lower() in PICTURE_SUFFIXES:
        raise UserError(
            "this is a single picture; nothing can be followed in it",
            where=spec,
            do="Use `bookwatch read` or `bookwatch meld`, or give the folder that holds the pictures.",
        )
    return VideoFile(path)
