"""A recorded hand held against what truly happened: cards, order, seats, corrections, meld, flags.

Cards are matched by time, seat and face together, so that one card too many does not put every later
book out of step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from engine import events as ev
from engine.cards import SEATS, Face, Seat
from engine.events import Event
from engine.hand import HandState, Play, fold
from engine.renege import audit

SURE = 0.95
"""Of flags given this probability, nine in ten should be true."""
APART = 3.0
"""Seconds by which the times of a true and a recorded card may differ."""


@dataclass
class Tally:
    """Counts over hands. Readings are the last ones recorded; `wrong` cards have a place but another face.

    flags_sure: flags, of any status but corrected, given a probability of SURE or more.
    """

    hands: int = 0
    hands_right: int = 0
    cards: int = 0
    cards_right: int = 0
    cards_wrong: int = 0
    cards_missed: int = 0
    cards_invented: int = 0
    seats_right: int = 0
    books: int = 0
    books_right: int = 0
    gatherers_right: int = 0
    corrections: int = 0
    corrections_told: int = 0
    corrections_false: int = 0
    exposures: int = 0
    exposures_told: int = 0
    exposures_false: int = 0
    melds: int = 0
    meld_right: int = 0
    meld_missed: int = 0
    meld_invented: int = 0
    trumps_right: int = 0
    flags: int = 0
    flags_right: int = 0
    flags_false: int = 0
    flags_false_proven: int = 0
    flags_sure: int = 0
    flags_sure_true: int = 0
    lags: list[float] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name) + getattr(other, f.name))

    def as_data(self) -> dict[str, Any]:
        data = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "lags"}
        data["median_lag"] = round(float(np.median(self.lags)), 3) if self.lags else None
        return data


@dataclass
class Compared:
    """One hand's tally, and in words what is wrong with its record."""

    tally: Tally
    story: list[str]

    @property
    def faults(self) -> int:
        return len(self.story)


def compare(truth: Sequence[Event], recorded: Sequence[Event], seen_at: dict[str, float]) -> Compared:
    """Hold a record against the truth. seen_at: for recorded cards, when their event came out."""
    true, mine = fold(truth), fold(recorded)
    tally, story = Tally(hands=1), list[str]()
    _plays(truth, recorded, true, mine, seen_at, tally, story)
    _meld(true, mine, tally, story)
    _exposures(truth, recorded, tally, story)
    tally.trumps_right = int(true.trump == mine.trump)
    if true.trump != mine.trump:
        story.append(f"trump is {true.trump}, recorded {mine.trump}")
    _flags(true, mine, tally, story)
    tally.hands_right = int(
        tally.cards_right == tally.cards
        and tally.cards_invented == 0
        and tally.seats_right == tally.cards
        and tally.books_right == tally.books
    )
    return Compared(tally, story)


def _plays(
    truth: Sequence[Event],
    recorded: Sequence[Event],
    true: HandState,
    mine: HandState,
    seen_at: dict[str, float],
    tally: Tally,
    story: list[str],
) -> None:
    times = {e.seq: e.at for e in truth}
    my_times = {e.seq: e.at for e in recorded}
    pairs = _match(true.plays, mine.plays, times, my_times)
    partner = {id(a): b for a, b in pairs}
    of_mine = {id(b): a for a, b in pairs}
    for a in true.plays:
        found = partner.get(id(a))
        where = f"book {a.book}, {a.seat} {a.face} at {times[a.seq]:.1f} s"
        if a.back is not None:
            tally.corrections += 1
            if found is not None and found.back is not None:
                tally.corrections_told += 1
            else:
                story.append(f"{where}: taken back, but recorded as " + ("a play" if found else "nothing"))
            continue
        tally.cards += 1
        if found is None:
            tally.cards_missed += 1
            story.append(f"{where}: not recorded")
            continue
        tally.lags.append(seen_at.get(found.card, times[a.seq]) - times[a.seq])
        tally.seats_right += found.seat == a.seat
        if found.seat != a.seat:
            story.append(f"{where}: recorded for {found.seat} ({found.seat_probability:.2f})")
        if found.face == a.face:
            tally.cards_right += 1
        else:
            tally.cards_wrong += 1
            story.append(f"{where}: read as {found.face} ({found.reading.probability:.2f})")
        if found.back is not None:
            tally.corrections_false += 1
            story.append(f"{where}: recorded as taken back")
    for b in mine.plays:
        if id(b) not in of_mine:
            tally.cards_invented += b.back is None
            story.append(f"book {b.book}, {b.seat} {b.face} at {my_times[b.seq]:.1f} s was never laid")
    for book in true.books:
        tally.books += 1
        theirs = [partner.get(id(p)) for p in book.plays]
        numbers = {p.book for p in theirs if p is not None}
        same = mine.book(numbers.pop()) if len(numbers) == 1 and None not in theirs else None
        right = same is not None and [id(p) for p in same.plays] == [id(p) for p in theirs if p is not None]
        tally.books_right += right and same is not None and same.closed
        if not right:
            story.append(f"book {book.number}: not recorded as one book in the order laid")
        if same is not None and same.gathered_by == book.gathered_by:
            tally.gatherers_right += 1
        elif same is not None:
            story.append(f"book {book.number}: gathered by {book.gathered_by}, recorded {same.gathered_by}")


def _match(
    true: Sequence[Play], mine: Sequence[Play], times: dict[int, float], my_times: dict[int, float]
) -> list[tuple[Play, Play]]:
    if not true or not mine:
        return []
    cost = np.array(
        [
            [
                abs(times[a.seq] - my_times[b.seq]) + 0.6 * (a.face != b.face) + 0.6 * (a.seat != b.seat)
                for b in mine
            ]
            for a in true
        ]
    )
    rows, columns = linear_sum_assignment(np.minimum(cost, APART))
    return [(true[i], mine[j]) for i, j in zip(rows, columns, strict=True) if cost[i, j] < APART]


def _meld(true: HandState, mine: HandState, tally: Tally, story: list[str]) -> None:
    for seat in SEATS:
        theirs: Counter[Face] = Counter(m.face for m in true.meld[seat])
        ours: Counter[Face] = Counter(m.face for m in mine.meld[seat])
        missed, invented = theirs - ours, ours - theirs
        tally.melds += theirs.total()
        tally.meld_right += (theirs & ours).total()
        tally.meld_missed += missed.total()
        tally.meld_invented += invented.total()
        if missed or invented:
            story.append(f"meld of {seat}: missed {_names(missed)}, invented {_names(invented)}")


def _names(faces: Counter[Face]) -> str:
    return " ".join(sorted(map(str, faces.elements()))) or "none"


def _exposures(truth: Sequence[Event], recorded: Sequence[Event], tally: Tally, story: list[str]) -> None:
    theirs = [(e.at, e.what) for e in truth if isinstance(e.what, ev.CardExposed)]
    ours = [(e.at, e.what) for e in recorded if isinstance(e.what, ev.CardExposed)]
    tally.exposures += len(theirs)
    for at, what in theirs:
        same = next(
            (
                o
                for o in ours
                if abs(o[0] - at) < APART and (o[1].seat, o[1].reading.face) == (what.seat, what.reading.face)
            ),
            None,
        )
        if same:
            ours.remove(same)
            tally.exposures_told += 1
        else:
            story.append(f"{what.seat} dropped {what.reading.face} at {at:.1f} s: not recorded")
    tally.exposures_false += len(ours)
    for at, what in ours:
        story.append(f"{what.seat} {what.reading.face} at {at:.1f} s was never exposed")


def _flags(true: HandState, mine: HandState, tally: Tally, story: list[str]) -> None:
    theirs = {_key(f): f for f in audit(true, true.rules) if f.status == "proven"}
    ours = {_key(f): f for f in audit(mine, mine.rules) if f.status in ("proven", "suspected")}
    sure = [_key(f) for f in audit(mine, mine.rules) if f.status != "corrected" and f.probability >= SURE]
    tally.flags_sure += len(sure)
    tally.flags_sure_true += sum(key in theirs for key in sure)
    tally.flags += len(theirs)
    tally.flags_right += len(theirs.keys() & ours.keys())
    for key in theirs.keys() - ours.keys():
        story.append(f"flag not found: {key}")
    for key in ours.keys() - theirs.keys():
        tally.flags_false += 1
        tally.flags_false_proven += ours[key].status == "proven"
        story.append(f"false flag ({ours[key].status} {ours[key].probability:.2f}): {key}")


def _key(flag: Any) -> tuple[Seat, int, str]:
    return flag.seat, flag.book, flag.kind
