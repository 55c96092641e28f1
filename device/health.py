"""What `bookwatch doctor` looks at, and what it says about it in plain words."""

from __future__ import annotations

import importlib
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeAlias

from device.calibration import saved, table_of
from device.cameras import is_black, open_source
from device.config import Settings
from device.errors import UserError
from engine import rules
from vision.heights import Curve, load_curve
from vision.table import Table, TableError
from vision.weights import ModelError, locate

Level: TypeAlias = Literal["ok", "info", "warning", "issue"]
LEVELS: tuple[Level, ...] = ("ok", "info", "warning", "issue")

MODULES = ("numpy", "cv2", "onnxruntime", "scipy", "flask", "pydantic", "waitress", "click", "platformdirs")
FREE_WARNING, FREE_ISSUE = 2e9, 2e8
"""Bytes: a hand takes some 20 MB with its pictures."""
SHARE_GOOD, SHARE_LEAST = 0.97, 0.85
"""Share of indices read right, each by itself, that is good, and below which a table cannot be followed."""
INDEX_GOOD = 24.0
"""Pixels that an index should be high where the networks' curve of heights is not there."""

THROTTLED = {
    0: "the supply voltage is too low",
    1: "the processor's clock is capped",
    2: "the processor is throttled",
    3: "the temperature limit is reached",
}
"""Bits of `vcgencmd get_throttled`; 16 higher: the same since the start."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `do`: what to do about it, empty if nothing."""

    subject: str
    level: Level
    text: str
    do: str = ""


def examine(settings: Settings, camera: str | None = None) -> list[Finding]:
    """Everything that can be looked at without a game going on. `camera`: a source to try, if any."""
    findings: list[Finding] = []
    for check in (packages, networks, rule_set, disk, throttling):
        findings += _guarded(check.__name__.replace("_", " "), check, settings)
    size = _size(settings)
    own: Table | None = None
    if camera is not None:
        seen, size, own = _camera(camera, settings, size)
        findings += seen
    findings += calibration(settings, size, own)
    return findings


def _size(settings: Settings) -> tuple[int, int]:
    """Of the pictures in which the table was set up, or else that the camera is asked for."""
    try:
        found = saved(settings.store.folder)
    except TableError:  # calibration() says so
        found = None
    return (found.width, found.height) if found else (settings.camera.width, settings.camera.height)


def worst(findings: list[Finding]) -> Level:
    return max((f.level for f in findings), key=LEVELS.index, default="ok")


def _guarded(name: str, check: Callable[[Settings], Iterator[Finding]], settings: Settings) -> list[Finding]:
    """A check that fails itself is a finding, and hides no other."""
    try:
        return list(check(settings))
    except Exception as error:
        return [Finding(name, "issue", f"cannot be looked at: {error}")]


def packages(_: Settings) -> Iterator[Finding]:
    found = [f"Python {sys.version.split()[0]}"]
    for module in MODULES:
        try:
            version = getattr(importlib.import_module(module), "__version__", None)
        except Exception as error:  # an import can fail in any way: a clash of binaries, a missing library
            yield Finding(
                "packages",
                "issue",
                f"{module} cannot be imported: {error}",
                "Install Bookwatch again in a fresh environment.",
            )
        else:
            found.append(f"{module} {version}" if version else module)
    yield Finding("packages", "ok", ", ".join(found))


def networks(_: Settings) -> Iterator[Finding]:
    said = ""
    for name in ("finder", "reader"):
        try:
            weights = locate(name)
        except ModelError as error:
            if str(error) != said:  # both may be amiss for one reason
                yield Finding("networks", "issue", said := str(error))
        else:
            sure = "checksum right" if weights.facts.get("sha256") else "no checksum to compare"
            yield Finding("networks", "ok", f"{name}: {weights.file.name}, {sure}")


def rule_set(settings: Settings) -> Iterator[Finding]:
    try:
        yield Finding("rule set", "ok", rules.load(settings.game.ruleset).title)
    except rules.RuleError as error:
        yield Finding("rule set", "issue", str(error), "Set game.ruleset.")


def disk(settings: Settings) -> Iterator[Finding]:
    folder = settings.store.folder
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB free at {folder}"
    if free < FREE_ISSUE:
        yield Finding("disk", "issue", text, "Make room before the next hand, or choose another folder.")
    elif free < FREE_WARNING:
        yield Finding("disk", "warning", text, "Make room soon.")
    else:
        yield Finding("disk", "ok", text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        yield Finding(
            "disk",
            "issue",
            f"{folder} cannot be written: {error.strerror}",
            "Mend its rights or choose another.",
        )


def parse_throttled(text: str) -> tuple[list[str], list[str]]:
    """What `vcgencmd get_throttled` says: what is wrong now, and what was since the start.

    Raises ValueError for text of another form.
    """
    match = re.fullmatch(r"throttled=0x([0-9a-fA-F]+)\s*", text)
    if not match:
        raise ValueError(f"vcgencmd said {text.strip()!r}")
    bits = int(match[1], 16)
    now = [words for bit, words in THROTTLED.items() if bits >> bit & 1]
    past = [words for bit, words in THROTTLED.items() if bits >> (bit + 16) & 1]
    return now, past


def throttling(_: Settings) -> Iterator[Finding]:
    command = shutil.which("vcgencmd")
    if command is None:
        yield Finding("power", "info", "not a Raspberry Pi: nothing to say about power and heat")
        return
    done = subprocess.run([command, "get_throttled"], capture_output=True, text=True, timeout=10, check=False)
    now, past = parse_throttled(done.stdout)
    if now:
        yield Finding("power", "issue", "; ".join(now), "Use the official power supply and an active cooler.")
    elif past:
        was = "; ".join(past)
        yield Finding("power", "info", f"good now; since the start it happened that {was}")
    else:
        yield Finding("power", "ok", "power and temperature are good, now and since the start")


def _camera(
    spec: str, settings: Settings, size: tuple[int, int]
) -> tuple[list[Finding], tuple[int, int], Table | None]:
    """Takes a few frames: findings, the picture's size, and the calibration that comes with the source."""
    try:
        with open_source(spec, settings.camera) as source:
            frames = list(islice(source, 5))
            if not frames:
                text = source.problem.what if source.problem else "gives no pictures"
                return [Finding("camera", "issue", f"{source.name}: {text}", "Check the camera.")], size, None
            image = frames[-1].image
            size = (image.shape[1], image.shape[0])
            text = f"{source.name}: {size[0]} x {size[1]}"
            if is_black(image):
                dark = Finding("camera", "issue", f"{text}, but the picture is black", "Uncover the lens.")
                return [dark], size, source.table(size)
            return [Finding("camera", "ok", text)], size, source.table(size)
    except UserError as error:
        where = f"{error.where}: " if error.where else ""
        return [Finding("camera", "issue", f"{where}{error.what}", error.do)], size, None


def calibration(settings: Settings, size: tuple[int, int], own: Table | None = None) -> list[Finding]:
    """Whether the table is calibrated, and how many pixels high an index will be in a picture of `size`."""
    try:
        table = own or table_of(settings, size)
    except TableError as error:
        return [Finding("calibration", "issue", str(error), "Mark the corners again.")]
    if table is None:
        return [
            Finding(
                "calibration",
                "warning",
                "the table is not calibrated",
                "Mark its four corners on the dashboard's set-up page, or give their pixels: table.corners "
                "in the configuration, or --corners.",
            )
        ]
    height = min(table.index_height(mm) for mm in table.polygon_mm(table.play))
    return [resolution(height, size[0])]


def resolution(height: float, width: int) -> Finding:
    """Whether indices `height` pixels high, in pictures `width` pixels wide, are read well enough.

    As measured with the shipped networks (`vision.heights`).
    """
    text = f"an index in the play area is at least {height:.0f} pixels high in pictures {width} wide"
    try:
        curve = load_curve()
    except ModelError as error:
        return Finding("calibration", "issue", str(error), "Install the package again.")
    if curve is None:
        level: Level = "ok" if height >= INDEX_GOOD else "warning"
        advice = f"{INDEX_GOOD:.0f} pixels are a fair guess: the networks were not measured by height."
        return Finding("calibration", level, text, "" if level == "ok" else advice)
    share = curve.right(height)
    text += f": {int(100 * share)} of 100 indices right"
    if not _measured_with_these(curve):
        text += ", as measured with other networks"
    if share >= SHARE_GOOD:
        return Finding("calibration", "ok", text)
    needed = curve.least_height(SHARE_GOOD)
    advice = "Hang the camera nearer, or ask for larger pictures (camera.width, camera.height)."
    if needed is not None and needed > height:
        wide = math.ceil(width * needed / height / 16) * 16
        advice = (
            f"{100 * SHARE_GOOD:.0f} of 100 need {needed:.0f} pixels: pictures {wide} wide (camera.width), "
            "or the camera nearer."
        )
    return Finding("calibration", "issue" if share < SHARE_LEAST else "warning", text, advice)


def _measured_with_these(curve: Curve) -> bool:
    """Whether the networks that are installed are those that the curve was measured with."""
    try:
        there = [locate(name).facts.get("sha256") for name in ("finder", "reader")]
    except ModelError:  # networks() says so
        return True
    return there == [curve.finder, curve.reader]
