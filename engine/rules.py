"""Rule sets as data: one TOML file each, every value with the clauses it comes from.

A value is written `key = { is = VALUE, from = ["LV-02"] }`, an award
`key = { bidders = [TERMS], others = [TERMS], from = [...] }`. A director's own sheet is a file
that `extends` another and states only what differs. No rule set is known to the code by name.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from engine.sheet import (
    ALL_POINTS,
    Award,
    Books,
    Call,
    Deal,
    Exposed,
    Meld,
    Misdeal,
    Penalty,
    Renege,
    RuleError,
    Scoring,
    Term,
    Trump,
    Unplayed,
)
from engine.sheet_round import Bidding, Game, Tournament

__all__ = ["ALL_POINTS", "Award", "RuleError", "RuleSet", "Term", "available", "cited", "load"]

_FOLDER = Path(__file__).with_name("rulesets")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One tournament's rules. `clauses("meld.board")` names where a value comes from."""

    name: str
    title: str
    deal: Deal
    misdeal: Misdeal
    bidding: Bidding
    trump: Trump
    meld: Meld
    unplayed: Unplayed
    scoring: Scoring
    exposed: Exposed
    books: Books
    renege: Renege
    call: Call
    penalty: Penalty
    game: Game
    tournament: Tournament
    sources: Mapping[str, tuple[str, ...]] = field(repr=False, hash=False)

    def clauses(self, key: str) -> tuple[str, ...]:
        """Clause and decision ids behind `section.key`; "silent": a default where nothing is printed.

        Raises KeyError for an unknown key.
        """
        return self.sources[key]


def cited(ids: Iterable[str]) -> str:
    """Clause and decision ids for the end of a sentence; where there are none, that the sheet is silent."""
    return ", ".join(dict.fromkeys(i for i in ids if i != "silent")) or "the sheet is silent"


_SECTIONS: dict[str, type[Any]] = {
    name: kind
    for name, kind in get_type_hints(RuleSet).items()
    if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__")
}


def available() -> list[str]:
    """Names that `load` knows, in the form in which a log names them."""
    return sorted(path.stem.upper() for path in _FOLDER.glob("*.toml"))


def load(name_or_path: str | Path) -> RuleSet:
    """A rule set by name ("lv", "EC-P") or a sheet by its path (ending in .toml). Raises RuleError."""
    text = str(name_or_path)
    if text.endswith(".toml"):
        return _read(Path(text))
    return _shipped(_named(text))


def _named(name: str) -> Path:
    known = available()
    if name.upper() not in known:
        near = difflib.get_close_matches(name.upper(), known, 1, 0.3)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise RuleError(
            f"there is no rule set '{name}': choose from {', '.join(known)} or give a .toml file{hint}"
        )
    return _FOLDER / f"{name.lower()}.toml"


@cache
def _shipped(path: Path) -> RuleSet:
    return _read(path)


def _read(path: Path) -> RuleSet:
    tree, sheets = _merged(path, ())
    where = _Where(sheets)
    for key in tree:
        if key not in _SECTIONS and key not in ("name", "title"):
            raise where.error((key,), f"unknown section '{key}'" + _near(key, _SECTIONS))
    values: dict[str, Any] = {}
    sources: dict[str, tuple[str, ...]] = {}
    for key in ("name", "title"):
        if not isinstance(tree.get(key), str):
            raise where.error((key,), f'{key} = "..." is missing or not a text')
        values[key] = tree[key]
    for section, kind in _SECTIONS.items():
        table = tree.get(section)
        if not isinstance(table, dict):
            raise where.error((section,), f"section [{section}] is missing")
        values[section] = _section(section, kind, table, where, sources)
    return RuleSet(**values, sources=sources)


def _merged(path: Path, below: tuple[Path, ...]) -> tuple[dict[str, Any], list[tuple[Path, str]]]:
    """The sheet laid over what it extends, and the sheets read, topmost first."""
    if path in below:
        raise RuleError(f"{path}: this sheet extends itself; remove one 'extends'")
    try:
        text = path.read_text(encoding="utf-8")
        tree = tomllib.loads(text)
    except OSError as e:
        raise RuleError(f"{path}: cannot read this rule sheet: {e.strerror}; check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise RuleError(f"{path}: not a TOML file: {e}; mend that line") from None
    base = tree.pop("extends", None)
    if base is None:
        return tree, [(path, text)]
    if not isinstance(base, str):
        raise RuleError(f"{path}: extends must be the name of a rule set or a path in quotes")
    base_path = path.parent / base if base.endswith(".toml") else _named(base)
    under, sheets = _merged(base_path, (*below, path))
    for key, value in tree.items():
        if isinstance(value, dict) and isinstance(under.get(key), dict):
            under[key] = {**under[key], **value}
        else:
            under[key] = value
    return under, [(path, text), *sheets]


def _section(
    section: str, kind: type[Any], table: dict[str, Any], where: _Where, sources: dict[str, tuple[str, ...]]
) -> Any:
    hints = get_type_hints(kind)
    for key in table:
        if key not in hints:
            raise where.error((section, key), f"unknown key '{key}' in [{section}]" + _near(key, hints))
    values = {}
    for f in fields(kind):
        at, hint, entry = (section, f.name), hints[f.name], table.get(f.name)
        if entry is None and f.default is not MISSING:
            sources[f"{section}.{f.name}"] = ()
            continue
        if entry is None:
            raise where.error((section,), f"[{section}] lacks the key '{f.name}'")
        award = Award in (hint, *get_args(hint))
        parts = ("bidders", "others") if award else ("is",)
        if not isinstance(entry, dict) or set(entry) != {*parts, "from"}:
            form = ", ".join(f"{p} = ..." for p in (*parts, "from"))
            raise where.error(at, f"{section}.{f.name} must have the form {{ {form} }}")
        origin = entry["from"]
        if not isinstance(origin, list) or not all(isinstance(c, str) for c in origin):
            raise where.error(at, f'{section}.{f.name}: from must be a list of clause ids like ["LV-02"]')
        sources[f"{section}.{f.name}"] = tuple(origin)
        try:
            if award:
                sides = [_convert(tuple[str, ...], entry[p]) for p in parts]
                values[f.name] = Award(*(tuple(Term.parse(t) for t in side) for side in sides))
            else:
                values[f.name] = _convert(hint, entry["is"])
        except (RuleError, TypeError) as e:
            raise where.error(at, f"{section}.{f.name}: {e}") from None
    try:
        return kind(**values)
    except RuleError as e:
        raise where.error((section, str(e).split()[0]), f"{section}.{e}") from None


def _convert(hint: Any, value: Any) -> Any:
    """`value` as `hint` wants it. Raises TypeError with what was expected."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        for arg in args:
            try:
                return _convert(arg, value)
            except TypeError:
                continue
        raise TypeError(f"{value!r} is none of the allowed kinds")
    if origin is Literal:
        if value not in args or type(value) is not type(args[0]):
            raise TypeError(f"{value!r} is not one of {', '.join(map(str, args))}" + _near(str(value), args))
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError(f"a list is needed, not {value!r}")
        return tuple(_convert(args[0], v) for v in value)
    if type(value) is not hint:
        names = {int: "a whole number", bool: "true or false", str: "a text"}
        raise TypeError(f"{names.get(hint, hint)} is needed, not {value!r}")
    return value


def _near(word: str, known: Any) -> str:
    near = difflib.get_close_matches(word, [str(k) for k in known], 1)
    return f"; did you mean '{near[0]}'?" if near else ""


class _Where:
    """Finds the line of a key, so that errors can name it."""

    def __init__(self, sheets: list[tuple[Path, str]]) -> None:
        self._sheets = sheets

    def error(self, key: tuple[str, ...], message: str) -> RuleError:
        for path, text in self._sheets:
            line = self._line(text, key)
            if line:
                return RuleError(f"{path}, line {line}: {message}")
        return RuleError(f"{self._sheets[0][0]}: {message}")

    @staticmethod
    def _line(text: str, key: tuple[str, ...]) -> int:
        section = ""
        for number, line in enumerate(text.splitlines(), 1):
            if head := re.match(r"\s*\[([^\]]+)\]", line):
                section = head[1].strip()
                if key == (section,):
                    return number
            elif (name := re.match(r'\s*"?([\w-]+)"?\s*=', line)) and (
                (section, name[1]) == key or (not section and key == (name[1],))
            ):
                return number
        return 0
