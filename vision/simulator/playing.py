"""What happens in a simulated hand, before it is given times and places: deal, auction, meld, books.

Everything here follows from the seed. Play is legal and simple-minded, except where a renege or a
correction was asked for; those are chosen so that the kind is what the true hand says it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.cards import COUNTERS, RANKS, SEATS, SUITS, Face, Seat, Suit, next_seat, partner
from engine.deck import DOUBLE
from engine.play import leads, legal, winner

RenegeKind: TypeAlias = Literal["FOLLOW", "BEAT", "TRUMP"]
RENEGE_KINDS: tuple[RenegeKind, ...] = ("FOLLOW", "BEAT", "TRUMP")
BOOKS = 20


@dataclass(frozen=True, slots=True)
class Play:
    """One seat's card to a book. `taken_back`: the card first laid and taken back before it.

    `extra`: a card that comes along with it by mistake.
    """

    seat: Seat
    card: str
    taken_back: str | None = None
    renege: RenegeKind | None = None
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class Book:
    """Four plays. `dropped`, `flashed`: whose card fell face up, or was shown from the hand, just before."""

    number: int
    plays: tuple[Play, ...]
    winner: Seat
    dropped: tuple[Seat, str] | None = None
    flashed: tuple[Seat, str] | None = None


@dataclass(frozen=True, slots=True)
class Mishaps:
    """What happens in a hand, exactly so often."""

    corrections: int = 0
    drops: int = 0
    flashes: int = 0
    doubles: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A hand as it will be played. Cards are named c001 .. c080; `faces` says what each one is.

    meld: for each seat the groups in which its cards are laid, in laying order.
    """

    faces: dict[str, Face]
    hands: dict[Seat, tuple[str, ...]]
    dealer: Seat
    calls: tuple[tuple[Seat, str], ...]
    bidder: Seat
    trump: Suit
    meld: dict[Seat, tuple[tuple[str, ...], ...]]
    books: tuple[Book, ...]


class NoSuchHandError(ValueError):
    """No hand with the behaviours asked for came up in many deals."""


def plan_hand(
    seed: int,
    reneges: Sequence[RenegeKind] = (),
    corrections: int = 0,
    drops: int = 0,
    flashes: int = 0,
    doubles: int = 0,
) -> Plan:
    """Deal and play one hand with exactly these reneges, corrections in time, and cards exposed.

    Deals in which an asked-for renege finds no occasion are dealt again, from the same seed.
    """
    rng = np.random.default_rng([seed, 1])
    wanted = Mishaps(corrections, drops, flashes, doubles)
    for _ in range(400):
        plan = _try(rng, list(reneges), wanted)
        if plan is not None:
            return plan
    raise NoSuchHandError(
        f"seed {seed}: no deal gave room for reneges {tuple(reneges)}, corrections {corrections}"
    )


def renege_kind(card: Face, hand: Sequence[Face], table: Sequence[Face], trump: Suit) -> RenegeKind | None:
    """What playing `card` from `hand` (which contains it) would be; None: legal."""
    if card in legal(hand, table, trump):
        return None
    led = table[0].suit
    if card.suit != led and any(f.suit == led for f in hand):
        return "FOLLOW"
    if card.suit in (led, trump):
        return "BEAT"
    return "TRUMP"


def meld_cards(hand: Sequence[Face], trump: Suit) -> Counter[Face]:
    """How many copies of each face of a hand belong to its meld: marriages, run, arounds, pinochles."""
    held = Counter(hand)
    laid: Counter[Face] = Counter()

    def group(members: list[Face]) -> None:
        sets = min(held[f] for f in members)
        for f in members:
            laid[f] = max(laid[f], sets)

    for suit in SUITS:
        group([Face("K", suit), Face("Q", suit)])
    group([Face(rank, trump) for rank in RANKS])
    for rank in "AKQJ":
        group([f for f in DOUBLE.faces if f.rank == rank])
    group([Face("Q", "S"), Face("J", "D")])
    return +laid


def _try(rng: np.random.Generator, reneges: list[RenegeKind], wanted: Mishaps) -> Plan | None:
    faces = {f"c{n:03d}": f for n, f in enumerate(DOUBLE.cards(), 1)}
    shuffled = [str(c) for c in rng.permutation(list(faces))]
    hands: dict[Seat, tuple[str, ...]] = {s: tuple(shuffled[n::4]) for n, s in enumerate(SEATS)}
    dealer = SEATS[int(rng.integers(4))]
    auction = _auction(rng, {s: [faces[c] for c in hands[s]] for s in SEATS}, dealer)
    if auction is None:
        return None
    calls, bidder, trump = auction
    meld = {s: _meld_groups(rng, hands[s], faces, trump, s == bidder) for s in SEATS}
    books = _play(rng, hands, faces, bidder, trump, reneges, wanted)
    if books is None:
        return None
    return Plan(faces, hands, dealer, tuple(calls), bidder, trump, meld, tuple(books))


def _raise(high: int) -> int:
    """The next bid on the ladder that all sheets share up to 100: by 1 to 60, then by 5 (LV-64)."""
    return high + (1 if high < 60 else 5 if high < 100 else 10)


def _auction(
    rng: np.random.Generator, hands: dict[Seat, list[Face]], dealer: Seat
) -> tuple[list[tuple[Seat, str]], Seat, Suit] | None:
    """Calls from 50 up until three pass; who holds no marriage passes. None: everybody passed."""
    limit: dict[Seat, tuple[int, Suit]] = {}
    for seat, hand in hands.items():
        best: tuple[int, Suit] = (0, "S")
        for suit in SUITS:
            counts = Counter(hand)
            if counts[Face("K", suit)] and counts[Face("Q", suit)]:
                length = sum(1 for f in hand if f.suit == suit)
                worth = 28 + 3 * length + sum(meld_cards(hand, suit).values()) + int(rng.integers(5))
                best = max(best, (worth, suit))
        limit[seat] = best
    calls: list[tuple[Seat, str]] = []
    high, holder, seat, passed = 49, None, next_seat(dealer), set[Seat]()
    while len(passed) < (3 if holder else 4):
        if seat not in passed and seat != holder:
            if limit[seat][0] >= (bid := _raise(high)):
                high, holder = bid, seat
                calls.append((seat, str(high)))
            else:
                passed.add(seat)
                calls.append((seat, "pass"))
        seat = next_seat(seat)
    return (calls, holder, limit[holder][1]) if holder else None


def _meld_groups(
    rng: np.random.Generator, hand: Sequence[str], faces: dict[str, Face], trump: Suit, bidder: bool
) -> tuple[tuple[str, ...], ...]:
    """A seat's meld by suit, trump first, high to low; the bidder lays a trump marriage ahead of all."""
    wanted = meld_cards([faces[c] for c in hand], trump)
    chosen: list[str] = []
    for card in hand:
        if wanted[faces[card]]:
            wanted[faces[card]] -= 1
            chosen.append(card)
    chosen.sort(key=lambda c: -faces[c].strength)
    groups: list[list[str]] = []
    if bidder:
        first = [next(c for c in chosen if faces[c] == Face(r, trump)) for r in ("K", "Q")]
        groups.append(first)
        chosen = [c for c in chosen if c not in first]
    suits = [trump, *(s for s in rng.permutation(list(SUITS)) if s != trump)]
    by_suit = [[c for c in chosen if faces[c].suit == suit] for suit in suits]
    groups += [g for g in by_suit if g]
    return tuple(tuple(g) for g in groups)


def _play(
    rng: np.random.Generator,
    dealt: dict[Seat, tuple[str, ...]],
    faces: dict[str, Face],
    bidder: Seat,
    trump: Suit,
    reneges: list[RenegeKind],
    wanted: Mishaps,
) -> list[Book] | None:
    hands = {s: list(dealt[s]) for s in SEATS}
    # From which book on each incident takes the first occasion that fits it.
    last_start = BOOKS - 7
    due_reneges = sorted(zip(rng.integers(2, last_start, len(reneges)).tolist(), reneges, strict=True))
    due_corrections = sorted(rng.integers(1, last_start + 3, wanted.corrections).tolist())
    due_drops = sorted(rng.integers(2, last_start, wanted.drops).tolist())
    due_flashes = sorted(rng.integers(2, last_start, wanted.flashes).tolist())
    due_doubles = sorted(rng.integers(2, last_start, wanted.doubles).tolist())
    exposed: set[str] = set()
    books: list[Book] = []
    leader = bidder
    for number in range(1, BOOKS + 1):
        plays: list[Play] = []
        seat = leader
        disturbed = False
        dropped: tuple[Seat, str] | None = None
        flashed: tuple[Seat, str] | None = None
        if due_drops and number >= due_drops[0]:
            due_drops.pop(0)
            clumsy = SEATS[int(rng.integers(4))]
            dropped = clumsy, str(rng.choice(hands[clumsy]))
            exposed.add(dropped[1])
        elif due_flashes and number >= due_flashes[0]:
            due_flashes.pop(0)
            careless = SEATS[int(rng.integers(4))]
            flashed = careless, str(rng.choice(hands[careless]))
            exposed.add(flashed[1])
        for _ in range(4):
            table = [faces[p.card] for p in plays]
            hand = hands[seat]
            allowed = _legal_cards(hand, faces, table, trump)
            must = [c for c in allowed if c in exposed]
            if not table and not must:
                shown = [faces[c] for c in hands[partner(seat)] if c in exposed]
                free = set(leads([faces[c] for c in hand], shown))
                allowed = [c for c in hand if faces[c] in free]
            choice = must[0] if must else _choose(rng, allowed, faces, plays, trump, seat)
            kind: RenegeKind | None = None
            wrong: str | None = None
            extra: str | None = None
            # One incident a book, so that each stays plain; an exposed card is not played against itself.
            if table and not must and not disturbed:
                for n, (book, asked) in enumerate(due_reneges):
                    options = [c for c in hand if _kind(c, hand, faces, table, trump) == asked]
                    if number >= book and number <= BOOKS - 3 and options:
                        choice, kind = str(rng.choice(options)), asked
                        del due_reneges[n]
                        disturbed = True
                        break
            if kind is None and not disturbed and due_corrections and number >= due_corrections[0]:
                others = [c for c in hand if c not in allowed] or [c for c in hand if c != choice]
                if table and others and number <= BOOKS - 2:
                    wrong = str(rng.choice(others))
                    due_corrections.pop(0)
                    disturbed = True
            if due_doubles and number >= due_doubles[0] and not disturbed and len(hand) > 2:
                due_doubles.pop(0)
                extra = str(rng.choice([c for c in hand if c != choice]))
                disturbed = True
            plays.append(Play(seat, choice, wrong, kind, extra))
            hand.remove(choice)
            exposed.discard(choice)
            if extra:
                exposed.add(extra)
            if wrong:
                exposed.add(wrong)
            seat = next_seat(seat)
        leader = _winner(plays, faces, trump)
        books.append(Book(number, tuple(plays), leader, dropped, flashed))
    return None if due_reneges or due_corrections or due_flashes or due_doubles else books


def _kind(
    card: str, hand: list[str], faces: dict[str, Face], table: list[Face], trump: Suit
) -> RenegeKind | None:
    return renege_kind(faces[card], [faces[c] for c in hand], table, trump)


def _legal_cards(hand: list[str], faces: dict[str, Face], table: list[Face], trump: Suit) -> list[str]:
    allowed = set(legal([faces[c] for c in hand], table, trump))
    return [c for c in hand if faces[c] in allowed]


def _winner(plays: Sequence[Play], faces: dict[str, Face], trump: Suit) -> Seat:
    return winner([(p.seat, faces[p.card]) for p in plays], trump)


def _choose(
    rng: np.random.Generator,
    allowed: list[str],
    faces: dict[str, Face],
    plays: list[Play],
    trump: Suit,
    seat: Seat,
) -> str:
    """Lead aces; take a book that can be taken, cheaply; give the partner counters; else throw low."""

    def cost(card: str) -> tuple[bool, int]:
        return faces[card].suit == trump, faces[card].strength

    if not plays:
        aces = [c for c in allowed if faces[c].rank == "A" and faces[c].suit != trump]
        return str(rng.choice(aces)) if aces and rng.random() < 0.7 else str(rng.choice(allowed))
    takes = [c for c in allowed if _winner([*plays, Play(seat, c)], faces, trump) == seat]
    if takes:
        return min(takes, key=cost) if len(plays) == 3 else max(takes, key=cost)
    if _winner(plays, faces, trump) == partner(seat):
        counters = [c for c in allowed if faces[c].rank in COUNTERS and faces[c].suit != trump]
        if counters:
            return min(counters, key=cost)
    return min(allowed, key=cost)
