"""Rule sets as data: one TOML file each, every value with the clauses it comes from.

A value is written `key = { is = VALUE, from = ["LV-02"] }`, an award
`key = { bidders = [TERMS], others = [TERMS], from = [...] }`. A director's own sheet is a file
that `extends` another and states only what differs. No rule set is known to the code by name.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

_FOLDER = Path(__file__).with_name("rulesets")
ALL_POINTS = 50
"""Points of a hand: 48 counters and two for the last book (play-law section 3)."""
Outcome: TypeAlias = Literal["must_be_played", "award", "renege"]


class RuleError(ValueError):
    """A rule sheet that cannot be used; the message says where and what to do."""


_TERM = re.compile(r"(minus )?(bid|meld|points|\d+)(?: (if|at least) (\d+))?")


@dataclass(frozen=True, slots=True)
class Term:
    """One part of an award, like "meld if 20", "points at least 31", "minus bid", "50"."""

    what: str
    only_from: int = 0
    at_least: int = 0
    sign: int = 1

    @classmethod
    def parse(cls, text: str) -> Term:
        """Raises RuleError."""
        m = _TERM.fullmatch(text)
        if not m:
            raise RuleError(
                f"'{text}' is no part of an award: write bid, meld, points or a number, "
                'with "minus" before it or "if 20", "at least 31" after it'
            )
        minus, what, test, number = m.groups()
        limit = int(number or 0)
        return cls(what, limit if test == "if" else 0, limit if test == "at least" else 0, -1 if minus else 1)

    def amount(self, bid: int, meld: int, points: int) -> int:
        value = {"bid": bid, "meld": meld, "points": points}.get(self.what)
        if value is None:
            value = int(self.what)
        if value < self.only_from:
            return 0
        return self.sign * max(value, self.at_least)

    def __str__(self) -> str:
        text = ("minus " if self.sign < 0 else "") + self.what
        if self.only_from:
            return f"{text} if {self.only_from}"
        return f"{text} at least {self.at_least}" if self.at_least else text


@dataclass(frozen=True, slots=True)
class Award:
    """What the bidding team and the other team get; each side's own meld and points are meant."""

    bidders: tuple[Term, ...]
    others: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Misdeal:
    leftover: Literal["last_book"]


@dataclass(frozen=True, slots=True)
class Bidding:
    minimum: int
    dropped_at: int


@dataclass(frozen=True, slots=True)
class Meld:
    """Values for one, two, three and four sets. `run_undeclared` empty: no declaration is asked for."""

    board: int
    closes: Literal["first_card", "first_card_after_pickup", "bidders_first_card"]
    aces_until: Literal["meld_closed", "first_book_closed"]
    aces: tuple[int, ...]
    kings: tuple[int, ...]
    queens: tuple[int, ...]
    jacks: tuple[int, ...]
    pinochle: tuple[int, ...]
    marriage: tuple[int, ...]
    royal_marriage: tuple[int, ...]
    run: tuple[int, ...]
    run_undeclared: tuple[int, ...]
    double_roundhouse_premium: int

    def __post_init__(self) -> None:
        for f in fields(self):
            values = getattr(self, f.name)
            if isinstance(values, tuple) and len(values) != 4 and (values or f.name != "run_undeclared"):
                raise RuleError(f"{f.name} needs a value for one, two, three and four sets")


@dataclass(frozen=True, slots=True)
class Unplayed:
    """Hands that are not played."""

    no_marriage: Award
    no_board: Award
    hidden_playable: Outcome
    impossible: Literal["played_out", "void"]


@dataclass(frozen=True, slots=True)
class Scoring:
    save: int
    made: Award
    set: Award


@dataclass(frozen=True, slots=True)
class Exposed:
    must_be_played: bool
    partner_may_not_lead: bool
    partner_may_not_name: bool


@dataclass(frozen=True, slots=True)
class Books:
    """`closed_by`: any of these closes a book; a book someone entered as closed is closed."""

    closed_by: tuple[Literal["turned", "next_lead"], ...]
    correct_until: Literal["book_closed", "next_card"]


@dataclass(frozen=True, slots=True)
class Renege:
    follow: bool
    beat: bool
    trump: bool
    aces: Literal["renege", "own_penalty", "director"]
    evidence: tuple[Literal["book", "exposed", "meld"], ...]
    induced: Literal["director"]


@dataclass(frozen=True, slots=True)
class Call:
    """Against whom a call goes that is not proven, or when a team's books are out of order."""

    unproven: Literal["caller", "nobody"]
    books_out_of_order: Literal["owner", "director"]


@dataclass(frozen=True, slots=True)
class Penalty:
    bidders_fault: Award
    others_fault: Award


@dataclass(frozen=True, slots=True)
class Game:
    target: int
    both_reach: Literal["bidders"]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One tournament's rules. `clauses("meld.board")` names where a value comes from."""

    name: str
    title: str
    misdeal: Misdeal
    bidding: Bidding
    meld: Meld
    unplayed: Unplayed
    scoring: Scoring
    exposed: Exposed
    books: Books
    renege: Renege
    call: Call
    penalty: Penalty
    game: Game
    sources: Mapping[str, tuple[str, ...]] = field(repr=False, hash=False)

    def clauses(self, key: str) -> tuple[str, ...]:
        """Clause and decision ids behind `section.key`. Raises KeyError for an unknown key."""
        return self.sources[key]


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
        if entry is None:
            raise where.error((section,), f"[{section}] lacks the key '{f.name}'")
        parts = ("bidders", "others") if hint is Award else ("is",)
        if not isinstance(entry, dict) or set(entry) != {*parts, "from"}:
            form = ", ".join(f"{p} = ..." for p in (*parts, "from"))
            raise where.error(at, f"{section}.{f.name} must have the form {{ {form} }}")
        origin = entry["from"]
        if not isinstance(origin, list) or not all(isinstance(c, str) for c in origin):
            raise where.error(at, f'{section}.{f.name}: from must be a list of clause ids like ["LV-02"]')
        sources[f"{section}.{f.name}"] = tuple(origin)
        try:
            if hint is Award:
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
