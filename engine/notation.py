"""The record on disk: one event a line, as JSON. `engine.spoken` has the form to read aloud.

A line is an object. Its own keys: `v` (format version, 1), `seq`, `at`, `source` (default
"camera"), `utc` (if known) and `kind`, the event's name in small letters (`card_laid`); the other
keys are the fields of that event in `engine.events`, left out where they have their default. Cards
are two letters ("TH"); a reading is an object with the fields of `Reading`.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, TextIO, Union, get_args, get_origin, get_type_hints

from engine import cards, events
from engine.cards import CardError, Face
from engine.events import Event, Reading, What

VERSION: Final = 1
_OWN: Final = frozenset({"v", "seq", "at", "source", "utc", "kind"})
_SOURCES: Final[tuple[str, ...]] = get_args(events.Source)


class LogError(ValueError):
    """A log that cannot be read; the message says where and what to do."""


class CutLineError(LogError):
    """A line that is no whole JSON object."""


class _WrongError(Exception):
    """Why a value does not fit; becomes a LogError once the key is known."""


def _face(value: Any) -> Face:
    if not isinstance(value, str):
        raise _WrongError(f"{value!r} is not a card like TH")
    try:
        return cards.face(value)
    except CardError as e:
        raise _WrongError(str(e)) from None


MOST: Final = 10**9
"""No count in a log comes near it."""


def _number(value: Any) -> float:
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _WrongError(f"a number is needed, not {reprlib.repr(value)}")
    return number


def _probability(value: Any) -> float:
    p = _number(value)
    if not 0 <= p <= 1:
        raise _WrongError(f"{p} is not a probability: it must lie between 0 and 1")
    return p


def _exact(kind: type[Any], name: str, value: Any) -> Any:
    if type(value) is not kind or (kind is int and abs(value) > MOST):
        raise _WrongError(f"{name} is needed, not {reprlib.repr(value)}")
    return value


def _choice(options: tuple[Any, ...], value: Any) -> Any:
    if value not in options:
        raise _WrongError(f"{value!r} is not one of {', '.join(map(str, options))}")
    return value


def _optional(inner: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else inner(value)


def _many(inner: Callable[[Any], Any], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _WrongError(f"a list is needed, not {value!r}")
    return tuple(inner(v) for v in value)


def _reading(value: Any) -> Reading:
    if not isinstance(value, dict):
        raise _WrongError(f'a reading is an object like {{"face": "TH"}}, not {value!r}')
    return _build(Reading, _FIELDS[Reading], value, frozenset())  # type: ignore[no-any-return]


_READ_SIMPLE: Final[dict[Any, Callable[[Any], Any]]] = {
    kind: partial(_exact, kind, name)
    for kind, name in ((int, "a whole number"), (str, "a text"), (bool, "true or false"))
}


def _reader(hint: Any) -> Callable[[Any], Any]:
    if hint is Face:
        return _face
    if hint is Reading:
        return _reading
    if hint is float:  # no event holds another
        return _probability
    if hint in _READ_SIMPLE:
        return _READ_SIMPLE[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return partial(_choice, args)
    if origin is tuple:
        return partial(_many, _reader(args[0]))
    if origin in (Union, UnionType) and NoneType in args:
        return partial(_optional, _reader(next(a for a in args if a is not NoneType)))
    raise TypeError(f"notation cannot read fields of type {hint}")


def _name(kind: type[Any]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


_Field = tuple[str, Callable[[Any], Any], Any]
KINDS: Final[dict[str, type[Any]]] = {_name(k): k for k in get_args(What)}
"""Kinds of events by the name they have in a log (docs/log-format.md describes each)."""
_NAMES: Final[dict[type[Any], str]] = {k: n for n, k in KINDS.items()}
_FIELDS: Final[dict[type[Any], tuple[_Field, ...]]] = {}
for _kind in (*KINDS.values(), Reading):
    _hints = get_type_hints(_kind)
    _FIELDS[_kind] = tuple((f.name, _reader(_hints[f.name]), f.default) for f in fields(_kind))


def _named(name: str, read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except _WrongError as e:
        raise _WrongError(f"{name}: {e}") from None


def _build(kind: type[Any], spec: tuple[_Field, ...], data: dict[str, Any], own: frozenset[str]) -> Any:
    known = {name for name, _, _ in spec} | own
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            raise _WrongError(f"unknown key '{key}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    values: dict[str, Any] = {}
    for name, read, default in spec:
        if name in data:
            values[name] = _named(name, read, data[name])
        elif default is MISSING:
            raise _WrongError(f"the key '{name}' is missing")
    return kind(**values)


def _has_half_characters(data: Any) -> bool:
    """Escapes such as \\ud800 alone, which no file can hold and no page can send."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def event_from_json(text: str) -> Event:
    """The event on one line. Raises LogError without a place; `read_log` adds file and line."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as e:
        raise CutLineError(f"this is no whole JSON object ({e.msg} at column {e.colno})") from None
    except RecursionError:
        raise LogError("this is no event: objects lie too deep in each other") from None
    except ValueError:
        raise LogError("a number has too many digits") from None
    if "\\u" in text and _has_half_characters(data):
        raise LogError("a text holds half of a character (a lone surrogate)")
    if not isinstance(data, dict):
        raise LogError("a line must be a JSON object")
    version = data.get("v")
    if version != VERSION:
        raise LogError(f"format version {version!r} is unknown; this program reads version {VERSION}")
    name = data.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        near = difflib.get_close_matches(str(name), KINDS, 1)
        raise LogError(f"unknown kind of event {name!r}" + (f"; did you mean '{near[0]}'?" if near else ""))
    try:
        what = _build(kind, _FIELDS[kind], data, frozenset(_OWN & data.keys()))
        seq = _named("seq", _READ_SIMPLE[int], data.get("seq"))
        at = _named("at", _number, data.get("at"))
        by = _named("source", partial(_choice, _SOURCES), data.get("source", "camera"))
        utc = data.get("utc")
        if utc is not None:
            _named("utc", _READ_SIMPLE[str], utc)
    except _WrongError as e:
        raise LogError(f"{name}: {e}") from None
    return Event(seq, at, what, by, utc)


def _plain(value: Any) -> Any:
    if isinstance(value, Face):
        return str(value)
    if isinstance(value, Reading):
        return _object(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return value


def _object(value: Any) -> dict[str, Any]:
    out = {}
    for name, _, default in _FIELDS[type(value)]:
        v = getattr(value, name)
        if default is MISSING or v != default:
            out[name] = _plain(v)
    return out


def event_to_json(event: Event) -> str:
    """One line, without its line end."""
    head: dict[str, Any] = {"v": VERSION, "seq": event.seq, "at": event.at}
    if event.by != "camera":
        head["source"] = event.by
    if event.utc is not None:
        head["utc"] = event.utc
    head["kind"] = _NAMES[type(event.what)]
    return json.dumps(head | _object(event.what), ensure_ascii=False, separators=(",", ":"))


def write_event(file: TextIO, event: Event) -> None:
    """Append one event and hand it to the system at once."""
    file.write(event_to_json(event) + "\n")
    file.flush()


def parse_log(lines: Iterable[str], where: str = "log") -> list[Event]:
    """Events from lines; empty lines are skipped. Raises LogError with `where` and the line's number."""
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(event_from_json(line))
        except LogError as e:
            hint = "mend the line, or delete it and all after it to judge what came before"
            if isinstance(e, CutLineError) and not line.endswith("\n"):
                hint = "the recording stopped in the middle of it: delete this last line to judge the rest"
            raise LogError(f"{where}, line {number}: {e}; {hint}") from None
    return found


def read_log(path: Path | str) -> list[Event]:
    """All events of a hand's log. Raises LogError with file, line and what to do."""
    try:
        # Some editors put a mark of the encoding before the first line when they save a log.
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            found = parse_log(file, str(path))
    except OSError as e:
        raise LogError(f"{path}: cannot read this log: {e.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise LogError(f"{path}: this is not a text file; a log has one JSON object a line") from None
    if not found:
        raise LogError(f"{path}: the log is empty; its first line should be a hand_started event")
    return found
