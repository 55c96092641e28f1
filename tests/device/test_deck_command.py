"""`bookwatch deck`: names, lists, decks learnt with other networks; and one deck from laying to reading."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result
from device_samples import picture

from device import decks
from device.cli import main
from device.config import Settings, StoreSettings
from device.errors import UserError
from engine.deck import DOUBLE, SINGLE
from vision import adapter, enrol
from vision.simulator.scenes import table_scene
from vision.types import CLASSES, Floats, Image


class Reader:
    """Holds everything for anything."""

    def read(self, patches: Image) -> Floats:
        return np.full((len(patches), len(CLASSES)), 1 / len(CLASSES), np.float32)


def run(home: Path, *arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ["--home", str(home), *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=StoreSettings(folder=tmp_path))


@pytest.fixture
def kept(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> enrol.EnrolledDeck:
    """A little deck in its place, learnt with the network `old`."""
    monkeypatch.setattr(adapter, "CHECKS_EACH", 2)
    monkeypatch.setattr(adapter, "MOST_CUTS", 1)
    rng = np.random.default_rng(1)
    patches = rng.integers(0, 255, (8, 64, 40, 3)).astype(np.uint8)
    faces = ("AS", "AH", "KS", "KH") * 2
    learnt, check = adapter.fit(patches, faces, (0, 0, 0, 0, 1, 1, 1, 1), Reader())
    deck = enrol.EnrolledDeck(
        "hall", "single", "2026-11-30T20:00:00+00:00", "old", patches, faces, (0,) * 8, None, learnt, check
    )
    enrol.save(deck, decks.folder(settings) / "hall.npz")
    return deck


def test_without_decks_the_list_says_how_to_enrol_one(tmp_path: Path) -> None:
    assert "bookwatch deck enrol" in run(tmp_path, "deck", "list").output
    assert json.loads(run(tmp_path, "deck", "list", "--json").stdout) == []


@pytest.mark.parametrize("name", ["double", "any", "../up", "", "a b", "x" * 41])
def test_names_that_no_deck_may_have(tmp_path: Path, name: str) -> None:
    result = run(tmp_path, "deck", "enrol", tmp_path / "x.jpg", "--name", name)
    assert result.exit_code == 2
    assert "cannot be called" in result.output
    assert not list(tmp_path.iterdir())


def test_a_deck_that_is_not_there_is_told_with_those_that_are(
    tmp_path: Path, kept: enrol.EnrolledDeck
) -> None:
    for arguments in (("deck", "show", "hill"), ("read", "x.jpg", "--deck", "hill")):
        result = run(tmp_path, *arguments)
        assert result.exit_code == 2
        assert "no deck is called 'hill'" in result.output
        assert "double, single, any, hall" in result.output


def test_what_cannot_be_enrolled_from(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert (
        "no picture is in this folder"
        in run(tmp_path, "deck", "enrol", tmp_path / "empty", "--name", "a").output
    )
    told = run(tmp_path, "deck", "enrol", tmp_path / "x.jpg", "--name", "a", "--faces", "AS 9S")
    assert "a double deck has no 9S" in told.output
    cv2.imwrite(str(tmp_path / "bare.png"), picture())
    bare = run(tmp_path, "deck", "enrol", tmp_path / "bare.png", "--name", "a")
    assert bare.exit_code == 2
    assert "no card is seen" in bare.output
    assert not (tmp_path / "decks").exists()


def test_chosen_by_kind_by_name_or_as_configured(
    settings: Settings, kept: enrol.EnrolledDeck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decks, "reader_checksum", lambda: "old")
    assert decks.chosen(settings, None) is DOUBLE
    assert decks.chosen(settings, "single") is SINGLE
    assert decks.chosen(settings, "any") is None
    found = decks.chosen(settings, "hall")
    assert isinstance(found, enrol.EnrolledDeck)
    assert decks.faces_of(found) is SINGLE
    with pytest.raises(UserError):
        decks.chosen(settings, "hill")


def test_a_deck_is_learnt_again_for_new_networks(
    settings: Settings, kept: enrol.EnrolledDeck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decks, "reader_checksum", lambda: "new")
    monkeypatch.setattr(decks, "load_reader", Reader)
    assert decks.load(settings, "hall").reader == "new"
    assert enrol.load(decks.folder(settings) / "hall.npz").reader == "new"


@pytest.mark.slow
def test_from_laying_to_reading(tmp_path: Path) -> None:
    scene = table_scene(1_000_001, "deck", width=2304, height=1296)
    photo = tmp_path / "laid.png"
    cv2.imwrite(str(photo), scene.image)
    done = json.loads(run(tmp_path, "deck", "enrol", photo, "--name", "hall", "--json").stdout)
    assert (done["missing"], len(done["faces"])) == ([], 20)
    assert done["check"]["after"] >= done["check"]["before"]
    shown = run(tmp_path, "deck", "show", "hall").output
    assert "20 faces" in shown
    assert "held out in turn" in shown
    read = json.loads(run(tmp_path, "read", photo, "--deck", "hall", "--json").stdout)
    assert sorted(c["face"] for c in read["cards"]) == sorted(map(str, DOUBLE.faces))
    told = " ".join(map(str, DOUBLE.faces[::-1]))
    wrong = run(tmp_path, "deck", "enrol", photo, "--name", "hill", "--faces", told)
    assert "in another order than the cards lie" in wrong.output
