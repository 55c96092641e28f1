"""Puts trained networks where the program looks for them, with checksums.

python -m vision.training.pack --finder runs/finder/weights/best.pt --reader runs/reader/reader.pt
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from vision.training import finder, parity, reader
from vision.types import CLASSES
from vision.weights import models_folder


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def halve(file: Path) -> None:
    """Store large weights as float16 with a cast back to float32, which the runtime folds when it loads.

    Half the size in every clone at the same speed; the finder's scores move by 0.002 at most.
    """
    model = onnx.load(str(file))
    kept, casts = [], []
    for weight in model.graph.initializer:
        values = onnx.numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < 64:
            kept.append(weight)
            continue
        name = weight.name + "_half"
        kept.append(onnx.numpy_helper.from_array(values.astype(np.float16), name))
        casts.append(onnx.helper.make_node("Cast", [name], [weight.name], to=onnx.TensorProto.FLOAT))
    nodes = list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(casts + nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(file))


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
        halve(target)
        print(parity.finder(a.finder, target))
        facts["finder"] = {"file": target.name, "sha256": _digest(target), "threshold": a.threshold}
    if a.reader:
        target = a.models / "reader.onnx"
        noted = reader.export(a.reader, target)
        halve(target)
        print(parity.reader(a.reader, target))
        facts["reader"] = {
            "file": target.name, "sha256": _digest(target), "temperature": noted["temperature"],
            "classes": list(CLASSES),
        }  # fmt: skip
    index.write_text(json.dumps(facts, indent=1) + "\n")
    sums = [f"{facts[k]['sha256']}  {facts[k]['file']}" for k in sorted(facts)]
    (a.models / "SHA256SUMS").write_text("\n".join(sums) + "\n")


if __name__ == "__main__":
    main()
