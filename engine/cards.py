"""Cards, seats and teams: the words every other module speaks.

A face is rank and suit ("TH" = ten of hearts). Physical copies of a face carry an id of their
own in the event log; the engine never needs to know which of the four copies a card is.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

Suit: TypeAlias = Literal["S", "H", "D", "C"]
Rank: TypeAlias = Literal["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"]
Seat: TypeAlias = Literal["N", "E", "S", "W"]
Team: TypeAlias = Literal["NS", "EW"]

SUITS: Final[tuple[Suit, ...]] = ("S", "H", "D", "C")
SUIT_NAMES: Final[dict[str, str]] = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
RANKS: Final[tuple[Rank, ...]] = ("A", "T", "K", "Q", "J")
"""Ranks of a double deck, high to low (LV-43, WS-08, EC-09)."""
ALL_RANKS: Final[tuple[Rank, ...]] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
"""Every rank a camera may meet, in the order of a printed deck."""
RANK_NAMES: Final[dict[str, str]] = {
    "A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten", "9": "nine", "8": "eight",
    "7": "seven", "6": "six", "5": "five", "4": "four", "3": "three", "2": "two",
}  # fmt: skip
STRENGTH: Final[dict[str, int]] = {r: n for n, r in enumerate("23456789JQKTA")}
"""Higher beats lower within a suit; equal never beats (play-law section 2)."""
COUNTERS: Final[frozenset[str]] = frozenset("ATK")
"""Ranks that count one point when taken (play-law section 3)."""

SEATS: Final[tuple[Seat, ...]] = ("N", "E", "S", "W")
"""Clockwise."""
SEAT_NAMES: Final[dict[str, str]] = {"N": "North", "E": "East", "S": "South", "W": "West"}
TEAMS: Final[tuple[Team, ...]] = ("NS", "EW")


class Face(NamedTuple):
    """Rank and suit of a card; `str(face)` is the two-letter name used in logs and cases."""

    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return self.rank + self.suit

    @property
    def name(self) -> str:
        """For people: "ten of hearts"."""
        return f"{RANK_NAMES[self.rank]} of {SUIT_NAMES[self.suit]}"

    @property
    def strength(self) -> int:
        return STRENGTH[self.rank]


_BY_NAME: Final[dict[str, Face]] = {r + s: Face(r, s) for s in SUITS for r in ALL_RANKS}
ALL_FACES: Final[tuple[Face, ...]] = tuple(_BY_NAME.values())
"""All 52 faces; the glyph reader's classes are in this order, then one for "not an index"."""


class CardError(ValueError):
    """A text that names no card, seat or suit."""


def face(text: str) -> Face:
    """The face named by two letters, rank then suit. Raises CardError."""
    try:
        return _BY_NAME[text]
    except KeyError:
        raise CardError(
            f"'{text}' is not a card: write rank (A T K Q J, 9..2) then suit (S H D C), like TH"
        ) from None


def faces(text: str) -> list[Face]:
    """Faces from words separated by spaces."""
    return [face(word) for word in text.split()]


def seat(text: str) -> Seat:
    """The seat named by its letter. Raises CardError."""
    for known in SEATS:
        if known == text:
            return known
    raise CardError(f"'{text}' is not a seat: write N, E, S or W")


def team_of(seat: Seat) -> Team:
    return "NS" if seat in ("N", "S") else "EW"


def partner(seat: Seat) -> Seat:
    return SEATS[(SEATS.index(seat) + 2) % 4]


def next_seat(seat: Seat) -> Seat:
    """The seat to the left, that is, the next one clockwise."""
    return SEATS[(SEATS.index(seat) + 1) % 4]


def opponents(team: Team) -> Team:
    return "EW" if team == "NS" else "NS"
