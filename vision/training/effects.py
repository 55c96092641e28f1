"""What a camera and a lamp do to a picture, from none to hardly readable."""

from __future__ import annotations

import cv2
import numpy as np

from vision.types import Array, Image

Rng = np.random.Generator


def _disc(radius: float) -> Array:
    n = int(np.ceil(radius)) * 2 + 1
    y, x = np.mgrid[0:n, 0:n] - n // 2
    kernel = np.clip(radius + 0.5 - np.hypot(x, y), 0, 1).astype(np.float32)
    return kernel / kernel.sum()


def _streak(length: int, angle: float) -> Array:
    kernel = np.zeros((length, length), np.float32)
    c = (length - 1) / 2
    dx, dy = np.cos(angle) * c, np.sin(angle) * c
    a = (round(c - dx), round(c - dy))
    b = (round(c + dx), round(c + dy))
    cv2.line(kernel, a, b, 1.0, 1)
    return kernel / kernel.sum()


_GRAIN = np.random.default_rng(5).standard_normal((1024, 1024, 3)).astype(np.float32)


def _grain(rng: Rng, h: int, w: int) -> Array:
    """Unit noise cut at random from a fixed sheet: drawing it anew costs more than all the rest."""
    h0, w0 = min(h, 1024), min(w, 1024)
    y, x = rng.integers(0, 1025 - h0), rng.integers(0, 1025 - w0)
    sheet = _GRAIN[y : y + h0, x : x + w0] * np.float32(rng.choice([-1, 1]))
    return sheet if (h0, w0) == (h, w) else cv2.resize(sheet, (w, h), interpolation=cv2.INTER_NEAREST)


def light(rng: Rng, f: Array) -> Array:
    """Uneven lamps, shadows of arms, casts, hard glare. f: float32 BGR, 0..255."""
    h, w = f.shape[:2]
    if rng.random() < 0.6:
        turn = rng.uniform(0, 2 * np.pi)
        gx, gy = np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32)
        slope = np.cos(turn) * gx[None] + np.sin(turn) * gy[:, None]
        f = f * (1 + np.float32(rng.uniform(0, 0.35)) * slope)[..., None]
    if rng.random() < 0.2:
        shade = np.zeros((h, w), np.float32)
        a, b = rng.uniform(-0.2, 1.2, (2, 2)) * (w, h)
        width = int(rng.uniform(0.1, 0.5) * w)
        cv2.line(shade, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 1.0, width)
        shade = cv2.blur(shade, (int(rng.integers(3, 40)),) * 2)
        f = f * (1 - np.float32(rng.uniform(0.15, 0.6)) * shade)[..., None]
    cast = rng.uniform(0.85, 1.15, 3) if rng.random() < 0.8 else rng.uniform(0.65, 1.3, 3)
    f = f * (rng.uniform(0.4, 1.3) * cast).astype(np.float32) + np.float32(rng.uniform(-18, 30))
    if rng.random() < 0.18:
        y, x = np.ogrid[:h, :w]
        cx, cy = rng.uniform(0, w), rng.uniform(0, h)
        sx, sy = rng.uniform(0.03, 0.25, 2) * w
        spot = np.exp(-(((x - cx) / sx) ** 2) - ((y - cy) / sy) ** 2).astype(np.float32)
        f = f + np.float32(rng.uniform(40, 220)) * spot[..., None]
    return f


def lens(rng: Rng, f: Array, scale: float = 1.0) -> Array:
    """Defocus, motion, low resolution. `scale`: index height over 24 pixels; small things bear less blur."""
    h, w = f.shape[:2]
    kind = rng.random()
    reach = float(np.clip(scale, 0.5, 2.0))
    if kind < 0.30:
        return cv2.GaussianBlur(f, (0, 0), rng.uniform(0.3, 1.3 * reach))
    if kind < 0.42:
        return cv2.filter2D(f, -1, _disc(rng.uniform(0.6, 1.8 * reach)))
    if kind < 0.56:
        return cv2.filter2D(f, -1, _streak(int(rng.integers(3, 4 + int(4 * reach))), rng.uniform(0, np.pi)))
    if kind < 0.70:
        q = rng.uniform(0.5, 0.9)
        small = cv2.resize(f, None, fx=q, fy=q, interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR)
    return f


def sensor(rng: Rng, f: Array) -> Image:
    """Tone, noise, sharpening, chroma loss, compression: float picture to what a program is given."""
    if rng.random() < 0.15:
        f = np.where(rng.random((*f.shape[:2], 1)) < rng.uniform(0, 0.01), rng.choice([0.0, 255.0]), f)
    f = np.clip(f, 0, 255).astype(np.float32)
    if rng.random() < 0.4:
        f = 255 * (f / 255) ** np.float32(rng.uniform(0.65, 1.6))
    if rng.random() < 0.6:
        f = f + np.float32(rng.uniform(1, 10)) * _grain(rng, *f.shape[:2])
    if rng.random() < 0.2:
        f = f + np.float32(rng.uniform(0.3, 1.5)) * (f - cv2.GaussianBlur(f, (0, 0), 1.2))
    image = np.clip(f, 0, 255).astype(np.uint8)
    if rng.random() < 0.07:  # infrared and old cameras
        image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    elif rng.random() < 0.25:
        hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
        hsv[..., 1] = (hsv[..., 1] * rng.uniform(0.2, 1)).astype(np.uint8)
        image = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    if rng.random() < 0.5:  # video keeps colour at half resolution or less
        ycc = cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
        h, w = image.shape[:2]
        q = int(rng.choice([2, 2, 3, 4]))
        chroma = cv2.resize(ycc[..., 1:], (w // q, h // q), interpolation=cv2.INTER_AREA)
        ycc[..., 1:] = cv2.resize(chroma, (w, h), interpolation=cv2.INTER_LINEAR)
        image = cv2.cvtColor(ycc, cv2.COLOR_YCrCb2BGR)
    if rng.random() < 0.5:
        quality = int(rng.integers(30, 95))
        _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        image = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR))
    return image
