"""The curve of accuracy by index height: read, asked between its points, refused when it is none."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from vision.heights import FILE, load_curve
from vision.weights import ENVIRONMENT, ModelError

sys.path.insert(0, str(Path(__file__).parents[2]))

ROWS = [
    {"pixels": 40, "indices": 100, "found": 1.0, "read": 0.99, "both": 0.98},
    {"pixels": 10, "indices": 80, "found": 0.7, "read": 0.6, "both": 0.4},
    {"pixels": 20, "indices": 90, "found": 0.95, "read": 0.9, "both": 0.88},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    return tmp_path


def put(folder: Path, facts: object) -> None:
    (folder / FILE).write_text(json.dumps(facts))


def test_between_heights_and_beyond(folder: Path) -> None:
    put(folder, {"networks": {"finder": "f", "reader": "r"}, "heights": ROWS})
    curve = load_curve()
    assert curve is not None
    assert curve.heights == (10, 20, 40)
    assert curve.right(20) == pytest.approx(0.88)
    assert curve.right(200**0.5) == pytest.approx(0.64)  # halfway on a scale of ratios
    assert (curve.right(3), curve.right(90)) == pytest.approx((0.4, 0.98))
    assert curve.least_height(0.98) == pytest.approx(40)
    assert curve.least_height(0.93) == pytest.approx(800**0.5)
    assert curve.least_height(0.3) == 10
    assert curve.least_height(0.99) is None


def test_what_is_no_curve(folder: Path) -> None:
    assert load_curve() is None
    for facts in ({}, {"networks": {"finder": "f", "reader": "r"}, "heights": []}, [1], {"networks": 1}):
        put(folder, facts)
        with pytest.raises(ModelError, match="no curve of heights"):
            load_curve()


def test_the_plot_is_a_picture_with_a_point_a_height() -> None:
    from benchmarks.heights import plot

    rows = sorted(ROWS, key=lambda row: row["pixels"])
    root = ElementTree.fromstring(plot(rows))
    assert len(root.findall("{*}circle")) == 3 * len(rows)
    assert len(root.findall("{*}polyline")) == 3
