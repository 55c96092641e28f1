"""Pages in Debian's Chromium, for every test that looks at them as people do."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias
from urllib.parse import urlsplit

import pytest
from flask import Flask

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (apt install chromium)"),
]
SIZES = [(390, 844), (820, 1180), (1920, 1080)]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP hall.test 127.0.0.1",
]  # fmt: skip
PATIENCE = 60_000
"""Milliseconds: the machine may be busy with other things; a passing test never waits for it."""
Size: TypeAlias = tuple[int, int]
Serve: TypeAlias = Callable[[Flask], str]


@contextmanager
def launched() -> Iterator[object]:
    """The browser; its pages' expectations are patient."""
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Tab:
    """A page that remembers whatever went wrong in it."""

    def __init__(self, browser, base: str, size: Size, **options: object) -> None:  # type: ignore[no-untyped-def]
        width, height = size
        self.base = base
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch=width < 1000, **options
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.wrong: list[str] = []
        self.page.on(
            "console", lambda m: self.wrong.append(m.text) if m.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda e: self.wrong.append(str(e)))
        origin = urlsplit(base).netloc
        self.page.on(
            "request", lambda r: self.wrong.append(r.url) if urlsplit(r.url).netloc != origin else None
        )

    def open(self, path: str) -> None:
        self.page.goto(self.base + path)

    def fits(self) -> None:
        """Nothing is cut off to the right, and everything to press is large enough for a thumb."""
        wide = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1]
        small = self.page.evaluate(
            """[...document.querySelectorAll('main a, main summary, main button, header summary')]
            .filter(e => e.offsetParent && !e.closest('p, li > span'))
            .map(e => [e.textContent.trim().slice(0, 30), e.getBoundingClientRect()])
            .filter(([, r]) => r.height < 40 || r.width < 40).map(([t]) => t)"""
        )
        assert small == []


OpenTab: TypeAlias = Callable[..., Tab]
