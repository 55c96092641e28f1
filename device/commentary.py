"""What is said while a hand is recorded: books as they close, meld, and reneges as they come to light."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from device import report
from engine.events import (
    BookClosed,
    BookGathered,
    CardTakenBack,
    Corrected,
    Event,
    HandEnded,
    HandStarted,
    MeldClosed,
    PlaceRevised,
    ReadingRevised,
    RulingMade,
    TrumpNamed,
)
from engine.flags import Flag
from engine.hand import fold
from engine.questions import Question, open_questions, trump_question
from engine.renege import audit
from engine.rules import RuleSet
from engine.state import HandState

_MOMENTS = (
    BookClosed, BookGathered, CardTakenBack, Corrected, HandEnded, MeldClosed, PlaceRevised, ReadingRevised,
    RulingMade, TrumpNamed,
)  # fmt: skip
"""Events after which something may have to be said."""


class Voice(Protocol):
    """Where the commentary goes: text for people, or data for machines."""

    def book(self, state: HandState, number: int) -> None: ...

    def meld(self, state: HandState) -> None: ...

    def question(self, question: Question) -> None: ...

    def flag(self, flag: Flag) -> None: ...

    def end(self, state: HandState, flags: Sequence[Flag]) -> None: ...


class TextVoice:
    def __init__(self, line: Callable[[str], None]) -> None:
        self._line = line

    def book(self, state: HandState, number: int) -> None:
        book = state.book(number)
        assert book is not None
        self._line(report.book_line(book))

    def meld(self, state: HandState) -> None:
        self._line(report.contract_line(state))
        for line in report.meld_lines(state):
            self._line(line)

    def question(self, question: Question) -> None:
        picture = f" ({question.picture})" if question.picture else ""
        self._line(f"QUESTION: {question.text}{picture}")

    def flag(self, flag: Flag) -> None:
        for line in report.flag_lines(flag):
            self._line(line)

    def end(self, state: HandState, flags: Sequence[Flag]) -> None:
        points = ", ".join(f"{team} {count}" for team, count in state.points.items())
        self._line(
            f"Hand ended ({state.ended}): {state.closed_books} books, points {points}, {len(flags)} flags."
        )
        for line in report.question_lines(open_questions(state)):
            self._line(line)


class JsonVoice:
    def __init__(self, write: Callable[[Any], None]) -> None:
        self._write = write

    def book(self, state: HandState, number: int) -> None:
        book = state.book(number)
        assert book is not None
        self._write({"what": "book", "hand": state.hand, **report.book_json(book)})

    def meld(self, state: HandState) -> None:
        self._write(
            {"what": "meld", "hand": state.hand, "trump": state.trump, "seats": report.meld_json(state)}
        )

    def question(self, question: Question) -> None:
        self._write({"what": "question", **report.question_json(question)})

    def flag(self, flag: Flag) -> None:
        self._write({"what": "flag", **report.flag_json(flag)})

    def end(self, state: HandState, flags: Sequence[Flag]) -> None:
        self._write(
            {
                "what": "hand",
                "hand": state.hand,
                "ended": state.ended,
                "books": state.closed_books,
                "points": state.points,
                "flags": [report.flag_json(flag) for flag in flags],
                "questions": [report.question_json(q) for q in open_questions(state)],
                "problems": [{"seq": p.seq, "code": p.code, "message": p.message} for p in state.problems],
            }
        )


class Commentary:
    """Follows the events of a hand and says each thing once; again when it has changed."""

    def __init__(self, voice: Voice, rules: RuleSet | None = None, threshold: float = 0.95) -> None:
        self.state: HandState | None = None
        self.flags: list[Flag] = []
        self._voice = voice
        self._rules = rules
        self._threshold = threshold
        self._events: list[Event] = []
        self._books: dict[int, str] = {}
        self._said: dict[tuple[Any, ...], str] = {}
        self._melded: str | None = None
        self._asked: Question | None = None

    def hear(self, events: Sequence[Event]) -> None:
        """Takes events as they are recorded; a HandStarted begins anew."""
        for event in events:
            if isinstance(event.what, HandStarted):
                self._events, self._books, self._said = [], {}, {}
                self._melded = self._asked = None
            self._events.append(event)
        if any(isinstance(event.what, _MOMENTS) for event in events):
            self._speak()

    def _speak(self) -> None:
        state = self.state = fold(self._events, self._rules)
        self.flags = audit(state, threshold=self._threshold)
        contract = report.contract_line(state)
        if state.books or any(isinstance(e.what, MeldClosed) for e in self._events):
            if self._melded != contract:  # what is trump may be told, or answered, later
                self._melded = contract
                self._voice.meld(state)
            self._ask(trump_question(state))
        for book in state.books:
            line = report.book_line(book)
            if (book.closed or book.ended) and self._books.get(book.number) != line:
                self._books[book.number] = line
                self._voice.book(state, book.number)
        for flag in self.flags:
            key = (flag.book, flag.card.card, flag.kind)
            if flag.status != "pending" and self._said.get(key) != flag.status:
                self._said[key] = flag.status
                self._voice.flag(flag)
        if state.ended and isinstance(self._events[-1].what, HandEnded):
            self._voice.end(state, self.flags)

    def _ask(self, question: Question | None) -> None:
        """What many plays rest on is asked at once, and again only when it is another question."""
        if question is not None and (self._asked is None or self._asked.text != question.text):
            self._voice.question(question)
        self._asked = question
