from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from device.errors import UserError
from device.store import MIGRATIONS, Store
from engine.cards import face
from engine.events import BooksAudited, CardLaid, Event, HandEnded, HandStarted, Reading


def hand(folder: Path, count: int = 3) -> list[Event]:
    laid = [
        Event(n, float(n), CardLaid(f"c{n}", "N", Reading(face("TH"), 0.9, picture=f"pictures/c{n}.jpg")))
        for n in range(2, count + 1)
    ]
    started = HandStarted(folder.name, "lv", "E", "table-1")
    return [Event(1, 0.0, started, "system", "2026-11-30T10:00:00Z"), *laid]


def test_what_is_stored_comes_back_in_order(store: Store, tmp_path: Path) -> None:
    events = hand(tmp_path / "h1", 5)
    store.append(tmp_path / "h1", events)
    assert store.events("h1") == events
    assert store.events("h1", after=3) == events[3:]
    [row] = store.hands()
    assert (row.hand, row.table, row.events, row.ended, row.folder) == (
        "h1", "table-1", 5, False, tmp_path / "h1",
    )  # fmt: skip
    store.append(tmp_path / "h1", [Event(6, 9.0, HandEnded())])
    ended = store.hand("h1")
    assert ended is not None
    assert ended.ended
    assert store.hand("h2") is None


def test_storing_again_changes_nothing(store: Store, tmp_path: Path) -> None:
    events = hand(tmp_path / "h1")
    store.append(tmp_path / "h1", events)
    store.append(tmp_path / "h1", events)
    assert store.events("h1") == events
    assert store.cursor() == len(events)


@pytest.mark.parametrize("statement", ["UPDATE events SET line = '{}'", "DELETE FROM events"])
def test_an_event_cannot_be_changed_or_deleted(store: Store, tmp_path: Path, statement: str) -> None:
    store.append(tmp_path / "h1", hand(tmp_path / "h1"))
    other = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(statement)
    other.close()
    assert len(store.events("h1")) == 3


def test_readers_cannot_write(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store._reader().execute("DELETE FROM hands")


def test_an_event_without_its_hand_is_refused_whole(store: Store, tmp_path: Path) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        store.append(tmp_path / "h1", hand(tmp_path / "h1")[1:])
    assert store.cursor() == 0
    store.append(tmp_path / "h1", hand(tmp_path / "h1"))  # and the store still works
    assert store.cursor() == 3


def test_waiting_wakes_for_a_new_event(store: Store, tmp_path: Path) -> None:
    assert not store.wait(0, timeout=0.01)
    later = threading.Timer(0.05, store.append, (tmp_path / "h1", hand(tmp_path / "h1")))
    later.start()
    assert store.wait(0, timeout=5)
    later.join()
    assert [stored.event.seq for stored in store.since(0)] == [1, 2, 3]
    assert [stored.id for stored in store.since(1, limit=1)] == [2]


def test_another_process_is_seen_too(store: Store, tmp_path: Path) -> None:
    other = Store(store.path)
    other.append(tmp_path / "h1", hand(tmp_path / "h1"))
    other.close()
    assert store.wait(0, timeout=1, poll=0.01)


def test_many_threads_write_and_read(store: Store, tmp_path: Path) -> None:
    def write(name: str) -> None:
        for event in hand(tmp_path / name, 20):
            store.append(tmp_path / name, [event])
            store.events(name)

    threads = [threading.Thread(target=write, args=(f"h{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((row.hand, row.events) for row in store.hands()) == [(f"h{n}", 20) for n in range(4)]


def test_pictures_are_given_only_by_names_an_event_knows(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "h1"
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "c2.jpg").write_bytes(b"x")
    (tmp_path / "secret").write_text("no")
    store.append(folder, hand(folder))
    escape = Reading(face("AS"), picture="../secret")
    store.append(folder, [Event(4, 4.0, CardLaid("c9", "N", escape))])
    assert store.picture("h1", "pictures/c2.jpg") == (folder / "pictures" / "c2.jpg").resolve()
    assert store.picture("h1", "pictures/c3.jpg") is None  # named, but lost
    assert store.picture("h1", "log.jsonl") is None
    assert store.picture("h1", "../secret") is None


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(UserError, match="newer Bookwatch"):
        Store(path)


def test_a_store_that_is_none_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "bad.db"
    path.write_text("this is no database, but it is long enough to look at " * 40)
    with pytest.raises(UserError, match="cannot be opened") as caught:
        Store(path)
    assert "bookwatch recover" in caught.value.do


def test_the_pictures_of_an_audit_are_known(tmp_path: Path) -> None:
    folder = tmp_path / "hands" / "h1"
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "audit.jpg").write_bytes(b"x")
    store = Store(tmp_path / "bookwatch.db")
    audit = BooksAudited("NS", ((), ()), ("pictures/audit.jpg", ""))
    store.append(folder, [Event(1, 0.0, HandStarted("h1", "lv")), Event(2, 1.0, audit, "director")])
    assert store.picture("h1", "pictures/audit.jpg") == folder / "pictures" / "audit.jpg"
    assert store.picture("h1", "") is None
    store.close()
