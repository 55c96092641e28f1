"""What a hand's record leaves open, as short questions for whoever was there, with the pictures to look at.

Nothing here guesses: a question names what was read and what else it may have been. An answer is a
correction in the log, and then the question is no longer asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from engine.cards import RANK_NAMES, SEAT_NAMES, SUIT_NAMES, Face, Seat
from engine.state import Book, HandState, Melded, Play

SURE: Final = 0.95
"""From this probability on a reading, a seat or a place is not asked about."""
TRUMP_SURE: Final = 0.99
"""The same for trump, on which many plays rest: its doubt counts tenfold in a flag."""
About: TypeAlias = Literal["trump", "face", "seat", "order", "missing"]


@dataclass(frozen=True, slots=True)
class Question:
    """book None: about trump, or a card laid as meld. card None: about trump, a book's order, or a card that
    nobody saw.

    faces: what it may be, the likeliest first. picture: relative to the hand's folder.
    """

    about: About
    text: str
    probability: float
    book: int | None = None
    seat: Seat | None = None
    card: str | None = None
    faces: tuple[Face, ...] = ()
    picture: str | None = None


def open_questions(state: HandState, sure: float = SURE) -> list[Question]:
    """What is still open: trump, which is to be asked at once, then meld, then book by book."""
    found = [trump_question(state)]
    found += [_face(m, None, sure) for laid in state.meld.values() for m in laid]
    for book in state.books:
        found += [_face(p, book.number, sure) for p in book.plays]
        found += [_seat(p, sure) for p in book.plays]
        found.append(_order(book, sure))
    found += [
        Question("missing", f"Book {g.book}: which card did {SEAT_NAMES[g.seat]} lay?", 0.0, g.book, g.seat)
        for g in state.gaps
    ]
    return sorted((q for q in found if q is not None), key=lambda q: q.book or 0)


def trump_question(state: HandState) -> Question | None:
    """What is trump? Asked where it rests on a first marriage that is in doubt; entering trump answers it."""
    if state.trump is None or state.trump_probability >= TRUMP_SURE:
        return None
    names = [SUIT_NAMES[s] for s in (state.trump, state.trump_other) if s]
    text = f"Trump: {' or '.join(names)}?" if len(names) > 1 else f"Trump: is it {names[0]}?"
    laid = state.meld[state.bidder] if state.bidder else []
    marriage = [m.reading.picture for m in laid if m.face.suit == state.trump and m.face.rank in "KQ"]
    picture = next((p for p in marriage if p), None)
    return Question("trump", text, state.trump_probability, seat=state.bidder, picture=picture)


def _face(card: Play | Melded, book: int | None, sure: float) -> Question | None:
    reading = card.reading
    if reading.probability >= sure:
        return None
    faces = (card.face,) if reading.second is None else (card.face, reading.second)
    where = "Meld" if book is None else f"Book {book}"
    text = f"{where}, {SEAT_NAMES[card.seat]}: {_either(faces)}?"
    return Question(
        "face", text, reading.probability, book, card.seat, card.card, faces, reading.picture
    )  # fmt: skip


def _either(faces: tuple[Face, ...]) -> str:
    if len(faces) == 1:
        return f"is it the {faces[0].name}"
    a, b = faces
    if a.suit == b.suit:
        return f"{RANK_NAMES[a.rank]} or {RANK_NAMES[b.rank]} of {SUIT_NAMES[a.suit]}"
    if a.rank == b.rank:
        return f"{RANK_NAMES[a.rank]} of {SUIT_NAMES[a.suit]} or of {SUIT_NAMES[b.suit]}"
    return f"{a.name} or {b.name}"


def _seat(p: Play, sure: float) -> Question | None:
    if p.seat_probability >= sure:
        return None
    text = f"Book {p.book}: did {SEAT_NAMES[p.seat]} lay the {p.face.name}?"
    return Question("seat", text, p.seat_probability, p.book, p.seat, p.card, (p.face,), p.reading.picture)


def _order(book: Book, sure: float) -> Question | None:
    if book.order_probability >= sure:
        return None
    plays = book.plays
    doubtful = min(plays, key=lambda p: p.order_probability, default=None)
    cards = ", ".join(f"{SEAT_NAMES[p.seat]} {p.face.name}" for p in plays)
    return Question(
        "order", f"Book {book.number}: were they laid in this order: {cards}?", book.order_probability,
        book.number, picture=doubtful.reading.picture if doubtful else None,
    )  # fmt: skip
