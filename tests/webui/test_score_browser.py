"""A scorekeeper with a phone: dealer, ladder, a slip taken back, trump, meld mended by tapping, agreement."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from tabs import BROWSER, Tab, playwright
from webui_samples import Sample

from engine import meld, rules
from engine.cards import SEAT_NAMES, SUIT_NAMES, next_seat
from engine.events import (
    BidMade,
    Corrected,
    HandEnded,
    HandStarted,
    MeldClosed,
    MeldLaid,
    Reading,
    ScoreAgreed,
    TrumpNamed,
    Undone,
)
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter

pytestmark = [*BROWSER, pytest.mark.slow]


class Phone(Tab):
    """The scorekeeper's, and the camera beside it."""

    def __init__(self, browser, base: str, home: Path, sample: Sample) -> None:  # type: ignore[no-untyped-def]
        super().__init__(browser, base, (390, 844))
        self.home, self.sample = home, sample
        self.writer = FolderWriter(home)

    def tap(self, name: str, within: str = "main") -> None:
        self.fits()
        self.page.locator(within).get_by_role("button", name=name, exact=True).first.tap()

    def shows(self, text: str, within: str = "main") -> None:
        playwright.expect(self.page.locator(within)).to_contain_text(text)

    def entered(self) -> list[object]:
        return [e.what for e in FolderSource(self.home).events(self.sample.hand) if e.by == "scorekeeper"]

    def camera(self, *whats: object) -> None:
        for what in whats:
            self.writer.append(self.sample.hand, what, "camera")  # type: ignore[arg-type]


def test_a_hand_is_kept_with_one_thumb(
    serve: Callable[[Flask], str], chromium: object, home: Path, sample: Sample
) -> None:
    start = sample.events[0].what
    assert isinstance(start, HandStarted)
    assert start.dealer is not None
    calls = [e.what for e in sample.events if isinstance(e.what, BidMade)]
    unnamed = Sample(sample.hand, sample.trump, sample.bidder, {}, sample.events[:1])
    unnamed.write(home, pictures=False)
    app = create_app(FolderSource(home, poll=0.05), writer=FolderWriter(home), beat_seconds=0.5)
    phone = Phone(chromium, serve(app), home, sample)
    try:
        phone.open("/score/")
        dealer(phone, start.dealer)
        bids(phone, calls)
        trump(phone)
        mended(phone)
        phone.camera(*(e.what for e in sample.events[sample.upto(MeldClosed) :]))
        agreed(phone)
    finally:
        phone.context.close()
    assert phone.wrong == []


def dealer(phone: Phone, seat: str) -> None:
    phone.page.locator("#dealer summary").tap()
    wrong = SEAT_NAMES[next_seat(seat)]  # type: ignore[arg-type]
    phone.tap(wrong, "#dealer")
    phone.shows(f"Dealer: {wrong}")
    phone.tap("Take it back")
    phone.shows(f"Dealer: {SEAT_NAMES[seat]}")  # type: ignore[index]


def bids(phone: Phone, calls: list[BidMade]) -> None:
    """The ladder by its keys; between them a bid that no ladder has, named and taken back."""
    listed = phone.page.locator(".calls li")
    first = calls[0]
    phone.page.locator("#other-call summary").tap()
    phone.page.get_by_label("What was said").fill("49")
    phone.tap("Enter", "#other-call")
    phone.shows("below the lowest bid, 50")
    playwright.expect(listed).to_have_class(["improper"])
    phone.tap("Take it back")
    playwright.expect(listed).to_have_count(0)
    for n, call in enumerate(calls, 1):
        phone.shows(f"{SEAT_NAMES[call.seat]} calls next", ".result")
        phone.tap(call.call, ".keys:has([value=pass])")
        playwright.expect(listed).to_have_count(n)
    phone.shows("names trump", ".result")
    assert phone.entered()[2:] == [BidMade(first.seat, "49"), Undone(4), *calls]


def trump(phone: Phone) -> None:
    phone.tap(SUIT_NAMES[phone.sample.trump], ".keys.five")
    phone.shows(f"Trump: {SUIT_NAMES[phone.sample.trump]}")
    assert phone.entered()[-1] == TrumpNamed(phone.sample.trump, phone.sample.bidder)


def mended(phone: Phone) -> None:
    """The camera saw one card that was none of the meld and missed another: two taps and one more mend it."""
    seat = phone.sample.bidder
    laid = [e.what for e in phone.sample.events if isinstance(e.what, MeldLaid)]
    mine = [m for m in laid if m.seat == seat]
    faces = [m.reading.face for m in mine]
    stranger = next(f for f in reversed(phone.sample.dealt[seat]) if f not in faces)
    phone.camera(*laid[: laid.index(mine[-1])], *laid[laid.index(mine[-1]) + 1 :])
    phone.camera(MeldLaid("x1", seat, Reading(stranger)))
    box, cards = f"#meld-{seat}", f"#meld-{seat} .fan:not(.palette)"
    playwright.expect(phone.page.locator(f"{cards} button")).to_have_count(len(mine))
    phone.tap(stranger.name, cards)
    playwright.expect(phone.page.locator(f"{cards} button")).to_have_count(len(mine) - 1)
    playwright.expect(phone.page.locator(f"{box} .palette")).to_be_visible()  # the next tap is near
    phone.tap(faces[-1].name, f"{box} .palette")
    playwright.expect(phone.page.locator(f"{cards} button")).to_have_count(len(mine))
    total = meld.count(faces, phone.sample.trump, rules.load("lv")).total
    playwright.expect(phone.page.locator(f"{box} h3 .sum")).to_have_text(str(total))
    taken, added = phone.entered()[-2:]
    assert taken == Corrected("x1", withdrawn=True, why="not in the meld")
    assert isinstance(added, MeldLaid)
    assert (added.seat, added.reading.face) == (seat, faces[-1])
    phone.tap("The count is right: meld is picked up")
    phone.shows("Book 1 of 20")
    assert phone.entered()[-1] == MeldClosed()


def agreed(phone: Phone) -> None:
    phone.shows("Hand over")
    assert any(isinstance(e.what, HandEnded) for e in FolderSource(phone.home).events(phone.sample.hand))
    phone.shows("Score of this hand")
    phone.tap("North–South agree")
    phone.shows("✓ North–South agree")
    phone.tap("East–West agree")
    phone.shows("✓ East–West agree")
    playwright.expect(phone.page.locator("#counted")).to_have_count(0)  # nothing is entered any more
    assert phone.entered()[-2:] == [ScoreAgreed("NS"), ScoreAgreed("EW")]
    phone.tap("Take it back")
    playwright.expect(phone.page.get_by_role("button", name="East–West agree")).to_be_visible()
    phone.tap("East–West agree")
    phone.page.get_by_role("link", name="Sheet").tap()
    playwright.expect(phone.page.locator(".lines tbody tr")).to_have_count(1)
    phone.fits()
