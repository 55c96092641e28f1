"""Makes the pictures of docs/screens.md: `python docs/screenshots.py [FOLDER]`.

Five simulated tables are put on record, with evidence pictures cut from the drawn table; the dashboard serves
them, and Chromium opens its pages at the sizes of a phone, a tablet and a large screen. The guests' count and
the test card are read by the shipped networks. Needs the development requirements and a Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from device.calibration import Calibration, Corners, save
from device.config import CameraSettings, Settings, StoreSettings
from device.handlog import HandLog
from engine.cards import Face, next_seat
from engine.events import (
    BidMade,
    BookClosed,
    CardLaid,
    Event,
    HandStarted,
    MeldLaid,
    RenegeCalled,
    RoundClock,
    What,
)
from engine.hand import fold
from engine.renege import Flag, audit
from vision.simulator.scenes import table_scene
from vision.simulator.table import SimulatedTable
from vision.types import Image
from webui.app import create_app
from webui.serve import server
from webui.source import FolderSource
from webui.writing import FolderWriter

SIZES: Final = {"phone": (390, 844), "tablet": (820, 1180), "screen": (1920, 1080)}
BYTES_MAX: Final = 150_000
FLAGS: Final = ["--no-sandbox", "--disable-gpu"]
WIDTH: Final = 2304
HEIGHT: Final = 1296
"""Pixels of a table camera's picture."""


@dataclass(frozen=True)
class Shot:
    """A page to be pictured. `ready`: what must be seen first; `then`: what is done on it before."""

    name: str
    path: str
    ready: str
    then: Callable[[Page], None] | None = None


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary) / "hands"
        home.mkdir()
        proven, flag = play(home)
        settings = machine(Path(temporary))
        photo = Path(temporary) / "meld.jpg"
        cv2.imwrite(str(photo), melded())

        def count(page: Page) -> None:
            page.locator("#choose").set_input_files(photo)
            page.locator(".trumps a").first.click(timeout=120_000)
            page.locator(".groups a").first.click()
            page.evaluate("scrollTo(0, 0)")

        def test_card(page: Page) -> None:
            page.get_by_role("button", name="Read the card").click()
            page.locator("#card img").first.wait_for(timeout=120_000)
            page.evaluate("scrollTo(0, 0)")

        shots = [
            Shot("director", "/director/", ".table-card [data-state]"),
            Shot("proof", f"/director/hands/{proven}#{flag}", ".pair img"),
            Shot("table", "/table/Table 3", ".felt.book .card"),
            Shot("table-meld", "/table/Table 2", ".felt.meld .card"),
            Shot("bids", "/score/table/Table 4", ".keys:has([value=pass])"),
            Shot("meld-entry", "/score/table/Table 2", ".meld"),
            Shot("casual", "/meld/", "#choose", count),
            Shot("set-up", "/director/set-up/", "#live", test_card),
        ]
        app = create_app(FolderSource(home), writer=FolderWriter(home), settings=settings)
        with served(app) as base, sync_playwright() as play_browser:
            looked = threading.Event()
            threading.Thread(target=watching, args=(home, looked), daemon=True).start()
            browser = play_browser.chromium.launch(executable_path=chromium(), args=FLAGS)
            for shot in shots:
                for size in SIZES:
                    take(browser, base, shot, size, folder)
            browser.close()
            looked.set()
        app.extensions["bookwatch_setup"].viewfinder.close()


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        raise SystemExit("No Chromium is installed: apt install chromium.")
    return found


# What lies on the tables


def play(home: Path) -> tuple[str, str]:
    """Five tables: a call on a proven renege, meld on the table, a book in play, bidding, a suspicion.

    Returns the first one's hand and the page's name of its flag.
    """
    began = datetime.now(UTC) - timedelta(minutes=12)
    first = SimulatedTable(7, reneges=("FOLLOW",), corrections=1, width=WIDTH, height=HEIGHT)
    flag = proof(first.truth)
    called = RenegeCalled(next_seat(flag.seat), flag.seat, "did not follow suit", (), flag.book)
    assert flag.proof is not None
    shown = next(e for e in first.truth if isinstance(e.what, CardLaid) and e.what.card == flag.proof.card)
    seen = until(first.truth, shown.seq + 6)
    log = record(home, first, "Table 1", seen, began, evidence=True)
    log.append(called, seen[-1].at, "director")
    for number, seed in ((2, 12), (3, 31), (4, 5), (5, 18)):
        table = SimulatedTable(seed, reneges=("FOLLOW",) if number == 5 else ())
        record(home, table, f"Table {number}", PARTS[number](table.truth), began)
    return log.folder.name, f"flag-{flag.card.card}"


def proof(truth: list[Event]) -> Flag:
    state = fold(truth)
    return next(f for f in audit(state, state.rules, 0.95) if f.status == "proven")


def until(truth: list[Event], seq: int | None) -> list[Event]:
    return [e for e in truth if seq is None or e.seq <= seq]


def nth(truth: list[Event], kind: type, number: int) -> int:
    return [e.seq for e in truth if isinstance(e.what, kind)][number]


def _doubted(truth: list[Event]) -> list[Event]:
    """The card that a renege rests on was read with doubt."""
    card = proof(truth).card.card

    def seen(event: Event) -> Event:
        what = event.what
        if not isinstance(what, CardLaid) or what.card != card:
            return event
        face = what.reading.face
        second = Face("J" if face.rank == "Q" else "Q", face.suit)
        return replace(
            event, what=replace(what, reading=replace(what.reading, probability=0.71, second=second))
        )

    return [seen(e) for e in truth]


PARTS: Final[dict[int, Callable[[list[Event]], list[Event]]]] = {
    2: lambda truth: until(truth, nth(truth, MeldLaid, -1)),
    3: lambda truth: until(truth, nth(truth, CardLaid, 34)),
    4: lambda truth: until(truth, nth(truth, BidMade, -3) - 1),
    5: lambda truth: until(_doubted(truth), nth(truth, BookClosed, 18)),
}


def record(
    home: Path, table: SimulatedTable, name: str, events: list[Event], began: datetime, evidence: bool = False
) -> HandLog:
    """The events as a recorder writes them, the last one just now; the round began at `began`."""
    now, last = datetime.now(UTC), events[-1].at
    started = events[0].what
    assert isinstance(started, HandStarted)

    def utc(at: float) -> str:
        return (now - timedelta(seconds=last - at)).isoformat(timespec="milliseconds")

    hand = f"{now:%Y-%m-%d}-{name.lower().replace(' ', '-')}"
    log = HandLog.start(home, replace(started, hand=hand, table=name), utc=utc(0.0))
    log.append(RoundClock("started", 55), 0.0, "director", began.isoformat())
    for event in events[1:]:
        what: What = event.what
        if evidence and isinstance(what, CardLaid):
            picture = f"pictures/{what.card}.jpg"
            _, data = cv2.imencode(
                ".jpg", card_picture(table, what.card, event.at), [cv2.IMWRITE_JPEG_QUALITY, 88]
            )
            log.write_picture(picture, data.tobytes())
            what = replace(what, reading=replace(what.reading, picture=picture))
        log.append(what, event.at, event.by, utc(event.at))
    return log


def watching(home: Path, done: threading.Event) -> None:
    """Says of every table that pictures arrive, as its recorder would."""
    while not done.wait(1.0):
        for hand in home.iterdir():
            (hand / "alive").touch()


def card_picture(table: SimulatedTable, card: str, at: float) -> Image:
    """The card as it lies when the hand has left, with some table around it."""
    for later in (at + 0.1, at, at + 0.4):
        there = [c for c in table.seen(later) if c.card == card]
        if there:
            at = later
            break
    else:
        raise RuntimeError(f"card {card} is not on the simulated table at {at:.1f} s")
    corners = there[0].polygon
    centre, half = corners.mean(0), 0.62 * float(np.ptp(corners, axis=0).max())
    image = table.picture(at)
    (x0, y0), (x1, y1) = (np.clip(centre + s * half, 0, image.shape[1::-1]).astype(int) for s in (-1, 1))
    return image[y0:y1, x0:x1]


def melded() -> Image:
    """A guest's photograph: what one player of a real deal melds."""
    scene = table_scene(1_000_012, "meld", width=WIDTH, height=HEIGHT)
    height = scene.image.shape[0]
    middles = [c.polygon.mean(0) / height for c in scene.cards]
    near = np.concatenate(
        [c.polygon for c, (x, y) in zip(scene.cards, middles, strict=True) if y > 0.62 and 0.68 < x < 1.1]
    )
    (x0, y0), (x1, y1) = near.min(0) - 40, near.max(0) + 40
    return scene.image[max(0, int(y0)) : int(y1), max(0, int(x0)) : int(x1)]


def machine(folder: Path) -> Settings:
    """A machine whose camera sees one card on a marked table."""
    (folder / "camera").mkdir()
    scene = table_scene(1_000_112, "book", width=WIDTH, height=HEIGHT)
    cv2.imwrite(str(folder / "camera" / "1.png"), scene.image)
    corners: Corners = tuple((float(x), float(y)) for x, y in scene.corners)  # type: ignore[assignment]
    save(folder / "store", Calibration(corners, WIDTH, HEIGHT, scene.size_mm, scene.size_mm))
    return Settings(
        store=StoreSettings(folder=folder / "store"),
        camera=CameraSettings(source=str(folder / "camera"), width=WIDTH, height=HEIGHT),
    )


# Pictures of pages


@contextmanager
def served(app: Any) -> Iterator[str]:
    made = server(app, port=0, threads=12)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.effective_port}"
    made.close()
    thread.join(5)


def take(browser: Browser, base: str, shot: Shot, size: str, folder: Path) -> None:
    width, height = SIZES[size]
    scale = 2 if size == "phone" else 1
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=scale)
    page = context.new_page()
    page.goto(base + shot.path)
    page.locator(shot.ready).first.wait_for()
    if shot.then:
        shot.then(page)
    page.wait_for_timeout(2500)  # the stream's first beats: clocks and ages stand
    data = page.screenshot()
    context.close()
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    for quality in range(86, 20, -6):
        _, packed = cv2.imencode(".webp", image, [cv2.IMWRITE_WEBP_QUALITY, quality])
        if packed.nbytes < BYTES_MAX:
            break
    file = folder / f"{shot.name}-{size}.webp"
    file.write_bytes(packed.tobytes())
    print(f"{file}: {packed.nbytes / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
