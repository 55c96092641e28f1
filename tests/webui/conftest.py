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
