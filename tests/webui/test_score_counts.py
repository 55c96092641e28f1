"""The scorekeeper's entries of the deal and of leftover or missing cards, and what is refused by name."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from webui_samples import Browser, Sample, browser, make

from engine import deal, scoring
from engine.events import BookClosed, CardsCounted, DealNoted, ScoreAgreed, Undone
from engine.hand import fold
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter


@pytest.fixture
def keeper(home: Path) -> Browser:
    return browser(create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home)))


def post(client: Browser, home: Path, hand: str, **form: str) -> tuple[int, str]:
    known = sum(e.by == "scorekeeper" for e in FolderSource(home).events(hand))
    answer = client.post(f"/score/hands/{hand}", data={"entries": str(known), **form})
    return answer.status_code, unescape(answer.text)


def last(home: Path, hand: str) -> object:
    return FolderSource(home).events(hand)[-1].what


@pytest.mark.parametrize(
    ("as_", "number", "dealt"),
    [("over", "1", 21), ("short", "2", 18), ("dealt", "19", 19), ("short", "0", 20)],
)
def test_leftover_and_missing_cards(
    keeper: Browser, home: Path, sample: Sample, as_: str, number: str, dealt: int
) -> None:
    sample.write(home, pictures=False)
    form = {"kind": "counted", "seat": "W", "number": number, "as": as_}
    assert post(keeper, home, sample.hand, **form)[0] == 303
    assert last(home, sample.hand) == CardsCounted("W", dealt)
    state = fold(FolderSource(home).events(sample.hand))
    ruled = [r.text for _, r in deal.rulings(state, state.rules)]
    assert bool(ruled) == (dealt != 20)
    page = unescape(keeper.get("/score/").text)
    assert all(text[1:] in page for text in ruled)
    assert post(keeper, home, sample.hand, kind="undo")[0] == 303
    assert isinstance(last(home, sample.hand), Undone)
    assert not fold(FolderSource(home).events(sample.hand)).noted


def test_facts_of_the_deal(keeper: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, 2, pictures=False)
    assert post(keeper, home, sample.hand, kind="deal", fact="cut", number="3")[0] == 303
    assert last(home, sample.hand) == DealNoted("cut", 3)
    assert post(keeper, home, sample.hand, kind="deal", fact="no_cut")[0] == 303
    assert last(home, sample.hand) == DealNoted("no_cut")
    assert post(keeper, home, sample.hand, kind="deal", fact="complaint_upheld")[0] == 400, "the director's"


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"kind": "counted", "seat": "W", "number": "x", "as": "over"}, "whole number from 0 to 80"),
        ({"kind": "counted", "seat": "W", "number": "-1", "as": "over"}, "whole number from 0 to 80"),
        ({"kind": "counted", "seat": "W", "number": "", "as": "over"}, "whole number from 0 to 80"),
        ({"kind": "counted", "seat": "W", "number": "21", "as": "short"}, "21 of them cannot be missing"),
        ({"kind": "counted", "seat": "W", "number": "70", "as": "over"}, "no player was dealt 90"),
        ({"kind": "counted", "seat": "W", "number": "1"}, "left over, were missing"),
        ({"kind": "deal", "fact": "shuffled", "number": "81"}, "whole number from 0 to 80"),
        ({"kind": "agree", "team": "NS"}, "End the hand first"),
    ],
)
def test_what_is_wrong_is_named(
    keeper: Browser, home: Path, sample: Sample, form: dict[str, str], error: str
) -> None:
    sample.write(home, sample.upto(BookClosed, 3), pictures=False)
    status, page = post(keeper, home, sample.hand, **form)
    assert status == 400
    assert error in page
    assert isinstance(last(home, sample.hand), BookClosed), "nothing was recorded"


def test_a_score_is_agreed_once_and_then_stands(keeper: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    assert "over already" in post(keeper, home, sample.hand, kind="end", how="played")[1]
    assert post(keeper, home, sample.hand, kind="agree", team="NS")[0] == 303
    assert "The hand is over" in post(keeper, home, sample.hand, kind="deal", fact="misdeal")[1]
    assert post(keeper, home, sample.hand, kind="agree", team="EW")[0] == 303
    form = {"kind": "counted", "seat": "W", "number": "1", "as": "over"}
    assert "Both teams have agreed" in post(keeper, home, sample.hand, **form)[1]
    assert last(home, sample.hand) == ScoreAgreed("EW")


def test_the_page_tells_the_running_game(keeper: Browser, home: Path) -> None:
    first, second = make(1, hand="h1"), make(2, hand="h2")
    second.events = [replace(e, utc=(e.utc or "").replace("T14:", "T15:")) for e in second.events]
    first.write(home, pictures=False)
    totals = dict(scoring.score(fold(first.events)).change)
    second.write(home, second.upto(BookClosed, 3), pictures=False)
    screen = keeper.get("/").text.split("Game so far")[1]
    assert re.findall(r'"big">(-?[0-9]+)<', screen) == [str(totals["NS"]), str(totals["EW"])]
    assert game(keeper) == [totals["NS"], totals["EW"]], "the running hand is not in it yet"
    second.write(home, pictures=False)
    for team, change in scoring.score(fold(second.events)).change.items():
        totals[team] += change
    assert game(keeper) == [totals["NS"], totals["EW"]]


def game(client: Browser) -> list[int]:
    line = client.get("/score/").text.split("Game so far:")[1].split("</p>")[0]
    return [int(n) for n in re.findall(r"<b>(-?[0-9]+)</b>", line)]
