"""What a record leaves open is asked in a few words, and no longer once somebody has answered."""

from __future__ import annotations

from engine_logs import log

from engine.hand import fold
from engine.questions import open_questions

BOOK = "book 1: N AS, E QC@0.6/JC@0.39, S TS, W KS"


def asked(*lines: str) -> list[str]:
    return [q.text for q in open_questions(fold(log("trump H N", *lines)))]


def test_nothing_is_asked_of_a_sure_record() -> None:
    assert asked("meld m1 N KH", "melded", "book 1: N AS, E JC@0.97/QC@0.02, S TS, W KS") == []


def test_a_doubtful_face_is_asked_with_its_second_best() -> None:
    assert asked(BOOK) == ["Book 1, East: queen or jack of clubs?"]
    question = open_questions(fold(log("trump H N", BOOK)))[0]
    assert (question.card, question.book, question.seat) == ("c12", 1, "E")
    assert [str(f) for f in question.faces] == ["QC", "JC"]
    assert asked("book 1: N AS, E QC@0.6/QS@0.39, S TS, W KS") == [
        "Book 1, East: queen of clubs or of spades?"
    ]
    assert asked("book 1: N AS, E QC@0.6/JS@0.3, S TS, W KS") == [
        "Book 1, East: queen of clubs or jack of spades?"
    ]
    assert asked("meld m1 W KH@0.7", "melded") == ["Meld, West: is it the king of hearts?"]


def test_an_answer_ends_the_question() -> None:
    assert asked(BOOK, "correct c12 JC") == []


def test_doubtful_seats_orders_and_unseen_cards_are_asked_about() -> None:
    sure = "book 1: N AS, E QC, S TS, W KS"
    assert asked(sure, "place c13 S 0.7 1.0") == ["Book 1: did South lay the ten of spades?"]
    assert asked(sure, "place c14 W 1.0 0.6") == [
        "Book 1: were they laid in this order: North ace of spades, East queen of clubs, South ten of "
        "spades, West king of spades?"
    ]
    assert asked("book 1: N AS, E QC, W KS") == ["Book 1: which card did South lay?"]
