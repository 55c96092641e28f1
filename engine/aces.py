"""Aces around that were held and not declared (play-law 6.5)."""

from __future__ import annotations

from collections import Counter

from engine.cards import SEAT_NAMES, SUITS, Face, Seat, Suit
from engine.flags import Flag, Level, Seen, Status, ruling_on
from engine.rules import RuleSet, cited
from engine.state import HandState, Play


def audit_aces(state: HandState, rules: RuleSet, threshold: float, seat: Seat) -> list[Flag]:
    """A flag once one more ace of each suit is known than the sets this seat declared."""
    if not state.books or state.meld_open or not state.meld_seen:
        return []
    laid: dict[Suit, list[Seen]] = {s: [] for s in SUITS}
    played: dict[Suit, list[tuple[Seen, bool]]] = {s: [] for s in SUITS}
    declared: Counter[Suit] = Counter()
    for m in state.meld[seat]:
        if m.face.rank == "A":
            laid[m.face.suit].append(Seen.of(m, None))
            declared[m.face.suit] += m.counts != "no"
    for suit in SUITS:
        played[suit] = _known(state, seat, Face("A", suit))
    sets = min(declared[s] for s in SUITS)
    if sets >= state.deck.copies:
        return []
    proof: list[tuple[Seen, bool]] = []
    for suit in SUITS:
        # Laid and played aces may be the same cards: each list alone counts how many were held.
        if len(played[suit]) > sets:
            proof.append(played[suit][sets])
        elif len(laid[suit]) > sets:
            proof.append((laid[suit][sets], True))
        else:
            return []
    probability = 1.0
    for x, _ in proof:
        probability *= x.probability
    deciding = max((x for x, _ in proof), key=lambda x: x.book or 0)
    other = next(x for x, _ in proof if x is not deciding)
    window = rules.meld.aces_until == "first_book_closed" and not state.books[0].closed
    in_books = all(x.book for x, _ in proof)
    level: Level = "book" if in_books else "meld"
    if probability < 0.5:
        status: Status = "cannot_tell"
    elif probability < threshold or rules.renege.aces == "director":
        status = "suspected"
    elif window or not all(closed for _, closed in proof):
        status = "pending"
    else:
        status = "proven"
    cards = tuple(x for x, _ in proof)
    weakest = min(cards, key=lambda x: x.probability)
    ids = rules.clauses("renege.aces")
    many = ("no aces around", "one set of aces", "two sets of aces", "three sets of aces")[sets]
    known = min(max(len(played[suit]), len(laid[suit])) for suit in SUITS)
    held = ("", "one set", "two sets", "three sets", "four sets")[min(known, 4)]
    text = (
        f"{SEAT_NAMES[seat]} declared {many} but held {held}: "
        f"{', '.join(_where(x) for x in cards)} ({cited(ids)})."
    )
    if status == "suspected" and probability < threshold:
        text += f" It rests on the reading of the {weakest.face.name} ({weakest.probability:.0%})."
    elif status == "suspected":
        text += " The rule set names no penalty: for the director."
    return [
        Flag(
            seat, 0, "ACES", status, deciding, other, None, level, probability, weakest, (), cards,
            status == "pending", ids, text, ruling_on(state, [x.card for x in cards]), (sets, known),
        )
    ]  # fmt: skip


def _known(state: HandState, seat: Seat, face: Face) -> list[tuple[Seen, bool]]:
    """Cards of this face that the seat showed outside meld, each certainly another, surest first.

    A card shown and not played since the last closed book counts once; a card in the open book may
    be that one.
    """
    closed: list[Play] = []
    still_open: list[Play] = []
    for book in state.books:
        for p in book.plays:
            if p.seat == seat and p.face == face:
                (closed if book.closed else still_open).append(p)
    shown = [
        x
        for x in state.shown
        if x.seat == seat and x.face == face and not any(p.order > x.order for p in closed)
    ]
    known = [(Seen.of(p, p.book), True) for p in closed] + [(Seen.of(x, x.book), True) for x in shown[:1]]
    return known + [(Seen.of(p, p.book), False) for p in still_open[len(shown[:1]) :]]


def _where(x: Seen) -> str:
    place = f"book {x.book}" if x.book else "meld" if x.book is None else "before play"
    return f"the {x.face.name} ({place})"
