"""Bad input to the real command in a process of its own: a message, exit code 2, nothing half-written."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cameras import read_picture
from engine.notation import event_to_json
from vision.simulator.choreography import play_hand

CORNERS = ["--corners", "40,20 280,20 280,220 40,220"]


def bookwatch(home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "device", "--home", str(home), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def no_hand(home: Path) -> None:
    assert not list(home.glob("hands/*"))
    assert not list(home.glob("hands/.*"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_a_text_file_named_mp4(tmp_path: Path, home: Path) -> None:
    letter = tmp_path / "letter.mp4"
    letter.write_text("dear director,\n")
    refused(bookwatch(home, "watch", letter, *CORNERS), str(letter), "text file", "Copy")
    no_hand(home)


def test_a_video_without_its_end(home: Path, mp4: Path, cut: Callable[[Path, float], Path]) -> None:
    refused(bookwatch(home, "watch", cut(mp4, 0.6), *CORNERS), "cut.mp4", "cut short")
    no_hand(home)


def test_an_empty_folder(tmp_path: Path, home: Path) -> None:
    (tmp_path / "empty").mkdir()
    refused(bookwatch(home, "watch", tmp_path / "empty", *CORNERS), "no picture in this folder", ".jpg")
    no_hand(home)


def test_a_source_that_is_not_there(home: Path) -> None:
    refused(bookwatch(home, "watch", "nowhere.mp4"), "nowhere.mp4", "no such file")
    no_hand(home)


def test_a_simulated_table_that_cannot_be(home: Path) -> None:
    refused(bookwatch(home, "watch", "sim:seven"), "sim:seven", "not a seed", "sim:7")
    no_hand(home)


@pytest.mark.parametrize("command", [["watch", "sim:7"], ["meld", "x.jpg"], ["judge"], ["rules", "show"]])
def test_an_unknown_rule_set(tmp_path: Path, home: Path, command: list[str]) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(event_to_json(event) + "\n" for event in play_hand(7).events))
    last = {"judge": [str(log), "--ruleset", "lx"], "rules": ["lx"]}.get(command[0], ["--ruleset", "lx"])
    refused(bookwatch(home, *command, *last), "no rule set 'lx'", "LV")
    no_hand(home)


def test_a_log_of_an_unknown_rule_set(tmp_path: Path, home: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = [event_to_json(event) for event in play_hand(7).events]
    log.write_text("\n".join([lines[0].replace('"lv"', '"xx"'), *lines[1:]]) + "\n")
    refused(bookwatch(home, "judge", log), f"{log}, line 1", "no rule set 'xx'", "--ruleset")
    assert bookwatch(home, "judge", log, "--ruleset", "lv").returncode == 0


@pytest.mark.parametrize("whole_lines_follow", [False, True])
def test_a_log_with_a_line_cut_in_half(tmp_path: Path, home: Path, whole_lines_follow: bool) -> None:
    log = tmp_path / "log.jsonl"
    lines = [event_to_json(event) + "\n" for event in play_hand(7).events]
    rest = lines[60:] if whole_lines_follow else []
    before = "".join(lines[:59]) + lines[59][:30] + ("\n" if rest else "") + "".join(rest)
    log.write_text(before)
    refused(bookwatch(home, "judge", log), f"{log}, line 60", "delete")
    assert log.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


def test_pictures_that_are_none(tmp_path: Path, home: Path) -> None:
    text, black = tmp_path / "text.jpg", tmp_path / "black.jpg"
    text.write_text("no picture")
    cv2.imwrite(str(black), np.zeros((240, 320, 3), np.uint8))
    refused(bookwatch(home, "meld", text), str(text), "text file")
    refused(bookwatch(home, "meld", black), str(black), "black")
    refused(bookwatch(home, "meld", tmp_path / "none.jpg"), "none.jpg", "cannot be read")
    refused(bookwatch(home, "meld", tmp_path), str(tmp_path), "a folder, not a picture", "bookwatch watch")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["black.jpg", "text.jpg"]


def _declares(width: int, height: int) -> bytes:
    """The head of a PNG of this size, in black and white, with nothing in it."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("side", [20_000, 40_000])
def test_a_small_file_that_declares_a_huge_picture(tmp_path: Path, home: Path, side: int) -> None:
    bomb = tmp_path / "bomb.png"
    bomb.write_bytes(_declares(side, side))
    refused(bookwatch(home, "read", bomb), str(bomb), "too large", "million pixels")


def test_a_phones_heic(tmp_path: Path, home: Path) -> None:
    photo = tmp_path / "IMG 1.HEIC"
    photo.write_bytes(b"\0\0\0\x18ftypheic" + bytes(300))
    refused(bookwatch(home, "read", photo), str(photo), "HEIC", "export it as JPEG")


def test_meld_of_a_picture_without_cards_is_an_error_and_no_zero(tmp_path: Path, home: Path) -> None:
    photo = tmp_path / "cloth.png"
    cv2.imwrite(str(photo), np.full((200, 300, 3), 90, np.uint8))
    done = bookwatch(home, "meld", photo, "--picture", tmp_path / "marked.jpg", "--json")
    refused(done, str(photo), "no card was found", "from above")
    assert not (tmp_path / "marked.jpg").exists()


@pytest.mark.parametrize("sixteen_bits", [False, True])
def test_grey_and_sixteen_bit_pictures_are_read(tmp_path: Path, sixteen_bits: bool) -> None:
    grey = np.random.default_rng(1).integers(0, 255, (120, 160)).astype(np.uint8)
    photo = tmp_path / "a grey one.png"
    cv2.imwrite(str(photo), grey.astype(np.uint16) * 257 if sixteen_bits else grey)
    assert np.array_equal(read_picture(photo)[..., 0], grey)
    assert read_picture(photo).dtype == np.uint8


def test_a_strip_holds_no_card(tmp_path: Path, home: Path) -> None:
    strip = tmp_path / "thin.png"
    cv2.imwrite(str(strip), np.full((2, 3000, 3), 90, np.uint8))
    done = bookwatch(home, "read", strip)
    assert (done.returncode, done.stdout) == (0, f"{strip}: 0 cards\n"), done.stderr


def test_a_setting_that_is_none(tmp_path: Path, home: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[web]\nprot = 1\n")
    refused(bookwatch(home, "--config", config, "serve"), f"{config}, line 2", "web.prot", "web.port")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("web = 3", ["line 1", "[web]"]),
        ("[table]\ncorners = [[1, 2], [3, 4]]", ["line 2", "four points"]),
        ('[game]\nruleset = "zz"', ["line 2", "no rule set 'zz': choose from EC"]),
        ("[store]\nfolder = 7", ["line 2", "a path in quotes"]),
        ('[web]\nhost = ""', ["line 2", "empty"]),
    ],
)
def test_a_setting_of_the_wrong_kind(tmp_path: Path, home: Path, text: str, words: list[str]) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text + "\n")
    done = bookwatch(home, "--config", config, "doctor")
    refused(done, str(config), *words)
    assert "pathlib" not in done.stderr
    assert "alue error" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reda", "x.jpg"], ["no such command 'reda'", "'read'", "bookwatch --help"]),
        (["--frob"], ["--frob", "bookwatch --help"]),
        (["meld", "--json"], ["PHOTO", "bookwatch meld --help"]),
        (["audit", "log.jsonl", "a.jpg", "--json"], ["--team", "NS, EW", "bookwatch audit --help"]),
        (["rules", "show"], ["NAME", "bookwatch rules show --help"]),
        (["serve", "--json", "--port", "70000"], ["70000", "bookwatch serve --help"]),
    ],
)
def test_what_was_typed_wrong_is_told_in_one_sentence(
    home: Path, arguments: list[str], words: list[str]
) -> None:
    done = bookwatch(home, *arguments)
    refused(done, "bookwatch: ", *words)
    if "--json" in arguments:
        assert "--help" in json.loads(done.stdout)["error"]["do"]
    else:
        assert not done.stdout


def test_no_room_for_the_output(home: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "device", "--home", str(home), "rules", "show", "LV", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    refused(done, "output", "no space left", "disk")


def test_a_place_that_cannot_be_written(tmp_path: Path, home: Path) -> None:
    photo, file = tmp_path / "a.png", tmp_path / "file"
    cv2.imwrite(str(photo), np.full((200, 300, 3), 90, np.uint8))
    file.write_text("in the way")
    refused(
        bookwatch(home, "read", photo, "--annotate", file / "marks"), str(file / "marks"), "not a directory"
    )
    refused(bookwatch(file, "recover"), str(file / "bookwatch.db"), "its folder is a file")


def test_a_log_with_a_mark_of_its_encoding(tmp_path: Path, home: Path) -> None:
    log = tmp_path / "log.jsonl"
    text = "".join(event_to_json(event) + "\n" for event in play_hand(7).events)
    log.write_text(text, encoding="utf-8-sig")
    done = bookwatch(home, "judge", log)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Hand sim-7.")


def test_machines_get_the_error_as_json(home: Path) -> None:
    done = bookwatch(home, "judge", "nowhere.jsonl", "--json")
    refused(done, "nowhere.jsonl")
    assert "nowhere.jsonl" in json.loads(done.stdout)["error"]["what"]


def test_debug_shows_the_trace(home: Path) -> None:
    done = bookwatch(home, "judge", "nowhere.jsonl", "--debug")
    assert done.returncode != 0
    assert "Traceback" in done.stderr


def test_a_port_in_use(home: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused(bookwatch(home, "serve", "--port", str(port)), f"127.0.0.1:{port}", "--port")


@pytest.mark.parametrize("host", ["nonsense.invalid", "203.0.113.5"])
def test_an_address_that_is_not_this_machines(home: Path, host: str) -> None:
    done = bookwatch(home, "serve", "--host", host, "--port", "0")
    refused(done, f"{host}:0", "address of this machine", "--host")
    assert "--port" not in done.stderr


def test_simulate_refuses_other_formats_and_places(tmp_path: Path, home: Path) -> None:
    refused(bookwatch(home, "simulate", tmp_path / "hand.gif"), "hand.gif", "hand.mp4")
    missing = tmp_path / "file" / "hand.mp4"
    (tmp_path / "file").write_text("a file is in the way")
    refused(bookwatch(home, "simulate", missing, "--seed", "7"), str(missing), "no such folder")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
