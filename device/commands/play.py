"""`bookwatch simulate` and `bookwatch demo`: hands that nobody had to play."""

from __future__ import annotations

import secrets
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

import click

from device import report
from device.cameras.simulated import Simulated, simulated_table
from device.commands.common import Progress, command, opened_store, print_json
from device.commands.serve import web_settings
from device.commands.watch import Teller, stopped_by_signals, watcher_maker
from device.config import Settings, StoreSettings
from device.dashboard import Dashboard
from device.errors import UserError
from device.loop import TableLoop
from device.recorder import HandSettings, Recorder
from device.store import Store
from engine.flags import Flag
from vision.simulator.disturbances import NAMES
from vision.simulator.named import BEHAVIOURS
from vision.simulator.playing import RENEGE_KINDS
from vision.simulator.table import CONDITIONS


@click.command()
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", type=click.IntRange(0), help="The hand follows from it. [random]")
@click.option("--condition", type=click.Choice(list(CONDITIONS)), default="clean", show_default=True)
@click.option(
    "--renege",
    "reneges",
    multiple=True,
    type=click.Choice(RENEGE_KINDS, case_sensitive=False),
    help="A renege to be played; may be given several times.",
)
@click.option(
    "--corrections", type=click.IntRange(0, 5), default=0, show_default=True, help="Cards taken back in time."
)
@click.option(
    "--behaviour",
    default="",
    metavar="NAME[,NAME]",
    help=f"Harsher behaviours of people: {', '.join(BEHAVIOURS)}; "
    f"and what comes between camera and table, one of {', '.join(NAMES)}.",
)
@click.option("--width", type=click.IntRange(640, 4608), default=1920, show_default=True)
@click.option("--height", type=click.IntRange(360, 2592), default=1080, show_default=True)
@click.option("--fps", type=click.FloatRange(1, 60), default=15.0, show_default=True)
@command
def simulate(
    out: Path,
    seed: int | None,
    condition: str,
    reneges: Sequence[str],
    corrections: int,
    behaviour: str,
    width: int,
    height: int,
    fps: float,
    as_json: bool,
) -> None:
    """Render a simulated hand as a video OUT (.mp4), with its true record and calibration beside it."""
    if out.suffix.lower() != ".mp4":
        raise UserError("only MP4 videos are written", where=str(out), do=f"Name it {out.stem}.mp4.")
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    table, seen = simulated_table(
        f"sim:{seed}?condition={condition}&reneges={','.join(reneges)}&corrections={corrections}"
        f"&behaviour={behaviour}&width={width}&height={height}&fps={fps}"
    )
    progress = Progress("pictures", table.frame_count)
    if not out.absolute().parent.is_dir():
        raise UserError(
            "the video cannot be written there: no such folder", where=str(out), do="Make it first."
        )
    draft = out.with_name(f".{out.stem}.draft.mp4")
    beside = (".truth.jsonl", ".table.json")
    try:
        seen.write_video(draft, lambda done, _: progress.step(done))
        for suffix in beside:
            draft.with_suffix(suffix).replace(out.with_suffix(suffix))
        draft.replace(out)
    except OSError as error:
        raise UserError(
            f"the video cannot be written: {error.strerror or error}",
            where=str(out),
            do="Name another place.",
        ) from error
    finally:
        progress.clear()
        for leftover in (draft, *(draft.with_suffix(suffix) for suffix in beside)):
            leftover.unlink(missing_ok=True)
    facts = {
        "video": str(out),
        "truth": str(out.with_suffix(".truth.jsonl")),
        "table": str(out.with_suffix(".table.json")),
        "seed": seed,
        "frames": table.frame_count,
        "seconds": round(table.script.duration, 2),
    }
    if as_json:
        print_json(facts)
    else:
        click.echo(f"{out}: {facts['frames']} pictures, {facts['seconds']} s, seed {seed}")
        click.echo(f"Its true record: {facts['truth']}; watch it: bookwatch watch {out}")


@click.command()
@click.option("--seed", type=click.IntRange(0), help="The hand follows from it. [random]")
@click.option("--host", help="Address of the dashboard. [web.host]")
@click.option("--port", type=click.IntRange(0, 65535), help="Its port; 0 takes any free one. [web.port]")
@click.option(
    "--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep the hand in this folder."
)
@click.option("--exit", "leave", is_flag=True, help="End with the hand instead of serving until Ctrl-C.")
@command
@click.pass_obj
def demo(
    settings: Settings,
    seed: int | None,
    host: str | None,
    port: int | None,
    keep: Path | None,
    leave: bool,
    as_json: bool,
) -> None:
    """Play a simulated hand with one renege and one correction in time through the real detector.

    Serves the dashboard meanwhile, prints the books as they close, and at the end the renege with
    the two cards that prove it.
    """
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    with tempfile.TemporaryDirectory(prefix="bookwatch-demo-") as temporary:
        home = keep or Path(temporary)
        settings = web_settings(settings, host, port).model_copy(update={"store": StoreSettings(folder=home)})
        with opened_store(settings) as store, stopped_by_signals() as stop:
            dashboard = Dashboard(settings, store)
            dashboard.start()
            if as_json:
                print_json({"what": "demo", "seed": seed, "url": dashboard.url})
            else:
                click.echo(f"Dashboard: {dashboard.url}   Director: {dashboard.url}director/")
                click.echo(f"Seed {seed}: one renege and one correction in time will be played.")
            try:
                flags = _play(settings, store, stop, seed, as_json)
                if not as_json:
                    _conclude(flags)
                if not leave and not stop.is_set():
                    if not as_json:
                        click.echo(f"The hand stays on {dashboard.url} until Ctrl-C.")
                    stop.wait()
            finally:
                dashboard.close()


def _play(settings: Settings, store: Store, stop: threading.Event, seed: int, as_json: bool) -> list[Flag]:
    source = Simulated(f"sim:{seed}?reneges=FOLLOW&corrections=1")
    hand = HandSettings(settings.game.ruleset, "double", "demo", source.dealer)
    teller = Teller(settings, as_json)
    recorder = Recorder(settings.hands, store, hand, teller.say)
    try:
        TableLoop(source, watcher_maker(source, settings), recorder, teller, source.entries, stop, 1).run()
    finally:
        teller.done()
    return teller.commentary.flags


def _conclude(flags: Sequence[Flag]) -> None:
    proven = [flag for flag in flags if flag.status == "proven"]
    click.echo("")
    if not proven:
        click.echo("No renege was proven in this hand.")
    for flag in proven:
        for line in report.flag_lines(flag):
            click.echo(line)
