"""`bookwatch watch`: follow a table and keep its book."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from device.calibration import calibrated
from device.cameras import Source, open_source
from device.cameras.simulated import Simulated
from device.commands.common import Progress, command, opened_store, print_json
from device.commentary import Commentary, JsonVoice, TextVoice, Voice
from device.config import Settings
from device.decks import card_reader, chosen, faces_of, shaped
from device.handlog import catch_up
from device.loop import Listener, TableLoop, Watcher
from device.recorder import Entry, HandSettings, Recorder
from device.viewfinder import Shown
from engine import rules as rulesets
from engine.cards import SEATS, SUITS, Seat, Suit
from engine.deck import DECKS, Deck
from engine.events import Event, TrumpNamed
from vision.enrol import EnrolledDeck
from vision.table import Table
from vision.types import Frame
from vision.watch import TableWatcher, WatchOptions


class Teller(Listener):
    """Says on stdout what the commentary has to say, and shows progress on stderr."""

    def __init__(self, settings: Settings, as_json: bool, unit: str = "pictures") -> None:
        self._progress = Progress(unit)
        self._json = as_json
        self._shown = Shown(settings.store.folder)
        voice: Voice = JsonVoice(self._data) if as_json else TextVoice(self._line)
        rules = rulesets.load(settings.game.ruleset)
        self.commentary = Commentary(voice, rules, settings.game.threshold)

    def _line(self, text: str) -> None:
        self._progress.clear()
        click.echo(text)

    def _data(self, data: Any) -> None:
        self._progress.clear()
        print_json(data)

    def begun(self, folder: Path) -> None:
        if self._json:
            self._data({"what": "begun", "folder": str(folder)})
        else:
            self._line(f"Recording in {folder}")

    def events(self, events: Sequence[Event]) -> None:
        self.commentary.hear(events)

    def frame(self, frame: Frame, total: int | None) -> None:
        self._shown.offer(frame.image)
        self._progress.total = total
        self._progress.step(frame.number + 1, f"{frame.at:.0f} s of play")

    def say(self, text: str) -> None:
        self._progress.clear()
        click.echo(text, err=True)

    def done(self) -> None:
        self._progress.clear()


def _corners(_: click.Context, __: click.Parameter, text: str | None) -> tuple[tuple[float, ...], ...] | None:
    if text is None:
        return None
    try:
        corners = tuple(tuple(float(v) for v in pair.split(",")) for pair in text.split())
    except ValueError:
        corners = ()
    if len(corners) != 4 or any(len(corner) != 2 for corner in corners):
        raise click.BadParameter(
            'write four corners "x,y x,y x,y x,y": north-west, north-east, south-east, south-west'
        )
    return corners


def watcher_maker(
    source: Source,
    settings: Settings,
    corners_given: bool = False,
    trump: Suit | None = None,
    played: Deck | EnrolledDeck | None = None,
) -> Callable[[Frame], Watcher]:
    """Makes the watcher of a hand once its first frame is there; the networks are loaded once.

    played: the deck in play, if another than configured, or enrolled.
    """
    deck = faces_of(played) or DECKS[settings.game.deck]
    # A deck enrolled with all 52 faces is played with the deck's all the same.
    reader = card_reader(replace(played, kind=deck.name) if isinstance(played, EnrolledDeck) else deck)
    closed_by = rulesets.load(settings.game.ruleset).books.closed_by
    options = WatchOptions("turned" if "turned" in closed_by else "next_lead", trump=trump)
    tables: dict[tuple[int, ...], Table] = {}

    def make(frame: Frame) -> Watcher:
        # A camera that was bumped stays so: the next hand goes on with the table where it was found again.
        size = frame.image.shape
        if size not in tables:
            tables[size] = shaped(calibrated(source, frame, settings, corners_given), played)
        table = tables[size]
        return TableWatcher(table, reader, deck, options)

    return make


@contextlib.contextmanager
def stopped_by_signals(on_stop: Callable[[], None] = lambda: None) -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, so that the hand is closed; a second signal ends at once."""
    stop = threading.Event()

    def on_signal(number: int, _: Any) -> None:
        if stop.is_set():
            signal.default_int_handler(number, None)
        stop.set()
        on_stop()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@click.command()
@click.argument("source", required=False)
@click.option(
    "--corners", callback=_corners, help='The table\'s corners in pixels, "x,y x,y x,y x,y". [table.corners]'
)
@click.option("--dealer", type=click.Choice(SEATS, case_sensitive=False), help="Who deals the first hand.")
@click.option(
    "--trump", type=click.Choice(SUITS, case_sensitive=False), help="Trump, if it is not to be seen."
)
@click.option("--ruleset", help="Rule set to record and judge by. [game.ruleset]")
@click.option(
    "--deck",
    help="The deck in play: double, single, or an enrolled deck's name; by default the one chosen on the "
    "set-up page, else [game.deck].",
)
@command
@click.pass_obj
def watch(
    settings: Settings,
    source: str | None,
    corners: tuple[tuple[float, float], ...] | None,
    dealer: Seat | None,
    trump: Suit | None,
    ruleset: str | None,
    deck: str | None,
    as_json: bool,
) -> None:
    """Follow a table at SOURCE and record its hands.

    SOURCE: a video file, a folder of pictures, a camera (0, rtsp://..., picamera2), or sim:SEED; by
    default the configured camera. Prints books as they close, meld, and reneges; with --json one
    object a line. A simulated table brings its bids along, as a scorekeeper would enter them.
    """
    settings = _with_options(settings, corners, ruleset)
    rules = rulesets.load(settings.game.ruleset)
    played = chosen(settings, deck)
    kind = faces_of(played) or DECKS[settings.game.deck]
    with (
        Shown(settings.store.folder).taken(),
        open_source(source or settings.camera.source, settings.camera) as opened,
    ):
        entries: list[Entry] = []
        if isinstance(opened, Simulated):
            entries, dealer = opened.entries, dealer or opened.dealer
        if trump:
            entries.append(Entry(float("-inf"), TrumpNamed(trump)))
        hand = HandSettings(rules.name.lower(), kind.name, settings.table.name, dealer)
        make_watcher = watcher_maker(opened, settings, corners is not None, trump, played)
        with opened_store(settings) as store, stopped_by_signals(opened.interrupt) as stop:
            teller = Teller(settings, as_json)
            for note in catch_up(settings.hands, store):
                teller.say(note)
            recorder = Recorder(settings.hands, store, hand, teller.say)
            try:
                most = 1 if isinstance(opened, Simulated) else None
                summary = TableLoop(opened, make_watcher, recorder, teller, entries, stop, most).run()
            finally:
                teller.done()
    if as_json:
        print_json(
            {
                "what": "summary",
                "frames": summary.frames,
                "dropped": summary.dropped,
                "events": summary.events,
                "seconds": round(summary.seconds, 2),
                "hands": [str(folder) for folder in summary.hands],
            }
        )
        return
    dropped = f", {summary.dropped} dropped" if opened.live else ""
    click.echo(
        f"{summary.frames} pictures{dropped}, {summary.events} events, {summary.seconds:.0f} s of play."
    )
    for folder in summary.hands:
        click.echo(f"Recorded in {folder}")


def _with_options(
    settings: Settings, corners: tuple[tuple[float, float], ...] | None, ruleset: str | None
) -> Settings:
    table = settings.table.model_copy(update={"corners": corners}) if corners else settings.table
    game = settings.game.model_copy(update={"ruleset": ruleset}) if ruleset else settings.game
    return settings.model_copy(update={"table": table, "game": game})
