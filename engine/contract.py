"""From the calls of a hand's log to its bid and bidder."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine import auction
from engine.auction import Bid
from engine.cards import SEAT_NAMES, Seat, next_seat, partner
from engine.state import HandState, Problem


def settle(s: HandState, namer: Seat | None) -> None:
    """Set bid and bidder as the auction gives them; where the table went on otherwise, as it went on.

    `namer`: who named trump, as entered. A single number is taken as the contract: the auction was
    not entered.
    """
    s.bid, s.bidder, s.dropped = None, namer, False
    said = [(seat, call.strip()) for seat, call in s.bids]
    numbers = [Bid(seat, int(call)) for seat, call in said if re.fullmatch("[0-9]{1,4}", call)]
    if len(s.bids) == len(numbers) == 1:
        s.bid, s.bidder = numbers[0].amount, namer or numbers[0].seat
        return
    if not s.bids:
        return
    if s.auction is None or len(s.auction.calls) < len(s.bids):  # asked again when cards are laid
        s.auction = auction.fold(s.dealer or next_seat(partner(s.bids[0][0])), s.bids, s.rules)
    a = s.auction
    won = a.bid or (a.standing if a.waiting else a.high)
    if a.dropped and not s.dealer:
        won = None
    if won is None and s.books and numbers:
        won = max(numbers, key=lambda n: n.amount)
    if namer and (won is None or won.seat != namer):
        own = [n for n in numbers if n.seat == namer]
        won = max(own, key=lambda n: n.amount, default=won)
    if won:
        s.bid, s.bidder = won.amount, namer or won.seat
        s.dropped = a.dropped and won == a.bid


def judged(s: HandState, seqs: Sequence[int]) -> list[Problem]:
    """What was improper in the auction, and where the bid did not go as it says. `seqs`: of the calls."""
    if s.auction is None:
        return []
    found = [Problem(seqs[f.index], f"call_{f.kind}", f.text) for f in s.auction.faults]
    won = s.auction.bid
    if won and s.bidder and s.dealer and (s.bid, s.bidder) != (won.amount, won.seat):
        text, _ = auction.result(s.auction)
        went = f"{SEAT_NAMES[s.bidder]} went on with {s.bid}"
        found.append(Problem(seqs[-1], "bidder_differs", f"{text}, but {went}"))
    return found
