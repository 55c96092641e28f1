"""The commands with a scripted eye: what they print, for people and for machines."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result
from device_samples import picture

from device.cli import main
from device.commands import photos
from device.commands.common import Progress
from device.handlog import HandLog
from engine.cards import ALL_FACES, face
from engine.events import (
    BidMade,
    BookClosed,
    CardLaid,
    CardTakenBack,
    Corrected,
    Event,
    HandStarted,
    Reading,
    RenegeCalled,
    RulingMade,
    TrumpNamed,
    What,
)
from engine.notation import event_to_json
from vision.simulator.choreography import Behaviours, play_hand
from vision.types import CLASSES, CardSeen, Floats, IndexBox, IndexRead


def seen(
    name: str, x: float, probability: float = 0.99, second: str = "KC", foreign: bool = False
) -> CardSeen:
    probabilities: Floats = np.zeros(len(CLASSES), np.float32)
    probabilities[ALL_FACES.index(face(second))] = 1 - probability
    probabilities[ALL_FACES.index(face(name))] = probability
    polygon = np.array([[x, 20], [x + 60, 20], [x + 60, 104], [x, 104]], np.float32)
    index = IndexRead(IndexBox((x + 8, 24), (x + 8, 40), 0.9), probabilities)
    return CardSeen(probabilities, polygon, (index,), foreign)


class Eye:
    def __init__(self, cards: list[CardSeen]) -> None:
        self.cards = cards

    def read(self, *_: Any) -> list[CardSeen]:
        return self.cards


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), picture(size=(800, 240)))
    return path


@pytest.fixture
def eye(monkeypatch: pytest.MonkeyPatch) -> None:
    faces = ["AH", "TH", "KH", "QH", "JH", "KS", "QS"]
    cards = [seen(name, 20 + 75 * n) for n, name in enumerate(faces)]
    cards += [seen("JD", 560, 0.7), seen("9C", 640, foreign=True)]
    monkeypatch.setattr(photos, "card_reader", lambda _: Eye(cards))


def run(tmp_path: Path, *arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ["--home", str(tmp_path / "home"), *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


@pytest.mark.usefixtures("eye")
def test_read_prints_every_card(tmp_path: Path, photo: Path) -> None:
    result = run(tmp_path, "read", photo)
    assert result.exit_code == 0
    assert f"{photo}: 9 cards" in result.output
    assert "JD  0.70" in result.output
    assert "or KC 0.30" in result.output
    assert "9C  0.99" in result.output
    assert "not of this deck" in result.output


@pytest.mark.usefixtures("eye")
def test_read_for_machines_has_polygons_and_indices(tmp_path: Path, photo: Path) -> None:
    bad = tmp_path / "bad.jpg"
    bad.write_text("no picture")
    marked = tmp_path / "marked"
    result = run(tmp_path, "read", bad, photo, "--json", "--annotate", marked)
    assert result.exit_code == 2
    error, data = (json.loads(line) for line in result.stdout.splitlines())
    assert error["error"]["where"] == str(bad)
    assert (data["width"], data["height"], len(data["cards"])) == (800, 240, 9)
    card = data["cards"][0]
    assert card["face"] == "AH"
    assert card["polygon"] == [[20, 20], [80, 20], [80, 104], [20, 104]]
    assert card["indices"][0]["read"] == "AH"
    assert card["indices"][0]["top"] == [28, 24]
    assert cv2.imread(str(marked / "table.read.jpg")).shape == (240, 800, 3)


@pytest.mark.usefixtures("eye")
def test_meld_counts_group_by_group(tmp_path: Path, photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(tmp_path, "meld", photo, "--trump", "h")
    lines = [line.strip() for line in result.output.splitlines()]
    assert result.exit_code == 0
    assert "21 meld with hearts trump, 8 cards" in lines
    assert "15  run: AH TH KH QH JH" in lines
    assert "4  pinochle: QS JD" in lines
    assert "2  marriage in spades: KS QS" in lines
    assert "unsure: JD 0.70 (or KC: please check)" in lines
    assert "unsure: 9C 0.99 (not of this deck, left out)" in lines
    assert (tmp_path / "table.meld.jpg").is_file()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.usefixtures("eye")
def test_meld_without_a_trump_says_what_each_would_give(tmp_path: Path, photo: Path) -> None:
    result = run(tmp_path, "meld", photo, "--no-picture", "--json")
    data = json.loads(result.stdout)
    [player] = data["players"]
    assert player["total"] == 8  # pinochle and two marriages, none royal
    assert player["total_by_trump"] == {"S": 10, "H": 21, "D": 8, "C": 8}
    assert [card["face"] for card in player["unsure"]] == ["JD", "9C"]
    assert data["picture"] is None


@pytest.mark.usefixtures("eye")
def test_meld_by_seats_needs_a_calibrated_table(tmp_path: Path, photo: Path) -> None:
    result = run(tmp_path, "meld", photo, "--players", "seats")
    assert result.exit_code == 2
    assert "table.corners" in result.stderr


def test_meld_of_an_empty_table_says_how_to_do_better(
    tmp_path: Path, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photos, "card_reader", lambda _: Eye([]))
    assert "no card was found" in run(tmp_path, "meld", photo, "--no-picture").output


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    events = play_hand(7, Behaviours(reneges=("FOLLOW",), corrections=1)).events
    path.write_text("".join(event_to_json(event) + "\n" for event in events))
    return path


def test_judge_prints_books_meld_renege_and_score(tmp_path: Path, log: Path) -> None:
    result = run(tmp_path, "judge", log)
    assert result.exit_code == 0
    assert sum(line.startswith("Book ") for line in result.output.splitlines()) == 20
    assert "PROVEN: " in result.output
    assert "CORRECTED: " in result.output
    assert "Score: " in result.output


def test_judge_for_machines_and_by_folder(tmp_path: Path, log: Path) -> None:
    data = json.loads(run(tmp_path, "judge", log.parent, "--json").stdout)
    assert len(data["books"]) == 20
    assert sum(data["points"].values()) == 50
    [proven] = [flag for flag in data["flags"] if flag["status"] == "proven"]
    assert proven["proof"]["seat"] == proven["seat"] == proven["card"]["seat"]
    assert proven["clauses"]
    assert data["score"]["result"] in ("made", "set")
    assert data["problems"] == []


def test_judge_tells_calls_rulings_corrections_and_exposed_cards(tmp_path: Path) -> None:
    """South takes the queen of clubs back, then leads another card while it lies exposed (LV-83)."""
    plays = "a N AS,b E JS,c S QC,-c,d S QS,e W KS"
    whats: list[What] = [HandStarted("h", "lv", "W"), BidMade("N", "50"), TrumpNamed("H", "N")]
    for play in plays.split(","):
        if play.startswith("-"):
            whats.append(CardTakenBack(play[1:]))
        else:
            card, seat, name = play.split()
            whats.append(CardLaid(card, seat, Reading(face(name))))  # type: ignore[arg-type]
    whats += [BookClosed(1, "turned"), CardLaid("f", "N", Reading(face("JC")))]
    whats += [CardLaid("g", "E", Reading(face("AC"))), CardLaid("h", "S", Reading(face("KC")))]
    whats += [Corrected("h", face=face("TC"), why="seen by me"), RenegeCalled("N", "E", "follow suit")]
    whats += [RulingMade("denied", None, "nothing shown")]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(event_to_json(Event(n, n, w)) + "\n" for n, w in enumerate(whats, 1)))
    said = run(tmp_path, "judge", path).output
    assert "EXPOSED CARD: Book 2: South laid the ten of clubs although the exposed queen of clubs" in said
    assert "CALL (event 15): North against East, follow suit." in said
    assert "RULING (event 16): denied, on the last call. Why: nothing shown" in said
    assert "card h is the ten of clubs. Why: seen by me" in said
    data = json.loads(run(tmp_path, "judge", path, "--json").output)
    assert [c["by"] for c in data["calls"]] == ["N"]
    assert [r["outcome"] for r in data["rulings"]] == ["denied"]
    assert [d["card"] for d in data["exposures"]] == ["c"]


def test_recover_sets_a_torn_line_aside(tmp_path: Path) -> None:
    log = HandLog.start(tmp_path / "home" / "hands", HandStarted("h1", "lv"))
    with open(log.path, "ab") as file:
        file.write(b'{"v":1')
    result = run(tmp_path, "recover", "--json")
    data = json.loads(result.stdout)
    assert data["hands"] == 1
    assert "log.jsonl.torn-1" in data["notes"][0]
    assert "all level" in run(tmp_path, "recover").output


def test_a_reader_that_goes_away_ends_no_server(tmp_path: Path) -> None:
    """A pipe or a browser that closes raises an error where it is written to; it kills nothing."""
    run(tmp_path, "rules", "list")
    assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN


def test_rules_are_listed_and_shown(tmp_path: Path) -> None:
    names = [item["name"] for item in json.loads(run(tmp_path, "rules", "list", "--json").stdout)]
    assert "LV" in names
    assert run(tmp_path, "rules", "list").output.split()[0] in names
    shown = json.loads(run(tmp_path, "rules", "show", "lv", "--json").stdout)
    assert shown["values"]["meld.board"] == {"is": 20, "from": ["LV-02"]}
    assert "  20  [LV-02]" in run(tmp_path, "rules", "show", "lv").output


def test_simulate_writes_video_truth_and_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vision.simulator import table as simulated

    monkeypatch.setattr(simulated.SimulatedTable, "frame_count", property(lambda _: 3))
    out = tmp_path / "hand.mp4"
    result = run(
        tmp_path,
        "simulate",
        out,
        "--seed",
        "7",
        "--renege",
        "follow",
        "--width",
        "640",
        "--height",
        "360",
        "--json",
    )
    data = json.loads(result.stdout)
    assert data["seed"] == 7
    capture = cv2.VideoCapture(str(out))
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == 3
    capture.release()
    assert sorted(p.name for p in tmp_path.glob("*hand*")) == [
        "hand.mp4",
        "hand.table.json",
        "hand.truth.jsonl",
    ]
    assert not list(tmp_path.glob(".*"))
    judged = json.loads(run(tmp_path, "judge", out.with_suffix(".truth.jsonl"), "--json").stdout)
    assert sum(flag["status"] == "proven" for flag in judged["flags"]) == 1


def test_progress_says_a_line_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("device.commands.common.time.monotonic", lambda: clock[0])
    progress = Progress("pictures", 200)
    for done in range(1, 101):
        clock[0] += 0.5
        progress.step(done)
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 5
    assert shown[0] == "pictures: 20 of 200 (10 %), 90 s left"
