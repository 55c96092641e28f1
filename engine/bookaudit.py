"""Book audit: a team's turned books, spread face up again, against the record.

Pure comparison. It says where contents and order differ, never who is right: the record may be
wrong as well as the pile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.cards import Face, Team, team_of
from engine.state import Book

DifferenceKind: TypeAlias = Literal["contents", "moved", "missing", "extra"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A book as the record has it: its number in the hand and its cards in the order of play."""

    number: int
    cards: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that does not agree.

    book: the record's book, None for a spread book that the record does not know. place: where in
    the spread, from 1. lacking, foreign: cards of the record that the spread book lacks, and the reverse.
    """

    kind: DifferenceKind
    book: int | None
    place: int | None
    lacking: tuple[Face, ...] = ()
    foreign: tuple[Face, ...] = ()

    def __str__(self) -> str:
        match self.kind:
            case "missing":
                return f"Book {self.book} is not in the pile: {_names(self.lacking)}."
            case "extra":
                what = "holds a book that the record does not give this team"
                return f"Place {self.place} {what}: {_names(self.foreign)}."
            case "moved":
                return f"Book {self.book} lies out of order, at place {self.place}."
        parts = [f"lacks {_names(self.lacking)}"] if self.lacking else []
        parts += [f"holds {_names(self.foreign)} besides"] if self.foreign else []
        return f"Book {self.book}, at place {self.place}, {' and '.join(parts)}."


def taken(books: Sequence[Book], team: Team) -> list[Recorded]:
    """The closed books that lie with a team: by who gathered them, else by who won them."""
    out = []
    for book in books:
        keeper = book.gathered_by or book.winner
        if book.closed and keeper is not None and team_of(keeper) == team:
            out.append(Recorded(book.number, tuple(p.face for p in book.plays)))
    return out


def compare(record: Sequence[Recorded], spread: Sequence[Sequence[Face]]) -> list[Difference]:
    """Where the spread books, first book first, differ from the record; empty: they agree.

    Of a book's four cards the order does not count, for a turned book may be squared up anyhow.
    Books that have most cards in common are taken for the same, nearer places first.
    """
    pairs = matched(record, spread)
    order = _in_order([pairs[n] for n in sorted(pairs)])
    out: list[Difference] = []
    for n, book in enumerate(record):
        if n not in pairs:
            out.append(Difference("missing", book.number, None, lacking=book.cards))
            continue
        place = pairs[n]
        if place not in order:
            out.append(Difference("moved", book.number, place + 1))
        lacking, foreign = _less(book.cards, spread[place]), _less(spread[place], book.cards)
        if lacking or foreign:
            out.append(Difference("contents", book.number, place + 1, lacking, foreign))
    used = set(pairs.values())
    out += [
        Difference("extra", None, place + 1, foreign=tuple(cards))
        for place, cards in enumerate(spread)
        if place not in used
    ]
    return out


def matched(record: Sequence[Recorded], spread: Sequence[Sequence[Face]]) -> dict[int, int]:
    """Which books are taken for the same: index in the record to index in the spread.

    They have at least two cards in common.
    """
    scored = []
    for n, book in enumerate(record):
        for place, cards in enumerate(spread):
            common = len(book.cards) - len(_less(book.cards, cards))
            if common >= 2:
                scored.append((-common, abs(n - place), n, place))
    pairs: dict[int, int] = {}
    for _, _, n, place in sorted(scored):
        if n not in pairs and place not in pairs.values():
            pairs[n] = place
    return pairs


def _in_order(places: Sequence[int]) -> set[int]:
    """The places of a longest rising run: what is left was moved."""
    longest: list[int] = []
    runs: list[list[int]] = []
    for place in places:
        run: list[int] = []
        for before in runs:
            if before[-1] < place and len(before) > len(run):
                run = before
        runs.append([*run, place])
        if len(run) + 1 > len(longest):
            longest = runs[-1]
    return set(longest)


def _less(a: Sequence[Face], b: Sequence[Face]) -> tuple[Face, ...]:
    """The cards of `a` without those of `b`, copies counted."""
    return tuple(sorted((Counter(a) - Counter(b)).elements()))


def _names(cards: Sequence[Face]) -> str:
    return ", ".join(card.name for card in cards) or "no card that could be read"
