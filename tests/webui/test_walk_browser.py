"""One hand from the first bid to the printed sheet, as three people see it, live from a simulated record.

The scorekeeper taps the bids and trump; meld and twenty books come from the simulator's true log, written
to the hand's folder and the store event by event; then a player calls, the director shows the proof, rules,
mends a card that was misread, and prints the sheet.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

import pytest
from flask import Flask
from tabs import BROWSER, SIZES, Size, Tab, playwright
from webui_samples import draw_picture

from device.handlog import HandLog
from device.store import Store
from engine import rules
from engine.cards import SEAT_NAMES, SEATS, SUIT_NAMES, next_seat
from engine.events import (
    BidMade,
    BookClosed,
    BookGathered,
    CardLaid,
    CardTakenBack,
    Event,
    HandEnded,
    HandStarted,
    MeldClosed,
    MeldLaid,
    TrumpNamed,
    What,
)
from engine.hand import fold
from engine.meld import count
from engine.renege import audit
from vision.simulator.table import SimulatedTable
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter

pytestmark = [*BROWSER, pytest.mark.slow]
SEED = 7


@pytest.fixture(scope="module")
def truth() -> list[Event]:
    """A hand with a renege that its player shows later, and with a card taken back in time."""
    return list(SimulatedTable(SEED, reneges=("FOLLOW",), corrections=1).truth)


class Table:
    """The camera's part: writes the hand as a recorder does, each card with its evidence picture."""

    def __init__(self, home: Path, store: Store, started: HandStarted) -> None:
        self.log = HandLog.start(home, started, utc=_now())
        self.store = store
        store.append(self.log.folder, self.log.events())

    def happens(self, event: Event) -> None:
        what: What = event.what
        if isinstance(what, CardLaid | MeldLaid):
            picture = f"pictures/{what.card}.jpg"
            draw_picture(self.log.folder / picture, what.reading.face)
            what = replace(what, reading=replace(what.reading, picture=picture))
        written = self.log.append(what, event.at, "camera", _now())
        self.store.append(self.log.folder, [*self.log.others(), written])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Taps:
    """Taps or clicks, counted."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.count = tab, 0

    def on(self, where) -> None:  # type: ignore[no-untyped-def]
        self.count += 1
        where.tap() if self.tab.page.viewport_size["width"] < 1000 else where.click()


@pytest.mark.parametrize("size", SIZES)
def test_a_hand_from_the_first_bid_to_the_printed_sheet(
    serve: Callable[[Flask], str],
    chromium: object,
    home: Path,
    tmp_path: Path,
    truth: list[Event],
    size: Size,
) -> None:
    started = truth[0].what
    assert isinstance(started, HandStarted)
    with closing(Store(tmp_path / "bookwatch.db")) as store:
        table = Table(home, store, replace(started, table="Table 1"))
        app = create_app(FolderSource(home, poll=0.05), writer=FolderWriter(home, store), beat_seconds=0.5)
        base = serve(app)
        keeper, screen, desk = (Tab(chromium, base, size) for _ in range(3))
        try:
            bid_and_meld(table, truth, keeper, screen)
            twenty_books(table, truth, screen)
            call_to_proof(truth, desk, keeper)
            desk.page.screenshot(path=str(tmp_path / "proof.png"))
            ruling_and_correction(truth, desk)
            desk.page.screenshot(path=str(tmp_path / "hand.png"), full_page=True)
            printed(desk, tmp_path)
            assert store.events(started.hand) == FolderSource(home).events(started.hand)
        finally:
            for tab in (keeper, screen, desk):
                tab.context.close()
        assert [tab.wrong for tab in (keeper, screen, desk)] == [[], [], []]


def bid_and_meld(table: Table, truth: list[Event], keeper: Tab, screen: Tab) -> None:
    screen.open("/")
    keeper.open("/score/")
    calls = [e.what for e in truth if isinstance(e.what, BidMade)]
    for n, call in enumerate(calls):
        keeper.page.locator(".keys").get_by_role("button", name=call.call, exact=True).click()
        playwright.expect(keeper.page.locator(".calls li")).to_have_count(n + 1)
    trump = next(e.what for e in truth if isinstance(e.what, TrumpNamed))
    assert trump.seat is not None
    keeper.page.get_by_role("button", name=SUIT_NAMES[trump.suit] if trump.suit else "none").click()
    for who in (keeper, screen):
        playwright.expect(who.page.locator("main")).to_contain_text(SEAT_NAMES[trump.seat])
        named = SUIT_NAMES[trump.suit] if trump.suit else "no trump"
        playwright.expect(who.page.locator("main")).to_contain_text(named, ignore_case=True)
    keeper.fits()
    meld = [e for e in truth if isinstance(e.what, MeldLaid)]
    for event in meld:
        table.happens(event)
    playwright.expect(screen.page.locator(".felt.meld .card")).to_have_count(len(meld))
    for seat in SEATS:
        faces = [e.what.reading.face for e in meld if isinstance(e.what, MeldLaid) and e.what.seat == seat]
        total = count(faces, trump.suit, rules.load("lv")).total
        shown = screen.page.locator(f".felt.meld .place.{seat}")
        playwright.expect(shown).to_contain_text(str(total) if faces else "no meld")
    screen.fits()
    table.happens(next(e for e in truth if isinstance(e.what, MeldClosed)))
    playwright.expect(screen.page.locator(".felt.meld")).to_have_count(0)


def twenty_books(table: Table, truth: list[Event], screen: Tab) -> None:
    page = screen.page
    rest = iter(
        [e for e in truth if isinstance(e.what, CardLaid | CardTakenBack | BookClosed | BookGathered)]
    )
    for number in range(1, 21):
        laid: dict[str, CardLaid] = {}
        for event in takewhile(lambda e: not isinstance(e.what, BookClosed), rest):
            table.happens(event)
            match event.what:
                case CardLaid():
                    laid[event.what.card] = event.what
                case CardTakenBack():
                    laid.pop(event.what.card)
        assert len(laid) == 4
        playwright.expect(page.locator(".felt.book .card")).to_have_count(4)
        for card in laid.values():
            place = page.locator(f".place.{card.seat}")
            playwright.expect(place.get_by_label(card.reading.face.name)).to_be_visible()
        table.happens(next(e for e in truth if e.what == BookClosed(number, "turned")))
        table.happens(next(rest))  # gathered
        playwright.expect(page.locator(".felt .card")).to_have_count(0)
        if number < 20:
            playwright.expect(page.locator("main")).to_contain_text(f"Book {number + 1}")
    table.happens(next(e for e in truth if isinstance(e.what, HandEnded)))
    playwright.expect(page.locator("main")).to_contain_text("Hand over")
    score = fold(truth)
    for team in ("NS", "EW"):
        playwright.expect(page.locator("main")).to_contain_text(str(score.points[team]))


def call_to_proof(truth: list[Event], desk: Tab, other: Tab) -> None:
    """The call comes while the director looks at the list of tables; two taps later the proof is there."""
    flag = proven(truth)
    desk.open("/director/")
    playwright.expect(desk.page.locator(".chip.proven")).to_have_count(1)
    hand = desk.page.locator(".table-card a").first.get_attribute("href")
    assert hand is not None
    other.open(hand.partition("#")[0])
    other.page.get_by_text("Enter a call").click()
    form = other.page.locator("#call-form form")
    form.locator(f"input[name=by][value={next_seat(flag.seat)}]").check()
    form.locator(f"input[name=against][value={flag.seat}]").check()
    form.locator(f"input[name=kind][value={flag.kind}]").check()
    for n, seen in enumerate((flag.card, flag.proof)):
        form.get_by_label(f"Card {n + 1}").select_option(str(seen.face))
    form.get_by_role("button").click()
    playwright.expect(other.page.locator("#call .verdict")).to_contain_text("roven")

    playwright.expect(desk.page.locator(".table-card").first.get_by_text("call", exact=True)).to_be_visible()
    taps, pair = Taps(desk), desk.page.locator("details.flag[open] .pair img")
    taps.on(desk.page.locator(".table-card a").first)
    playwright.expect(desk.page.locator("#call .verdict")).to_contain_text("roven")
    if pair.count() < 2 or not seen_on_screen(desk, pair.nth(1)):
        taps.on(desk.page.locator("#call .to-proof"))
    assert taps.count <= 2
    for n, card in enumerate((flag.card, flag.proof)):
        playwright.expect(pair.nth(n)).to_be_in_viewport(ratio=0.6)
        assert pair.nth(n).evaluate("i => i.decode().then(() => i.naturalWidth)") == 420
        assert f"/{card.card}.jpg" in pair.nth(n).get_attribute("src")
    desk.fits()


def seen_on_screen(tab: Tab, where) -> bool:  # type: ignore[no-untyped-def]
    box, height = where.bounding_box(), tab.page.viewport_size["height"]
    return box is not None and box["y"] >= 0 and box["y"] + 0.6 * box["height"] <= height


def ruling_and_correction(truth: list[Event], desk: Tab) -> None:
    flag, page = proven(truth), desk.page
    call = page.locator("#call")
    call.get_by_text("Rule on the call").click()
    call.get_by_role("button", name="Confirm").click()
    playwright.expect(page.locator("#trail")).to_contain_text("Confirmed: the last call")
    desk.fits()

    page.locator(".tick").nth(flag.book - 1).click()
    playwright.expect(page.locator(".book h3")).to_have_text(f"Book {flag.book}")
    correct = page.locator(f"#correct-{flag.card.card}")
    correct.locator("summary").click()
    correct.locator("select[name=face]").select_option(str(led(truth)))
    correct.locator("input[name=why]").fill("seen on the picture")
    desk.fits()
    correct.get_by_role("button").click()
    playwright.expect(page.locator(".change")).to_contain_text("No longer a flag")
    playwright.expect(page.locator(f"#trail li:has-text('{flag.card.face.name}')").first).to_contain_text(
        "seen on the picture"
    )
    playwright.expect(page.locator("details.flag.proven")).to_have_count(0)
    page.locator("#trail li").first.locator("summary").click()
    page.locator("#trail li").first.get_by_role("button", name="Undo and judge again").click()
    playwright.expect(page.locator(".change")).to_contain_text("New flag, proven")
    playwright.expect(page.locator("details.flag.proven")).to_have_count(1)
    desk.fits()


def printed(desk: Tab, folder: Path) -> None:
    desk.page.get_by_role("link", name="Ruling sheet").click()
    playwright.expect(desk.page.locator("main")).to_contain_text("Ruling: Confirmed")
    desk.fits()
    file = folder / "sheet.pdf"
    desk.page.pdf(path=str(file), format="A4", print_background=False)
    data = file.read_bytes()
    assert data.startswith(b"%PDF-")
    assert data.count(b"/Subtype /Image") >= 2, "both pictures of the proof are on paper"
    desk.page.screenshot(path=str(folder / "sheet.png"), full_page=True)
    desk.page.emulate_media(media="print")
    playwright.expect(desk.page.locator("header.bar")).to_be_hidden()
    for picture in desk.page.locator(".matter img").all()[:2]:
        assert picture.evaluate("i => i.complete && i.naturalWidth") == 420


def proven(truth: list[Event]):  # type: ignore[no-untyped-def]
    state = fold(truth)
    (flag,) = (f for f in audit(state, state.rules, 0.95) if f.status == "proven")
    return flag


def led(truth: list[Event]):  # type: ignore[no-untyped-def]
    """A face that would have followed suit: that of the card led to the offence's book."""
    flag = proven(truth)
    return fold(truth).book(flag.book).plays[0].face
