"""A book read as a whole: which seat laid which card, and in what order they came.

Times, places and arms each tell something of it, and people lay one card each, clockwise, from whoever
won the book before. All orders and seats are weighed against each other under that; what is legal is
no part of it. The same weighing says how sure each seat and each place in the order is, so that a card
noticed late lowers what rests on its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np

from engine.cards import SEATS, Seat
from vision.table import Doubles

IN_TURN = 0.98
"""How often all cards of a book come clockwise, one from each seat."""
TWICE = 0.1
"""How much rarer than another order it is that a seat lays twice."""
LEADS = 0.93
"""How often the winner of the book before leads."""
SPREAD = 0.07
"""Seconds by which a time of rest is uncertain: a picture or so."""
ODD = 0.003
"""How often a card's time is wrong for reasons that nothing here knows of."""
MISLED = 0.003
"""How often what a card's place and its arm say of the seat is worth nothing."""


@dataclass(frozen=True, slots=True)
class Came:
    """One card of a book. rested: seconds; late: how likely it is that it lay there long before.

    seats: (4,) likelihood of each seat from place and arm alone.
    """

    rested: float
    late: float
    seats: Doubles


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a card belongs: its place among the book's cards (0 first), its seat, how sure both are."""

    place: int
    seat: Seat
    seat_probability: float
    order_probability: float


@dataclass(frozen=True, slots=True)
class Weighed:
    """A book's cards, placed. led: (4,) likelihood of who led it, apart from who was expected to."""

    cards: tuple[Placed, ...]
    led: Doubles


def expected(winner: Seat | None, sure: float = 1.0) -> Doubles:
    """(4,) prior of who leads, if `winner` won the book before and that is so sure."""
    if winner is None:
        return np.full(4, 0.25)
    p = np.full(4, (1 - LEADS * sure) / 3)
    p[SEATS.index(winner)] = LEADS * sure
    return np.asarray(p / p.sum())


def weigh(
    cards: Sequence[Came],
    leader: Doubles,
    wins: Callable[[Sequence[int]], int] | None = None,
    after: Doubles | None = None,
) -> Weighed:
    """Place up to four cards of one book, given in the order in which they were recorded.

    leader: (4,) prior of who leads. after: (4,) likelihood of who led the next book; wins: the place
    of the winning card when the cards come in this order (indices of `cards`).
    """
    n = len(cards)
    told = np.stack([(1 - MISLED) * c.seats / c.seats.sum() + MISLED / 4 for c in cards])
    turns = _turns(n)
    shape = (4,) + (1,) * (n - 1)
    orders = list(permutations(range(n)))
    weights = np.zeros((len(orders), *(4,) * n))
    led = np.zeros(4)
    for k, order in enumerate(orders):
        w = turns * _times([cards[i] for i in order])
        for place, i in enumerate(order):
            w = w * told[i].reshape((1,) * place + (4,) + (1,) * (n - 1 - place))
        if wins is not None and after is not None:
            follow = LEADS * after / after.sum() + (1 - LEADS) / 4
            place = wins(order)
            w = w * follow.reshape((1,) * place + (4,) + (1,) * (n - 1 - place))
        led += w.reshape(4, -1).sum(axis=1)
        weights[k] = w * leader.reshape(shape)
    weights /= weights.sum()
    best = np.unravel_index(int(weights.argmax()), weights.shape)
    chosen = orders[int(best[0])]
    by_order = weights.reshape(len(orders), -1).sum(axis=1)
    out: list[Placed] = []
    for i in range(n):
        seats, stays = np.zeros(4), 0.0
        place = chosen.index(i)
        for k, order in enumerate(orders):
            at = order.index(i)
            seats += weights[k].sum(axis=tuple(a for a in range(n) if a != at))
            stays += by_order[k] if at == place else 0.0
        seat = int(best[1 + place])
        out.append(Placed(place, SEATS[seat], float(seats[seat]), float(stays)))
    return Weighed(tuple(out), led / led.sum())


@cache
def _turns(n: int) -> Doubles:
    """(4,) * n: how likely seats lay in this order, whoever leads."""
    p = np.zeros((4,) * n)
    for index in np.ndindex(*p.shape):
        again = n - len(set(index))
        in_turn = not again and all((b - a) % 4 == 1 for a, b in pairwise(index))
        p[index] = IN_TURN if in_turn else (1 - IN_TURN) * TWICE**again / 5
    return p


def _times(cards: Sequence[Came]) -> float:
    """Likelihood of the times if the cards came in this order.

    A card's time may be worth nothing, whatever it is compared with; that of a card noticed late only
    says until when it came.
    """
    n = len(cards)
    agrees = {
        (a, b): float(np.clip(1 / (1 + np.exp((cards[a].rested - cards[b].rested) / SPREAD)), 1e-6, 1))
        for a, b in combinations(range(n), 2)
    }
    total = 0.0
    for states in product(("own", "late", "odd"), repeat=n):
        p = 1.0
        own = [k for k in range(n) if states[k] == "own"]
        for k, card in enumerate(cards):
            if states[k] == "own":
                p *= (1 - card.late) * (1 - ODD)
            elif states[k] == "odd":
                p *= ODD / n
            elif card.late and all(cards[j].rested <= card.rested for j in own if j < k):
                p *= card.late * (1 - ODD) / (1 + sum(cards[j].rested < card.rested for j in own))
            else:
                p = 0.0
                break
        if p:
            total += p * float(np.prod([agrees[pair] for pair in combinations(own, 2)]))
    return total
