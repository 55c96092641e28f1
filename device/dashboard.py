"""Serving the dashboard beside the machine at the table.

The dashboard is a layer above this package and is looked up by name when it is asked for, so that
a device without it still records.
"""

from __future__ import annotations

import errno
import threading
from pkgutil import resolve_name
from typing import Any

from device.config import Settings
from device.errors import UserError
from device.pins import session_key
from device.store import Store
from device.viewfinder import Viewfinder


def _cannot_listen(error: OSError | ValueError, host: str, port: int) -> UserError:
    do = "Choose another port with --port (0 takes any free one), or end what uses this one."
    why = "there is no such address"
    if isinstance(error, OSError):
        why = (error.strerror or str(error)).lower()
    if not isinstance(error, OSError) or error.errno == errno.EADDRNOTAVAIL:
        do = "Give an address of this machine with --host: 127.0.0.1 for itself alone, 0.0.0.0 for all."
    return UserError(f"the dashboard cannot listen: {why}", where=f"{host}:{port}", do=do)


class Dashboard:
    """A bound server of the dashboard for one store and its hand folders. `url` is for people.

    Raises UserError when the address cannot be had or the dashboard is not installed.
    """

    def __init__(self, settings: Settings, store: Store) -> None:
        try:
            create_app = resolve_name("webui.app:create_app")
            source = resolve_name("webui.source:FolderSource")
            writer = resolve_name("webui.writing:FolderWriter")
            make_server = resolve_name("webui.serve:server")
            address = resolve_name("webui.serve:address")
            keys = resolve_name("webui.roles:Keys")
        except ImportError as error:
            raise UserError(
                f"the dashboard is not installed ({error})", do="Install Bookwatch again, with all its parts."
            ) from error
        app = create_app(
            source(settings.hands),
            writer=writer(settings.hands, store),
            keys=keys(
                session_key(settings.store.folder),
                settings.dashboard.director_pin,
                settings.dashboard.table_code,
            ),
            settings=settings,
            threshold=settings.game.threshold,
            streams_of_one=settings.web.streams_per_address,
        )
        self._viewfinder: Viewfinder = app.extensions["bookwatch_setup"].viewfinder
        host, port = settings.web.host, settings.web.port
        try:
            self._server: Any = make_server(app, host, port)
        except (OSError, ValueError) as error:  # ValueError: the name stands for no address
            raise _cannot_listen(error, host, port) from error
        self.port = int(self._server.effective_port)
        self.url: str = address(host, self.port)
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serves until `close` or Ctrl-C."""
        self._server.run()

    def start(self) -> None:
        """Serves in a thread of its own."""
        self._thread = threading.Thread(target=self.run, name="dashboard", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.close()
        self._viewfinder.close()
        if self._thread is not None:
            self._thread.join(5)
