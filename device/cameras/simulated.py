"""The simulated table as a camera: `sim:SEED[?name=value&...]`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from device.cameras.base import Source
from device.errors import UserError
from device.recorder import Entry
from engine.cards import Seat
from engine.events import BidMade
from vision.simulator.disturbances import NAMES, Disturbed, disturbed
from vision.simulator.named import BEHAVIOURS
from vision.simulator.playing import RENEGE_KINDS, NoSuchHandError
from vision.simulator.table import CONDITIONS, SimulatedTable
from vision.table import Table
from vision.types import Frame


def _kinds(text: str) -> tuple[str, ...]:
    kinds = tuple(word.upper() for word in text.split(",") if word)
    for kind in kinds:
        if kind not in RENEGE_KINDS:
            raise ValueError(f"'{kind}' is no kind of renege: use {', '.join(RENEGE_KINDS)}")
    return kinds


def _condition(text: str) -> str:
    if text not in CONDITIONS:
        raise ValueError(f"'{text}' is no condition: use {', '.join(CONDITIONS)}")
    return text


def _behaviours(text: str) -> tuple[str, ...]:
    names = tuple(word for word in text.split(",") if word)
    for name in names:
        if name not in (*BEHAVIOURS, *NAMES):
            raise ValueError(f"'{name}' is no behaviour: use {', '.join((*BEHAVIOURS, *NAMES))}")
    if len(set(names) & set(NAMES)) > 1:
        raise ValueError(f"only one of {', '.join(NAMES)} comes between a camera and its table")
    return names


def _between(low: float, high: float, kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            raise ValueError(f"'{text}' is not a number") from None
        if not low <= value <= high:
            raise ValueError(f"{text} does not lie between {low:g} and {high:g}")
        return value

    return read


OPTIONS: Mapping[str, Callable[[str], Any]] = {
    "condition": _condition,
    "reneges": _kinds,
    "corrections": _between(0, 5, int),
    "behaviour": _behaviours,
    "width": _between(640, 4608, int),
    "height": _between(360, 2592, int),
    "fps": _between(1, 60, float),
}


def parse(spec: str) -> tuple[int, dict[str, Any]]:
    """Seed and `SimulatedTable` arguments of `sim:7?reneges=FOLLOW&corrections=1`. Raises UserError."""
    seed, _, query = spec.removeprefix("sim:").partition("?")
    if not seed.isdecimal():
        raise UserError(
            f"'{seed}' is not a seed", where=spec, do="Write a whole number after sim:, like sim:7."
        )
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in OPTIONS:
            near = difflib.get_close_matches(name, OPTIONS, 1)
            hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(OPTIONS)}."
            raise UserError(f"the simulated table has no option '{name}'", where=spec, do=hint)
        try:
            options[name] = OPTIONS[name](value)
        except ValueError as error:
            raise UserError(f"{name}: {error}", where=spec, do="Mend that option.") from error
    return int(seed), options


def simulated_table(spec: str) -> tuple[SimulatedTable, SimulatedTable | Disturbed]:
    """The table that `spec` describes, and how its camera sees it. Raises UserError."""
    seed, options = parse(spec)
    named = options.pop("behaviour", ())
    try:
        table = SimulatedTable(seed, named=[n for n in named if n not in NAMES], **options)
    except NoSuchHandError as error:
        raise UserError(
            str(error), where=spec, do="Try another seed, or fewer reneges and corrections."
        ) from error
    between = next((n for n in NAMES if n in named), None)
    return table, disturbed(table, between) if between else table


class Simulated(Source):
    """A simulated hand, with its calibration and what its scorekeeper enters: dealer and bids."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.simulation, self.seen = simulated_table(spec)
        self.total = self.simulation.frame_count

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.seen)

    def table(self, image_size: tuple[int, int]) -> Table:
        return Table.from_corners(self.simulation.corners, (self.simulation.size_mm,) * 2, image_size)

    @property
    def dealer(self) -> Seat:
        return self.simulation.script.plan.dealer

    @property
    def entries(self) -> list[Entry]:
        return [
            Entry(event.at, event.what) for event in self.simulation.truth if isinstance(event.what, BidMade)
        ]
