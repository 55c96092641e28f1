"""The simulated table as a source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from device.cameras import open_source
from device.cameras.simulated import Simulated, parse
from device.errors import UserError
from engine.events import BidMade
from vision.simulator.disturbances import planned


def test_a_simulated_table_brings_its_calibration_and_its_scorekeeper() -> None:
    source = open_source("sim:7?width=640&height=360&fps=5")
    assert isinstance(source, Simulated)
    frame = next(iter(source))
    assert frame.image.shape == (360, 640, 3)
    table = source.table((640, 360))
    assert table.size_mm == (800, 800)
    assert len(source.entries) >= 4
    assert {type(entry.what) for entry in source.entries} == {BidMade}  # trump is for the eye to see
    assert source.total == source.simulation.frame_count


def test_options_are_the_simulations_own() -> None:
    assert parse("sim:12") == (12, {})
    assert parse("sim:7?reneges=follow,BEAT&corrections=2&condition=dim&fps=7.5") == (
        7, {"reneges": ("FOLLOW", "BEAT"), "corrections": 2, "condition": "dim", "fps": 7.5},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("sim:seven", ["sim:seven", "not a seed", "sim:7"]),
        ("sim:-1", ["not a seed"]),
        ("sim:7?renege=FOLLOW", ["no option 'renege'", "Did you mean 'reneges'"]),
        ("sim:7?reneges=FOLOW", ["'FOLOW' is no kind of renege", "FOLLOW"]),
        ("sim:7?condition=wet", ["'wet' is no condition", "clean"]),
        ("sim:7?fps=1000", ["1000 does not lie between 1 and 60"]),
        ("sim:7?behaviour=snow", ["'snow' is no behaviour", "slide", "frozen"]),
        ("sim:7?behaviour=frozen,covered", ["only one of"]),
        ("sim:7?corrections=two", ["'two' is not a number"]),
    ],
)
def test_what_cannot_be_is_said(spec: str, words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        parse(spec)
    for word in words:
        assert word in str(caught.value)


def test_a_camera_sees_its_table_through_a_named_disturbance() -> None:
    source = Simulated("sim:7?width=640&height=360&fps=5&behaviour=lights_out,slide")
    out = planned("lights_out", 7, source.simulation.script.duration).start
    frames = source.seen.frames(out - 0.4, out + 0.4)
    means = {frame.at < out: frame.image.mean() for frame in frames}
    assert means[True] > 20
    assert means[False] < 5


def test_a_videos_calibration_lies_beside_it(video: Path) -> None:
    source = open_source(str(video))
    assert source.table((320, 240)) is None
    beside = video.with_suffix(".table.json")
    corners = [[40, 20], [280, 20], [280, 220], [40, 220]]
    try:
        beside.write_text(json.dumps({"corners": corners, "size_mm": 800}))
        table = source.table((320, 240))
        assert table is not None
        assert table.corners.tolist() == corners
        beside.write_text("{}")
        with pytest.raises(UserError, match="calibration cannot be used"):
            source.table((320, 240))
    finally:
        beside.unlink()
        source.close()
