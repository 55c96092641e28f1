"""`bookwatch serve`: the dashboard alone, over hands that another process may be recording."""

from __future__ import annotations

import logging

import click

from device.commands.common import command, opened_store, print_json
from device.config import Settings
from device.dashboard import Dashboard
from device.handlog import catch_up

log = logging.getLogger(__name__)


def web_settings(settings: Settings, host: str | None, port: int | None) -> Settings:
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    return settings.model_copy(update={"web": settings.web.model_copy(update=given)})


@click.command()
@click.option("--host", help="Address to listen on. [web.host]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one. [web.port]")
@command
@click.pass_obj
def serve(settings: Settings, host: str | None, port: int | None, as_json: bool) -> None:
    """Serve the dashboard until Ctrl-C."""
    with opened_store(settings) as store:
        for note in catch_up(settings.hands, store):
            log.warning("%s", note)
        dashboard = Dashboard(web_settings(settings, host, port), store)
        if as_json:
            print_json({"url": dashboard.url, "port": dashboard.port})
        else:
            click.echo(f"Dashboard: {dashboard.url} (Ctrl-C ends)")
        try:
            dashboard.run()
        finally:
            dashboard.close()
