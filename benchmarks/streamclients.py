"""The clients of `stream.py`, in a process of their own: they listen, and print what came and when.

    python benchmarks/streamclients.py BASE CLIENTS SECONDS STATE

Even numbers are players' streams, odd ones the director's; one in eight breaks off and comes back every few
seconds. STATE holds the last ids from one turn to the next, as a browser would.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


async def listen(base: str, path: str, last_id: str | None, until: float, got: list[Any]) -> str | None:
    """Notes what a stream brings until `until` (Unix time); returns the last id."""
    where = urlsplit(base)
    line, out = await asyncio.open_connection(where.hostname, where.port, limit=1 << 22)
    back = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
    out.write(f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\n{back}\r\n".encode())
    opened, text = time.time(), b""
    try:
        async with asyncio.timeout(max(0.0, until - opened)):
            status = (await line.readline()).split()[1]
            if status != b"200":
                raise SystemExit(f"{path} was answered {status.decode()}")
            await line.readuntil(b"\r\n\r\n")
            while size := int(await line.readline(), 16):
                text += (await line.readexactly(size + 2))[:-2]
                *messages, text = text.split(b"\n\n")
                now = time.time()
                for message in messages:
                    fields = [f.split(": ", 1) for f in message.decode().split("\n") if ": " in f]
                    values = dict(reversed(fields))  # of several data lines the first
                    last_id = values.get("id", last_id)
                    data = values.get("data") if values.get("event") == "arrived" else None
                    got.append((values.get("event"), last_id, now, opened, data))
    except TimeoutError:
        pass
    finally:
        out.close()
    return last_id


async def _client(base: str, number: int, last_id: str | None, until: float) -> dict[str, Any]:
    got: list[Any] = []
    path = ("/live/table", "/director/live")[number % 2]
    chance = random.Random(number)
    breaks = number % 8 == 1
    while time.time() < until:
        end = min(until, time.time() + chance.uniform(3, 9)) if breaks else until
        last_id = await listen(base, path, last_id, end, got)
    return {"path": path, "last": last_id, "got": got}


async def clients(base: str, count: int, seconds: float, state: Path) -> None:
    before = json.loads(state.read_text()) if state.exists() else [None] * count
    until = time.time() + seconds
    found = await asyncio.gather(*(_client(base, n, before[n], until) for n in range(count)))
    state.write_text(json.dumps([f["last"] for f in found]))
    print(json.dumps(found))


if __name__ == "__main__":
    os.nice(10)  # at a table these are other machines: they may wait, and their waiting counts as latency
    asyncio.run(clients(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4])))
