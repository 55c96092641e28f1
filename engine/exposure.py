"""Duties of exposed cards (play-law section 5): reported to the director, never a renege by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine import play
from engine.cards import SEAT_NAMES, SEATS, STRENGTH, SUIT_NAMES, Face, Seat, partner
from engine.rules import RuleSet, cited
from engine.state import Book, HandState, Play

Breach: TypeAlias = Literal["not_played", "partner_led", "partner_named"]


@dataclass(frozen=True, slots=True)
class Exposure:
    """A duty that the record shows broken. `card`: id of the exposed card, `instead`: what was played."""

    seat: Seat
    book: int
    breach: Breach
    card: str
    instead: str | None
    clauses: tuple[str, ...]
    text: str


def breaches(state: HandState, rules: RuleSet | None = None) -> list[Exposure]:
    """All broken duties that are certain from what has been shown, in the order of the books.

    An exposed card not played counts only when it was legal whatever else the seat held, or when
    the whole of its hand is known. A partner's lead counts once the partner shows another suit.
    """
    rules = rules or state.rules
    found = _named(state, rules)
    if not state.trump_known:
        return found
    known = {seat: [p for b in state.books for p in b.plays if p.seat == seat] for seat in SEATS}
    whole = state.deck.size // len(SEATS)
    for book in state.books:
        for p in book.plays:
            later = [q for q in known[p.seat] if q.book >= book.number]
            everything = len(known[p.seat]) == whole
            found += _not_played(state, rules, book, p, later, everything)
            if p is book.plays[0]:
                found += _led(state, rules, p, later)
    return found


def _lying(state: HandState, seat: Seat, p: Play) -> dict[Face, str]:
    """Faces of the seat's cards that lay exposed before this play, each with a card's id."""
    return {
        x.face: x.card
        for x in state.shown
        if x.seat == seat and x.order < p.order and (x.played is None or x.played >= p.order)
    }


def _not_played(
    state: HandState, rules: RuleSet, book: Book, p: Play, later: list[Play], everything: bool
) -> list[Exposure]:
    lying = _lying(state, p.seat, p)
    if not rules.exposed.must_be_played or not lying or p.face in lying:
        return []
    table = [q.face for q in book.plays[: book.plays.index(p)]]
    hand = [q.face for q in later] if everything else [*lying, p.face]
    legal = set(play.legal(hand, table, state.trump))
    if not everything:
        # Unknown cards can only take away: what beats the table or leads stays legal whatever is held.
        legal = {f for f in legal if not table or _always_legal(f, table, state.trump)}
    due = [f for f in lying if f in legal]
    if not due:
        return []
    ids = rules.clauses("exposed.must_be_played")
    text = (
        f"Book {book.number}: {SEAT_NAMES[p.seat]} laid the {p.face.name} although the exposed "
        f"{due[0].name} could be played ({cited(ids)})."
    )
    return [Exposure(p.seat, book.number, "not_played", lying[due[0]], p.card, ids, text)]


def _always_legal(face: Face, table: list[Face], trump: str | None) -> bool:
    led = table[0].suit
    if face.suit != led:
        return False
    overruled = led != trump and any(f.suit == trump for f in table)
    high = max(f.strength for f in table if f.suit == led)
    return overruled or face.strength > high or high == STRENGTH["A"]  # nothing beats an ace


def _led(state: HandState, rules: RuleSet, p: Play, later: list[Play]) -> list[Exposure]:
    lying = _lying(state, partner(p.seat), p)
    suits = {f.suit for f in lying}
    free = any(q.face.suit not in suits for q in later)
    if not rules.exposed.partner_may_not_lead or p.face.suit not in suits or not free:
        return []
    face, card = next((f, c) for f, c in lying.items() if f.suit == p.face.suit)
    ids = rules.clauses("exposed.partner_may_not_lead")
    text = (
        f"Book {p.book}: {SEAT_NAMES[p.seat]} led {SUIT_NAMES[p.face.suit]} while the partner's "
        f"{face.name} lay exposed, holding another suit ({cited(ids)})."
    )
    return [Exposure(p.seat, p.book, "partner_led", card, p.card, ids, text)]


def _named(state: HandState, rules: RuleSet) -> list[Exposure]:
    """The bidder named the suit of a card that the partner had exposed before or during bidding (LV-85)."""
    if not rules.exposed.partner_may_not_name or not state.bidder or not state.trump:
        return []
    for x in state.shown:
        if x.seat == partner(state.bidder) and x.before_trump and x.face.suit == state.trump:
            ids = rules.clauses("exposed.partner_may_not_name")
            text = (
                f"{SEAT_NAMES[state.bidder]} named {SUIT_NAMES[state.trump]} although the partner's "
                f"{x.face.name} had been exposed before or during bidding ({cited(ids)})."
            )
            return [Exposure(state.bidder, 0, "partner_named", x.card, None, ids, text)]
    return []
