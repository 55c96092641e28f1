"""The caller's call against the record, undoing, the audit trail, the sheet."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from webui_samples import Browser, Sample, browser

from engine.cards import SEAT_NAMES, SEATS, Face, Seat
from engine.events import BookClosed, CardLaid, HandEnded, RenegeCalled, RulingMade, Undone
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter


@pytest.fixture
def director(home: Path) -> Browser:
    return browser(create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home)))


def words(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def section(html: str, name: str) -> str:
    return words(html[html.index(f'id="{name}"') :].split("</section>")[0])


def other(seat: Seat) -> Seat:
    """A seat of the other team."""
    return SEATS[(SEATS.index(seat) + 1) % 4]


def make_call(client: Browser, sample: Sample, cards: tuple[Face, ...] = (), **form: str) -> str:
    assert sample.renege is not None
    data: dict[str, object] = {
        "by": other(sample.renege.seat), "against": sample.renege.seat, "kind": kind_of(sample),
        "named": [str(c) for c in cards], **form,
    }  # fmt: skip
    answer = client.post(f"/director/hands/{sample.hand}/calls", data=data)
    assert answer.status_code == 303, answer.text
    return section(client.get(answer.headers["Location"]).text, "call")


def kind_of(sample: Sample) -> str:
    """The kind of the injected renege, from the cards alone: what was led, and what was laid."""
    assert sample.renege is not None
    closes = [e.seq for e in sample.events if isinstance(e.what, BookClosed)]
    start = closes[sample.renege.book - 2]
    lead = next(e.what for e in sample.events[start:] if isinstance(e.what, CardLaid)).reading.face
    laid, held = sample.renege.face, sample.renege.proof_face
    if held.suit == lead.suit:
        return "BEAT" if laid.suit == lead.suit else "FOLLOW"
    return "BEAT" if laid.suit == held.suit else "TRUMP"


def test_a_true_call_is_borne_out_card_by_card(director: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    assert sample.renege is not None
    cards = (sample.renege.face, sample.renege.proof_face)
    page = make_call(director, sample, cards, book=str(sample.renege.book))
    assert "Proven: the renege of" in page
    assert "The cards named are cards of the proof." in page
    assert "Not yet named" not in page
    made = FolderSource(home).events(sample.hand)[-1]
    assert isinstance(made.what, RenegeCalled)
    assert (made.by, made.what.cards, made.what.book) == ("director", cards, sample.renege.book)
    shown = director.get(f"/director/api/v1/hands/{sample.hand}").json["call"]
    assert shown["proven"]
    assert shown["flag"] == f"flag-{sample.renege.card}"
    by = {o["ruling"]: o["teams"] for o in shown["outcomes"]}
    assert by["Confirmed"] != by["Denied"] != by["Cannot tell"]


def test_wrong_cards_and_missing_ones_are_told(director: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    assert sample.renege is not None
    renege = sample.renege
    rest = next(f for f in sample.dealt[renege.seat] if f not in (renege.face, renege.proof_face))
    page = make_call(director, sample, (rest, renege.face))
    assert "The cards named are not the proof; the record shows" in page
    assert renege.face.name in page
    assert "Not yet named: the two cards in the books that prove it" in make_call(director, sample)


def test_a_false_call_goes_against_the_caller_by_the_sheet(
    director: Browser, home: Path, sample: Sample
) -> None:
    sample.write(home, pictures=False)
    assert sample.renege is not None
    liar, honest = sample.renege.seat, other(sample.renege.seat)
    page = make_call(director, sample, by=liar, against=honest, kind="FOLLOW")
    assert f"Not proven: the call of {SEAT_NAMES[liar]} counts as a renege" in page
    assert "LV-111" in page
    outcomes = director.get(f"/director/api/v1/hands/{sample.hand}").json["call"]["outcomes"]
    tried = {o["ruling"]: o["teams"] for o in outcomes}
    answer = director.post(f"/director/hands/{sample.hand}/rulings", data={"outcome": "denied"})
    sheet = words(director.get(f"/director/hands/{sample.hand}/sheet").text)
    for line in tried["Denied"]:
        assert line.partition(" (")[0] in sheet, "what was foretold is what the ruling brings"
    assert answer.headers["Location"].endswith("#call")


def test_disordered_books_go_against_their_owner(director: Browser, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    make_call(director, sample)
    url = f"/director/hands/{sample.hand}/rulings"
    director.post(url, data={"outcome": "cannot_tell", "disordered": "EW", "why": "mixed up"})
    assert FolderSource(home).events(sample.hand)[-1].what == RulingMade(
        "cannot_tell", None, "mixed up", "EW"
    )
    sheet = words(director.get(f"/director/hands/{sample.hand}/sheet").text)
    assert "Ruling: Cannot tell; books of East–West out of order" in sheet
    assert "Why: mixed up" in sheet
    for bad in ({"disordered": "XX"}, {"disordered": "EW", "card": "c1"}):
        assert director.post(url, data={"outcome": "denied", **bad}).status_code == 400


def test_undoing_is_one_more_entry_and_can_be_undone(director: Browser, home: Path, sample: Sample) -> None:
    assert sample.renege is not None
    sample.write(home, pictures=False)
    last = len(sample.events)
    url = f"/director/hands/{sample.hand}"
    director.post(f"{url}/rulings", data={"outcome": "confirmed", "card": sample.renege.card, "why": "seen"})

    def ruled() -> list[str | None]:
        flags = director.get(f"/director/api/v1/hands/{sample.hand}").json["flags"]
        return [f["ruling"] for f in flags if f["offence"]["card"] == sample.renege.card]  # type: ignore[union-attr]

    assert ruled() == ["confirmed"]
    answer = director.post(f"{url}/undo", data={"entry": str(last + 1), "why": "wrong table"})
    assert answer.status_code == 303
    assert ruled() == [None]
    assert FolderSource(home).events(sample.hand)[-1].what == Undone(last + 1, "wrong table")
    html = director.get(url).text
    trail = section(html, "trail")
    assert re.search(rf"director Undone: Confirmed: \w+'s {sample.renege.face.name} wrong table", trail)
    assert '<li class="undone" value="' in html
    assert director.post(f"{url}/undo", data={"entry": str(last + 1)}).status_code == 400, "undone already"
    director.post(f"{url}/undo", data={"entry": str(last + 2)})
    assert ruled() == ["confirmed"]
    assert len(FolderSource(home).events(sample.hand)) == last + 3, "nothing was ever taken away"


@pytest.mark.parametrize("entry", ["1", "40", "9999", "", "-1", "x"])
def test_only_what_people_entered_can_be_undone(
    director: Browser, home: Path, sample: Sample, entry: str
) -> None:
    sample.write(home, pictures=False)
    answer = director.post(f"/director/hands/{sample.hand}/undo", data={"entry": entry})
    assert answer.status_code == 400
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)


def test_a_mistaken_correction_undone_gives_the_old_reading_back(
    director: Browser, home: Path, sample: Sample
) -> None:
    sample.write(home, pictures=False)
    url = f"/director/hands/{sample.hand}"
    before = director.get(f"{url}?book=1").text
    director.post(f"{url}/corrections", data={"card": "c1", "change": "face", "face": "JS"})
    assert "entered by director" in director.get(f"{url}?book=1").text
    director.post(f"{url}/undo", data={"entry": str(len(sample.events) + 1)})
    after = director.get(f"{url}?book=1").text
    assert section(after, "books") == section(before, "books")


@pytest.mark.parametrize(
    "form",
    [
        {}, {"by": "N", "against": "N"}, {"by": "N", "against": "Q"}, {"kind": "SLEEP"}, {"named": ["XX"]},
        {"named": ["9S"]}, {"book": "21"}, {"book": "0"}, {"book": "😀"}, {"book": "two"},
        {"book": "-1"}, {"book": "٣"}, {"book": "9" * 5000},
    ],
)  # fmt: skip
def test_a_call_that_makes_no_sense_is_not_recorded(
    director: Browser, home: Path, sample: Sample, form: dict[str, object]
) -> None:
    sample.write(home, pictures=False)
    good = {"by": "N", "against": "E", "kind": "FOLLOW"} if form else {}
    answer = director.post(f"/director/hands/{sample.hand}/calls", data={**good, **form})
    assert answer.status_code == 400
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)


def test_the_sheet_prints_the_proof_and_the_law_in_words(
    director: Browser, home: Path, sample: Sample
) -> None:
    assert sample.renege is not None
    sample.write(home)
    make_call(director, sample, (sample.renege.face, sample.renege.proof_face))
    open_sheet = director.get(f"/director/hands/{sample.hand}/sheet").text
    assert "Ruling: ____" in words(open_sheet)
    director.post(f"/director/hands/{sample.hand}/rulings", data={"outcome": "confirmed"})
    html = director.get(f"/director/hands/{sample.hand}/sheet").text
    assert html.count("<img src=") == 2
    said = words(html)
    assert "Ruling: Confirmed" in said
    assert re.search(r"LV-10[235] \w+", said), "the clause with its words"
    assert "Director North–South East–West" in said
    assert any(isinstance(e.what, HandEnded) for e in sample.events)
    assert director.get("/director/hands/none/sheet").status_code == 404
