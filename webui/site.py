"""What belongs to no audience: the licence and the source of the running version (AGPL section 13)."""

from __future__ import annotations

import io
import tarfile
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from flask import Blueprint, Response, abort, redirect, url_for
from werkzeug.wrappers import Response as Redirect

blueprint = Blueprint("site", __name__)

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "vision", "device", "webui", "models")
BESIDE = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "Makefile",
    "docs",
    "deploy",
    "tests",
    "benchmarks",
)
"""Packed where the program runs from a checkout."""


def licence_file() -> Path | None:
    """LICENSE of the checkout or of the installed distribution."""
    if (ROOT / "LICENSE").is_file() and (ROOT / "pyproject.toml").is_file():
        return ROOT / "LICENSE"
    try:
        files = distribution("bookwatch").files or []
    except PackageNotFoundError:
        return None
    return next((Path(str(f.locate())) for f in files if f.name == "LICENSE"), None)


@cache
def source_archive() -> bytes:
    """The program's own files as they lie on this machine, as a .tar.gz. No data, no settings."""
    buffer = io.BytesIO()
    checkout = (ROOT / "pyproject.toml").is_file()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=6) as archive:
        for name in (*PACKAGES, *(BESIDE if checkout else ())):
            if (ROOT / name).exists():
                archive.add(ROOT / name, arcname=f"bookwatch/{name}", filter=_only_source)
    return buffer.getvalue()


def _only_source(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = entry.name.rsplit("/", 1)[-1]
    if (
        name.startswith((".", "__pycache__"))
        or name.endswith(".pyc")
        or not (entry.isfile() or entry.isdir())
    ):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


@blueprint.get("/licence")
def licence() -> Response:
    file = licence_file()
    if file is None:
        abort(
            404,
            "The licence file is missing from this installation; see https://www.gnu.org/licenses/agpl-3.0",
        )
    return Response(file.read_text(encoding="utf-8"), mimetype="text/plain")


@blueprint.get("/source.tar.gz")
def source() -> Response:
    return Response(source_archive(), mimetype="application/gzip")


@blueprint.get("/favicon.ico")
def favicon() -> Redirect:
    return redirect(url_for("static", filename="icon.svg"), 301)
