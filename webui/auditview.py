"""A book audit as the director sees it: what was spread beside what the record has, book by book."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from engine.bookaudit import Difference, Recorded, compare, matched, taken
from engine.cards import Face, Team
from webui.books import CardShown, Showcase
from webui.desk import Judged
from webui.held import ReadCard, Reading
from webui.names import TEAM_NAMES

UNSURE: Final = 0.95
"""A card read with less probability is named for checking."""

State: TypeAlias = Literal["agrees", "differs"]


@dataclass(frozen=True, slots=True)
class Spread:
    """A book of the pile as it was photographed. `cards`: as read; none where only faces are on record."""

    faces: tuple[Face, ...]
    picture: str | None
    cards: tuple[ReadCard, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One spread book. `book`: the record's number for it; `recorded`: that book's cards, or those of the
    book that was expected here."""

    place: int
    state: State
    book: int | None
    expected: int | None
    said: tuple[str, ...]
    recorded: tuple[CardShown, ...]
    spread: Spread
    doubts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditPage:
    """`rows`: the last one spread first. `missing`: recorded books that are not there, in words.
    `unspread`: numbers of the recorded books that have not come yet; `next`: the first of them."""

    team: Team
    recorded: int
    summary: str
    agrees: bool
    rows: tuple[Row, ...]
    missing: tuple[str, ...]
    unspread: tuple[int, ...]

    @property
    def next(self) -> int | None:
        return self.unspread[0] if self.unspread else None


def audit_page(judged: Judged, team: Team, spread: Sequence[Spread]) -> AuditPage:
    record = taken(judged.state.books, team)
    faces = [book.faces for book in spread]
    found, unspread = _compared(record, faces)
    numbers = {place: record[n].number for n, place in matched(record, faces).items()}
    rows = [_row(judged, record, n, book, numbers.get(n), found) for n, book in enumerate(spread)]
    return AuditPage(
        team=team,
        recorded=len(record),
        summary=_summary(team, len(record), len(spread), found),
        agrees=not found,
        rows=tuple(reversed(rows)),
        missing=tuple(str(d) for d in found if d.kind == "missing"),
        unspread=unspread,
    )


def told(record: Sequence[Recorded], team: Team, spread: Sequence[Sequence[Face]]) -> str:
    """A recorded audit in one paragraph."""
    found, unspread = _compared(record, spread)
    words = [_summary(team, len(record), len(spread), found), *map(str, found)]
    if unspread:
        words.append(f"Not spread: book {', '.join(map(str, unspread))}.")
    return " ".join(words)


def _compared(
    record: Sequence[Recorded], spread: Sequence[Sequence[Face]]
) -> tuple[list[Difference], tuple[int, ...]]:
    """The differences, and the numbers of the books that may yet come: no later one has, and the pile is
    not as high as the record has it."""
    found = compare(record, spread)
    if len(spread) >= len(record):
        return found, ()
    last = max(matched(record, spread), default=-1)
    coming = tuple(b.number for b in record[last + 1 :])
    return [d for d in found if d.kind != "missing" or d.book not in coming], coming


def _summary(team: Team, recorded: int, spread: int, found: Sequence[Difference]) -> str:
    whose, so_far = TEAM_NAMES[team], " so far" if spread < recorded else ""
    count = f"{spread} of {recorded} books of {whose} spread"
    if spread > recorded:
        count = f"{spread} books of {whose} spread, of which the record has {recorded}"
    if not found:
        return f"{count}: contents and order agree with the record{so_far}."
    return f"{count}: {len(found)} difference{'s' if len(found) > 1 else ''}{so_far}."


def _row(
    judged: Judged,
    record: Sequence[Recorded],
    index: int,
    spread: Spread,
    number: int | None,
    found: Sequence[Difference],
) -> Row:
    place = index + 1
    here = [d for d in found if d.place == place]
    said = [str(d) for d in here]
    expected = record[index].number if index < len(record) else None
    if expected is not None and any(d.kind in ("moved", "extra") for d in here):
        said.append(f"The record has book {expected} at this place.")
    shown = judged.state.book(number or expected or 0)
    showcase = Showcase(judged.info.hand, judged.events)
    cards = showcase.book(shown).cards if shown else ()
    doubts = [
        f"{c.face.name} may be the {c.second[0].name}"
        for c in spread.cards
        if c.face is not None and c.second is not None and c.probability < UNSURE
    ]
    if len(spread.faces) != 4:
        doubts.insert(0, f"{len(spread.faces)} cards were read, not 4")
    return Row(
        place,
        "differs" if said else "agrees",
        number,
        expected,
        tuple(said),
        tuple(c for c in cards if not c.taken_back),
        spread,
        tuple(doubts),
    )


class Audits:
    """The pictures of audits in progress, in memory until they are put on record, by hand and team.

    At most `most` bytes of pictures: the audit that was touched longest ago makes room.
    """

    def __init__(self, most: int = 48 * 1024 * 1024) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str, Team], tuple[Reading, ...]] = OrderedDict()

    def spread(self, hand: str, team: Team) -> tuple[Reading, ...]:
        with self._lock:
            return self._held.get((hand, team), ())

    def change(self, hand: str, team: Team, by: Callable[[tuple[Reading, ...]], tuple[Reading, ...]]) -> None:
        """Puts what `by` makes of the books spread so far in their place."""
        key = (hand, team)
        with self._lock:
            changed = by(self._held.get(key, ()))
            self._held[key] = changed
            self._held.move_to_end(key)
            if not changed:
                del self._held[key]
            while len(self._held) > 1 and self._bytes() > self._most:
                self._held.popitem(last=False)

    def _bytes(self) -> int:
        return sum(len(reading.jpeg) for spread in self._held.values() for reading in spread)
