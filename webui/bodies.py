"""How large a request may be on the wire: small everywhere, and a few large ones where photographs go."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar
from weakref import WeakSet

from waitress.parser import HTTPRequestParser
from waitress.utilities import Error

AT_ONCE = 6
"""Large bodies held at one time, each in memory: a guest's photograph never touches the disk here."""


class TooManyError(Error):  # type: ignore[misc]
    code = 429
    reason = "Too Many Requests"


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """`uploads`: the paths that take large bodies, and how large, in bytes."""

    uploads: ClassVar[Mapping[str, int]] = {}
    large: ClassVar[WeakSet[Parser]] = WeakSet()
    refused = False
    adj: Any
    error: Any

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        most = self.uploads.get(self.path, 0) if self.command == "POST" else 0
        if self.adj.max_request_body_size <= self.content_length < most:
            self.refused = len(self.large) >= AT_ONCE
            if not self.refused:
                self.large.add(self)
                self.adj = copy.copy(self.adj)
                self.adj.max_request_body_size = most
                self.body_rcv.buf.overflow = most

    def received(self, data: bytes) -> int:
        taken = int(super().received(data))
        if self.refused and self.error is not None:
            self.error = TooManyError("Several photographs are arriving just now. Try again in a moment.")
        return taken


def parser(uploads: Mapping[str, int]) -> type[Parser]:
    """The parser of one server."""
    return type("UploadParser", (Parser,), {"uploads": dict(uploads), "large": WeakSet()})
