from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from vision import glyphs
from vision.detector import load_finder
from vision.glyphs import OnnxReader, load_reader
from vision.types import CLASSES, PATCH_HEIGHT, PATCH_WIDTH
from vision.weights import ModelError, locate


class BrightnessNetwork:
    """Logit 4 for the class whose number is the blue channel's mean, in chunks as asked."""

    shape = ("n", 3, PATCH_HEIGHT, PATCH_WIDTH)
    classes = len(CLASSES)

    def get_inputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name="patches", shape=self.shape)]

    def get_outputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name="logits", shape=["n", self.classes])]

    def run(self, names: None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        pixels = feed["patches"]
        assert pixels.dtype == np.float32
        assert pixels.shape[1:] == self.shape[1:]
        logits = np.zeros((len(pixels), self.classes), np.float32)
        logits[np.arange(len(pixels)), pixels[:, 0].mean((1, 2)).round().astype(int)] = 4
        return [logits]


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> BrightnessNetwork:
    stand_in = BrightnessNetwork()
    monkeypatch.setattr(glyphs, "session", lambda file, threads: stand_in)
    return stand_in


def patches(classes: list[int]) -> np.ndarray:
    out = np.full((len(classes), PATCH_HEIGHT, PATCH_WIDTH, 3), 200, np.uint8)
    out[..., 0] = np.array(classes, np.uint8)[:, None, None]
    return out


def test_patches_are_read_in_order_as_probabilities(network: BrightnessNetwork) -> None:
    wanted = [k % len(CLASSES) for k in range(300)]
    read = OnnxReader(Path("x.onnx")).read(patches(wanted))
    assert read.shape == (300, len(CLASSES))
    assert read.argmax(1).tolist() == wanted
    assert read.sum(1) == pytest.approx(np.ones(300), abs=1e-5)
    assert read[0].max() == pytest.approx(np.exp(4) / (np.exp(4) + len(CLASSES) - 1), abs=1e-4)


def test_temperature_softens(network: BrightnessNetwork) -> None:
    soft = OnnxReader(Path("x.onnx"), temperature=2).read(patches([3]))
    assert soft[0, 3] == pytest.approx(np.exp(2) / (np.exp(2) + len(CLASSES) - 1), abs=1e-4)


def test_no_patches_give_no_rows(network: BrightnessNetwork) -> None:
    assert OnnxReader(Path("x.onnx")).read(patches([])).shape == (0, len(CLASSES))


def test_a_reader_of_other_classes_is_refused(network: BrightnessNetwork) -> None:
    network.classes = 24
    with pytest.raises(ModelError, match="no glyph reader of this version"):
        OnnxReader(Path("x.onnx"))


def install(folder: Path, content: bytes = b"weights", **facts: object) -> None:
    (folder / "reader.onnx").write_bytes(content)
    entry = {"file": "reader.onnx", "sha256": hashlib.sha256(b"weights").hexdigest(), **facts}
    (folder / "models.json").write_text(json.dumps({"reader": entry}))


def test_the_folder_of_the_environment_and_its_facts_are_used(
    tmp_path: Path, network: BrightnessNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKWATCH_MODELS", str(tmp_path))
    install(tmp_path, temperature=2.0, classes=list(CLASSES))
    assert load_reader().read(patches([3])).max() < 0.2
    assert load_reader(tmp_path / "reader.onnx").read(patches([3])).max() < 0.2


def test_a_file_alone_needs_no_index(tmp_path: Path) -> None:
    (tmp_path / "mine.onnx").write_bytes(b"anything")
    assert locate("reader", tmp_path / "mine.onnx").facts == {}


def test_what_is_wrong_with_the_files_is_said(
    tmp_path: Path, network: BrightnessNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKWATCH_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match=r"no models\.json in"):
        load_reader()
    install(tmp_path, b"altered")
    with pytest.raises(ModelError, match="broken download"):
        load_reader()
    install(tmp_path, classes=["AS"])
    with pytest.raises(ModelError, match="other classes"):
        load_reader()
    with pytest.raises(ModelError, match="no entry 'finder'"):
        load_finder()
    with pytest.raises(ModelError, match="not there"):
        load_reader(tmp_path / "gone.onnx")
    (tmp_path / "models.json").write_text("{")
    with pytest.raises(ModelError, match="not valid JSON"):
        load_reader()


def test_a_file_that_is_no_network_is_refused_plainly(tmp_path: Path) -> None:
    (tmp_path / "notes.onnx").write_text("not a network")
    with pytest.raises(ModelError, match="cannot be run as a network"):
        load_finder(tmp_path / "notes.onnx")
