"""What is said about a table's picture before the first hand, and the calibration that is kept."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from device import health
from device.calibration import Calibration, calibrated, save, saved, table_of
from device.cameras.base import Source
from device.config import Settings, StoreSettings, TableSettings
from device.errors import UserError
from device.setup import Trial, blur, light, look_over, sharpness, trial
from device.viewfinder import View
from vision.table import Table, TableError
from vision.types import CLASSES, CardSeen, Frame, Image, IndexBox, IndexRead

KEPT = Calibration(((100, 50), (900, 50), (900, 850), (100, 850)), 1000, 900, 800.0, 800.0)


@pytest.fixture
def table() -> Table:
    return KEPT.table()


def scene(level: int = 120, edges: bool = True) -> Image:
    """A table with many card-like rectangles."""
    image = np.full((900, 1000, 3), level // 3, np.uint8)
    image[50:850, 100:900] = level
    for n in range(6 if edges else 0):
        cv2.rectangle(image, (150 + 110 * n, 200), (210 + 110 * n, 290), (min(255, level * 2),) * 3, -1)
    return image


def seen(name: str, probability: float = 0.99, foreign: bool = False) -> CardSeen:
    p = np.zeros(len(CLASSES), np.float32)
    p[CLASSES.index("9C")] = 1 - probability
    p[CLASSES.index(name)] += probability
    box = IndexBox((100, 100), (100, 124), 0.9)
    outline = np.array([(90, 90), (150, 90), (150, 174), (90, 174)], np.float32)
    return CardSeen(p, outline, (IndexRead(box, p),), foreign)


@pytest.mark.parametrize("sigma", [1.0, 2.0, 3.0, 4.0])
def test_blur_is_measured_in_pixels(sigma: float) -> None:
    found = blur(cv2.GaussianBlur(scene(), (0, 0), sigma))  # type: ignore[arg-type]
    assert found is not None
    assert found == pytest.approx(np.hypot(sigma, 0.7), rel=0.2)


@pytest.mark.parametrize(("sigma", "level"), [(0.3, "ok"), (1.5, "warning"), (3.0, "issue")])
def test_sharpness_is_judged_by_the_height_of_an_index(table: Table, sigma: float, level: str) -> None:
    assert round(table.index_height()) == 18
    image = np.asarray(cv2.GaussianBlur(scene(), (0, 0), sigma), np.uint8)
    assert sharpness(image, table).level == level


def test_a_bare_table_says_nothing_about_sharpness(table: Table) -> None:
    bare = sharpness(np.full((900, 1000, 3), 90, np.uint8), table)
    assert bare.level == "warning"
    assert "Lay a card" in bare.do


@pytest.mark.parametrize(("level", "said"), [(20, "issue"), (40, "warning"), (110, "ok")])
def test_light_is_judged_by_the_brightest_parts(table: Table, level: int, said: str) -> None:
    assert [f.level for f in light(scene(level), table)] == [said]


def test_glare_is_told(table: Table) -> None:
    image = scene()
    image[300:600, 300:600] = 255
    assert [f.subject for f in light(image, table)] == ["light", "glare"]


@pytest.mark.parametrize(
    ("cards", "level", "words"),
    [
        (None, "issue", "no test card"),
        ([], "issue", "no card was found"),
        ([seen("KH"), seen("QH")], "issue", "2 cards"),
        ([seen("KH", 0.6)], "issue", "60 % sure"),
        ([seen("9H", foreign=True)], "issue", "not of the deck"),
        ([seen("KH")], "ok", "king of hearts, 99 % sure; its index is 24 pixels high"),
    ],
)
def test_the_test_card_must_be_one_card_surely_read(
    cards: list[CardSeen] | None, level: str, words: str
) -> None:
    found = trial(None if cards is None else Trial(scene(), tuple(cards)))
    assert (found.level, words in found.text) == (level, True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=StoreSettings(folder=tmp_path))


@pytest.mark.filterwarnings("ignore:.*__version__")
def test_all_is_well_only_with_corners_a_good_picture_and_a_test_card(settings: Settings) -> None:
    view = View(scene(), watched=False)
    mend = {f.subject for f in look_over(settings, view, None) if f.level == "issue"}
    assert mend == {"calibration", "test card"}
    save(settings.store.folder, KEPT)
    done = look_over(settings, view, Trial(scene(), (seen("KH"),)))
    # Indices of 18 pixels are read, but larger ones are better.
    assert [(f.subject, f.level) for f in done if f.level not in ("ok", "info")] == [
        ("calibration", "warning")
    ]


def test_no_picture_and_a_black_one_are_told_with_what_to_do(settings: Settings) -> None:
    for view in (UserError("gives nothing", do="Check it."), View(np.zeros_like(scene()), False)):
        said = [f for f in look_over(settings, view, None) if f.subject == "camera"]
        assert [f.level for f in said] == ["issue"]
        assert said[0].do


def test_a_kept_table_is_what_a_watch_takes_unless_told_otherwise(settings: Settings) -> None:
    class Bare(Source):
        def __iter__(self):  # type: ignore[no-untyped-def]
            return iter(())

    configured = TableSettings(corners=((0, 0), (800, 0), (800, 800), (0, 800)))
    both = settings.model_copy(update={"table": configured})
    frame = Frame(np.zeros((900, 1000, 3), np.uint8), 0.0)
    assert calibrated(Bare("x"), frame, both).corners[0].tolist() == [0, 0]
    save(settings.store.folder, KEPT)
    assert calibrated(Bare("x"), frame, both).corners[0].tolist() == [100, 50]
    assert calibrated(Bare("x"), frame, both, given=True).corners[0].tolist() == [0, 0]
    half = table_of(settings, (500, 450))
    assert half is not None
    assert half.corners[0].tolist() == [50, 25]
    with pytest.raises(TableError, match="cut differently"):
        table_of(settings, (1000, 500))


def test_corners_that_make_no_table_are_not_kept(settings: Settings) -> None:
    crossed = Calibration((KEPT.corners[1], *KEPT.corners[:1], *KEPT.corners[2:]), 1000, 900, 800.0, 800.0)
    with pytest.raises(TableError):
        save(settings.store.folder, crossed)
    assert saved(settings.store.folder) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"corners": 3}', "\x00", '{"corners": [[1, 2]]}'])
def test_a_damaged_calibration_is_named_by_watch_and_doctor(settings: Settings, text: str) -> None:
    (settings.store.folder / "calibration.json").write_text(text)
    with pytest.raises(TableError, match=r"calibration\.json cannot be used"):
        saved(settings.store.folder)
    said = [f for f in health.examine(settings) if f.subject == "calibration"]
    assert [f.level for f in said] == ["issue"]
    assert "calibration.json" in said[0].text


def test_the_doctor_knows_a_kept_table_without_a_camera(settings: Settings) -> None:
    save(settings.store.folder, KEPT)
    said = [f for f in health.examine(settings) if f.subject == "calibration"]
    assert "18 pixels high" in said[0].text
