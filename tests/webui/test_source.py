from __future__ import annotations

import threading
import time
from pathlib import Path

from webui_samples import Sample, make

from engine import notation
from engine.events import HandEnded
from webui.source import FolderSource


def source(home: Path) -> FolderSource:
    return FolderSource(home, poll=0.0)


def test_no_folder_yet_is_no_hand(tmp_path: Path) -> None:
    empty = source(tmp_path / "nothing")
    assert empty.hands() == []
    assert empty.cursor() == 0
    assert empty.events("x") == []
    assert empty.seen("x") is None


def test_follows_a_log_as_it_grows(home: Path, sample: Sample) -> None:
    follows = source(home)
    seen = 0
    for upto in range(1, len(sample.events) + 1, 13):
        sample.write(home, upto, pictures=False)
        fresh = follows.since(seen)
        assert [a.event for a in fresh] == sample.events[seen:upto]
        assert [a.id for a in fresh] == list(range(seen + 1, upto + 1))
        seen = follows.cursor()
    sample.write(home, pictures=False)
    assert follows.events(sample.hand) == sample.events
    assert follows.events(sample.hand, after=100) == sample.events[100:]


def test_a_half_written_line_waits_for_its_end(home: Path, sample: Sample) -> None:
    folder = sample.write(home, 5, pictures=False)
    follows = source(home)
    assert follows.cursor() == 5
    line = notation.event_to_json(sample.events[5]) + "\n"
    with (folder / "log.jsonl").open("a") as log:
        log.write(line[:20])
        log.flush()
        assert follows.cursor() == 5
        assert follows.hands()[0].problem is None
        log.write(line[20:])
    assert follows.events(sample.hand) == sample.events[:6]


def test_a_damaged_line_is_named_and_what_stands_before_it_kept(home: Path, sample: Sample) -> None:
    folder = sample.write(home, 5, pictures=False)
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"v": 1, "seq": 6, "ki\n')
    follows = source(home)
    assert follows.events(sample.hand) == sample.events[:5]
    problem = follows.hands()[0].problem
    assert problem is not None
    assert f"{sample.hand}/log.jsonl, line 6" in problem


def test_newest_hand_first_and_unfinished_folders_hidden(home: Path) -> None:
    for seed in (3, 1):
        make(seed, hand=f"h{seed}").write(home, pictures=False)
    (home / ".draft").mkdir()
    (home / ".draft" / "log.jsonl").write_text("not yet\n")
    later = make(2, hand="h2")
    text = "".join(notation.event_to_json(e) + "\n" for e in later.events).replace("T14:", "T15:")
    (home / "h2").mkdir()
    (home / "h2" / "log.jsonl").write_text(text)
    hands = source(home).hands()
    assert hands[0].hand == "h2"
    assert {h.hand for h in hands} == {"h1", "h2", "h3"}
    assert all(h.ended and h.table == "Table 1" and h.ruleset == "lv" for h in hands)


def test_wait_wakes_for_a_new_event_and_gives_up_in_time(home: Path, sample: Sample) -> None:
    sample.write(home, 3, pictures=False)
    follows = FolderSource(home, poll=0.02)
    assert follows.wait(2, 5) is True
    start = time.monotonic()
    assert follows.wait(3, 0.1) is False
    assert 0.09 < time.monotonic() - start < 2
    timer = threading.Timer(0.1, lambda: sample.write(home, 4, pictures=False))
    timer.start()
    assert follows.wait(3, 5) is True
    timer.join()


def test_pictures_only_those_the_record_names(home: Path, sample: Sample) -> None:
    folder = sample.write(home)
    follows = source(home)
    named = next(iter(sample.pictures))
    assert follows.picture(sample.hand, named) == (folder / named).resolve()
    (folder / "pictures" / "other.jpg").write_bytes(b"x")
    for path in ("pictures/other.jpg", "log.jsonl", "../secret", "/etc/passwd", "pictures/../log.jsonl", ""):
        assert follows.picture(sample.hand, path) is None
    assert follows.picture("..", named) is None
    (folder / named).unlink()
    assert follows.picture(sample.hand, named) is None


def test_a_log_that_names_a_file_outside_its_folder_opens_nothing(home: Path, sample: Sample) -> None:
    (home / "secret.jpg").write_bytes(b"x")
    folder = sample.write(home, pictures=False)
    log = folder / "log.jsonl"
    log.write_text(log.read_text().replace("pictures/c01.jpg", "../secret.jpg"))
    assert source(home).picture(sample.hand, "../secret.jpg") is None


def test_sign_of_life(home: Path, sample: Sample) -> None:
    folder = sample.write(home, pictures=False)
    follows = source(home)
    follows.hands()
    assert follows.seen(sample.hand) is None
    (folder / "alive").touch()
    seen = follows.seen(sample.hand)
    assert seen is not None
    assert abs(seen - time.time()) < 5


def test_a_replaced_log_is_read_anew(home: Path, sample: Sample) -> None:
    sample.write(home, 20, pictures=False)
    follows = source(home)
    assert follows.cursor() == 20
    log = home / sample.hand / "log.jsonl"
    log.unlink()
    sample.write(home, 8, pictures=False)
    assert follows.events(sample.hand) == sample.events[:8]
    assert not any(isinstance(e.what, HandEnded) for e in follows.events(sample.hand))
