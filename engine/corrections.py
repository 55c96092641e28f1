"""The log as it should have been recorded: corrections and revised readings put in their places.

`resolve` is what makes a correction equal to having recorded it right at first: everything after
it works on its result alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from engine.cards import Seat
from engine.events import (
    CardExposed,
    CardLaid,
    CardTakenBack,
    Corrected,
    Event,
    HandStarted,
    MeldLaid,
    MeldRemoved,
    PlaceRevised,
    Reading,
    ReadingRevised,
    Undone,
    What,
)

Report: TypeAlias = Callable[[int, str, str], None]
"""Takes a problem: seq, code, message."""
Entry: TypeAlias = tuple[int, What]
_SHOWN = (CardLaid, MeldLaid, CardExposed)
_MOVED = (CardTakenBack, MeldRemoved)


def undone(events: Sequence[Event]) -> frozenset[int]:
    """Numbers of the events that later ones undid. What undid them may be undone in turn."""
    able = {e.seq for e in events if not isinstance(e.what, HandStarted)}
    found: set[int] = set()
    for e in reversed(events):
        if isinstance(e.what, Undone) and e.seq not in found and e.what.entry < e.seq:
            found |= {e.what.entry} & able
    return frozenset(found)


def standing(events: Sequence[Event], report: Report) -> list[Event]:
    """The events without those that were undone."""
    gone = undone(events)
    known = {e.seq for e in events}
    for e in events:
        if isinstance(e.what, Undone) and e.seq not in gone and e.what.entry not in gone:
            why = "which cannot be undone" if e.what.entry in known else "which is not in the log"
            report(e.seq, "not_undone", f"event {e.what.entry} is to be undone, {why}")
    return [e for e in events if e.seq not in gone and not isinstance(e.what, Undone)]


def resolve(events: Sequence[Event], report: Report) -> list[Entry]:
    """Entries (seq, what) in the order in which things happened, without corrections.

    A person's word on a card's face, seat or place outranks what was seen, earlier or later. What
    refers to a card that the log does not know is reported and left out.
    """
    entries: list[Entry] = []
    readings: dict[str, Reading] = {}
    confirmed: set[str] = set()
    seats: dict[str, Seat] = {}
    withdrawn: set[str] = set()
    known: set[str] = set()
    seen: dict[str, PlaceRevised] = {}
    moves: list[tuple[int, str, str]] = []
    words: list[tuple[int, str, str]] = []
    for event in events:
        what, seq = event.what, event.seq
        if isinstance(what, ReadingRevised | PlaceRevised | Corrected):
            if what.card not in known:
                report(seq, "unknown_card", f"a correction names card {what.card}, which was never recorded")
                continue
            if isinstance(what, ReadingRevised):
                if what.card not in confirmed:
                    readings[what.card] = what.reading
                continue
            if isinstance(what, PlaceRevised):
                seen[what.card] = what
                if what.before is not None:
                    moves.append((seq, what.card, what.before))
                continue
            if what.face is not None:
                old = readings.get(what.card)
                readings[what.card] = Reading(what.face, picture=old.picture if old else None)
                confirmed.add(what.card)
            if what.seat is not None:
                seats[what.card] = what.seat
            if what.before is not None:
                words.append((seq, what.card, what.before))
            if what.withdrawn:
                withdrawn.add(what.card)
            continue
        entries.append((seq, what))
        if isinstance(what, _SHOWN):
            known.add(what.card)
            if isinstance(what, CardLaid) and what.before is not None:
                moves.append((seq, what.card, what.before))
    if readings or seats or withdrawn or seen or words:
        placed = {card for _, *cards in words for card in cards}
        entries = [_mended(e, readings, seats, seen, placed) for e in entries if not _names(e[1], withdrawn)]
    for seq, card, before in moves + words:
        _move(entries, seq, card, before, report)
    return entries


def _names(what: What, ids: set[str]) -> bool:
    return isinstance(what, _SHOWN + _MOVED) and what.card in ids


def _mended(
    entry: Entry,
    readings: dict[str, Reading],
    seats: dict[str, Seat],
    seen: dict[str, PlaceRevised],
    placed: set[str],
) -> Entry:
    seq, what = entry
    if not isinstance(what, _SHOWN):
        return entry
    reading, seat = readings.get(what.card), seats.get(what.card)
    if reading is not None:
        if reading.picture is None and what.reading.picture is not None:
            reading = replace(reading, picture=what.reading.picture)
        what = replace(what, reading=reading)
    if isinstance(what, CardLaid):
        if revised := seen.get(what.card):
            what = replace(
                what,
                seat=revised.seat,
                seat_probability=revised.seat_probability,
                order_probability=revised.order_probability,
            )
        if what.card in placed:
            what = replace(what, order_probability=1.0)
    if seat is not None:
        what = replace(what, seat=seat)
        if isinstance(what, CardLaid):
            what = replace(what, seat_probability=1.0)
    return seq, what


def _move(entries: list[Entry], seq: int, card: str, before: str, report: Report) -> None:
    """Put the last laying of `card` ahead of the first laying of `before`."""
    source = _laid(entries, card, last=True)
    if source is None:
        return  # withdrawn, or reported as unknown
    if card == before or _laid(entries, before, last=False) is None:
        report(seq, "unknown_card", f"card {card} is to go before card {before}, which was never laid")
        return
    entry = entries.pop(source)
    target = _laid(entries, before, last=False)
    entries.insert(source if target is None else target, entry)


def _laid(entries: list[Entry], card: str, last: bool) -> int | None:
    numbers = range(len(entries) - 1, -1, -1) if last else range(len(entries))
    for n in numbers:
        what = entries[n][1]
        if isinstance(what, CardLaid) and what.card == card:
            return n
    return None
