"""`bookwatch`: the command line. Each command lives in `device.commands`."""

from __future__ import annotations

import logging
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from device import config
from device.commands.common import DEBUG, Commands

PLACES = {
    "read": "device.commands.photos:read",
    "meld": "device.commands.photos:meld",
    "deck": "device.commands.deck:deck",
    "watch": "device.commands.watch:watch",
    "judge": "device.commands.judge:judge",
    "audit": "device.commands.audit:audit",
    "rules": "device.commands.rules:rules",
    "tournament": "device.commands.tournament:tournament",
    "serve": "device.commands.serve:serve",
    "pin": "device.commands.pin:pin",
    "demo": "device.commands.play:demo",
    "simulate": "device.commands.play:simulate",
    "recover": "device.commands.judge:recover",
    "doctor": "device.commands.health:doctor",
}


def _version() -> str:
    try:
        return version("bookwatch")
    except PackageNotFoundError:
        return "unknown"


@click.group(
    cls=Commands,
    places=PLACES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 good, 1 a fault in Bookwatch, 2 something you can mend.",
)
@click.version_option(_version(), prog_name="bookwatch")
@click.option("--config", "config_path", type=click.Path(path_type=Path), help="Configuration file (TOML).")
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="Folder of the store and the hands, instead of the configured.",
)
@click.option("--debug", is_flag=True, help="Show traces of errors and a detailed log.")
@click.pass_context
def main(context: click.Context, config_path: Path | None, home: Path | None, debug: bool) -> None:
    """Keeps the book of a pinochle table: reads cards, counts meld, shows the cards that prove a renege."""
    context.meta[DEBUG] = debug
    logging.basicConfig(
        level=logging.DEBUG if debug else logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    settings = config.load(config_path)
    if home is not None:
        settings = settings.model_copy(update={"store": config.StoreSettings(folder=home)})
    context.obj = settings
