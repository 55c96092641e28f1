"""Every page that a role may open, by axe-core: nothing serious, at three sizes, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from flask import Flask
from tabs import BROWSER, SIZES
from test_audit_page import Desk
from test_casual import row, seen
from test_enrolment_page import ALL, keep, lay, learn
from test_rounds import started
from webui_samples import Sample, browser, make

from device.config import CameraSettings, Settings, StoreSettings
from device.handlog import HandLog
from device.pins import hash_of
from engine.bookaudit import taken
from engine.events import RoundClock
from engine.hand import fold
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

pytestmark = [*BROWSER, pytest.mark.slow]
AXE = (Path(__file__).parent / "vendor/axe-core/axe.min.js").read_text()
RUN = """async () => (await axe.run()).violations
    .filter(v => ['serious', 'critical'].includes(v.impact))
    .map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 120)])"""
# A role without a PIN is open to whoever sits at this machine, as this browser does.
ROLES = {
    "player": Keys(b"s" * 32, hash_of("a"), hash_of("b")),
    "scorekeeper": Keys(b"s" * 32, hash_of("a"), None),
    "director": Keys.none(),
}


def pages(app: Flask, hand: str) -> list[str]:
    """The HTML pages that this application opens to a browser on the machine, of all its addresses."""
    found = []
    client = browser(app)
    for rule in app.url_map.iter_rules():
        known = rule.arguments <= {"hand", "table"} and "GET" in (rule.methods or ())
        if not known or "live" in rule.endpoint:
            continue
        path = rule.rule.replace("<hand>", hand).replace("<table>", "Table 1")
        answer = client.get(path)
        if answer.status_code == 200 and answer.mimetype == "text/html":
            found.append(path)
        answer.close()
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("role", list(ROLES))
def test_axe_finds_nothing_serious(  # type: ignore[no-untyped-def]
    chromium,
    serve: Callable[[Flask], str],
    home: Path,
    tmp_path: Path,
    sample: Sample,
    role: str,
    scheme: str,
) -> None:
    sample.write(home)
    cv2.imwrite(str(tmp_path / "camera.png"), np.full((450, 800, 3), 90, np.uint8))
    settings = Settings(
        store=StoreSettings(folder=tmp_path / "store"), camera=CameraSettings(source=str(tmp_path))
    )
    app = create_app(
        FolderSource(home, poll=0.0), writer=FolderWriter(home), keys=ROLES[role], settings=settings
    )
    paths = pages(app, sample.hand)
    assert ("/score/table/Table 1" in paths) == (role != "player")
    assert ("/director/" in paths) == ("/director/set-up/" in paths) == (role == "director")
    assert "/meld/" in paths
    wrong = looked_at(chromium, serve(app), paths, scheme)
    app.extensions["bookwatch_setup"].viewfinder.close()
    assert wrong == []


def looked_at(chromium, base: str, paths: list[str], scheme: str) -> list[object]:  # type: ignore[no-untyped-def]
    """What is wrong with these pages, with all that opens in them opened."""
    wrong: list[object] = []
    context = chromium.new_context(color_scheme=scheme)
    page = context.new_page()
    page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: wrong.append(str(e)))
    page.on(
        "request", lambda r: wrong.append(r.url) if urlsplit(r.url).netloc != urlsplit(base).netloc else 0
    )
    for path in paths:
        page.goto(base + path)
        if page.locator("[data-clock]").count():
            page.locator("[data-clock][data-state]").first.wait_for(state="attached")
        page.evaluate("for (const d of document.querySelectorAll('main details')) d.open = true")
        page.evaluate(AXE)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            wrong += [(path, width, *found) for found in page.evaluate(RUN)]
    context.close()
    return wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_round_clocks(  # type: ignore[no-untyped-def]
    chromium, serve: Callable[[Flask], str], home: Path, scheme: str
) -> None:
    """In their last minutes, over, paused and not started."""
    for number, ago in enumerate((51, 60, 10, None), 1):
        folder = make(number, table=f"Table {number}", renege=False).write(home, 20, pictures=False)
        if ago:
            started(folder, ago)
        if number == 3:
            HandLog(folder).append(RoundClock("paused"), 0.0, "director")
    app = create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home))
    paths = [f"/table/Table {n}" for n in range(1, 5)] + ["/director/", "/score/table/Table 1"]
    assert looked_at(chromium, serve(app), paths, scheme) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_a_learnt_deck(  # type: ignore[no-untyped-def]
    chromium,
    serve: Callable[[Flask], str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
) -> None:
    """The set-up page while a deck is learnt whose name is taken, beside kept decks, one of them spoilt."""
    cv2.imwrite(str(tmp_path / "camera.png"), np.full((450, 800, 3), 90, np.uint8))
    settings = Settings(
        store=StoreSettings(folder=tmp_path / "store"), camera=CameraSettings(source=str(tmp_path))
    )
    app = create_app(FolderSource(home, poll=0.0), settings=settings)
    director = browser(app)
    for name in ("hall", "club"):
        lay(monkeypatch, row(ALL))
        learn(director)
        keep(director, name)
    (settings.store.folder / "decks" / "spoilt.npz").write_bytes(b"no deck")
    cards = row("AS TS KS QS JS AH TH KH QH JH AC TC KC QC JC AD TD")
    lay(monkeypatch, [*cards, seen("AD", 17, 0.6, second="KD")])
    learn(director)
    page = director.get("/director/set-up/").text
    assert all(words in page for words in ("Missing", "Doubted", "Kept decks", "Yes, delete hall", "spoilt"))
    wrong = looked_at(chromium, serve(app), ["/director/set-up/"], scheme)
    app.extensions["bookwatch_setup"].viewfinder.close()
    assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_a_book_audit(  # type: ignore[no-untyped-def]
    chromium, serve: Callable[[Flask], str], home: Path, sample: Sample, scheme: str
) -> None:
    """Books that agree, that differ, that were read with doubt; before and after it is on record."""
    sample.write(home)
    app = create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home))
    desk, books = Desk(app, sample), taken(fold(sample.events).books, "NS")
    desk.photograph(books[0].cards)
    desk.photograph(books[2].cards, sure=0.6)
    desk.photograph(books[3].cards[:3])
    form = {"team": "NS", "entries": "0"}
    assert desk.client.post(f"{desk.base}/record", data=form).status_code == 303
    entry = FolderSource(home).events(sample.hand)[-1].seq
    for book in (books[1], books[0]):
        desk.photograph(book.cards, sure=0.6)
    paths = [f"{desk.base}?team=NS", f"{desk.base}?entry={entry}", f"{desk.base}?team=EW"]
    assert "differs" in desk.page(f"entry={entry}")
    assert "Look at the photo" in desk.page()
    assert looked_at(chromium, serve(app), paths, scheme) == []
