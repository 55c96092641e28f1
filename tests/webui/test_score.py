"""The scorekeeper: dealer, bids, trump, meld, agreement, the sheet; what is refused."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from webui_samples import Browser, Sample, browser, make

from device.pins import hash_of
from engine import auction, rules, scoring
from engine.cards import face
from engine.events import (
    BidMade,
    BookClosed,
    CardLaid,
    Corrected,
    DealerNamed,
    Event,
    HandEnded,
    HandStarted,
    MeldClosed,
    MeldLaid,
    Reading,
    RulingMade,
    ScoreAgreed,
    TrumpNamed,
    Undone,
    What,
)
from engine.hand import fold
from engine.notation import write_event
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

CODE = hash_of("4711")


@pytest.fixture
def keeper(home: Path) -> Browser:
    """At the table's own machine, where no code is set."""
    return browser(create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home)))


def text(client: Browser, url: str = "/score/") -> str:
    main = client.get(url).text.split("<main")[1].split("</main>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", main)))


def entered(home: Path, hand: str) -> list[What]:
    return [e.what for e in FolderSource(home).events(hand) if e.by == "scorekeeper"]


def enter(client: Browser, home: Path, hand: str, status: int = 303, **form: str) -> str:
    """Posts an entry as the page would; returns the page after it."""
    data = {"entries": str(len(entered(home, hand))), **form}
    answer = client.post(f"/score/hands/{hand}", data=data)
    assert answer.status_code == status, answer.text
    return text(client)


def bare(home: Path, **started: str) -> str:
    """A hand of which nothing but its start is known."""
    sample = make(1, hand="h")
    start = replace(sample.events[0], what=HandStarted("h", started.pop("ruleset", "lv"), **started))  # type: ignore[arg-type]
    Sample("h", "S", "N", {}, [start]).write(home, pictures=False)
    return "h"


def test_from_the_dealer_to_trump(keeper: Browser, home: Path) -> None:
    hand = bare(home)
    assert "Bidding" not in text(keeper), "first it must be known who deals"
    page = enter(keeper, home, hand, kind="dealer", seat="W")
    assert "Dealer: West" in page
    assert "North calls next" in page
    html = keeper.get("/score/").text
    assert re.findall(r'name="call" value="(\w+)"', html) == [*map(str, range(50, 58)), "pass"]
    enter(keeper, home, hand, kind="bid", seat="N", call="55")
    enter(keeper, home, hand, kind="bid", seat="E", call="60")
    html = keeper.get("/score/").text
    keys = re.findall(r'name="call" value="(\w+)"', html)
    assert keys == ["65", "70", "75", "80", "85", "90", "95", "100", "pass"], "the ladder of this rule set"
    for seat in "SWN":
        page = enter(keeper, home, hand, kind="bid", seat=seat, call="pass")
    assert "East has the bid at 60 and names trump" in page
    page = enter(keeper, home, hand, kind="trump", suit="H")
    assert "Trump: hearts" in page
    assert entered(home, hand) == [
        DealerNamed("W"), BidMade("N", "55"), BidMade("E", "60"), *(BidMade(s, "pass") for s in "SWN"),  # type: ignore[arg-type]
        TrumpNamed("H", "E"),
    ]  # fmt: skip
    table = keeper.get("/api/v1/table").json
    assert (table["bid"], table["bidder"], table["trump"]) == (60, "E", "H")


@pytest.mark.parametrize(
    ("seat", "call", "named"),
    [
        ("E", "49", "below the lowest bid, 50"),
        ("E", "61", "above 60 only multiples of 5"),
        ("S", "55", "out of turn"),
        ("E", "I have hearts", "only a number or PASS may be called"),
    ],
)
def test_an_improper_call_is_recorded_and_named_with_its_clause(
    keeper: Browser, home: Path, seat: str, call: str, named: str
) -> None:
    hand = bare(home, dealer="N")
    page = enter(keeper, home, hand, kind="bid", seat=seat, call=call)
    assert named in page
    assert re.search(r"\(.*LV-\d+", page)
    assert entered(home, hand) == [BidMade(seat, call)]  # type: ignore[arg-type]
    page = enter(keeper, home, hand, kind="undo")
    assert named not in page
    assert isinstance(entered(home, hand)[-1], Undone)


def test_each_sheet_has_its_own_ladder(keeper: Browser, home: Path) -> None:
    hand = bare(home, dealer="N", ruleset="np")
    enter(keeper, home, hand, kind="bid", seat="E", call="60")
    keys = re.findall(r'name="call" value="(\w+)"', keeper.get("/score/").text)
    expected = auction.fold("N", [("E", "60")], rules.load("np")).next_bids(8)
    assert keys == [*map(str, expected), "pass"]


def test_two_people_do_not_enter_over_each_other(keeper: Browser, home: Path) -> None:
    hand = bare(home, dealer="N")
    form = {"kind": "bid", "seat": "E", "call": "50", "entries": "0"}
    assert keeper.post(f"/score/hands/{hand}", data=form).status_code == 303
    again = keeper.post(f"/score/hands/{hand}", data={**form, "call": "51"})
    assert again.status_code == 409
    assert entered(home, hand) == [BidMade("E", "50")]


def test_each_teams_scorekeeper_agrees_on_a_page_of_their_own(
    keeper: Browser, home: Path, sample: Sample
) -> None:
    sample.write(home, pictures=False)
    seen = str(len(entered(home, sample.hand)))
    enter(keeper, home, sample.hand, kind="agree", team="NS", entries=seen)
    page = enter(keeper, home, sample.hand, kind="agree", team="EW", entries=seen)
    assert "✓ East–West agree" in page


def test_meld_is_mended_by_tapping_and_counted_anew(keeper: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(MeldClosed) - 1, pictures=False)
    start = len(sample.events[: sample.upto(MeldClosed) - 1])
    seat = sample.bidder
    suit = sample.trump
    before = keeper.get("/api/v1/table").json
    mine = next(m for m in before["meld"] if m["seat"] == seat)
    assert {f"K{suit}", f"Q{suit}"} <= set(mine["cards"])
    enter(keeper, home, sample.hand, kind="meld", seat=seat, taken=f"K{suit}")
    after = next(m for m in keeper.get("/api/v1/table").json["meld"] if m["seat"] == seat)
    assert sorted([*after["cards"], f"K{suit}"]) == sorted(mine["cards"])
    assert after["total"] < mine["total"]
    enter(keeper, home, sample.hand, kind="meld", seat=seat, added=f"K{suit}")
    back = next(m for m in keeper.get("/api/v1/table").json["meld"] if m["seat"] == seat)
    assert (sorted(back["cards"]), back["total"]) == (sorted(mine["cards"]), mine["total"])
    events = FolderSource(home).events(sample.hand)[start:]
    assert isinstance(events[0].what, Corrected)
    assert events[0].what.withdrawn
    assert isinstance(events[1].what, MeldLaid)
    assert {e.by for e in events} == {"scorekeeper"}
    enter(keeper, home, sample.hand, kind="picked_up")
    assert keeper.get("/api/v1/table").json["phase"] == "play"
    enter(keeper, home, sample.hand, 400, kind="meld", seat=seat, added=f"K{suit}")


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "bid", "seat": "E"}, {"kind": "bid", "seat": "X", "call": "50"}, {"kind": "dealer"}, {},
        {"kind": "trump", "suit": "X"}, {"kind": "meld", "seat": "N", "added": "9S"}, {"kind": "rule"},
        {"kind": "meld", "seat": "N", "added": "../x"}, {"kind": "meld", "seat": "N", "taken": "2C"},
        {"kind": "end", "how": "rain"}, {"kind": "agree", "team": "NS"}, {"kind": "meld", "seat": "N"},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    keeper: Browser, home: Path, sample: Sample, form: dict[str, str]
) -> None:
    upto = sample.upto(MeldClosed) - 1
    sample.write(home, upto, pictures=False)
    enter(keeper, home, sample.hand, 400, **form)
    assert len(FolderSource(home).events(sample.hand)) == upto


def test_only_own_entries_are_taken_back(keeper: Browser, home: Path) -> None:
    hand = bare(home, dealer="N")
    FolderWriter(home).append(hand, BidMade("E", "50"), "scorekeeper")
    FolderWriter(home).append(hand, RulingMade("denied", "c1"), "director")
    page = text(keeper)
    assert "East bids 50" in page
    assert "Denied" not in page
    enter(keeper, home, hand, kind="undo")
    assert entered(home, hand)[-1] == Undone(2)
    enter(keeper, home, hand, 400, kind="undo")


def test_both_teams_agree_and_then_nothing_changes(keeper: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    enter(keeper, home, sample.hand, kind="agree", team="NS")
    page = enter(keeper, home, sample.hand, kind="agree", team="EW")
    assert "✓ North–South agree" in page
    assert "✓ East–West agree" in page
    enter(keeper, home, sample.hand, 400, kind="trump", suit="H")
    enter(keeper, home, sample.hand, kind="undo")
    assert fold(FolderSource(home).events(sample.hand)).agreed == {"NS"}


def test_a_hand_is_ended_by_hand(keeper: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(TrumpNamed), pictures=False)
    page = enter(keeper, home, sample.hand, kind="end", how="no_board")
    assert "Hand over" in page
    assert entered(home, sample.hand)[-1] == HandEnded("no_board")
    enter(keeper, home, sample.hand, 400, kind="end", how="played")


def test_the_sheet_adds_up_hand_by_hand(keeper: Browser, home: Path) -> None:
    samples = [make(n, hand=f"h{n}", table="=T1") for n in (1, 2, 3)]
    for minutes, one in enumerate(samples):
        one.events = [replace(e, utc=e.utc.replace("T14:", f"T1{4 + minutes}:")) for e in one.events if e.utc]
        one.write(home, pictures=False)
    samples[2].events = samples[2].events[: samples[2].upto(BookClosed, 3)]
    (home / "h3" / "log.jsonl").unlink()
    samples[2].write(home, pictures=False)
    make(4, hand="elsewhere", table="T2").write(home, pictures=False)
    FolderWriter(home).append("h1", ScoreAgreed("NS"), "scorekeeper")
    answer = keeper.get("/score/sheet/=T1/sheet.csv")
    assert answer.mimetype == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [r["hand"] for r in rows] == ["h1", "h2", "h3"]
    assert all(r["table"] == "'=T1" for r in rows), "no formula for a spreadsheet"
    totals = {"NS": 0, "EW": 0}
    for row, one in zip(rows[:2], samples, strict=False):
        state = fold(one.events)
        for team, change in scoring.score(state).change.items():
            totals[team] += change
            assert int(row[f"score {team}"]) == change
            assert int(row[f"points {team}"]) == state.points[team]
            assert int(row[f"meld {team}"]) == state.team_meld[team]
            assert int(row[f"total {team}"]) == totals[team]
    assert [rows[2][f"{what} NS"] for what in ("points", "score", "total")] == ["", "", ""], "not over yet"
    page = text(keeper, "/score/sheet/=T1")
    assert "Score sheet, =T1" in page
    assert str(totals["NS"]) in page
    assert "✓" in page


def test_a_game_that_is_over_starts_a_new_one(keeper: Browser, home: Path) -> None:
    for n in range(12):
        one = make(n + 1, hand=f"h{n:02}", renege=False)
        one.events = [replace(e, utc=(e.utc or "").replace("T14:", f"T{8 + n:02}:")) for e in one.events]
        one.write(home, pictures=False)
    rows = list(csv.DictReader(io.StringIO(keeper.get("/score/sheet.csv").text)))
    games = [r["game"] for r in rows]
    assert games[0] == "1"
    assert games[-1] != "1"
    for before, row in pairwise(rows):
        over = max(int(before["total NS"]), int(before["total EW"])) >= 500
        assert (row["game"] != before["game"]) == over
        assert (row["number"] == "1") == over


def test_the_pages_are_for_scorekeepers(home: Path, sample: Sample) -> None:
    sample.write(home, 30, pictures=False)
    keys = Keys(b"x" * 32, None, CODE)
    app = create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home), keys=keys)
    client = browser(app, "192.0.2.7")
    for url in ("/score/", "/score/table/Table 1", "/score/sheet", "/score/sheet.csv"):
        assert client.get(url).status_code == 403, url
    assert client.post(f"/score/hands/{sample.hand}", data={"kind": "dealer"}).status_code == 403
    answer = client.post("/sign-in", data={"pin": "4711"})
    assert answer.headers["Location"] == "/score/"
    assert client.get("/score/").status_code == 200


def test_a_trump_in_doubt_is_asked_of_the_scorekeeper_and_entered_with_one_press(
    keeper: Browser, home: Path
) -> None:
    """The queen beside the bidder's first king was missed; the camera took hearts for trump."""
    hand = bare(home, dealer="N")
    laid: list[What] = [MeldLaid(f"m{n}", "N", Reading(face(f))) for n, f in enumerate(("KC", "KH", "QH"))]
    lead: list[What] = [MeldClosed(), CardLaid("c1", "N", Reading(face("AS"))), TrumpNamed("H", "N")]
    log = home / hand / "log.jsonl"
    with log.open("a", encoding="utf-8") as file:
        for n, what in enumerate([BidMade("N", "50"), *laid, *lead], 2):
            write_event(file, Event(n, 3.0 * n, what))
    page = text(keeper)
    assert "Trump: hearts" in page
    assert "Press the suit that is trump" in page
    director = text(keeper, f"/director/hands/{hand}")
    assert "Trump: hearts or clubs? The first marriage seen is 7" in director
    page = enter(keeper, home, hand, kind="trump", suit="C")
    assert "Trump: clubs" in page
    assert "Press the suit" not in page
    assert "hearts or clubs" not in text(keeper, f"/director/hands/{hand}")
