"""Every page that a role may open, by axe-core: nothing serious, at three sizes, light and dark."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from flask import Flask
from webui_samples import Sample, browser

from device.config import CameraSettings, Settings, StoreSettings
from device.pins import hash_of
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (apt install chromium)"),
]
AXE = (Path(__file__).parent / "vendor/axe-core/axe.min.js").read_text()
SIZES = [(390, 844), (820, 1180), (1920, 1080)]
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


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with playwright.sync_playwright() as play:
        made = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


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
    base = serve(app)
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
        page.evaluate(AXE)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            wrong += [(path, width, *found) for found in page.evaluate(RUN)]
    context.close()
    app.extensions["bookwatch_setup"].viewfinder.close()
    assert wrong == []
