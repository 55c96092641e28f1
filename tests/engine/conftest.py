"""Where the shared rule material lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared_folder() -> Path:
    checkout = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("BOOKWATCH_SHARED", checkout.parent / "shared"))


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    path = shared_folder() / "rules" / "cases.jsonl"
    if not path.exists():
        pytest.skip(f"the shared rule cases are not at {path}: set BOOKWATCH_SHARED to their folder")
    return path


@pytest.fixture(scope="session")
def shared_clauses() -> Path:
    path = shared_folder() / "rules" / "clauses.csv"
    if not path.exists():
        pytest.skip(f"the shared clauses are not at {path}: set BOOKWATCH_SHARED to their folder")
    return path
