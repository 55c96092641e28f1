"""The networks' files: where they are, and whether they are the ones that were measured.

`models/models.json` names them::

    {"finder": {"file": "finder.onnx", "sha256": "...", "threshold": 0.25, ...},
     "reader": {"file": "reader.onnx", "sha256": "...", "temperature": 1.3, "classes": ["AS", ...]}}

BOOKWATCH_MODELS points to another folder of the same form.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnxruntime as ort

import models

ENVIRONMENT = "BOOKWATCH_MODELS"


class ModelError(RuntimeError):
    """A network's file is missing, altered, or not what this program can run."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One network's file and what models.json says about it ({} for a file given by path)."""

    file: Path
    facts: dict[str, Any]


def models_folder() -> Path:
    given = os.environ.get(ENVIRONMENT)
    return Path(given) if given else Path(models.__path__[0])


def locate(name: str, path: Path | str | None = None) -> Weights:
    """The weights called `name` in the models folder, checksum verified, or the file at `path`.

    A `path` is taken as it is; models.json beside it is used if it names that file.
    Raises ModelError.
    """
    folder = Path(path).parent if path else models_folder()
    facts = _facts(folder, name, required=path is None)
    if path and facts.get("file") != Path(path).name:
        facts = {}
    file = Path(path) if path else folder / str(facts["file"])
    if not file.is_file():
        raise ModelError(f"the {name} network is not there: {file}. {_ADVICE}")
    if expected := facts.get("sha256"):
        actual = hashlib.sha256(file.read_bytes()).hexdigest()
        if actual != expected:
            raise ModelError(
                f"{file} is not the {name} network that {folder / 'models.json'} describes "
                f"(sha256 {actual[:12]}..., expected {str(expected)[:12]}...): "
                f"a broken download or copy. {_ADVICE}"
            )
    return Weights(file, facts)


_ADVICE = f"Install the package again, or set {ENVIRONMENT} to a folder with models.json and its networks."


def _facts(folder: Path, name: str, required: bool) -> dict[str, Any]:
    index = folder / "models.json"
    try:
        facts = json.loads(index.read_text(encoding="utf-8"))[name]
        if not isinstance(facts, dict) or "file" not in facts:
            raise ModelError(f"{index}: the entry '{name}' names no file. {_ADVICE}")
        return facts
    except FileNotFoundError:
        if not required:
            return {}
        raise ModelError(f"no models.json in {folder}: the networks are not installed. {_ADVICE}") from None
    except KeyError:
        if not required:
            return {}
        raise ModelError(f"{index} has no entry '{name}'. {_ADVICE}") from None
    except ValueError as problem:
        raise ModelError(f"{index} is not valid JSON ({problem}). {_ADVICE}") from None


def session(file: Path, threads: int = 0) -> ort.InferenceSession:
    """ONNX Runtime on the processor. threads: 0 lets the runtime choose. Raises ModelError."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads sleep instead of spinning: the camera and the pages want the cores too.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as problem:  # the runtime raises many kinds, none of them public
        raise ModelError(f"{file} cannot be run as a network: {problem}. {_ADVICE}") from problem
