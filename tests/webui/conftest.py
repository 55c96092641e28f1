from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webui_samples import Sample, browser, make

from webui.app import create_app
from webui.serve import server
from webui.source import FolderSource


@pytest.fixture(scope="session")
def sample() -> Sample:
    """A hand with a renege in play and a correction in time."""
    return make(1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "hands"
    folder.mkdir()
    return folder


@pytest.fixture
def app(home: Path) -> Flask:
    return create_app(FolderSource(home, poll=0.0), beat_seconds=0.3)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return browser(app)


@pytest.fixture
def serve() -> Iterator[Callable[[Flask], str]]:
    """Serves an application by the real server in a thread; gives its address without the last slash."""
    running = []

    def start(app: Flask) -> str:
        made = server(app, port=0, threads=12)
        thread = threading.Thread(target=made.run, daemon=True)
        thread.start()
        running.append((made, thread))
        return f"http://127.0.0.1:{made.effective_port}"

    yield start
    for made, thread in running:
        made.close()
        thread.join(5)


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    import tabs  # only tests of pages need Playwright

    with tabs.launched() as browser:
        yield browser


@pytest.fixture
def tab(chromium: object) -> Iterator[Callable[..., object]]:
    """Opens a page of this size; in the end nothing must have gone wrong in any."""
    import tabs

    opened = []

    def open_tab(base: str, size: tuple[int, int], **options: object) -> object:
        opened.append(tabs.Tab(chromium, base, size, **options))
        return opened[-1]

    yield open_tab
    for one in opened:
        one.context.close()
        assert one.wrong == []
