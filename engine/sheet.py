"""The sections of a rule sheet that concern a hand, and the amounts that teams get.

Each class is a section of `engine/rulesets/*.toml`, each field a key in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

ALL_POINTS = 50
"""Points of a hand: 48 counters and two for the last book (play-law section 3)."""
Outcome: TypeAlias = Literal["must_be_played", "award", "renege"]


class RuleError(ValueError):
    """A rule sheet that cannot be used; the message says where and what to do."""


_TERM = re.compile(r"(minus )?(bid|meld|points|\d+)(?: (if|at least) (\d+))?")


@dataclass(frozen=True, slots=True)
class Term:
    """One part of an award, like "meld if 20", "points at least 31", "minus bid", "50"."""

    what: str
    only_from: int = 0
    at_least: int = 0
    sign: int = 1

    @classmethod
    def parse(cls, text: str) -> Term:
        """Raises RuleError."""
        m = _TERM.fullmatch(text)
        if not m:
            raise RuleError(
                f"'{text}' is no part of an award: write bid, meld, points or a number, "
                'with "minus" before it or "if 20", "at least 31" after it'
            )
        minus, what, test, number = m.groups()
        limit = int(number or 0)
        return cls(what, limit if test == "if" else 0, limit if test == "at least" else 0, -1 if minus else 1)

    def amount(self, bid: int, meld: int, points: int) -> int:
        value = {"bid": bid, "meld": meld, "points": points}.get(self.what)
        if value is None:
            value = int(self.what)
        if value < self.only_from:
            return 0
        return self.sign * max(value, self.at_least)

    def __str__(self) -> str:
        text = ("minus " if self.sign < 0 else "") + self.what
        if self.only_from:
            return f"{text} if {self.only_from}"
        return f"{text} at least {self.at_least}" if self.at_least else text


@dataclass(frozen=True, slots=True)
class Award:
    """What the bidding team and the other team get; each side's own meld and points are meant."""

    bidders: tuple[Term, ...]
    others: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """Facts of the deal that people enter or see; `engine.deal` says what follows from them.

    `packets`: how many cards may be dealt at a time. `unfounded_complaint`: what the director may
    give the dealing team.
    """

    cards_each: int
    first_dealer: Literal["high_card_suggested", "agreed", "anyone"]
    shuffles: int
    cut: Literal["offered", "made"]
    cut_leaves: int
    no_cut: Literal["redeal_on_request", "before_deal", "director"]
    packets: tuple[int, ...]
    order: Literal["clockwise", "each_once"]
    exposed_card: Literal["consent_or_second_deck", "redeal", "exposed_card", "director"]
    unfounded_complaint: int


AfterBids: TypeAlias = Literal["redeal", "by_cards", "one_short", "play_on", "dealers_set"]


@dataclass(frozen=True, slots=True)
class Misdeal:
    """Wrong numbers of cards, by when they are found. `fine`: for each player concerned, at the end."""

    before_bidding: Literal["second_deck", "redeal", "draw", "by_cards"]
    same_dealer_twice: Literal["deal_passes", "no_limit"]
    before_first_book: AfterBids
    after_first_book: AfterBids
    leftover: Literal["last_book"]
    fine: int


@dataclass(frozen=True, slots=True)
class Trump:
    """`meld_before`: whether others may lay meld before trump is known."""

    marriage_needed: bool
    fixed_by: Literal["first_marriage", "word"]
    meld_before: bool


@dataclass(frozen=True, slots=True)
class Meld:
    """Values for one, two, three and four sets.

    `run_undeclared`: runs of a bidder who did not declare a double run on the first bid; empty where
    no declaration is asked for.
    """

    board: int
    counts: Literal["laid_out"]
    closes: Literal["first_card", "first_card_after_pickup", "bidders_first_card"]
    aces_until: Literal["meld_closed", "first_book_closed"]
    aces: tuple[int, ...]
    kings: tuple[int, ...]
    queens: tuple[int, ...]
    jacks: tuple[int, ...]
    pinochle: tuple[int, ...]
    marriage: tuple[int, ...]
    royal_marriage: tuple[int, ...]
    run: tuple[int, ...]
    double_roundhouse_premium: int
    run_undeclared: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for f in fields(self):
            values = getattr(self, f.name)
            if isinstance(values, tuple) and len(values) != 4 and (values or f.name != "run_undeclared"):
                raise RuleError(f"{f.name} needs a value for one, two, three and four sets")


@dataclass(frozen=True, slots=True)
class Unplayed:
    """Hands that are not played.

    `no_marriage_dropped`: when the bid was dropped on the dealer, if that differs.
    `hidden_playable`: a marriage and a board are found in a hand said to have none.
    `hidden`: what is due when one is found; where the hand is to be played or is a renege, only if
    the team has no board. `impossible`: team meld and all points are less than the bid; `void`:
    what is then due.
    """

    no_marriage: Award
    no_board: Award
    hidden_playable: Outcome
    hidden: Award
    impossible: Literal["played_out", "void"]
    void: Award | None = None
    no_marriage_dropped: Award | None = None

    def __post_init__(self) -> None:
        if (self.impossible == "void") != (self.void is not None):
            raise RuleError('void must say what is due where impossible is "void", and only there')


@dataclass(frozen=True, slots=True)
class Scoring:
    save: int
    made: Award
    set: Award


@dataclass(frozen=True, slots=True)
class Exposed:
    must_be_played: bool
    partner_may_not_lead: bool
    partner_may_not_name: bool
    shown_on_purpose: Literal["director", "opponents_take_rest"]


@dataclass(frozen=True, slots=True)
class Books:
    """`closed_by`: any of these closes a book; a book someone entered as closed is closed.

    `lies_at_most`: seconds for which a full book may lie open, 0 without limit; `overdue`: what follows.
    `card_touching`: what a card is that touches the table; whether it would be a renege people see, no
    camera, so that it is recorded as played until it is taken back.
    """

    first_lead: Literal["bidder"]
    closed_by: tuple[Literal["turned", "next_lead"], ...]
    correct_until: Literal["book_closed", "next_card"]
    lies_at_most: int
    overdue: Literal["no_limit", "collector_turns", "anyone_closes"]
    collected_by: Literal["winner", "winner_or_partner", "one_per_team"]
    all_played: bool
    card_touching: Literal["played", "played_unless_renege"]


@dataclass(frozen=True, slots=True)
class Renege:
    follow: bool
    beat: bool
    trump: bool
    aces: Literal["renege", "own_penalty", "director"]
    evidence: tuple[Literal["book", "exposed", "meld"], ...]
    induced: Literal["director"]


@dataclass(frozen=True, slots=True)
class Call:
    """`earliest`, `latest`: from when until when a renege may be called. `must_name`: what the caller says.

    `unproven` and `books_out_of_order`: against whom a call goes that is not proven, or one when a
    team's books are not in the order collected.
    """

    who: Literal["any_player", "one_player_alone"]
    earliest: Literal["book_closed", "next_card"]
    latest: Literal["score_agreed"]
    must_name: tuple[Literal["kind", "proof_cards", "person", "book_cards"], ...]
    unproven: Literal["caller", "nobody"]
    books_out_of_order: Literal["owner", "director"]
    verified_by: Literal["director"]


@dataclass(frozen=True, slots=True)
class Penalty:
    """Awards after a renege; `aces_...`: for aces not declared where that has its own amount."""

    bidders_fault: Award
    others_fault: Award
    aces_bidders_fault: Award | None = None
    aces_others_fault: Award | None = None
