from __future__ import annotations

import json
import math
import stat
from pathlib import Path

import cv2
import numpy as np
import pytest
from device_samples import picture

from device import health
from device.config import Settings, StoreSettings, TableSettings
from device.health import Finding
from vision.heights import Curve


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=StoreSettings(folder=tmp_path / "home"))


def level_of(findings: list[Finding], subject: str) -> str:
    return health.worst([finding for finding in findings if finding.subject == subject])


@pytest.mark.parametrize(
    ("text", "now", "past"),
    [
        ("throttled=0x0\n", 0, 0),
        ("throttled=0x50000\n", 0, 2),
        ("throttled=0x50005\n", 2, 2),
        ("throttled=0x8\n", 1, 0),
    ],
)
def test_throttling_now_and_since_the_start_are_told_apart(text: str, now: int, past: int) -> None:
    found = health.parse_throttled(text)
    assert (len(found[0]), len(found[1])) == (now, past)


@pytest.mark.parametrize(
    ("answer", "level"), [("0x0", "ok"), ("0x50000", "info"), ("0x50005", "issue"), ("broken", "issue")]
)
def test_a_pi_says_how_its_power_is(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, level: str
) -> None:
    fake = tmp_path / "vcgencmd"
    fake.write_text(f"#!/bin/sh\necho throttled={answer}\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert level_of(health.examine(settings), "power" if answer != "broken" else "throttling") == level


def test_the_networks_are_checked(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKWATCH_MODELS", str(tmp_path))
    assert level_of(health.examine(settings), "networks") == "issue"
    (tmp_path / "net.onnx").write_bytes(b"x")
    good = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    for digest, level in ((good, "ok"), ("0" * 64, "issue")):
        entry = {"file": "net.onnx", "sha256": digest}
        (tmp_path / "models.json").write_text(json.dumps({"finder": entry, "reader": entry}))
        assert level_of(health.examine(settings), "networks") == level


def test_a_missing_package_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "MODULES", ("numpy", "no_such_module"))
    issues = [f for f in health.examine(settings) if f.subject == "packages" and f.level == "issue"]
    assert "no_such_module" in issues[0].text


@pytest.mark.parametrize(("free", "level"), [(1e8, "issue"), (1e9, "warning"), (1e10, "ok")])
def test_the_disk_must_have_room(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, free: float, level: str
) -> None:
    class Usage:
        def __init__(self, _: Path) -> None:
            self.free = free

    monkeypatch.setattr("device.health.shutil.disk_usage", Usage)
    assert level_of(health.examine(settings), "disk") == level


def test_a_folder_that_cannot_be_written_is_an_issue(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    settings = Settings(store=StoreSettings(folder=tmp_path / "file" / "home"))
    assert level_of(health.examine(settings), "disk") == "issue"


CURVE = Curve((10, 20, 40), (9, 9, 9), (1, 1, 1), (1, 1, 1), (0.5, 0.9, 0.99), "finder", "reader")


@pytest.mark.parametrize(
    ("size", "level", "said"),
    [
        (2400, "ok", "48 pixels high in pictures 2400 wide: 99 of 100 indices right"),
        (1100, "warning", "22 pixels high in pictures 1100 wide: 91 of 100 indices right"),
        (500, "issue", "10 pixels high in pictures 500 wide: 50 of 100 indices right"),
    ],
)
def test_calibration_says_how_high_an_index_will_be_and_what_that_gives(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, size: int, level: str, said: str
) -> None:
    monkeypatch.setattr(health, "load_curve", lambda: CURVE)
    square = ((0, 0), (size, 0), (size, size), (0, size))
    table = TableSettings(corners=square, width_mm=900, height_mm=900)
    wanted = settings.model_copy(update={"table": table})
    [finding] = health.calibration(wanted, (size, size))
    assert finding.level == level
    # An index is 18 mm high; a flat view shows it at the picture's scale.
    assert said in finding.text
    assert "as measured with other networks" in finding.text
    if level != "ok":  # 97 of 100 are reached at 20 * 2 ** (7 / 9) = 34.3 pixels
        wide = math.ceil(20 * 2 ** (7 / 9) / 18 * 900 / 16) * 16
        assert f"97 of 100 need 34 pixels: pictures {wide} wide" in finding.do


def test_without_a_curve_the_doctor_guesses_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "load_curve", lambda: None)
    assert health.resolution(30, 2304).level == "ok"
    low = health.resolution(20, 2304)
    assert low.level == "warning"
    assert "not measured" in low.do


def test_without_or_with_wrong_corners(settings: Settings) -> None:
    assert health.calibration(settings, (640, 480))[0].level == "warning"
    crossed = TableSettings(corners=((0, 0), (600, 400), (600, 0), (0, 400)))
    finding = health.calibration(settings.model_copy(update={"table": crossed}), (640, 480))[0]
    assert finding.level == "issue"
    assert "crossed" in finding.text


def test_the_camera_is_tried(settings: Settings, tmp_path: Path) -> None:
    shots = tmp_path / "shots"
    shots.mkdir()
    cv2.imwrite(str(shots / "1.png"), picture())
    assert level_of(health.examine(settings, str(shots)), "camera") == "ok"
    cv2.imwrite(str(shots / "1.png"), np.zeros((240, 320, 3), np.uint8))
    assert level_of(health.examine(settings, str(shots)), "camera") == "issue"
    assert level_of(health.examine(settings, str(tmp_path / "none")), "camera") == "issue"
