"""The round's clock in a browser whose own clock is wrong: the server's time counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from tabs import BROWSER, SIZES, Size, Tab, playwright
from test_rounds import started
from webui_samples import Sample

from device.handlog import HandLog
from engine.events import RoundClock
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter

pytestmark = BROWSER
WRONG = """(() => {
  const real = Date.now.bind(Date);
  Date.now = () => real() + 3 * 3600 * 1000;
  delete window.SharedWorker; // a worker would have the right time
})()"""


def seconds(text: str) -> int:
    found = re.fullmatch(r"(\d+):(\d\d)", text)
    assert found, text
    return int(found[1]) * 60 + int(found[2])


@pytest.mark.parametrize("size", SIZES)
def test_the_clock_runs_by_the_servers_time(
    serve: Callable[[Flask], str], chromium: object, home: Path, sample: Sample, size: Size
) -> None:
    folder = sample.write(home, 12, pictures=False)
    app = create_app(FolderSource(home, poll=0.05), writer=FolderWriter(home), beat_seconds=0.3)
    base = serve(app)
    screen, desk = Tab(chromium, base, size), Tab(chromium, base, size)
    screen.page.add_init_script(WRONG)
    tile = screen.page.locator(".fact.clock")
    big = tile.locator("[data-time]")
    try:
        screen.open("/")
        playwright.expect(big).to_have_text("not started")
        desk.open("/director/")
        desk.page.get_by_text("Round clock", exact=True).click()
        desk.fits()
        desk.page.get_by_label("Minutes of the round").fill("40")
        desk.page.get_by_role("button", name="Start").click()
        playwright.expect(desk.page.locator(".table-card [data-time]")).to_contain_text("39:")
        playwright.expect(tile).to_contain_text("of 40 minutes")
        there, here = (
            seconds(big.inner_text()),
            seconds(desk.page.locator(".table-card [data-time]").inner_text()),
        )
        assert abs(there - here) <= 1, "both by the server's time, though one browser is three hours off"
        screen.page.wait_for_timeout(1500)
        assert there - 4 <= seconds(big.inner_text()) < there
        assert big.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= (
            60 if size[0] == 1920 else 28
        )
        screen.fits()

        desk.page.get_by_text("Round clock", exact=True).click()
        desk.page.get_by_role("button", name="Pause").click()
        playwright.expect(tile).to_contain_text("paused")
        stands = big.inner_text()
        screen.page.wait_for_timeout(1200)
        assert big.inner_text() == stands
        playwright.expect(screen.page.locator("#clock-said")).to_have_text("The round's clock is paused.")

        started(folder, 50.5)
        playwright.expect(tile).to_contain_text("last minutes")
        playwright.expect(screen.page.locator("#clock-said")).to_have_text("Last five minutes of the round.")
        screen.fits()
        started(folder, 54.97)
        playwright.expect(tile).to_contain_text("no new hand")
        playwright.expect(screen.page.locator("#clock-said")).to_have_text("The round is over.")
        playwright.expect(big).to_have_text("Time")
        HandLog(folder).append(RoundClock("ended"), 0.0, "director")
        playwright.expect(tile).to_contain_text("ended by the director")
        screen.fits()
    finally:
        for tab in (screen, desk):
            tab.context.close()
    assert [tab.wrong for tab in (screen, desk)] == [[], []]
