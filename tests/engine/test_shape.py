"""The engine stays small and alone: only the standard library, no module over about 400 lines."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import engine

MODULES = sorted(Path(engine.__file__).parent.glob("*.py"))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.stem)
def test_it_imports_only_the_standard_library_and_itself(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            roots.add(str(node.module).partition(".")[0])
    assert roots <= {*sys.stdlib_module_names, "engine"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.stem)
def test_no_module_is_long(path: Path) -> None:
    assert path.read_text(encoding="utf-8").count("\n") <= 400
