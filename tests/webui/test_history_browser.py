"""The past hands in a real browser: replay by touch and keys, charts drawn, three sizes, nothing wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from tabs import BROWSER, SIZES, Size, Tab, playwright
from webui_samples import make

from engine.events import ScoreAgreed
from webui.writing import FolderWriter

pytestmark = BROWSER


@pytest.mark.parametrize("size", SIZES)
def test_a_replay_and_the_charts(
    app: Flask, serve: Callable[[Flask], str], chromium: object, home: Path, tmp_path: Path, size: Size
) -> None:
    for n in (1, 3):
        make(n, hand=f"h{n}").write(home, pictures=False)
        for team in ("NS", "EW"):
            FolderWriter(home).append(f"h{n}", ScoreAgreed(team), "scorekeeper")
    tab = Tab(chromium, serve(app), size, reduced_motion="reduce" if size[0] == 820 else "no-preference")
    page = tab.page
    tab.open("/history/")
    tab.fits()
    page.screenshot(path=str(tmp_path / "list.png"), full_page=True)
    page.locator(".past a").first.click()
    tab.fits()
    place, label = page.locator("[data-do=place]"), page.locator("[data-do=play]")
    said = page.locator("#replay-said")
    playwright.expect(said).not_to_be_empty()  # the script fills it
    first = said.text_content()
    page.locator("[data-do=next]").click()
    assert place.input_value() == "1"
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    playwright.expect(said).to_have_text(first)
    page.keyboard.press("End")
    playwright.expect(said).to_contain_text("Book 20 goes to")
    assert page.locator(".stage .card").count() == 4
    page.keyboard.press("ArrowLeft")
    moved = page.locator(".stage .card.arrives")
    assert moved.count() == 0, "going back moves nothing"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    name = moved.evaluate("e => getComputedStyle(e).animationName")
    assert name == ("none" if size[0] == 820 else "arrive")
    page.screenshot(path=str(tmp_path / "replay.png"), full_page=True)
    page.keyboard.press("Home")
    page.locator("[data-do=speed]").select_option("8")
    page.locator("h1").click()
    page.keyboard.press(" ")
    playwright.expect(label).to_have_text("Pause")
    playwright.expect(said).to_contain_text("Book 1")
    label.click()
    playwright.expect(label).to_have_text("Play")
    stopped = place.input_value()
    page.wait_for_timeout(600)
    assert place.input_value() == stopped

    tab.open("/history/statistics")
    playwright.expect(page.locator(".chart canvas")).to_have_count(4)
    inked = page.locator(".chart canvas").evaluate_all(
        "all => all.map(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v))"
    )
    assert inked == [True] * 4
    tab.fits()
    page.screenshot(path=str(tmp_path / "stats.png"), full_page=True)
    tab.context.close()
    assert tab.wrong == []
