"""A book weighed as a whole: seats and order from times, places, and turns."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cards import SEATS, Seat
from vision.turns import Came, Placed, expected, weigh


def told(seat: Seat | None, sure: float = 0.98) -> np.ndarray:
    if seat is None:
        return np.full(4, 0.25)
    p = np.full(4, (1 - sure) / 3)
    p[SEATS.index(seat)] = sure
    return p


def book(*cards: tuple[float, Seat | None], late: dict[int, float] | None = None) -> list[Came]:
    return [Came(at, (late or {}).get(n, 0.0), told(seat)) for n, (at, seat) in enumerate(cards)]


def seats(placed: tuple[Placed, ...]) -> str:
    return "".join(p.seat for p in sorted(placed, key=lambda p: p.place))


def test_a_plain_book_is_sure() -> None:
    found = weigh(book((1, "W"), (2, "N"), (3, "E"), (4, "S")), expected("W")).cards
    assert seats(found) == "WNES"
    assert [p.place for p in found] == [0, 1, 2, 3]
    assert min(min(p.seat_probability, p.order_probability) for p in found) > 0.99


def test_a_card_that_tells_nothing_gets_the_seat_that_is_left() -> None:
    found = weigh(book((1, "W"), (2, None), (3, "E"), (4, "S")), expected("W")).cards
    assert (found[1].seat, found[1].seat_probability > 0.97) == ("N", True)


def test_a_card_out_of_turn_that_was_plainly_seen_is_reported_as_it_came() -> None:
    found = weigh(book((1, "W"), (2, "E"), (3, "N"), (4, "S")), expected("W")).cards
    assert seats(found) == "WENS"
    assert [p.place for p in found] == [0, 1, 2, 3]


def test_a_lead_noticed_last_is_put_first_but_its_place_is_not_sure() -> None:
    cards = book((1, "N"), (2, "E"), (3, "S"), (4.5, "W"), late={3: 0.5})
    found = weigh(cards, expected("W")).cards
    assert seats(found) == "WNES"
    assert found[3].place == 0
    assert 0.5 < found[3].order_probability < 0.995
    on_time = weigh(cards[:3] + book((4.5, "W")), expected("W")).cards
    assert seats(on_time) == "NESW", "seen to come last, it led nothing"
    assert on_time[3].order_probability < 0.98, "but for that W was to lead, one wrong time is not so rare"


def test_cards_laid_at_once_are_ordered_by_turn() -> None:
    cards = book((1, "W"), (2.02, "E"), (2.0, "N"), (4, "S"))
    assert seats(weigh(cards, expected("W")).cards) == "WNES"
    assert seats(weigh(book((1, "W"), (2.5, "E"), (2.0, "N"), (4, "S")), expected("W")).cards) == "WNES"


@pytest.mark.parametrize(("next_lead", "first"), [("N", "N"), ("W", "W")])
def test_who_leads_the_next_book_tells_who_won_this(next_lead: Seat, first: Seat) -> None:
    """Two aces of one suit: the one laid first wins, and its player leads next."""
    cards = [
        Came(1.0, 0.0, told("N")),
        Came(2.0, 0.0, told("E")),
        Came(3.0, 0.0, told("S")),
        Came(4.0, 0.5, told("W")),
    ]

    def wins(order: object) -> int:
        return next(place for place, card in enumerate(order) if card in (0, 3))  # type: ignore[arg-type]

    found = weigh(cards, np.full(4, 0.25), wins, told(next_lead)).cards
    mine = {p.seat: p.place for p in found}
    assert min(mine, key=lambda s: mine[s]) == first
