"""Statuses, probabilities and words of flags; what pends, what is induced, what cannot be told."""

from __future__ import annotations

import pytest
from engine_logs import log

from engine import rules
from engine.hand import fold
from engine.renege import LOOKS_ILLEGAL, Flag, audit

OFFENCE = "book 1: N AS, E JC, S TS, W KS"
PROOF = "book 2: N AC, E QS, S KC, W TC"


def one(*lines: str, threshold: float = 0.9) -> Flag:
    flags = audit(fold(log("trump H N", *lines)), threshold=threshold)
    assert len(flags) == 1, [f.text for f in flags]
    return flags[0]


def test_two_cards_in_closed_books_prove_it_and_the_sentence_names_the_clause() -> None:
    flag = one(OFFENCE, PROOF)
    assert (flag.status, flag.kind, flag.level, flag.pending) == ("proven", "FOLLOW", "book", False)
    assert (flag.seat, flag.team, flag.book) == ("E", "EW", 1)
    assert flag.card.card == "c12"
    assert flag.proof is not None
    assert (flag.proof.card, flag.proof.book) == ("c22", 2)
    assert flag.duty is not None
    assert flag.duty.card == "c11"
    assert flag.clauses == ("LV-102", "LV-108", "LV-109", "D-03")
    assert flag.text == (
        "Book 1: East laid the jack of clubs on the lead of the ace of spades and did not follow suit "
        "(LV-102) though holding the queen of spades, played in book 2. Proven (LV-108, LV-109, D-03)."
    )


def test_a_book_still_open_makes_it_pend() -> None:
    still = ("lay d1 N AC", "lay d2 E QS")
    flag = one(OFFENCE, *still)
    assert (flag.status, flag.pending) == ("pending", False)
    assert "may not be called yet" in flag.text
    open_offence = ("lay d1 N AS", "show d3 E KS", "lay d2 E JC")
    flag = one(*open_offence)
    assert flag.pending


def test_evidence_that_the_rule_set_does_not_admit_is_a_suspicion() -> None:
    flag = one("meld m1 E KS", "meld m2 E QS", "melded", OFFENCE)
    assert (flag.status, flag.level) == ("suspected", "meld")
    assert {str(p.proof.face) for p in flag.pairs} == {"KS", "QS"}
    assert flag.proof is not None
    assert flag.proof.book is None
    assert "not yet in the books" in flag.text


def test_meld_played_before_is_no_evidence() -> None:
    """Worked example 8 of the play law, and a second copy that proves it after all."""
    lines = ("meld m1 E KS", "melded", "book 1: N AS, E KS, S TS, W QS", "book 2: N AS, E JC, S TS, W JS")
    assert audit(fold(log("trump H N", *lines))) == []
    flag = one(*lines, "book 3: N AC, E KS, S KC, W TC")
    assert (flag.book, flag.level, flag.status) == (2, "book", "proven")


def test_an_unseen_earlier_card_takes_the_meld_evidence_away() -> None:
    lines = ("meld m1 E KS", "melded", "book 1: N AS, S TS, W QS", "book 2: N AS, E JC, S TS, W JS")
    assert audit(fold(log("trump H N", *lines))) == []
    lines = ("meld m1 E KS", "meld m2 E KS", *lines[1:])
    assert one(*lines).level == "meld"


@pytest.mark.parametrize(
    ("faces", "probability", "status"),
    [
        (("JC", "QS"), 1.0, "proven"),
        (("JC@0.96", "QS@0.95"), 0.912, "proven"),
        (("JC@0.96", "QS@0.8"), 0.768, "suspected"),
        (("JC@0.6", "QS@0.7"), 0.42, "cannot_tell"),
    ],
)
def test_the_probability_is_the_product_of_its_readings(
    faces: tuple[str, str], probability: float, status: str
) -> None:
    c, x = faces
    flag = one(f"book 1: N AS, E {c}, S TS, W KS", f"book 2: N AC, E {x}, S KC, W TC")
    assert flag.probability == pytest.approx(probability)
    assert flag.status == status


def test_a_suspicion_names_the_reading_it_rests_on() -> None:
    flag = one("book 1: N AS@0.7, E JC, S TS, W KS", PROOF)
    assert flag.status == "suspected"
    assert flag.weakest.card == "c11"
    assert "the reading of the ace of spades (70%)" in flag.text
    assert one("book 1: N AS@0.7, E JC, S TS, W KS", PROOF, threshold=0.6).status == "proven"


def test_a_book_of_doubtful_order_proves_nothing() -> None:
    """A card noticed late may have been the lead, and then nobody had to follow the one taken for it."""
    late = "place c14 W 1.0 0.7"
    flag = one(OFFENCE, PROOF, late)
    assert (flag.status, flag.probability) == ("suspected", pytest.approx(0.7 / (0.7 + 0.3 * LOOKS_ILLEGAL)))
    assert "the order in which book 1 was laid (70%)" in flag.text
    assert one(OFFENCE, PROOF, late, "place c14 W 1.0 0.999").status == "proven"
    assert one(OFFENCE, PROOF, late, "move c13 c14").status == "proven", "a person saw where it belongs"


def test_a_proof_in_the_next_book_may_have_been_a_card_of_this_one() -> None:
    flag = one(OFFENCE, PROOF, "place c22 E 1.0 0.6")
    assert (flag.status, flag.probability) == ("suspected", pytest.approx(0.6 / (0.6 + 0.4 * LOOKS_ILLEGAL)))
    assert "the order in which book 2 was laid (60%)" in flag.text
    later = "book 3: N AD, E KS, S KD, W TD"
    flag = one(OFFENCE, PROOF, later, "place c32 E 1.0 0.6")
    assert flag.status == "proven", "the king of spades came after, whatever its place in book 3"


def test_a_seat_in_doubt_makes_a_renege_doubtful_sooner_than_it_is_one() -> None:
    """Of plays that look illegal, more come of a wrong seat than a seat's probability says by itself."""
    assert one(OFFENCE, PROOF, "place c12 E 0.98 1.0").status == "suspected"
    assert one(OFFENCE, PROOF, "place c22 E 0.98 1.0").status == "suspected"
    flag = one(OFFENCE, PROOF, "place c12 E 0.995 1.0")
    assert flag.probability == pytest.approx(0.995 / (0.995 + 0.005 * LOOKS_ILLEGAL))
    assert flag.status == "proven"
    assert one(OFFENCE, PROOF, "place c12 E 0.4 1.0").status == "cannot_tell"


def test_a_place_seen_better_moves_a_card_and_its_seat() -> None:
    lines = ("book 1: E JC, S TS, W KS, N AS", PROOF)
    assert audit(fold(log("trump H N", *lines)))
    state = fold(log("trump H N", *lines, "place c14 N 0.98 0.97 c11"))
    assert [str(p.face) for p in state.books[0].plays] == ["AS", "JC", "TS", "KS"]
    wrong = fold(log("trump H N", OFFENCE, "place c11 S 0.8 1.0"))
    assert (wrong.books[0].plays[0].seat, wrong.books[0].plays[0].seat_probability) == ("S", 0.8)


def test_a_duty_to_beat_rests_on_every_card_before_it() -> None:
    flag = one("book 1: N KD, E JD@0.8, S QD, W TD", "book 2: W AC, N KC, E QC, S AD")
    assert (flag.kind, flag.seat, flag.status) == ("BEAT", "S", "suspected")
    assert flag.probability == pytest.approx(0.8)
    assert flag.weakest.card == "c12"


def test_a_reading_confirmed_by_a_person_is_sure_and_a_corrected_one_is_judged_again() -> None:
    doubtful = ("book 1: N AS@0.7, E JC, S TS, W KS", PROOF)
    assert one(*doubtful, "correct c11 AS").status == "proven"
    assert "E" not in {f.seat for f in audit(fold(log("trump H N", *doubtful, "correct c11 AC")))}
    assert one(*doubtful, "revise c11 AS@0.99").status == "proven"
    assert one(*doubtful, "correct c11 AS", "revise c11 AC@0.99").status == "proven"


def test_a_renege_corrected_in_time_never_is_one() -> None:
    flag = one("lay a N AS", "lay b E JC", "back b", "lay c E QS", "lay d S TS", "lay e W KS", "close 1")
    assert flag.status == "corrected"
    assert flag.card.card == "b"
    assert "Taken back in time: no renege" in flag.text
    # The card taken back is evidence for earlier books (D-19).
    second = ("lay a N AC", "lay b E KS", "back b", "lay c E QC", "lay d S KC", "lay e W TC", "close 2")
    flags = audit(fold(log("trump H N", OFFENCE, *second)))
    by_status = {f.status: f for f in flags}
    assert by_status["suspected"].level == "exposed"
    assert by_status["suspected"].book == 1
    assert by_status["corrected"].book == 2


def test_a_card_taken_back_too_late_stands() -> None:
    state = fold(log("trump H N", OFFENCE, PROOF, "back c12"))
    assert [p.code for p in state.problems] == ["taken_back_late"]
    assert "LV-100" in state.problems[0].message
    assert audit(state)[0].status == "proven"


def test_a_card_made_illegal_only_by_anothers_correction_is_induced() -> None:
    """D-37: W beats the jack with the queen; then E corrects to the ten, which W's ace would beat."""
    lines = (
        "lay a N JD", "lay b E KC", "lay c S QD", "lay d W KD", "back b", "lay e E TD", "close 1",
        "book 2: E AC, S KC, W AD, N QC",
    )  # fmt: skip
    flags = {f.status: f for f in audit(fold(log("trump H N", *lines)))}
    assert flags["induced"].seat == "W"
    assert "D-37" in flags["induced"].text
    # Had W held a second reason all along, it would be a renege: here W played under S from the start.
    lines = tuple(line.replace("W KD", "W JD") for line in lines)
    statuses = {f.seat: f.status for f in audit(fold(log("trump H N", *lines)))}
    assert statuses["W"] == "proven"


def test_a_card_that_was_not_seen_is_never_assumed() -> None:
    """E's card is missing: it may have been a trump, so that S owed no beat; to follow S owed anyway."""
    flags = audit(fold(log("trump H N", "book 1: N KD, S QD, W TD", "book 2: W AC, N KC, E QC, S AD")))
    assert [f.status for f in flags] == ["cannot_tell"]
    assert "was not seen" in flags[0].text
    flags = audit(fold(log("trump H N", "book 1: N KD, S QC, W TD", "book 2: W AC, N KC, E QC, S AD")))
    assert [(f.kind, f.status) for f in flags] == [("FOLLOW", "proven")]
    # The lead itself is missing: nothing can be judged.
    assert audit(fold(log("trump H N", "book 1: E KD, S QC, W TD", "book 2: W AC, N KC, E QC, S AD"))) == []


def test_the_kind_becomes_follow_when_the_led_suit_turns_up() -> None:
    first = ("book 1: N AS, E JC, S TS, W KS", "book 2: N AH, E QH, S KH, W TH")
    assert one(*first).kind == "TRUMP"
    flag = one(*first, "book 3: N AC, E QS, S KC, W TC")
    assert flag.kind == "FOLLOW"
    assert {p.kind for p in flag.pairs} == {"TRUMP", "FOLLOW"}


ACES = ("meld m1 E AS", "meld m2 E AH", "meld m3 E AD", "melded")


def test_undeclared_aces_are_proven_once_one_of_each_suit_is_known() -> None:
    hand = (
        "book 1: N QC, E AC, S KC, W TC", "book 2: E AD, S KD, W TD, N QD", "book 3: E AH, S KH, W TH, N QH",
    )  # fmt: skip
    flag = one(*ACES, *hand)
    assert (flag.kind, flag.status, flag.sets, flag.book) == ("ACES", "proven", (0, 1), 0)
    assert {str(c.face) for c in flag.cards} == {"AS", "AH", "AD", "AC"}
    assert "LV-104" in flag.text
    # Three laid aces and the fourth played: until book 1 is closed they may still be declared (D-09).
    flag = one(*ACES, "lay a N QC", "lay b E AC")
    assert (flag.status, flag.pending) == ("pending", True)
    late = ("lay a N QC", "meld m4 E AC", "lay b E KC", "lay c S TC", "lay d W JC", "close 1")
    state = fold(log("trump H N", *ACES, *late))
    assert state.meld_count("E").total == 10
    assert [f for f in audit(state) if f.kind == "ACES"] == []


def test_a_log_without_meld_says_nothing_about_aces() -> None:
    hand = ("book 1: N QC, E AC, S KC, W TC", "book 2: E AD, S KD, W TD, N QD",
            "book 3: E AH, S KH, W TH, N QH", "book 4: E AS, S KS, W TS, N QS")  # fmt: skip
    assert audit(fold(log("trump H N", *hand))) == []
    assert one("melded", *hand).kind == "ACES"


def test_a_ruling_stays_with_its_flag() -> None:
    assert one(OFFENCE, PROOF).ruling is None
    flag = one(OFFENCE, PROOF, "rule denied c12", "rule confirmed c12")
    assert flag.ruling is not None
    assert flag.ruling.outcome == "confirmed"


def test_without_known_trump_nothing_is_judged() -> None:
    state = fold(log(OFFENCE, PROOF))
    assert "no_trump" in {p.code for p in state.problems}
    assert audit(state) == []


def test_the_rule_set_given_outranks_that_of_the_log() -> None:
    state = fold(log("trump H N", OFFENCE, PROOF), rules.load("LV"))
    assert audit(state, rules.load("LV")) == audit(state)
