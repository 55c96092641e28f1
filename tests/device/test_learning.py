"""Learning in time, and the deck in play: chosen, of the right kind, and done without where it is spoilt."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from device import decks
from device.config import GameSettings, Settings, StoreSettings
from device.errors import UserError
from device.learning import InTime
from engine.deck import DOUBLE
from vision import adapter, enrol
from vision.types import CLASSES, Floats, Image


class Reader:
    """The n-th patch of a batch is certainly of the n-th class; counts its batches."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def read(self, patches: Image) -> Floats:
        self.batches.append(len(patches))
        return np.repeat(patches[:, 0, 0, :1].astype(np.float32), len(CLASSES), axis=1)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """With a little single deck called hall."""
    monkeypatch.setattr(adapter, "CHECKS_EACH", 1)
    monkeypatch.setattr(adapter, "MOST_CUTS", 1)
    monkeypatch.setattr(decks, "reader_checksum", lambda: "old")
    made = Settings(store=StoreSettings(folder=tmp_path), game=GameSettings(deck="single"))
    patches = np.random.default_rng(1).integers(0, 255, (4, 64, 40, 3)).astype(np.uint8)
    faces = ("AS", "AH", "KS", "KH")
    learnt, check = adapter.fit(patches, faces, (0, 0, 1, 1), Reader())
    deck = enrol.EnrolledDeck("hall", "single", "", "old", patches, faces, (0,) * 4, None, learnt, check)
    enrol.save(deck, decks.folder(made) / "hall.npz")
    return made


def test_all_patches_are_read_in_their_order_while_there_is_time() -> None:
    reader = Reader()
    patches = np.arange(150, dtype=np.uint8)[:, None, None, None] * np.ones((1, 64, 40, 3), np.uint8)
    read = InTime(reader, 60).read(patches)
    assert read[:, 0].tolist() == list(range(150))
    assert max(reader.batches) < 150, "the clock is looked at in between"


def test_it_gives_up_when_its_time_is_over() -> None:
    reader = Reader()
    with pytest.raises(UserError, match="too busy"):
        InTime(reader, 0).read(np.zeros((3, 64, 40, 3), np.uint8))
    assert reader.batches == []


def test_the_chosen_deck_is_played_with_until_another_word(settings: Settings) -> None:
    assert decks.in_play(settings) is None
    decks.choose(settings, "hall")
    played = decks.chosen(settings, None)
    assert isinstance(played, enrol.EnrolledDeck)
    assert played.name == "hall"
    assert decks.chosen(settings, "double") is DOUBLE
    decks.choose(settings, None)
    assert not isinstance(decks.chosen(settings, None), enrol.EnrolledDeck)
    decks.choose(settings, None)


@pytest.mark.parametrize("name", ["hill", "../hall", "", "double"])
def test_only_a_kept_deck_is_chosen(settings: Settings, name: str) -> None:
    with pytest.raises(UserError):
        decks.choose(settings, name)
    assert decks.in_play(settings) is None


def test_a_deck_of_another_kind_is_refused_and_guests_read_without_it(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    decks.choose(settings, "hall")
    other = settings.model_copy(update={"game": GameSettings(deck="double")})
    with pytest.raises(UserError, match="a single deck, but a double deck is played"):
        decks.chosen(other, None)
    with caplog.at_level(logging.ERROR):
        assert decks.reader_in_play(other).reader is not None
    assert "without the chosen deck" in caplog.text
