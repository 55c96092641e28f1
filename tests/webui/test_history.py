"""Past hands: who sees what and when, search, replay, statistics."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from webui_samples import Browser, Sample, browser, cards_of, make

from engine import play
from engine.cards import SUITS, TEAMS, next_seat, team_of
from engine.events import BookClosed, RulingMade, ScoreAgreed, Undone
from engine.hand import fold
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter

CARD = re.compile(r"\b(ace|ten|king|queen|jack)s? of ", re.IGNORECASE)
SECRET = re.compile(r"renege|suspic|flag|probab|/pictures/|confirmed|ruling", re.IGNORECASE)


@pytest.fixture
def player(app: Flask) -> Browser:
    """At another machine, signed in for nothing."""
    return browser(app, "192.0.2.7")


def agree(home: Path, hand: str) -> None:
    for team in ("NS", "EW"):
        FolderWriter(home).append(hand, ScoreAgreed(team), "scorekeeper")


def every_page(client: Browser, hand: str) -> str:
    pages = ("/history/", f"/history/?q={hand}", f"/history/hands/{hand}", "/history/statistics")
    return "\n".join(unescape(client.get(page).text) for page in pages)


def said(client: Browser, hand: str) -> list[str]:
    return re.findall(r'class="said">([^<]*)<', unescape(client.get(f"/history/hands/{hand}").text))


def test_a_running_hand_is_no_history_for_players(player: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(BookClosed, 14), pictures=False)
    assert player.get(f"/history/hands/{sample.hand}").status_code == 403
    assert "No hand is over yet" in player.get("/history/").text
    found = every_page(player, sample.hand)
    assert not CARD.search(found)
    assert not SECRET.search(found)


def test_cards_are_history_once_both_teams_have_agreed(player: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    FolderWriter(home).append(sample.hand, RulingMade("confirmed", sample.renege.card), "director")  # type: ignore[union-attr]
    for team in (None, "NS"):
        if team:
            FolderWriter(home).append(sample.hand, ScoreAgreed("NS"), "scorekeeper")
        page = every_page(player, sample.hand)
        assert "when both teams have agreed" in page
        assert not CARD.search(page)
        assert not SECRET.search(page)
    last = FolderWriter(home).append(sample.hand, ScoreAgreed("EW"), "scorekeeper")
    page = every_page(player, sample.hand)
    assert not SECRET.search(page)
    assert len([s for s in said(player, sample.hand) if CARD.search(s)]) == 80
    FolderWriter(home).append(sample.hand, Undone(last.seq), "scorekeeper")
    assert not CARD.search(every_page(player, sample.hand)), "an agreement taken back hides them again"


def test_a_replay_tells_the_cards_that_stand_in_their_order(
    player: Browser, home: Path, sample: Sample
) -> None:
    sample.write(home, pictures=False)
    agree(home, sample.hand)
    lines = said(player, sample.hand)
    told = [s.split("leads ")[-1].split("plays ")[-1] for s in lines if "leads" in s or "plays" in s]
    assert told == [face.name for _, _, face in cards_of(sample)]
    assert sum("goes to" in s for s in lines) == 20
    page = player.get(f"/history/hands/{sample.hand}").text
    books = fold(sample.events).tricks
    assert f"N–S {books['NS']} · E–W {books['EW']}" in page
    times = [float(t) for t in re.findall(r'data-at="([0-9.]+)"', page)]
    assert times == sorted(times)


def test_the_director_sees_running_hands_and_rulings(client: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(BookClosed, 14), pictures=False)
    assert len([s for s in said(client, sample.hand) if CARD.search(s)]) == 56
    make(3, hand="other", renege=False).write(home, pictures=False)
    FolderWriter(home).append(sample.hand, RulingMade("denied", sample.renege.card), "director")  # type: ignore[union-attr]
    found = client.get("/history/?rulings=yes").text
    assert f"/history/hands/{sample.hand}" in found
    assert "/history/hands/other" not in found


def test_search_narrows_by_every_field(player: Browser, home: Path) -> None:
    one, two = make(1, hand="one", table="T1"), make(3, hand="two", table="T2")
    for hand in (one, two):
        hand.write(home, pictures=False)
    other = next_seat(one.bidder)
    no_trump = next(s for s in SUITS if s not in (one.trump, two.trump))
    for query, hands in (
        ("", {"one", "two"}),
        ("q=ON", {"one"}),
        ("table=T2", {"two"}),
        ("date=2026-11-30", {"one", "two"}),
        ("date=2026-11-29", set()),
        (f"bidder={one.bidder}&table=T1", {"one"}),
        (f"bidder={other}&table=T1", set()),
        (f"trump={two.trump}&table=T2", {"two"}),
        (f"trump={no_trump}", set()),
        ("result=not+finished", set()),
        ("rulings=yes", {"one", "two"}),
    ):
        found = set(re.findall(r"/history/hands/(\w+)", player.get(f"/history/?{query}").text))
        assert found == hands, query


def test_statistics_count_what_was_played(player: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    assert "No figures yet" in player.get("/history/statistics").text
    agree(home, sample.hand)
    page = player.get("/history/statistics").text
    charts = {c["id"]: c for c in map(json.loads, re.findall(r"data-chart='([^']*)'", page))}
    state = fold(sample.events)
    for team, series in zip(TEAMS, charts["suits"]["series"], strict=True):
        # The last book's two points belong to no suit.
        last = play.LAST_BOOK if team == team_of(state.books[-1].winner) else 0  # type: ignore[arg-type]
        assert sum(series["values"]) == state.points[team] - last
    for n, suit in enumerate(SUITS):
        both = sum(series["values"][n] for series in charts["suits"]["series"])
        assert both == play.points([f for _, _, f in cards_of(sample) if f.suit == suit])
    assert all(0.8 <= s <= 8 for s in charts["pace"]["series"][0]["values"])
    assert sum(charts["meld"]["series"][0]["values"]) == 4
    assert sum(sum(s["values"]) for s in charts["bids"]["series"]) == 1


def test_an_unknown_hand_is_refused_in_words(player: Browser) -> None:
    answer = player.get("/history/hands/nothing")
    assert answer.status_code == 404
    assert "There is no past hand called" in answer.text


def test_scorekeepers_see_no_more_than_players(home: Path, sample: Sample) -> None:
    from device.pins import hash_of
    from webui.roles import Keys

    sample.write(home, pictures=False)
    keys = Keys(b"x" * 32, hash_of("9999"), hash_of("4711"))
    client = browser(create_app(FolderSource(home, poll=0.0), keys=keys), "192.0.2.7")
    assert client.post("/sign-in", data={"pin": "4711"}).headers["Location"] == "/score/"
    page = every_page(client, sample.hand)
    assert "when both teams have agreed" in page
    assert not CARD.search(page)
    assert not SECRET.search(page)


def test_machines_get_cards_under_the_same_rule(player: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(BookClosed, 14), pictures=False)
    address = f"/api/v1/history/{sample.hand}"
    assert player.get(address).status_code == 403
    assert player.get("/api/v1/history").json == {"hands": []}
    sample.write(home, pictures=False)
    FolderWriter(home).append(sample.hand, RulingMade("confirmed", sample.renege.card), "director")  # type: ignore[union-attr]
    for team in ("NS", "EW"):
        assert player.get(address).json["replay"] is None
        assert player.get("/api/v1/statistics").json["hands"] == 0
        last = FolderWriter(home).append(sample.hand, ScoreAgreed(team), "scorekeeper")  # type: ignore[arg-type]
    steps = player.get(address).json["replay"]["steps"]
    told = [(s["seat"], s["card"]) for s in steps if s["card"]]
    assert told == [(seat, str(face)) for _, seat, face in cards_of(sample)]
    assert player.get("/api/v1/statistics").json["hands"] == 1
    (listed,) = player.get("/api/v1/history").json["hands"]
    assert (listed["hand"], listed["bidder"]) == (sample.hand, sample.bidder)
    assert "rulings" not in listed
    FolderWriter(home).append(sample.hand, Undone(last.seq), "scorekeeper")
    assert player.get(address).json["replay"] is None, "an agreement taken back hides them again"
    assert player.get(f"/director{address}").status_code == 403


def test_a_machine_search_narrows_and_says_what_is_wrong(client: Browser, home: Path) -> None:
    one, two = make(1, hand="one", table="T1"), make(3, hand="two", table="T2")
    for hand in (one, two):
        hand.write(home, pictures=False)
    FolderWriter(home).append("two", RulingMade("denied", two.renege.card), "director")  # type: ignore[union-attr]

    def found(query: str, base: str = "") -> set[str]:
        return {h["hand"] for h in client.get(f"{base}/api/v1/history?{query}").json["hands"]}

    assert found("") == {"one", "two"}
    assert found("table=T2") == {"two"}
    assert found(f"bidder={one.bidder}&table=T1") == {"one"}
    assert found("date=2026-11-29") == set()
    assert found("rulings=yes", "/director") == {"two"}
    for wrong in (
        "bidder=X",
        "date=yesterday",
        "date=2026-11-30%0A",
        "rulings=yes",
        "colour=red",
        "q=" + "x" * 81,
    ):
        answer = client.get(f"/api/v1/history?{wrong}")
        assert answer.status_code == 400, wrong
        assert wrong.partition("=")[0] in answer.json["error"]["message"]
