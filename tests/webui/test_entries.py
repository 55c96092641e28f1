"""Corrections and rulings: events like any other, judged again, refused where they make no sense."""

from __future__ import annotations

import json
import re
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from webui_samples import Sample, browser

from device.handlog import catch_up
from device.store import Store
from engine.events import BookClosed, CardLaid, Corrected, RenegeCalled, RulingMade
from webui.app import create_app
from webui.source import FolderSource
from webui.writing import FolderWriter


@pytest.fixture
def director(home: Path) -> FlaskClient:
    return browser(create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home)))


def correct(client: FlaskClient, sample: Sample, card: str, **form: str) -> str:
    """Posts a correction and returns the page that follows, as text."""
    answer = client.post(f"/director/hands/{sample.hand}/corrections", data={"card": card, **form})
    assert answer.status_code == 303, answer.text
    page = client.get(answer.headers["Location"]).text
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def flags(client: FlaskClient, sample: Sample) -> dict[str, str]:
    found = client.get(f"/director/api/v1/hands/{sample.hand}").json["flags"]
    return {f["offence"]["card"]: f["status"] for f in found}


def test_a_corrected_card_is_judged_again_and_the_change_is_told(
    director: FlaskClient, home: Path, sample: Sample
) -> None:
    assert sample.renege is not None
    sample.write(home, pictures=False)
    assert flags(director, sample)[sample.renege.card] == "proven"
    lead = next(
        e.what.reading.face
        for e in sample.events[sample.upto(BookClosed, sample.renege.book - 1) :]
        if isinstance(e.what, CardLaid)
    )
    page = correct(
        director, sample, sample.renege.card, change="face", face=f"A{lead.suit}", why="looked again"
    )
    assert "No longer a flag" in page
    assert sample.renege.card not in flags(director, sample)
    assert f"{sample.renege.face.name} is the ace of" in page
    assert "looked again" in page
    last = json.loads((home / sample.hand / "log.jsonl").read_text().splitlines()[-1])
    assert (last["kind"], last["source"], last["seq"]) == ("corrected", "director", len(sample.events) + 1)
    # The mistake is mended by a further entry, and the proof is back.
    page = correct(director, sample, sample.renege.card, change="face", face=str(sample.renege.face))
    assert "New flag, proven" in page
    assert flags(director, sample)[sample.renege.card] == "proven"


def test_seat_place_and_withdrawal(director: FlaskClient, home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    correct(director, sample, "c2", change="before", before="c1")
    correct(director, sample, "c3", change="seat", seat="N")
    correct(director, sample, "c4", change="withdrawn")
    entered = [e.what for e in FolderSource(home).events(sample.hand)[len(sample.events) :]]
    assert entered == [
        Corrected("c2", before="c1"),
        Corrected("c3", seat="N"),
        Corrected("c4", withdrawn=True),
    ]


def test_a_ruling_is_recorded_with_its_reason(director: FlaskClient, home: Path, sample: Sample) -> None:
    assert sample.renege is not None
    sample.write(home, pictures=False)
    url = f"/director/hands/{sample.hand}/rulings"
    answer = director.post(
        url, data={"card": sample.renege.card, "outcome": "confirmed", "why": " both   seen "}
    )
    assert answer.status_code == 303
    assert FolderSource(home).events(sample.hand)[-1].what == RulingMade(
        "confirmed", sample.renege.card, "both seen"
    )
    page = director.get(answer.headers["Location"]).text
    assert "ruled: confirmed" in page
    assert director.post(url, data={"outcome": "denied"}).status_code == 400, "nobody called"
    FolderWriter(home).append(sample.hand, RenegeCalled("N", "W"), "director")
    assert director.post(url, data={"outcome": "denied"}).status_code == 303


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"card": "nope", "change": "withdrawn"},
        {"card": "c1"},
        {"card": "c1", "change": "face", "face": "XX"},
        {"card": "c1", "change": "face", "face": "9S"},
        {"card": "c1", "change": "face"},
        {"card": "c1", "change": "seat", "seat": "Q"},
        {"card": "c1", "change": "before", "before": "c1"},
        {"card": "c1", "change": "before", "before": "../x"},
        {"card": "c1", "change": "drop table"},
    ],
)
def test_what_makes_no_sense_is_refused_and_not_recorded(
    director: FlaskClient, home: Path, sample: Sample, form: dict[str, str]
) -> None:
    sample.write(home, pictures=False)
    answer = director.post(f"/director/hands/{sample.hand}/corrections", data=form)
    assert answer.status_code == 400
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)


def test_other_sites_other_roles_and_readers_cannot_write(home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)
    source = FolderSource(home)
    url, data = f"/director/hands/{sample.hand}/corrections", {"card": "c1", "change": "withdrawn"}
    app = create_app(source, writer=FolderWriter(home))
    open_door = browser(app)
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil"},
    ):
        assert open_door.post(url, data=data, headers=headers).status_code == 403
    assert browser(app, "192.0.2.7").post(url, data=data).status_code == 403
    reader = browser(create_app(source))
    assert reader.post(url, data=data).status_code == 403
    assert '<form method="post"' not in reader.get(f"/director/hands/{sample.hand}").text
    assert len(FolderSource(home).events(sample.hand)) == len(sample.events)
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}, {}):
        assert open_door.post(url, data=data, headers=headers).status_code == 303
    assert open_door.post("/director/hands/none/corrections", data=data).status_code == 404
    assert open_door.post("/director/hands/../corrections", data=data).status_code in (404, 405)
    assert open_door.post(url, data={"why": "x" * 100_000}).status_code == 413


def test_a_full_disk_is_said_and_nothing_is_half_written(home: Path, sample: Sample) -> None:
    sample.write(home, pictures=False)

    class Full:
        def append(self, hand: str, what: object, by: str) -> None:
            raise OSError(28, "No space left on device")

    client = browser(create_app(FolderSource(home), writer=Full()))  # type: ignore[arg-type]
    answer = client.post(
        f"/director/hands/{sample.hand}/corrections", data={"card": "c1", "change": "withdrawn"}
    )
    assert answer.status_code == 503
    assert "No space left on device" in answer.text


def test_an_entry_that_the_store_does_not_take_is_on_record_all_the_same(
    home: Path, tmp_path: Path, sample: Sample, caplog: pytest.LogCaptureFixture
) -> None:
    """A folder copied in while the dashboard runs: the store does not know the hand."""
    sample.write(home, pictures=False)
    with closing(Store(tmp_path / "bookwatch.db")) as store:
        event = FolderWriter(home, store).append(sample.hand, Corrected("c1", withdrawn=True), "director")
        assert FolderSource(home).events(sample.hand)[-1] == event
        assert "not in the store yet" in caplog.text
        catch_up(home, store)
        assert store.events(sample.hand)[-1] == event
