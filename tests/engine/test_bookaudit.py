"""A team's spread books against the record: same, other cards, other order, too few, too many."""

from __future__ import annotations

from engine.bookaudit import Difference, Recorded, compare, taken
from engine.cards import Face, face
from engine.events import Reading
from engine.state import Book, Play


def cards(text: str) -> tuple[Face, ...]:
    return tuple(face(c) for c in text.split())


RECORD = [
    Recorded(2, cards("AS KS JS TS")),
    Recorded(3, cards("AH TH JH QH")),
    Recorded(7, cards("AD KD JD QD")),
    Recorded(9, cards("AC KC JC QC")),
]
SPREAD = [book.cards for book in RECORD]


def test_books_as_recorded_show_no_difference_whatever_the_order_within_a_book() -> None:
    assert compare(RECORD, [tuple(reversed(c)) for c in SPREAD]) == []


def test_another_card_in_a_book_is_named_with_the_book() -> None:
    spread = [SPREAD[0], cards("AH TH JH QS"), *SPREAD[2:]]
    (found,) = compare(RECORD, spread)
    assert found == Difference("contents", 3, 2, cards("QH"), cards("QS"))
    assert str(found) == "Book 3, at place 2, lacks queen of hearts and holds queen of spades besides."


def test_copies_of_a_face_are_counted() -> None:
    (found,) = compare([Recorded(1, cards("AS AS KS JS"))], [cards("AS KS JS JS")])
    assert (found.lacking, found.foreign) == (cards("AS"), cards("JS"))


def test_only_the_book_that_was_moved_is_out_of_order() -> None:
    assert compare(RECORD, [SPREAD[3], *SPREAD[:3]]) == [Difference("moved", 9, 1)]


def test_missing_and_foreign_books_are_told() -> None:
    strange = cards("QS QS TC TD")
    assert compare(RECORD, [SPREAD[0], strange, SPREAD[2], SPREAD[3]]) == [
        Difference("missing", 3, None, lacking=RECORD[1].cards),
        Difference("extra", None, 2, foreign=strange),
    ]


def test_books_lie_with_the_team_that_gathered_them_even_if_the_other_won() -> None:
    def book(number: int, winner: str, gathered: str | None, closed: bool = True) -> Book:
        plays = [
            [Play(f"c{number}{n}", s, f, Reading(f), 1.0, number, n, n)]  # type: ignore[arg-type]
            for n, (s, f) in enumerate(zip("NESW", cards("AS KS JS TS"), strict=True))
        ]
        return Book(number, plays, closed=closed, winner=winner, gathered_by=gathered)  # type: ignore[arg-type]

    books = [book(1, "N", None), book(2, "E", "N"), book(3, "S", "W"), book(4, "S", None, closed=False)]
    assert [b.number for b in taken(books, "NS")] == [1, 2]
    assert [b.number for b in taken(books, "EW")] == [3]
