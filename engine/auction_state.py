"""What an auction has come to: its bids, who may call what next, and what was improper in it.

`engine.auction` builds it; everybody else only reads it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from engine.cards import SEATS, Seat, Team, next_seat
from engine.rules import RuleSet
from engine.sheet_round import Bidding

FaultKind: TypeAlias = Literal[
    "empty", "chatty", "insufficient", "off_ladder", "out_of_turn", "must_raise", "bid_stands",
    "replacement_due", "has_passed", "may_not_call", "choice_open", "no_choice", "late_declaration",
    "after_end",
]  # fmt: skip
Said: TypeAlias = Literal["empty", "number", "pass", "stands", "take", "redeal", "misdeal", "barred", "words"]
_NUMBER = re.compile(r"([0-9]{1,4})( (?:with )?(?:a )?double run)?")
_WORDS: dict[str, Said] = {
    "": "empty", "pass": "pass", "passes": "pass", "p": "pass", "stands": "stands", "redeal": "redeal",
    "misdeal": "misdeal", "barred": "barred",
}  # fmt: skip


class Bid(NamedTuple):
    seat: Seat
    amount: int


@dataclass(frozen=True, slots=True)
class Fault:
    """An improper call. `index` counts calls from 0; `reason` is short, `text` the whole sentence.

    Its consequences: `barred` seats, offender first (a frozen team too); `frozen` team with its last
    legal bid; `raise_to`, the bid it must be raised to at least; `stands`: the bid stands until an
    opponent bids; `choosing`: the team that chooses. `director`: the sheet leaves more to the director.
    """

    index: int
    seat: Seat
    kind: FaultKind
    reason: str
    text: str
    clauses: tuple[str, ...]
    director: bool = True
    barred: tuple[Seat, ...] = ()
    frozen: Team | None = None
    frozen_at: int | None = None
    raise_to: int | None = None
    stands: bool = False
    choosing: Team | None = None


@dataclass(slots=True)
class AuctionState:
    """An auction after some calls; never changed once it was given out.

    `high`: the highest bid made in turn. `standing`: a bid out of turn that stands until an opponent
    bids (NP-22); `challenged`: one has. `replaces`: whose void call waits for a legal one. `claim`:
    the team that may claim a misdeal. `declared`: seats that declared a double run in time.
    `stop`: why there will be no bidder. `bid`, `dropped`: the result; `bid.seat` names trump.
    """

    rules: RuleSet
    dealer: Seat
    pointer: Seat
    calls: tuple[tuple[Seat, str], ...] = ()
    bids: tuple[Bid, ...] = ()
    standing: Bid | None = None
    challenged: bool = False
    passed: frozenset[Seat] = frozenset()
    barred: frozenset[Seat] = frozenset()
    frozen: frozenset[Team] = frozenset()
    replaces: Seat | None = None
    must_raise: bool = False
    choosing: Team | None = None
    claim: Team | None = None
    declared: frozenset[Seat] = frozenset()
    stop: Literal["redeal"] | None = None
    bid: Bid | None = None
    dropped: bool = False
    faults: tuple[Fault, ...] = ()

    @property
    def high(self) -> Bid | None:
        return self.bids[-1] if self.bids else None

    @property
    def ended(self) -> bool:
        return self.bid is not None or self.stop is not None

    @property
    def waiting(self) -> bool:
        """Whether a bid out of turn stands unchallenged (NP-22)."""
        return self.standing is not None and not self.challenged

    @property
    def contenders(self) -> frozenset[Seat]:
        """Who may still call and could change the result."""
        holder = self.standing if self.waiting else self.high
        return frozenset(SEATS) - self.passed - self.barred - ({holder.seat} if holder else set())

    @property
    def turn(self) -> Seat | None:
        """Who calls next; None when the auction is over or a team chooses."""
        if self.ended or self.choosing:
            return None
        seat, able = self.pointer, self.contenders
        while seat not in able:
            seat = next_seat(seat)
        return seat

    @property
    def next_min(self) -> int | None:
        """The lowest legal bid of the seat whose turn it is."""
        return (
            None if self.turn is None else self.rules.bidding.above(self.high.amount if self.high else None)
        )

    @property
    def may_pass(self) -> bool:
        return self.turn is not None and not self.must_raise

    @property
    def options(self) -> tuple[str, ...]:
        """What the choosing team may enter."""
        return (f"take bid at {self.rules.bidding.minimum}", "redeal") if self.choosing else ()

    def next_bids(self, count: int) -> list[int]:
        """The lowest legal bids of the seat whose turn it is, for keys to press."""
        found: list[int] = []
        bid = self.next_min
        while bid is not None and len(found) < count:
            found.append(bid)
            bid = self.rules.bidding.above(bid)
        return found


def read(text: str, rules: Bidding) -> tuple[Said, int, bool]:
    """What was said: its kind, its number, and whether a double run was declared with it."""
    words = " ".join(text.casefold().split())
    if m := _NUMBER.fullmatch(words):
        if not m[2]:
            return "number", int(m[1]), False
        if rules.double_run == "on_first_bid":
            return "number", int(m[1]), True
    if words in ("take", f"take {rules.minimum}", f"take bid at {rules.minimum}"):
        return "take", rules.minimum, False
    return _WORDS.get(words, "words"), 0, False
