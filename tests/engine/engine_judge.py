"""A brute-force judge of a simulated hand. It knows the hands, and shares no code with the engine.

Cards are plain two-letter strings, legality is a list of what may be played, and a play is illegal if
it is not on that list. What an observer could prove is judged by the same list, for a hand made of
just the cards that were shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product

ORDER = "JQKTA"
SEATS = "NESW"


@dataclass
class Laid:
    """One laying: who, what, when it came and when it went back into the hand."""

    seat: str
    card: str
    came: int
    went: int | None = None


@dataclass
class Trick:
    """turns: for each player in turn order everything laid in this turn."""

    turns: list[list[Laid]] = field(default_factory=list)
    closed: bool = False

    def final(self) -> list[Laid]:
        return [turn[-1] for turn in self.turns if turn[-1].went is None]


@dataclass
class Truth:
    """What really happened."""

    hands: dict[str, list[str]]
    trump: str
    bidder: str
    bid: int
    tricks: list[Trick] = field(default_factory=list)
    meld: dict[str, list[str]] = field(default_factory=lambda: {s: [] for s in SEATS})
    late_aces: dict[str, list[str]] = field(default_factory=lambda: {s: [] for s in SEATS})
    dropped_cards: list[Laid] = field(default_factory=list)
    played_out: bool = False

    @cached_property
    def finals(self) -> list[list[Laid]]:
        """The cards that stood in each trick, once all is over."""
        return [trick.final() for trick in self.tricks]

    @cached_property
    def stood(self) -> dict[tuple[str, int], list[Laid]]:
        """By seat and trick (from 0): the cards of the seat that stood in earlier tricks."""
        return {
            (seat, n): [x for cards in self.finals[:n] for x in cards if x.seat == seat]
            for seat in SEATS
            for n in range(len(self.tricks) + 1)
        }

    @cached_property
    def returned(self) -> dict[str, list[Laid]]:
        """By seat: what was taken back."""
        every = [x for trick in self.tricks for turn in trick.turns for x in turn if x.went is not None]
        return {seat: [x for x in every if x.seat == seat] for seat in SEATS}


def may_play(hand: list[str], table: list[str], trump: str) -> set[str]:
    """The law, read as a decision table (play-law section 2)."""
    if not table:
        return set(hand)
    lead = table[0][1]

    def rank(card: str) -> int:
        return ORDER.index(card[0])

    in_suit = {c for c in hand if c[1] == lead}
    trumps_there = [c for c in table if c[1] == trump]
    if in_suit and lead != trump and trumps_there:
        return in_suit
    candidates, to_beat = in_suit, [c for c in table if c[1] == lead]
    if not in_suit:
        candidates, to_beat = {c for c in hand if c[1] == trump}, trumps_there
    if not candidates:
        return set(hand)
    better = {c for c in candidates if all(rank(c) > rank(t) for t in to_beat)}
    return better or candidates


def taker(cards: list[tuple[str, str]], trump: str) -> str:
    """Beat the best so far or lose; an equal card does not beat."""
    best_seat, best = cards[0]
    for seat, card in cards[1:]:
        higher = card[1] == best[1] and ORDER.index(card[0]) > ORDER.index(best[0])
        if higher or (card[1] == trump and best[1] != trump):
            best_seat, best = seat, card
    return best_seat


def then(trick: Trick, turn: int, moment: int) -> list[str]:
    """The cards of earlier turns that lay on the table at this moment."""
    return [
        laid.card
        for earlier in trick.turns[:turn]
        for laid in earlier
        if laid.came < moment and (laid.went is None or laid.went > moment)
    ]


def shown_by(truth: Truth, seat: str, number: int, card: Laid, closed_only: bool) -> list[str]:
    """Cards that an observer knows the seat held when it laid this card in trick `number` (from 0)."""
    later = zip(truth.tricks[number + 1 :], truth.finals[number + 1 :], strict=True)
    known = [x.card for t, cards in later if t.closed or not closed_only for x in cards if x.seat == seat]
    if closed_only:
        return known
    known += exposed_before(truth, seat, number, card)
    gone = [x.card for x in truth.stood[seat, number]]
    melded = truth.meld[seat] + truth.late_aces[seat]
    known += [f for f in set(melded) if melded.count(f) > gone.count(f) + (card.card == f)]
    return known


def exposed_before(truth: Truth, seat: str, number: int, card: Laid | None) -> set[str]:
    """Faces taken back or dropped at any time of which no card was played since, before trick `number`."""
    shown = [(x.went, x.card) for x in truth.returned[seat] if x is not card and x.went is not None]
    shown += [(x.came, x.card) for x in truth.dropped_cards if x.seat == seat]
    played = truth.stood[seat, number]
    return {face for since, face in shown if not any(x.card == face and x.came > since for x in played)}


def illegal(truth: Truth, closed_only: bool = False) -> tuple[set[tuple[int, str, str]], ...]:
    """Plays provable from what was shown: (illegal, induced, corrected), as (trick from 1, seat, card).

    `closed_only`: by two cards in closed tricks alone (LV-109).
    """
    wrong, induced, corrected = set(), set(), set()
    for n, trick in enumerate(truth.tricks):
        if closed_only and not trick.closed:
            continue
        for t, turn in enumerate(trick.turns):
            for laid in turn:
                hand = [laid.card, *shown_by(truth, laid.seat, n, laid, closed_only)]
                if laid.went is not None:
                    hand += [x.card for x in turn if x.came > laid.came]
                    if laid.card not in may_play(hand, then(trick, t, laid.came), truth.trump):
                        corrected.add((n + 1, laid.seat, laid.card))
                    continue
                table = [x.card for earlier in trick.turns[:t] for x in earlier if x.went is None]
                if laid.card in may_play(hand, table, truth.trump):
                    continue
                key = (n + 1, laid.seat, laid.card)
                before = then(trick, t, laid.came)
                everything = [laid.card, *shown_by(truth, laid.seat, n, laid, False)]
                if before != table and laid.card in may_play(everything, before, truth.trump):
                    induced.add(key)
                else:
                    wrong.add(key)
    return wrong, induced, corrected


def really_illegal(truth: Truth) -> set[tuple[int, str, str]]:
    """Plays that were illegal for the hand really held, tables as they finally lay, induced ones included."""
    found = set()
    hands = {s: list(h) for s, h in truth.hands.items()}
    for n, trick in enumerate(truth.tricks):
        for t, turn in enumerate(trick.turns):
            table = [x.card for earlier in trick.turns[:t] for x in earlier if x.went is None]
            for laid in turn:
                if laid.went is None and laid.card not in may_play(hands[laid.seat], table, truth.trump):
                    found.add((n + 1, laid.seat, laid.card))
        for x in truth.finals[n]:
            hands[x.seat].remove(x.card)
    return found


def trick_points(truth: Truth) -> dict[str, int]:
    won = {"NS": 0, "EW": 0}
    for n, trick in enumerate(truth.tricks):
        if trick.closed:
            cards = [(x.seat, x.card) for x in truth.finals[n]]
            side = "NS" if taker(cards, truth.trump) in "NS" else "EW"
            won[side] += sum(card[0] in "ATK" for _, card in cards) + (2 if n == 19 else 0)
    return won


AROUND = {
    "A": (0, 10, 100, 150, 200),
    "K": (0, 8, 80, 120, 160),
    "Q": (0, 6, 60, 90, 120),
    "J": (0, 4, 40, 60, 80),
}
PINOCHLE = (0, 4, 30, 90, 300)
RUN = (0, 15, 150, 225, 300)


def meld_value(cards: list[str], trump: str, late_aces: list[str] | None = None) -> int:
    """LV meld as the best partition into printed melds, by trying every number of runs and marriages."""
    total = 0
    for rank, values in AROUND.items():
        pool = cards + (late_aces or []) if rank == "A" else cards
        total += values[min(pool.count(rank + s) for s in "SHDC")]
    total += PINOCHLE[min(cards.count("QS"), cards.count("JD"))]
    counts = tuple(sorted((c, cards.count(c)) for c in set(cards)))
    return total + _best_runs(counts, trump)


@cache
def _best_runs(counts: tuple[tuple[str, int], ...], trump: str) -> int:
    have = dict(counts)
    best = 0
    for runs, royal in product(range(5), range(5)):
        needed = {r + trump: runs for r in "ATKQJ"}
        needed["K" + trump] += royal
        needed["Q" + trump] += royal
        if all(have.get(c, 0) >= n for c, n in needed.items()):
            best = max(best, RUN[runs] + 4 * royal)
    plain = sum(2 * min(have.get("K" + s, 0), have.get("Q" + s, 0)) for s in "SHDC" if s != trump)
    return best + plain


def undeclared_aces(truth: Truth) -> set[str]:
    """Seats that held, as far as was shown, more sets of aces than they laid (play-law 6.5)."""
    found = set()
    if not truth.tricks or not truth.tricks[0].closed:
        return found
    for seat in SEATS:
        laid = truth.meld[seat] + truth.late_aces[seat]
        played = [
            x.card
            for t, end in zip(truth.tricks, truth.finals, strict=True)
            if t.closed
            for x in end
            if x.seat == seat
        ]
        played += exposed_before(truth, seat, len(truth.tricks), None)
        declared = min(laid.count("A" + s) for s in "SHDC")
        held = min(max(laid.count("A" + s), played.count("A" + s)) for s in "SHDC")
        if held > declared:
            found.add(seat)
    return found


def lv_score(truth: Truth) -> dict[str, int]:
    """Both teams' change for a hand played out (LV-02, LV-03, LV-92 to LV-94, D-07)."""
    points = trick_points(truth)
    meld = {"NS": 0, "EW": 0}
    for seat in SEATS:
        side = "NS" if seat in "NS" else "EW"
        meld[side] += meld_value(truth.meld[seat], truth.trump, truth.late_aces[seat])
    mine = "NS" if truth.bidder in "NS" else "EW"
    other = "EW" if mine == "NS" else "NS"
    result = {mine: 0, other: 0}
    if meld[mine] >= 20 and points[mine] >= 20 and meld[mine] + points[mine] >= truth.bid:
        result[mine] = meld[mine] + points[mine]
        if points[other] >= 20:
            result[other] = points[other] + (meld[other] if meld[other] >= 20 else 0)
    else:
        result[other] = truth.bid
        result[other] += meld[other] if meld[other] >= 20 else 0
        result[other] += points[other] if points[other] >= 20 else 0
    return result
