"""The guests' and the set-up page in a real browser, from a phone's and a tablet's hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from tabs import BROWSER, Size, Tab, playwright
from test_axe_browser import AXE, RUN
from test_casual import Eye, row, seen
from test_setup import CORNERS, SIZE, settings

from device.calibration import saved
from device.config import Settings
from device.photo import OneAtATime
from engine.deck import DOUBLE
from webui.app import create_app
from webui.source import FolderSource

__all__ = ["settings"]  # fixture
pytestmark = BROWSER
SIZES: list[Size] = [(390, 844), (820, 1180)]
expect = playwright.expect


class Steps:
    """An eye that sees other cards in each picture."""

    def __init__(self, *looks: Eye) -> None:
        self.looks = list(looks)
        self.pictures: list[tuple[int, ...]] = []

    def read(self, image: np.ndarray, table: object = None) -> list[object]:
        self.pictures.append(image.shape)
        return list(self.looks[0].cards if len(self.looks) == 1 else self.looks.pop(0).cards)


@pytest.fixture
def app(home: Path, settings: Settings) -> Iterator[Flask]:
    made = create_app(FolderSource(home, poll=0.0), settings=settings)
    yield made
    made.extensions["bookwatch_setup"].viewfinder.close()


def see(app: Flask, eye: object) -> None:
    photos = OneAtATime(DOUBLE, lambda _: eye)  # type: ignore[arg-type, return-value]
    app.extensions["bookwatch_casual"].photos = app.extensions["bookwatch_setup"].photos = photos


def axe(one: Tab) -> list[object]:
    one.page.evaluate(AXE)
    return list(one.page.evaluate(RUN))


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """As a phone makes them: more pixels than are of use."""
    file = tmp_path / "phone.jpg"
    image = cv2.resize(np.random.default_rng(2).integers(0, 255, (60, 80, 3), np.uint8), (4000, 3000))
    cv2.imwrite(str(file), image)
    return file


@pytest.mark.parametrize("size", SIZES)
def test_a_guest_counts_a_meld(
    app: Flask,
    serve: Callable[[Flask], str],
    tab: Callable[..., Tab],
    photo: Path,
    size: Size,
) -> None:
    eye = Steps(Eye(*row("AS TS KS QS JS JD"), seen("KH", 6), seen("QD", 7, 0.61, second="QH")))
    see(app, eye)
    guest = tab(serve(app), size)
    guest.open("/meld/")
    page = guest.page
    guest.fits()
    assert axe(guest) == []
    assert page.locator("#take").get_attribute("capture") == "environment"
    page.locator("#choose").set_input_files(photo)  # one tap: it is sent at once
    expect(page.locator("#count h1")).to_contain_text("meld")
    assert max(eye.pictures[0][:2]) == 2560, "made smaller before it was sent"

    page.locator(".trumps a", has_text="Spades").click()
    expect(page.locator("#count h1")).to_have_text("19 meld with spades trump")
    page.locator(".groups a", has_text="Run").click()
    expect(page.locator(".mark.in")).to_have_count(5)
    expect(page.locator("#picture")).to_be_in_viewport(ratio=0.5)
    guest.fits()
    assert axe(guest) == []

    # The doubtful card, by its own suggestion; then another, tapped in the picture.
    expect(page.locator(".checks li")).to_contain_text("61 % sure")
    page.locator(".checks button[value=QH]").click()
    expect(page.locator("#count h1")).to_have_text("21 meld with spades trump")
    expect(page.locator(".checks")).to_have_count(0)
    page.locator('.mark[aria-label^="king of hearts"]').click()
    page.locator("#fix").get_by_role("button", name="Does not count").click()
    expect(page.locator("#count h1")).to_have_text("19 meld with spades trump")
    page.get_by_role("link", name="Add a card that was not found").click()
    assert axe(guest) == []
    page.locator("#fix").get_by_role("button", name="king of hearts").click()
    expect(page.locator("#count h1")).to_have_text("21 meld with spades trump")
    guest.fits()

    page.reload()  # the address says it all
    expect(page.locator("#count h1")).to_have_text("21 meld with spades trump")
    assert len(eye.pictures) == 1
    page.get_by_role("button", name="Forget this picture").click()
    expect(page.get_by_role("heading", name="Count a meld")).to_be_visible()


def test_it_counts_without_scripts(
    app: Flask, serve: Callable[[Flask], str], tab: Callable[..., Tab], photo: Path
) -> None:
    see(app, Eye(*row("KH QH")))
    guest = tab(serve(app), (390, 844), java_script_enabled=False)
    guest.open("/meld/")
    page = guest.page
    page.locator("#choose").set_input_files(photo)
    page.get_by_role("button", name="Count it").last.click()
    page.locator(".trumps a", has_text="Hearts").click()
    expect(page.locator("#count h1")).to_have_text("4 meld with hearts trump")
    page.locator('.mark[aria-label^="queen of hearts"]').click()
    page.locator("#fix").get_by_role("button", name="king of hearts").click()
    expect(page.locator("#count h1")).to_have_text("0 meld with hearts trump")


def test_what_is_no_photo_is_said_on_the_page(
    app: Flask,
    serve: Callable[[Flask], str],
    tab: Callable[..., Tab],
    tmp_path: Path,
) -> None:
    see(app, Eye())
    guest = tab(serve(app), (390, 844))
    guest.open("/meld/")
    (tmp_path / "letter.jpg").write_text("Dear partner,\n")
    guest.page.locator("#choose").set_input_files(tmp_path / "letter.jpg")
    expect(guest.page.get_by_role("alert")).to_contain_text("it is a text file")
    guest.fits()
    said, guest.wrong[:] = guest.wrong[:], []
    assert all("400" in line for line in said), said


@pytest.mark.filterwarnings("ignore:.*__version__")
@pytest.mark.parametrize("size", SIZES)
def test_a_table_is_set_up(
    app: Flask,
    serve: Callable[[Flask], str],
    tab: Callable[..., Tab],
    settings: Settings,
    size: Size,
) -> None:
    see(app, Steps(Eye(), Eye(seen("KH", 0))))
    desk = tab(serve(app), size)
    desk.open("/director/set-up/")
    page = desk.page
    expect(page.locator(".verdict")).to_have_text("Not ready yet. Mend this:")
    desk.fits()
    assert axe(desk) == []
    assert page.locator("#live").evaluate("i => i.decode().then(() => i.naturalWidth)") == SIZE[0]
    first = page.locator("#live").get_attribute("src")
    expect(page.locator("#live")).not_to_have_attribute("src", str(first))  # it is live

    stage = page.locator("#stage").bounding_box()
    scale = stage["width"] / SIZE[0]
    handles = page.locator(".handle")
    for n, (x, y) in enumerate(CORNERS):
        ring = handles.nth(n).locator(".ring").bounding_box()
        assert handles.nth(n).locator(".touch").bounding_box()["width"] >= 44
        page.mouse.move(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
        page.mouse.down()
        page.mouse.move(stage["x"] + x * scale, stage["y"] + y * scale, steps=3)
        expect(page.locator("#loupe")).to_be_visible()
        page.mouse.up()
        expect(page.locator("#loupe")).to_be_hidden()

    before = float(page.locator("[name=x0]").input_value())
    handles.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowLeft")
    assert float(page.locator("[name=x0]").input_value()) == pytest.approx(before - 18)
    for _ in range(9):
        page.keyboard.press("ArrowRight")

    page.get_by_role("button", name="Turn the names").click()
    page.locator("[name=width_cm]").fill("70")
    page.locator("[name=height_cm]").fill("70")
    page.get_by_role("button", name="Keep these corners").click()
    expect(page.get_by_role("status").first).to_contain_text("The corners are kept")
    kept = saved(settings.store.folder)
    assert kept is not None
    turned = [*CORNERS[1:], CORNERS[0]]
    assert np.abs(np.subtract(kept.corners, turned)).max() < 2 / scale
    north = page.locator(".seat").first.bounding_box()  # North has gone to the right
    assert north["x"] > stage["x"] + stage["width"] / 2
    expect(page.locator(".findings", has_text="pixels high").first).to_be_attached()

    page.get_by_role("button", name="Read the card").click()
    expect(page.locator("#verdict")).to_contain_text("no card was found")
    page.get_by_role("button", name="Read the card").click()
    expect(page.locator("#verdict")).to_contain_text("king of hearts, 99 % sure")
    expect(page.locator(".verdict")).to_contain_text("Ready.")
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_role("link", name="Look again")).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("Ready.")
    desk.fits()
    assert axe(desk) == []


def test_a_finger_drags_a_corner(app: Flask, serve: Callable[[Flask], str], tab: Callable[..., Tab]) -> None:
    see(app, Eye())
    desk = tab(serve(app), (390, 844))
    desk.open("/director/set-up/")
    page = desk.page
    ring = page.locator(".handle .ring").first.bounding_box()
    x, y = ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2
    before = float(page.locator("[name=x0]").input_value())
    touch = desk.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + 20, "y": y + 30}]),
        ("touchMove", [{"x": x + 40, "y": y + 60}]),
        ("touchEnd", []),
    ):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    scale = SIZE[0] / page.locator("#stage").bounding_box()["width"]
    assert float(page.locator("[name=x0]").input_value()) == pytest.approx(before + 40 * scale, abs=scale)
    assert page.evaluate("scrollY") == 0, "the page stayed where it was"
