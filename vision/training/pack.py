"""Puts trained networks where the program looks for them, with checksums.

python -m vision.training.pack --finder runs/finder/weights/best.pt --reader runs/reader/reader.pt
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from vision.training import finder, reader
from vision.types import CLASSES
from vision.weights import models_folder


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--finder", type=Path)
    parser.add_argument("--reader", type=Path)
    parser.add_argument("--threshold", type=float, default=0.25)
    parser.add_argument("--models", type=Path, default=models_folder())
    a = parser.parse_args()
    a.models.mkdir(exist_ok=True)
    index = a.models / "models.json"
    facts: dict[str, Any] = json.loads(index.read_text()) if index.exists() else {}
    if a.finder:
        target = a.models / "finder.onnx"
        finder.export(a.finder, target)
        facts["finder"] = {"file": target.name, "sha256": _digest(target), "threshold": a.threshold}
    if a.reader:
        target = a.models / "reader.onnx"
        noted = reader.export(a.reader, target)
        facts["reader"] = {
            "file": target.name, "sha256": _digest(target), "temperature": noted["temperature"],
            "classes": list(CLASSES),
        }  # fmt: skip
    index.write_text(json.dumps(facts, indent=1) + "\n")
    sums = [f"{facts[k]['sha256']}  {facts[k]['file']}" for k in sorted(facts)]
    (a.models / "SHA256SUMS").write_text("\n".join(sums) + "\n")


if __name__ == "__main__":
    main()
