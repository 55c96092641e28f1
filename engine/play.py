"""Legal plays, the winner of a book, its points (play-law sections 2, 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.cards import COUNTERS, STRENGTH, Face, Seat, Suit

LAST_BOOK = 2
"""Points for the last book, besides its counters (play-law section 3)."""


def legal(hand: Iterable[Face], table: Sequence[Face], trump: Suit | None) -> list[Face]:
    """The distinct faces of `hand` that may be played on `table`, in the order of the hand.

    `table`: the cards already in the book, in order. `trump` None: no trump. An empty table means
    the player leads. Follow (LV-102), beat (LV-103), trump when out of the suit (LV-105);
    overtrumping is the duty to beat in a book that has been trumped.
    """
    held = list(dict.fromkeys(hand))
    if not table:
        return held
    led = table[0].suit
    trumps = [STRENGTH[f.rank] for f in table if f.suit == trump]
    following = [f for f in held if f.suit == led]
    if following:
        if trumps and led != trump:
            return following  # it cannot beat the trump, so there is no duty to beat
        return _beating(following, max(STRENGTH[f.rank] for f in table if f.suit == led))
    trumping = [f for f in held if f.suit == trump]
    if trumping:
        return _beating(trumping, max(trumps, default=-1))
    return held


def _beating(cards: list[Face], strength: int) -> list[Face]:
    return [f for f in cards if STRENGTH[f.rank] > strength] or cards


def bound(legal_faces: Sequence[Face], exposed: Iterable[Face]) -> list[Face]:
    """Which of the legal faces the player must choose from, given the player's exposed cards.

    An exposed card is played at the first legal opportunity (LV-83); where none is legal the duty
    waits, for no one can be forced to renege (LV-98).
    """
    shown = set(exposed)
    return [f for f in legal_faces if f in shown] or list(legal_faces)


def leads(hand: Iterable[Face], partner_exposed: Iterable[Face]) -> list[Face]:
    """What may be led while the partner has exposed cards: not their suits, unless forced (LV-84, D-19)."""
    held = list(dict.fromkeys(hand))
    suits = {f.suit for f in partner_exposed}
    return [f for f in held if f.suit not in suits] or held


def winning(table: Sequence[Face], trump: Suit | None) -> int:
    """Index of the winning card: highest trump, else highest of the led suit; of equals the first."""
    best, best_key = 0, (table[0].suit == trump, STRENGTH[table[0].rank])
    led = table[0].suit
    for n in range(1, len(table)):
        f = table[n]
        if f.suit == trump:
            key = (True, STRENGTH[f.rank])
        elif f.suit == led:
            key = (False, STRENGTH[f.rank])
        else:
            continue
        if key > best_key:
            best, best_key = n, key
    return best


def winner(plays: Sequence[tuple[Seat, Face]], trump: Suit | None) -> Seat:
    """The seat that takes the book. Raises ValueError on an empty book."""
    if not plays:
        raise ValueError("an empty book has no winner")
    return plays[winning([f for _, f in plays], trump)][0]


def points(faces: Iterable[Face], last: bool = False) -> int:
    """Points of a book: one for each ace, ten and king, and two for the last book (play-law section 3)."""
    return sum(1 for f in faces if f.rank in COUNTERS) + (LAST_BOOK if last else 0)
