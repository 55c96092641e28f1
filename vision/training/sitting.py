"""One sitting of training: new scenes, and both networks go on from `models/` with them.

    python -m vision.training.sitting --minutes 120 [--work runs/sitting]

Steps already done in the work folder are not done again, and an interrupted training resumes, so the
same command goes on after an interruption. The networks are then packed into `models/`: measure, then keep.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from vision.weights import models_folder

SCENES_A_MINUTE = 500
"""Scenes drawn and cut in a minute on two cores, roughly; a fifth of the sitting goes there."""


def run(module: str, *words: object) -> None:
    subprocess.run([sys.executable, "-m", f"vision.training.{module}", *map(str, words)], check=True)


def once(mark: Path, module: str, *words: object) -> None:
    """Do a step unless its mark says that it was done."""
    if not mark.exists():
        run(module, *words)
        mark.touch()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120, help="for all of it")
    parser.add_argument("--work", type=Path, default=Path("runs/sitting"))
    a = parser.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    facts_file = a.work / "sitting.json"
    if not facts_file.exists():
        # A fresh seed each sitting, kept for the case that this one is interrupted.
        facts_file.write_text(json.dumps({"seed": int(time.time()) % 1_000_000}))
    seed = json.loads(facts_file.read_text())["seed"]
    models, work, share = models_folder(), a.work, 0.4 * a.minutes
    count = int(a.minutes / 5 * SCENES_A_MINUTE)
    for name, *asked in (("held", "--scenes", 500, "--seed", 6, "--held-out"),
                         ("own", "--scenes", count, "--seed", seed)):  # fmt: skip
        once(work / f"{name}.done", "datasets", "scenes", work / name, *asked)
        once(
            work / f"{name}-patches.done",
            "datasets", "patches", work / f"{name}-patches", "--scenes-dir", work / name,
        )  # fmt: skip
    once(
        work / "reader.done",
        "reader", work / "own-patches", work / "held-patches", "--out", work / "reader",
        "--minutes", share, "--start", models / "reader.onnx", "--resume",
    )  # fmt: skip
    once(
        work / "finder.done",
        "finder", work / "own", work / "held", "--name", "sitting-finder",
        "--minutes", share, "--epochs", 100, "--model", models / "finder.onnx", "--resume",
    )  # fmt: skip
    run("pack", "--finder", "runs/sitting-finder/weights/best.pt", "--reader", work / "reader" / "reader.pt")
    print(f"packed into {models}; measure with benchmarks/photos.py before you keep it, then remove {work}")


if __name__ == "__main__":
    main()
