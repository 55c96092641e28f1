"""The pages in a real browser: three sizes, no errors, nothing from elsewhere, call to proof in two taps."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from flask import Flask, request
from tabs import BROWSER, SIZES, OpenTab, Serve, Size, playwright
from webui_samples import Sample, make

from device import pins
from engine.cards import SEAT_NAMES, SEATS, Face, next_seat
from engine.events import BookClosed, CardLaid, MeldClosed, MeldLaid, Reading
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

pytestmark = BROWSER


@pytest.mark.parametrize("size", SIZES)
def test_the_table_screen_follows_a_hand(
    app: Flask,
    serve: Serve,
    tab: OpenTab,
    home: Path,
    sample: Sample,
    size: Size,
) -> None:
    screen = tab(serve(app), size)
    screen.open("/")
    page = screen.page
    playwright.expect(page.locator("main")).to_contain_text("No hand yet")

    folder = sample.write(home, sample.upto(MeldClosed) - 1, pictures=False)
    playwright.expect(page.locator(".felt.meld .place")).to_have_count(4)
    playwright.expect(page.locator(".felt.meld")).to_contain_text("arriage")
    screen.fits()

    sample.write(home, sample.upto(BookClosed, 5) - 1, pictures=False)
    cards = page.locator(".felt.book .card")
    playwright.expect(cards).to_have_count(4)
    laid = [e.what for e in sample.events[: sample.upto(BookClosed, 5)] if isinstance(e.what, CardLaid)][-4:]
    for card in laid:
        place = page.locator(f".place.{card.seat}")
        playwright.expect(place.get_by_label(card.reading.face.name)).to_be_visible()
    # North above South, West left of East; the whole felt on the first screen.
    box = {s: page.locator(f".place.{s} .card").bounding_box() for s in "NESW"}
    assert box["N"]["y"] < box["E"]["y"] < box["S"]["y"]
    assert box["W"]["x"] < box["N"]["x"] < box["E"]["x"]
    assert box["S"]["y"] + box["S"]["height"] <= size[1]
    if size[0] == 1920:
        rank = page.locator(".place.N .card .rank").bounding_box()
        assert rank["height"] >= 110, "three centimetres on a 24 inch screen"
    screen.fits()

    (folder / "alive").touch()
    playwright.expect(page.locator("#age")).to_have_text("live")
    sample.write(home, pictures=False)
    playwright.expect(page.locator("main")).to_contain_text("Hand over")
    playwright.expect(page.locator("#age")).to_have_text("hand over")
    assert page.locator(".felt .card").count() == 0


@pytest.mark.parametrize("size", SIZES)
def test_from_a_call_to_the_proof_in_two_taps(
    app: Flask,
    serve: Serve,
    tab: OpenTab,
    home: Path,
    sample: Sample,
    size: Size,
) -> None:
    make(12, hand="calm", table="Table 9", renege=False).write(home, pictures=False)
    sample.write(home)
    desk = tab(serve(app), size)
    desk.open("/director/")
    desk.fits()
    page = desk.page
    page.locator(".table-card a").first.click()  # one tap
    pictures = page.locator("details[open] .pair img")
    playwright.expect(pictures).to_have_count(2)
    for n in range(2):
        playwright.expect(pictures.nth(n)).to_be_in_viewport(ratio=0.6)
        assert pictures.nth(n).evaluate("i => i.decode().then(() => i.naturalWidth)") == 420
        assert pictures.nth(n).evaluate("i => getComputedStyle(i).objectFit") == "contain"
    left, right = (pictures.nth(n).bounding_box() for n in range(2))
    assert left["x"] + left["width"] <= right["x"]
    assert abs(left["y"] - right["y"]) < 2
    desk.fits()

    pictures.first.click()  # two taps: the picture, large
    large = page.locator("#zoom-picture")
    playwright.expect(large).to_be_visible()
    before = large.bounding_box()["width"]
    large.click()
    assert large.bounding_box()["width"] > 2 * before
    page.get_by_role("button", name="Close").click()
    playwright.expect(large).to_be_hidden()

    page.locator(".tick", has_text="11").first.click()
    playwright.expect(page.locator(".book h3")).to_have_text("Book 11")
    assert "book=11" in page.url
    page.get_by_label("Next book").click()
    playwright.expect(page.locator(".book h3")).to_have_text("Book 12")


def test_the_directors_pages_follow_without_losing_what_is_open(
    app: Flask, serve: Serve, tab: OpenTab, home: Path, sample: Sample
) -> None:
    assert sample.renege is not None
    proven = sample.upto(BookClosed, sample.renege.proof_book)
    sample.write(home, proven - 5)
    desk = tab(serve(app), (820, 1180))
    desk.open("/director/")
    page = desk.page
    playwright.expect(page.locator(".chip.proven")).to_have_count(0)
    sample.write(home, proven)
    playwright.expect(page.locator(".chip.proven")).to_have_count(1)
    page.locator(".table-card a").first.click()
    corrected = page.locator(".flag.corrected")
    corrected.locator("summary").click()
    playwright.expect(corrected).to_have_attribute("open", "")
    page.locator(".tick", has_text="3").first.click()
    playwright.expect(page.locator(".book h3")).to_have_text("Book 3")
    sample.write(home)
    playwright.expect(page.locator(".facts-line")).to_contain_text("20 of 20 books")
    playwright.expect(corrected).to_have_attribute("open", "")
    playwright.expect(page.locator(".book h3")).to_have_text("Book 3")


@pytest.mark.parametrize("size", SIZES)
def test_a_call_is_checked_ruled_on_and_printed(
    serve: Serve, tab: OpenTab, home: Path, sample: Sample, size: Size
) -> None:
    assert sample.renege is not None
    sample.write(home)
    desk = tab(serve(create_app(FolderSource(home), writer=FolderWriter(home))), size)
    desk.open(f"/director/hands/{sample.hand}")
    page, offender = desk.page, sample.renege.seat
    page.get_by_text("Enter a call").click()
    form = page.locator("#call-form form")
    form.locator(f"input[name=by][value={SEATS[(SEATS.index(offender) + 1) % 4]}]").check()
    form.locator(f"input[name=against][value={offender}]").check()
    form.locator("input[name=kind]").first.check()
    for n, face in enumerate((sample.renege.face, sample.renege.proof_face)):
        form.get_by_label(f"Card {n + 1}").select_option(str(face))
    desk.fits()
    form.get_by_role("button").click()
    call = page.locator("#call")
    playwright.expect(call.locator(".verdict")).to_contain_text("roven")
    playwright.expect(call.locator(".outcomes tr")).to_have_count(5)
    desk.fits()
    call.get_by_text("Rule on the call").click()
    call.get_by_role("button", name="Confirm").click()
    playwright.expect(page.locator("#trail")).to_contain_text("Confirmed: the last call")
    page.get_by_role("link", name="Ruling sheet").click()
    playwright.expect(page.locator("main")).to_contain_text("Ruling: Confirmed")
    desk.fits()
    page.emulate_media(media="print")
    playwright.expect(page.locator("header.bar")).to_be_hidden()
    playwright.expect(page.locator(".matter").first).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_the_scorekeepers_page_follows_camera_and_colleague(
    serve: Serve, tab: OpenTab, home: Path, sample: Sample, size: Size
) -> None:
    sample.write(home, 1, pictures=False)
    base = serve(create_app(FolderSource(home, poll=0.05), writer=FolderWriter(home), beat_seconds=0.3))
    mine, colleague = tab(base, size), tab(base, (390, 844))
    for one in (mine, colleague):
        one.open("/score/")
    turn = SEAT_NAMES[next_seat(sample.events[0].what.dealer)]  # type: ignore[union-attr, arg-type]
    playwright.expect(mine.page.locator(".result")).to_contain_text(f"{turn} calls next")
    mine.fits()
    mine.page.get_by_role("button", name="55", exact=True).click()
    for one in (mine, colleague):
        playwright.expect(one.page.locator(".calls li")).to_have_text([f"{turn} 55"])
    for n in range(3):
        playwright.expect(mine.page.locator(".calls li")).to_have_count(n + 1)
        mine.page.get_by_role("button", name="pass", exact=True).click()
    playwright.expect(mine.page.locator("#trump-title")).to_contain_text("not named yet")
    mine.page.get_by_role("button", name="hearts").click()
    playwright.expect(colleague.page.locator("#trump-title")).to_contain_text("hearts")
    laid = MeldLaid("m1", "N", Reading(Face("K", "H")))
    FolderWriter(home).append(sample.hand, laid, "camera")
    king = mine.page.locator("#meld-N").get_by_role("button", name="king of hearts").first
    playwright.expect(king).to_be_visible()
    mine.fits()
    king.click()
    playwright.expect(colleague.page.locator("#meld-N .fan:not(.palette) button")).to_have_count(0)
    mine.page.get_by_role("link", name="Sheet").click()
    playwright.expect(mine.page.locator(".lines tbody tr")).to_have_count(1)
    mine.fits()


def test_a_table_that_is_not_seen_any_more_turns_grey(
    serve: Serve, tab: OpenTab, home: Path, sample: Sample
) -> None:
    folder = sample.write(home, sample.upto(BookClosed, 5) - 1, pictures=False)
    (folder / "alive").touch()
    app = create_app(FolderSource(home, poll=0.05), beat_seconds=0.2)
    screen = tab(serve(app), (390, 844))
    screen.open("/")
    playwright.expect(screen.page.locator("#age")).to_have_text("live")
    os.utime(folder / "alive", (time.time() - 40, time.time() - 40))
    playwright.expect(screen.page.locator("#age")).to_contain_text("last seen 4")
    playwright.expect(screen.page.locator("body")).to_have_class("players stale")


def test_forms_are_taken_from_another_machine_by_plain_http(
    serve: Serve, tab: OpenTab, home: Path, sample: Sample
) -> None:
    """Browsers trust 127.0.0.1 with what they refuse to plain http at a machine's address."""
    sample.write(home)
    keys = Keys(b"s" * 32, pins.hash_of("director-pin"), None)
    base = serve(create_app(FolderSource(home), writer=FolderWriter(home), keys=keys))
    desk = tab(base.replace("127.0.0.1", "hall.test"), (390, 844))
    desk.open("/sign-in?then=/director/")
    desk.page.locator("input[name=pin]").fill("director-pin")
    desk.page.locator("main form button").click()
    desk.page.wait_for_url("**/director/")
    desk.open(f"/director/hands/{sample.hand}")
    page = desk.page
    page.get_by_text("Enter a call").click()
    form = page.locator("#call-form form")
    form.locator("input[name=by]").first.check()
    form.locator("input[name=against]").nth(1).check()
    form.locator("input[name=kind]").first.check()
    form.get_by_role("button").click()
    playwright.expect(page.locator("#call")).to_be_visible()
    assert FolderSource(home).events(sample.hand)[-1].by == "director"


def test_display_settings_stay(app: Flask, serve: Serve, tab: OpenTab, home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(BookClosed, 5) - 1, pictures=False)
    screen = tab(serve(app), (390, 844), color_scheme="light")
    screen.open("/")
    page = screen.page
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_text("Display").click()
    page.get_by_label("Dark").check()
    page.get_by_label("Four: every suit its own").check()
    assert page.evaluate(ground) != light
    colours = "s => getComputedStyle(document.documentElement).getPropertyValue(s)"
    assert page.evaluate(colours, "--suit-D") != page.evaluate(colours, "--suit-red")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("document.documentElement.dataset.suits") == "four"
    page.keyboard.press("Escape")


def test_one_stream_for_all_tabs_of_a_browser(
    app: Flask, serve: Serve, tab: OpenTab, home: Path, sample: Sample
) -> None:
    sample.write(home, sample.upto(BookClosed, 5) - 1, pictures=False)
    opened: list[str] = []

    @app.before_request
    def count() -> None:
        if request.path.startswith("/live"):
            opened.append(request.path)

    screen = tab(serve(app), (390, 844))
    screen.open("/")
    playwright.expect(screen.page.locator(".felt.book .card")).to_have_count(4)
    pages = [screen.context.new_page() for _ in range(8)]  # a browser has six connections to a server
    for page in pages:
        page.goto(screen.base + "/")
    sample.write(home, sample.upto(BookClosed, 5), pictures=False)
    for page in (screen.page, *pages):
        playwright.expect(page.locator(".felt.book .card")).to_have_count(0)
    assert len(opened) == 1
