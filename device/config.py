"""Settings: one TOML file, environment overrides, and nothing that a table does not need.

Order of precedence: an option on the command line, `BOOKWATCH_<SECTION>_<KEY>` in the
environment, the file, the default. docs/configuration.md lists every setting; a test holds it to
that.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from device.errors import UserError
from engine import rules

Point = tuple[float, float]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class StoreSettings(Section):
    """Where hands and the store are kept."""

    folder: Annotated[Path, AfterValidator(Path.expanduser)] = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("bookwatch", appauthor=False)),
        description="Folder of the store (bookwatch.db) and of hands/, one folder a hand.",
    )


class CameraSettings(Section):
    """The camera used when `bookwatch watch` names no source."""

    source: str = Field(
        default="0", description="Number of a camera, `picamera2`, an rtsp:// address, or a path."
    )
    width: Annotated[int, Field(ge=320, le=9152)] = Field(
        default=2304, description="Picture width to ask for, pixels."
    )
    height: Annotated[int, Field(ge=240, le=6944)] = Field(
        default=1296, description="Picture height to ask for, pixels."
    )
    fps: Annotated[float, Field(gt=0, le=120)] = Field(
        default=10.0, description="Pictures a second to ask for; also the pace of a picture folder."
    )


class TableSettings(Section):
    """The table and its calibration."""

    name: str = Field(default="table-1", min_length=1, description="Name of the table in logs and on pages.")
    corners: tuple[Point, Point, Point, Point] | None = Field(
        default=None,
        description="The surface's corners in image pixels: north-west, north-east, south-east, south-west.",
    )
    width_mm: Annotated[float, Field(gt=100, le=4000)] = Field(
        default=900.0, description="Surface from west to east, mm."
    )
    height_mm: Annotated[float, Field(gt=100, le=4000)] = Field(
        default=900.0, description="Surface from south to north, mm."
    )


def _ruleset(value: str) -> str:
    try:
        rules.load(value)
    except rules.RuleError as error:
        raise ValueError(str(error)) from error
    return value


class GameSettings(Section):
    """What is played, and how sure a proof must be."""

    deck: Literal["double", "single"] = Field(
        default="double", description="`double` (80 cards) or `single` (48)."
    )
    ruleset: Annotated[str, AfterValidator(_ruleset)] = Field(
        default="lv", description="Rule set; `bookwatch rules list` prints the names."
    )
    threshold: Annotated[float, Field(gt=0.5, lt=1)] = Field(
        default=0.95, description="Probability from which a renege counts as proven rather than suspected."
    )


def _hash(value: str) -> str:
    if not value.startswith("$argon2"):
        raise ValueError("this is no hash; `bookwatch pin` makes one")
    return value


Hash = Annotated[str, AfterValidator(_hash)]


class DashboardSettings(Section):
    """Who may do what on the dashboard. Everybody may see the table screen."""

    director_pin: Hash | None = Field(
        default=None,
        description="Hash of the director's PIN, by `bookwatch pin`; without one only this machine gets in.",
    )
    table_code: Hash | None = Field(
        default=None,
        description="Hash of the scorekeepers' code, by `bookwatch pin --for scorekeeper`; likewise.",
    )


class WebSettings(Section):
    """Where the dashboard listens."""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on; 0.0.0.0 lets other devices in.",
    )
    port: Annotated[int, Field(ge=0, le=65535)] = Field(
        default=8765, description="Port; 0 takes any free one."
    )
    # At most 400 streams are open in all (`webui.streams`), 32 of them kept for directors.
    streams_per_address: Annotated[int, Field(ge=1, le=368)] = Field(
        default=200,
        description="Players' live pages that one address may hold; devices behind one router share theirs.",
    )


class Settings(Section):
    """All settings."""

    store: StoreSettings = StoreSettings()
    camera: CameraSettings = CameraSettings()
    table: TableSettings = TableSettings()
    game: GameSettings = GameSettings()
    web: WebSettings = WebSettings()
    dashboard: DashboardSettings = DashboardSettings()

    @property
    def hands(self) -> Path:
        return self.store.folder / "hands"

    @property
    def database(self) -> Path:
        return self.store.folder / "bookwatch.db"


def default_path() -> Path:
    """/etc/bookwatch/config.toml if it is there, else the user's own."""
    system = Path("/etc/bookwatch/config.toml")
    return (
        system
        if system.is_file()
        else Path(platformdirs.user_config_dir("bookwatch", appauthor=False), "config.toml")
    )


def settings_in(model: type[BaseModel] = Settings, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name and pydantic field of every setting."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from settings_in(inner, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def load(path: Path | None = None, env: Mapping[str, str] | None = None) -> Settings:
    """The settings of the file (default: BOOKWATCH_CONFIG, then `default_path()`, if there) and environment.

    Raises UserError naming file, line and, for an unknown key, the nearest known one.
    """
    env = os.environ if env is None else env
    named = path or (Path(env["BOOKWATCH_CONFIG"]) if env.get("BOOKWATCH_CONFIG") else None)
    file = named or default_path()
    text = ""
    if named is not None or file.is_file():
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise UserError(
                f"the configuration cannot be read: {reason}",
                where=str(file),
                do="Check the path given by --config or BOOKWATCH_CONFIG.",
            ) from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"not valid TOML: {error}", where=str(file), do="Mend that line.") from error
    origin = {name: f"{file}, line {_line(text, name)}" for name in _dotted(data)}
    for variable, name in _overrides(env):
        section, key = name.split(".")
        table = data.setdefault(section, {})
        if not isinstance(table, dict):
            break  # the file's own mistake is reported below
        table[key] = _from_env(env[variable])
        origin[name] = f"environment variable {variable}"
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise _as_user_error(error, origin, str(file)) from error


def _dotted(data: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in data.items():
        yield prefix + key
        if isinstance(value, dict):
            yield from _dotted(value, f"{prefix}{key}.")


def _line(text: str, dotted: str) -> int:
    """The line (from 1) that sets a dotted name; 1 when it cannot be told."""
    section, _, key = dotted.rpartition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([\w.\-]+)\s*\]", line):
            current = header[1]
            if current == dotted:
                return number
        elif match := re.match(r"\s*([\w.\-]+)\s*=", line):
            name = f"{current}.{match[1]}" if current else match[1]
            if name == dotted or (current == section and match[1] == key):
                return number
    return 1


def _overrides(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Environment variables of known sections as (variable, dotted name); a misspelt key is refused later."""
    for variable in sorted(env):
        match = re.fullmatch(r"BOOKWATCH_([A-Z]+)_([A-Z0-9_]+)", variable)
        if match and match[1].lower() in Settings.model_fields:
            yield variable, f"{match[1].lower()}.{match[2].lower()}"


def _from_env(value: str) -> Any:
    """Lists are written as in TOML; anything else is text, which pydantic turns into the setting's type."""
    if value.lstrip().startswith("["):
        try:
            return tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            return value
    return value


def _as_user_error(error: ValidationError, origin: Mapping[str, str], file: str) -> UserError:
    first = error.errors()[0]
    path = [str(part) for part in first["loc"]]
    name = ".".join(path[:2])
    where = origin.get(name) or origin.get(path[0]) or file
    if first["type"] == "extra_forbidden":
        known = [key for key, _ in settings_in()] if len(path) > 1 else list(Settings.model_fields)
        near = difflib.get_close_matches(name, known, 1, 0.6)
        hint = f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(known)}."
        return UserError(f"unknown setting `{name}`", where=where, do=f"{hint} See docs/configuration.md.")
    given = "this value" if path[0] == "dashboard" else repr(first["input"])  # a PIN is not repeated
    return UserError(
        f"`{name}` = {given} is not allowed: {_reason(first['type'], first['msg'], name)}",
        where=where,
        do="See docs/configuration.md.",
    )


def _reason(kind: str, message: str, name: str) -> str:
    """Pydantic's reason in the words of a configuration file."""
    match kind:
        case "model_type" | "model_attributes_type":
            return f"it is a section; write [{name}] and its settings below"
        case "path_type":
            return "a path in quotes is needed"
        case "missing" | "too_long" | "tuple_type":
            return "four points are needed, like [[420, 96], [1890, 104], [1912, 1230], [398, 1218]]"
        case "string_too_short":
            return "it is empty"
    message = message.removeprefix("Value error, ")
    return f"{message[:1].lower()}{message[1:]}"
