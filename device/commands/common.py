"""What the commands share: options, output for people and machines, progress, error messages."""

from __future__ import annotations

import difflib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

import click

from device.config import Settings
from device.errors import UserError
from device.store import Store

F = TypeVar("F", bound=Callable[..., Any])
DEBUG = "bookwatch.debug"
JSON = "bookwatch.json"

MESSAGES = (
    "engine.cards:CardError",
    "engine.caseform:CaseError",
    "engine.notation:LogError",
    "engine.rules:RuleError",
    "engine.tournament:TournamentError",
    "vision.enrol:EnrolError",
    "vision.table:TableError",
    "vision.weights:ModelError",
)
"""Errors of the engine and the eye whose texts already say what, where and what to do."""


def _is_message(error: Exception) -> bool:
    """Whether it is one of MESSAGES; a module that was never imported has raised nothing."""
    names = (name.split(":") for name in MESSAGES)
    kinds = tuple(getattr(sys.modules[module], kind) for module, kind in names if module in sys.modules)
    return isinstance(error, kinds)


def _remember(key: str) -> Callable[[click.Context, click.Parameter, bool], bool]:
    def callback(context: click.Context, _: click.Parameter, value: bool) -> bool:
        meta = context.find_root().meta
        meta[key] = meta.get(key, False) or value
        return value

    return callback


def command(function: F) -> F:
    """The options that every command has: --json (given to the function as `as_json`) and --debug."""
    for option in (
        click.option(
            "--debug",
            is_flag=True,
            expose_value=False,
            callback=_remember(DEBUG),
            help="Show traces of errors.",
        ),
        click.option(
            "--json", "as_json", is_flag=True, callback=_remember(JSON), help="Print JSON for machines."
        ),
    ):
        function = option(function)
    return function


class Commands(click.Group):
    """A group whose commands are loaded when they are asked for: the networks' runtime takes its time.

    A failure ends in one message, not a trace. Exit codes: 2 what the user can mend, 1 a fault in here.
    """

    def __init__(self, *args: Any, places: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._places = places or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self._places.get(cmd_name)
        return resolve_name(place) if place else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[JSON] = "--json" in args  # known even where a later argument is refused
        try:
            return super().parse_args(ctx, args)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            ctx.exit(print_error(error, ctx.meta[JSON]))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self._places, 1)
            raise click.UsageError(
                f"no such command '{name}'" + (f" (did you mean '{near[0]}'?)" if near else ""), ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort, click.exceptions.NoArgsIsHelpError):
            raise
        except BrokenPipeError:  # `bookwatch ... | head`: nobody reads any more
            sys.stdout = None
            ctx.exit(0)
        except Exception as error:
            meta = ctx.find_root().meta
            if meta.get(DEBUG):
                raise
            ctx.exit(print_error(error, meta.get(JSON, False)))


def _as_user_error(error: Exception) -> UserError | None:
    """What a person can mend, in the form that every message has; None: a fault in here."""
    match error:
        case UserError():
            return error
        case click.UsageError():
            what = " ".join(error.format_message().split()).rstrip(".")
            path = error.ctx.command_path if error.ctx else "bookwatch"
            return UserError(f"{what[:1].lower()}{what[1:]}", do=f"See `{path} --help`.")
        case click.ClickException():
            return UserError(error.format_message())
        case OSError(errno=int()):
            return UserError(
                f"this could not be read or written: {(error.strerror or str(error)).lower()}",
                where=str(error.filename or "output"),
                do="Check the name, the rights and the room on the disk.",
            )
    return UserError(str(error)) if _is_message(error) else None


def print_error(error: Exception, as_json: bool = False) -> int:
    """Prints an error for a person (and for a machine if asked); returns the exit code."""
    known = _as_user_error(error)
    if known is not None:
        click.echo(f"bookwatch: {known}", err=True)
        if as_json:
            _echo_json({"error": known.as_json()})
        return known.exit_code
    click.echo(
        f"bookwatch: something failed that should not: {type(error).__name__}: {error}. "
        "Run it again with --debug and report what it prints.",
        err=True,
    )
    if as_json:
        _echo_json({"error": {"what": f"{type(error).__name__}: {error}", "where": "", "do": ""}})
    return 1


def _echo_json(data: Any) -> None:
    """For an error: where nothing can be printed any more, that may be the very error."""
    with suppress(OSError):
        click.echo(json.dumps(data, ensure_ascii=False))


def print_json(data: Any) -> None:
    """One line, written at once."""
    click.echo(json.dumps(data, ensure_ascii=False))
    sys.stdout.flush()


class Progress:
    """Progress on stderr: one line rewritten on a terminal, a line every few seconds elsewhere.

    Quiet for work that ends within `after` seconds.
    """

    def __init__(self, what: str, total: int | None = None, after: float = 1.0, every: float = 10.0) -> None:
        self.what, self.total = what, total
        self._terminal = sys.stderr.isatty()
        self._start = self._shown = time.monotonic()
        self._after, self._every = after, 0.2 if self._terminal else every
        self._open = False

    def step(self, done: int, note: str = "") -> None:
        now = time.monotonic()
        every = self._every if self.total or self._terminal else 6 * self._every  # work without an end
        if now - self._start < self._after or now - self._shown < every:
            return
        self._shown = now
        of = f" of {self.total} ({100 * done // self.total} %)" if self.total else ""
        left = ""
        if self.total and done:
            seconds = (now - self._start) / done * max(0, self.total - done)
            left = f", {seconds / 60:.0f} min left" if seconds > 90 else f", {seconds:.0f} s left"
        text = f"{self.what}: {done}{of}{left}{f', {note}' if note else ''}"
        if self._terminal:
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)
            self._open = True
        else:
            click.echo(text, err=True)

    def clear(self) -> None:
        """Takes the rewritten line away, so that other text can be printed."""
        if self._open:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._open = False


@contextmanager
def opened_store(settings: Settings) -> Iterator[Store]:
    store = Store(settings.database)
    try:
        yield store
    finally:
        store.close()


def write_file(path: Path, data: bytes) -> None:
    """Writes a file that the user named. Raises UserError."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UserError(
            f"the file cannot be written: {error.strerror or error}",
            where=str(path),
            do="Name another place.",
        ) from error
