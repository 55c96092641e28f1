"""The round's clock: what the director enters, what everybody is shown, and who may not touch it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webui_samples import Sample, browser, make

from device.handlog import HandLog
from device.pins import hash_of
from engine.events import Event, HandStarted, RoundClock, Undone
from webui.app import create_app
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

ELSEWHERE = "192.0.2.7"


@pytest.fixture
def director(home: Path) -> FlaskClient:
    return browser(create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home)))


def step(client: FlaskClient, what: str, **form: str) -> int:
    return client.post("/director/round", data={"what": what, **form}).status_code


def clock(client: FlaskClient, table: str = "Table 1") -> dict[str, object]:
    answer = client.get(f"/api/v1/table/{table}").json["round_clock"]
    assert abs(datetime.fromisoformat(answer.pop("server_time")) - datetime.now(UTC)) < timedelta(seconds=30)
    return answer  # type: ignore[no-any-return]


def entries(home: Path, hand: str) -> list[Event]:
    return [e for e in FolderSource(home).events(hand) if isinstance(e.what, RoundClock)]


def started(folder: Path, minutes_ago: float, minutes: int = 55) -> None:
    """As if the director had started the clock some time ago."""
    utc = (datetime.now(UTC) - timedelta(minutes=minutes_ago)).isoformat()
    HandLog(folder).append(RoundClock("started", minutes), 0.0, "director", utc)


def test_a_round_is_started_paused_and_ended(director: FlaskClient, home: Path, sample: Sample) -> None:
    sample.write(home, 12, pictures=False)
    assert clock(director) == {"state": "not_started", "minutes": None, "seconds_left": None}
    assert "not started" in director.get("/table/Table 1").text
    page = director.get(f"/director/hands/{sample.hand}").text
    assert 'name="minutes" type="number" inputmode="numeric" min="1" max="600" required value="55"' in page
    assert step(director, "started", hand=sample.hand, minutes="55") == 303
    running = clock(director)
    assert (running["state"], running["minutes"]) == ("running", 55)
    assert 54 * 60 < float(str(running["seconds_left"])) <= 55 * 60
    assert 'data-clock="running" data-minutes="55" data-left="3300000"' in director.get("/").text
    assert step(director, "paused", hand=sample.hand) == 303
    assert clock(director)["state"] == "paused"
    assert clock(director)["seconds_left"] == clock(director)["seconds_left"]
    assert step(director, "resumed", hand=sample.hand) == 303
    assert step(director, "ended", hand=sample.hand) == 303
    assert clock(director)["state"] == "over"
    assert [e.what for e in entries(home, sample.hand)] == [
        RoundClock("started", 55), RoundClock("paused"), RoundClock("resumed"), RoundClock("ended"),
    ]  # fmt: skip
    assert {e.by for e in entries(home, sample.hand)} == {"director"}
    trail = director.get(f"/director/hands/{sample.hand}").text
    assert "The round begins, 55 minutes" in trail
    assert director.get(f"/director/hands/{sample.hand}/sheet").status_code == 200


def test_it_runs_out_with_a_warning_before(director: FlaskClient, home: Path, sample: Sample) -> None:
    folder = sample.write(home, 12, pictures=False)
    for ago, state in ((49, "running"), (51, "last_minutes"), (56, "over")):
        started(folder, ago)
        assert clock(director)["state"] == state
    assert clock(director)["seconds_left"] == 0
    assert step(director, "paused", hand=sample.hand) == 400
    assert step(director, "started", hand=sample.hand, minutes="20") == 303, "the next round"
    assert clock(director)["minutes"] == 20


def test_a_clock_of_another_day_is_none(director: FlaskClient, home: Path, sample: Sample) -> None:
    started(sample.write(home, 12, pictures=False), 13 * 60)
    assert clock(director)["state"] == "not_started"


def test_it_goes_on_over_hands_and_is_one_tables_alone(
    director: FlaskClient, home: Path, sample: Sample
) -> None:
    sample.write(home, pictures=False)
    make(12, hand="other", table="Table 2", renege=False).write(home, 12, pictures=False)
    assert step(director, "started", hand=sample.hand, minutes="40") == 303
    following = HandLog.start(home, HandStarted("next", "LV", "E", "Table 1"))
    assert clock(director)["minutes"] == 40
    assert clock(director, "Table 2")["state"] == "not_started"
    following.append(RoundClock("paused"), 0.0, "director")
    assert clock(director)["state"] == "paused"
    assert step(director, "resumed", hand=sample.hand) == 303
    assert entries(home, "next")[-1].what == RoundClock("resumed"), "it stands where the table plays now"


def test_all_tables_are_started_at_once(director: FlaskClient, home: Path, sample: Sample) -> None:
    assert step(director, "started", minutes="30") == 404, "no hand is recorded yet"
    assert "clock-form" not in director.get("/director/").text
    sample.write(home, 12, pictures=False)
    make(12, hand="other", table="Table 2", renege=False).write(home, 12, pictures=False)
    assert step(director, "started", hand="other", minutes="30") == 303
    assert step(director, "started", minutes="50") == 303
    assert clock(director)["minutes"] == 50
    assert clock(director, "Table 2")["minutes"] == 30, "it was running already"
    assert step(director, "started", minutes="50") == 400
    assert step(director, "paused") == 303
    assert {clock(director, table)["state"] for table in ("Table 1", "Table 2")} == {"paused"}
    page = director.get("/director/").text
    assert page.count('data-clock="paused"') == 2
    assert ">Go on</button>" in page
    assert ">Pause</button>" not in page


def test_undone_it_is_as_before(director: FlaskClient, home: Path, sample: Sample) -> None:
    sample.write(home, 12, pictures=False)
    step(director, "started", hand=sample.hand, minutes="55")
    step(director, "ended", hand=sample.hand)
    last = entries(home, sample.hand)[-1].seq
    answer = director.post(f"/director/hands/{sample.hand}/undo", data={"entry": str(last)})
    assert answer.status_code == 303
    assert FolderSource(home).events(sample.hand)[-1].what == Undone(last)
    assert clock(director)["state"] == "running"


@pytest.mark.parametrize("minutes", ["", "0", "601", "-5", "5.5", "fifty", "٥٥", "9999", "1e2", " "])
def test_minutes_that_are_none_are_refused(
    director: FlaskClient, home: Path, sample: Sample, minutes: str
) -> None:
    sample.write(home, 12, pictures=False)
    answer = director.post("/director/round", data={"what": "started", "minutes": minutes})
    assert answer.status_code == 400
    assert "1 to 600 whole minutes" in answer.text
    assert entries(home, sample.hand) == []


def test_what_cannot_be_done_is_refused(director: FlaskClient, home: Path, sample: Sample) -> None:
    sample.write(home, 12, pictures=False)
    for what in ("", "begun", "started\n", "resumed", "paused", "ended"):
        assert step(director, what, minutes="55") == 400, what
    assert step(director, "started", hand="../x", minutes="55") == 404
    assert step(director, "started", hand=sample.hand, minutes="55") == 303
    assert step(director, "started", hand=sample.hand, minutes="55") == 400
    assert len(entries(home, sample.hand)) == 1
    reader = browser(create_app(FolderSource(home, poll=0.0)))
    assert step(reader, "ended", hand=sample.hand) == 403
    assert "clock-form" not in reader.get("/director/").text


def test_a_form_sent_twice_counts_once(director: FlaskClient, home: Path, sample: Sample) -> None:
    sample.write(home, 12, pictures=False)
    form = {"hand": sample.hand, "minutes": "55", "entries": f"{sample.hand}:12"}
    assert [step(director, "started", **form) for _ in range(2)] == [303, 303]
    assert len(entries(home, sample.hand)) == 1


def test_a_full_disk_is_told_and_nothing_is_changed(home: Path, sample: Sample) -> None:
    class Full(FolderWriter):
        def append(self, hand: str, what: object, by: object) -> Event:
            raise OSError(28, "No space left on device")

    sample.write(home, 12, pictures=False)
    client = browser(create_app(FolderSource(home, poll=0.0), writer=Full(home)))
    answer = client.post("/director/round", data={"what": "started", "minutes": "55"})
    assert answer.status_code == 503
    assert "No space left on device; nothing was recorded" in answer.text
    assert clock(client)["state"] == "not_started"


@pytest.mark.parametrize("role", ["player", "scorekeeper"])
def test_lower_roles_see_it_and_cannot_touch_it(home: Path, sample: Sample, role: str) -> None:
    started(sample.write(home, 12, pictures=False), 1)
    keys = Keys(b"s" * 32, hash_of("director-pin"), hash_of("4711"))
    app: Flask = create_app(FolderSource(home, poll=0.0), writer=FolderWriter(home), keys=keys)
    client = browser(app, ELSEWHERE)
    if role == "scorekeeper":
        assert client.post("/sign-in", data={"pin": "4711"}).status_code == 303
    for what in ("started", "paused", "resumed", "ended"):
        assert step(client, what, hand=sample.hand, minutes="5") == 403
        assert step(client, what, minutes="5") == 403
    assert len(entries(home, sample.hand)) == 1
    assert clock(client)["state"] == "running"
    assert "clock-form" not in client.get("/").text


def test_older_logs_have_no_clock_and_are_read_as_before(director: FlaskClient, home: Path) -> None:
    folder = home / "old"
    folder.mkdir()
    line = '{"v":1,"seq":1,"at":0.0,"source":"system","kind":"hand_started","hand":"old","ruleset":"NP"}\n'
    (folder / "log.jsonl").write_text(line)
    assert director.get("/api/v1/table").json["round_clock"]["state"] == "not_started"
    assert "Round clock" not in director.get("/").text, "these rules have no time"
    page = director.get("/director/hands/old").text
    assert 'required value="60"' in page
