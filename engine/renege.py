"""Which plays the cards themselves prove illegal, and how surely (play-law section 6).

Nobody's hand is ever seen. What a seat certainly held at a play is what it shows later (`book`), what
it took back or exposed (`exposed`), and meld it had not yet played (`meld`). One such card that
forbids the play proves the renege, and whatever else is learned of the hand can only add proofs.
Nothing here changes a reading, and nothing here punishes: flags are for the director.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from engine.aces import audit_aces
from engine.cards import SEAT_NAMES, SEATS, STRENGTH, SUIT_NAMES, SUITS, Face, Seat, Suit, next_seat
from engine.flags import KINDS, LEVELS, STATUSES, Flag, Kind, Level, Pair, Seen, Status, ruling_on
from engine.rules import RuleSet, cited
from engine.state import Book, HandState, Melded, Play, Shown

__all__ = ["THRESHOLD", "Duty", "Flag", "Kind", "Level", "Pair", "Seen", "Status", "audit", "duties"]

THRESHOLD: Final = 0.9
LOOKS_ILLEGAL: Final = 10.0
"""How many plays look illegal by a wrong seat, order or trump for each renege. Hardly one play in a hundred
is one, but one wrong place in ten makes some play look so, and a wrong trump makes several: of what looks
illegal, more is a wrong place or trump than its probability alone says."""


class Duty(NamedTuple):
    """Holding a card of `suit` stronger than `above` forbids the play. `by`: index of the duty card."""

    kind: Kind
    suit: Suit
    above: int
    by: int


def duties(table: Sequence[Face], card: Face, trump: Suit | None) -> list[Duty]:
    """The witness test (play-law 6.1): what the player of `card` on `table` must not have held."""
    if not table:
        return []
    led = table[0].suit
    trumped = [(STRENGTH[f.rank], -n) for n, f in enumerate(table) if f.suit == trump]
    strength = STRENGTH[card.rank]
    if card.suit == led:
        if led != trump and trumped:
            return []
        high, n = max((STRENGTH[f.rank], -n) for n, f in enumerate(table) if f.suit == led)
        return [Duty("BEAT", led, high, -n)] if strength <= high else []
    found = [Duty("FOLLOW", led, -1, 0)]
    if card.suit == trump:
        high, n = max(trumped, default=(-1, 0))
        if strength <= high:
            found.append(Duty("BEAT", card.suit, high, -n))
    elif trump is not None and trump != led:
        found.append(Duty("TRUMP", trump, -1, 0))
    return found


def audit(state: HandState, rules: RuleSet | None = None, threshold: float = THRESHOLD) -> list[Flag]:
    """All flags, in the order of the books; undeclared aces last.

    `threshold`: the probability from which the director takes readings as sure. The probability of
    a pair is the product of what it depends on: the readings of both cards and their seats, of the
    lead, and for a duty to beat of every card before it (each could hide a higher card or a trump); the
    order of the book, for another card may have been the lead; where the proof lies in the very next
    book, that it came after; and trump, where the pair would prove nothing under another. Doubts of seats,
    orders and trump count by LOOKS_ILLEGAL.
    """
    rules = rules or state.rules
    flags = _Audit(state, rules, threshold).plays() if state.trump_known else []
    return flags + [f for seat in SEATS for f in audit_aces(state, rules, threshold, seat)]


class _Audit:
    def __init__(self, state: HandState, rules: RuleSet, threshold: float) -> None:
        self.state, self.rules, self.threshold = state, rules, threshold
        self.held = {seat: _Held(state, seat) for seat in SEATS}
        law = rules.renege
        self.kinds = {"FOLLOW": law.follow, "BEAT": law.beat, "TRUMP": law.trump}

    def plays(self) -> list[Flag]:
        flags: list[Flag] = []
        leader = self.state.bidder
        for book in self.state.books:
            flags += self.book(book, leader)
            leader = book.winner if len({p.seat for p in book.plays}) == 4 else None
        return flags

    def book(self, book: Book, leader: Seat | None) -> list[Flag]:
        missing = {g.seat for g in self.state.gaps if g.book == book.number}
        if leader in missing:
            return []  # what was led is not known
        flags = []
        table: list[Play] = []
        corrected = False
        for n, slot in enumerate(book.slots):
            for c in slot if n else ():
                if c.void:
                    continue
                then = table
                if c.back is not None:
                    then = _as_it_lay(book, n, c.order)
                    pairs = self.pairs(book, then, c, taken_back=True)
                else:
                    unseen = bool(missing) and _before(leader, missing, c.seat)
                    pairs = self.pairs(book, table, c, lead_unsure=unseen and leader is None, unseen=unseen)
                    if pairs and corrected and not self.illegal_then(_as_it_lay(book, n, c.order), c):
                        pairs = [replace(p, status="induced") for p in pairs]
                if pairs:
                    flags.append(self.flag(book, then, c, pairs))
            table += [p for p in slot if p.stands]
            corrected = corrected or len(slot) > 1
        return flags

    def illegal_then(self, table: list[Play], c: Play) -> bool:
        """Whether the card was illegal already when it was laid, before others corrected (D-37)."""
        found = duties([p.face for p in table], c.face, self.state.trump)
        return any(self.held[c.seat].witnesses(c, d) for d in found)

    def pairs(
        self,
        book: Book,
        table: list[Play],
        c: Play,
        *,
        taken_back: bool = False,
        lead_unsure: bool = False,
        unseen: bool = False,
    ) -> list[Pair]:
        pairs: list[Pair] = []
        for duty in duties([p.face for p in table], c.face, self.state.trump):
            witnesses = self.held[c.seat].witnesses(c, duty) if self.kinds[duty.kind] else []
            if not witnesses:
                continue
            base = c.reading.probability * c.seat_probability
            for p in table if duty.kind == "BEAT" else table[:1]:
                base *= p.reading.probability
            blind = lead_unsure or (unseen and duty.kind == "BEAT")
            by = Seen.of(table[duty.by], book.number)
            for level, x, closed in witnesses:
                seen = base * x.probability
                orders = [order for order, _ in self.orders(book, x)]
                trump = self.trump_of(table, c, x)
                seen *= math.prod(orders) * trump
                probability = seen
                for place in (c.seat_probability, self.seat_of(x), *orders, trump):
                    probability /= place + (1 - place) * LOOKS_ILLEGAL
                if taken_back:
                    status: Status = "corrected"
                elif blind or seen < 0.5:
                    status = "cannot_tell"
                elif probability < self.threshold or level not in self.rules.renege.evidence:
                    status = "suspected"
                else:
                    status = "proven" if closed and book.closed else "pending"
                pairs.append(Pair(duty.kind, x, level, by, probability, status))
        return pairs

    def seat_of(self, proof: Seen) -> float:
        """How sure it is that the seat laid its proof; 1 for what was not played."""
        book = self.state.book(proof.book or 0)
        plays = [p for s in book.slots for p in s if p.card == proof.card] if book else []
        return plays[-1].seat_probability if plays else 1.0

    def trump_of(self, table: list[Play], c: Play, proof: Seen) -> float:
        """How sure trump is, for a pair that rests on it; 1 for one that proves the same under any trump."""
        state = self.state
        if state.trump_probability == 1 or all(
            self.proves(table, c, proof, suit) for suit in SUITS if suit != state.trump
        ):
            return 1.0
        return state.trump_probability

    def proves(self, table: list[Play], c: Play, proof: Seen, trump: Suit) -> bool:
        """Whether holding `proof` would forbid the play if this were trump."""
        return any(
            self.kinds[d.kind] and d.suit == proof.face.suit and STRENGTH[proof.face.rank] > d.above
            for d in duties([p.face for p in table], c.face, trump)
        )

    def orders(self, book: Book, proof: Seen) -> list[tuple[float, int]]:
        """The orders that a pair rests on: how sure they are, and of which books."""
        found = [(book.order_probability, book.number)]
        if proof.book == book.number + 1:  # a card of the next book may have been one of this
            later = self.state.books[book.number].slots
            found += [(p.order_probability, proof.book) for s in later for p in s if p.card == proof.card]
        return found

    def flag(self, book: Book, table: list[Play], c: Play, pairs: list[Pair]) -> Flag:
        first = min(pairs, key=_rank)
        card, lead = Seen.of(c, book.number), Seen.of(table[0], book.number)
        cards = tuple({s.card: s for s in (card, first.proof, first.duty, lead)}.values())
        rests_on = [*cards, *(Seen.of(p, book.number) for p in table if first.kind == "BEAT")]
        weakest = min(rests_on, key=lambda s: s.probability)
        doubt = f"the reading of the {weakest.face.name} ({weakest.probability:.0%})"
        order, number = min(self.orders(book, first.proof))
        if order < weakest.probability:
            doubt = f"the order in which book {number} was laid ({order:.0%})"
        trump = self.trump_of(table, c, first.proof)
        if self.state.trump and trump < min(order, weakest.probability):
            doubt = f"trump being {SUIT_NAMES[self.state.trump]} ({trump:.0%})"
        fault = self.rules.clauses(f"renege.{first.kind.lower()}")
        about = {"corrected": "books.correct_until", "induced": "renege.induced"}
        more = self.rules.clauses(about.get(first.status, "renege.evidence"))
        pairs.sort(key=lambda p: (p.proof.book if p.proof.book is not None else -1, KINDS.index(p.kind)))
        return Flag(
            seat=c.seat,
            book=book.number,
            kind=first.kind,
            status=first.status,
            card=card,
            proof=first.proof,
            duty=first.duty,
            level=first.level,
            probability=first.probability,
            weakest=weakest,
            pairs=tuple(pairs),
            cards=cards,
            pending=not book.closed,
            clauses=tuple(dict.fromkeys((*fault, *more))),
            text=_sentence(first, card, lead, doubt, fault, more, self.threshold),
            ruling=ruling_on(self.state, (c.card,)),
        )


class _Held:
    """What a seat certainly held, by suit."""

    def __init__(self, state: HandState, seat: Seat) -> None:
        self.state = state
        self.plays: dict[Suit, list[Play]] = {s: [] for s in SUITS}
        self.all: list[Play] = []
        for book in state.books:
            for slot in book.slots:
                for p in slot:
                    if p.seat == seat and p.stands:
                        self.plays[p.face.suit].append(p)
                        self.all.append(p)
        self.shown = [x for x in state.shown if x.seat == seat]
        self.melded: dict[Face, list[Melded]] = {}
        for m in state.meld[seat]:
            self.melded.setdefault(m.face, []).append(m)
        self.missing = [g.book for g in state.gaps if g.seat == seat]

    def witnesses(self, c: Play, duty: Duty) -> list[tuple[Level, Seen, bool]]:
        """Cards held at the play `c` that forbid it: level, card, whether it lies in a closed book."""
        suit, above, books = duty.suit, duty.above, self.state.books
        found: list[tuple[Level, Seen, bool]] = []
        for p in self.plays[suit]:
            if STRENGTH[p.face.rank] > above and (
                p.book > c.book or (p.book == c.book and p.order > c.order)
            ):
                found.append(("book", Seen.of(p, p.book), books[p.book - 1].closed))
        in_books = {x.face for _, x, closed in found if closed} if found else set()
        for s in self.shown:
            if (
                s.face.suit == suit
                and STRENGTH[s.face.rank] > above
                and s.card != c.card
                and s.face not in in_books
                and not self._gone(s, c)
            ):
                found.append(("exposed", Seen.of(s, s.book), True))
        if self.melded:
            known = {x.face for _, x, closed in found if closed}
            for face, laid in self.melded.items():
                if face.suit == suit and STRENGTH[face.rank] > above and face not in known:
                    probability = self._still_held(face, laid, c)
                    if probability is not None:
                        best = max(laid, key=lambda m: m.reading.probability)
                        x = Seen(best.card, best.seat, face, None, probability, best.reading.picture)
                        found.append(("meld", x, True))
        return found

    def _gone(self, shown: Shown, c: Play) -> bool:
        """Whether it may have left the hand before `c`: a card of its face was played since it was seen."""
        return any(p.face == shown.face and p.order > shown.order and p.book < c.book for p in self.all)

    def _still_held(self, face: Face, laid: list[Melded], c: Play) -> float | None:
        """How sure it is that a melded `face` was still in hand at `c`; None if it need not have been.

        A card of the seat that nobody saw played before could have been it.
        """
        before = [p for p in self.all if p.book < c.book]
        gone = sum(p.face == face for p in before) + sum(b < c.book for b in self.missing)
        if len(laid) <= gone:
            return None
        probability = 1.0
        for m in sorted(laid, key=lambda m: -m.reading.probability)[: gone + 1]:
            probability *= m.reading.probability
        if len(laid) == gone + 1:  # then no other card played before may have been it, misread
            for p in before:
                if p.reading.second == face:
                    probability *= 1 - p.reading.second_probability
        return probability


def _as_it_lay(book: Book, slot: int, order: int) -> list[Play]:
    """The cards of earlier turns as they lay on the table at this moment."""
    table = []
    for earlier in book.slots[:slot]:
        lying = [p for p in earlier if p.order < order and not p.void and (p.back is None or p.back > order)]
        table += lying[-1:]
    return table


def _before(leader: Seat | None, missing: set[Seat], seat: Seat) -> bool:
    """Whether a card that was not seen lay on the table before this seat's turn."""
    if leader is None:
        return True
    turn = leader
    while turn != seat:
        if turn in missing:
            return True
        turn = next_seat(turn)
    return False


def _rank(pair: Pair) -> tuple[int, int, int, int]:
    """Best status, then FOLLOW before BEAT before TRUMP (section 6.1), then the earliest card shown."""
    book = pair.proof.book if pair.proof.book is not None else -1
    return STATUSES.index(pair.status), KINDS.index(pair.kind), book, LEVELS.index(pair.level)


_FAULT: Final[dict[str, str]] = {
    "FOLLOW": "did not follow suit",
    "BEAT": "did not beat the highest card",
    "TRUMP": "did not trump",
}


def _sentence(
    pair: Pair,
    card: Seen,
    lead: Seen,
    doubt: str,
    fault: tuple[str, ...],
    more: tuple[str, ...],
    threshold: float,
) -> str:
    duty = "" if pair.kind != "BEAT" else f" with the {pair.duty.face.name} on the table"
    shown = {
        "book": f"played in book {pair.proof.book}",
        "exposed": f"shown at book {pair.proof.book}" if pair.proof.book else "shown before play",
        "meld": "melded and not yet played",
    }[pair.level]
    text = (
        f"Book {card.book}: {SEAT_NAMES[card.seat]} laid the {card.face.name} on the lead of the "
        f"{lead.face.name}{duty} and {_FAULT[pair.kind]} ({cited(fault)}) though holding the "
        f"{pair.proof.face.name}, {shown}"
    )
    ids = f" ({cited(more)})" if more else ""
    match pair.status:
        case "proven":
            return f"{text}. Proven{ids}."
        case "pending":
            return f"{text}. A book concerned is still open, so it may not be called yet{ids}."
        case "corrected":
            return f"{text}. Taken back in time: no renege{ids}."
        case "induced":
            return f"{text}, but only since an earlier card was corrected: for the director{ids}."
        case "cannot_tell" if pair.probability >= 0.5:
            return f"{text}. A card laid before it was not seen: cannot tell."
        case "cannot_tell":
            return f"{text}. It rests on {doubt}: cannot tell."
        case _ if pair.probability < threshold:
            return f"{text}. Suspected: it rests on {doubt}."
    return f"{text}. Suspected: strong evidence, but not yet in the books{ids}."
