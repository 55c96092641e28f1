"""What an audit reports: flags, their proof pairs, and the cards of the record they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from engine.cards import Face, Seat, Team, team_of
from engine.events import RulingMade
from engine.state import HandState, Melded, Play, Shown

Kind: TypeAlias = Literal["FOLLOW", "BEAT", "TRUMP", "ACES"]
Level: TypeAlias = Literal["book", "exposed", "meld"]
Status: TypeAlias = Literal["proven", "pending", "suspected", "induced", "corrected", "cannot_tell"]
"""proven: as the rule set asks. pending: the same, but a book concerned is still open. suspected: it rests
on a doubtful reading, or on evidence that the rule set does not admit. induced: illegal only because
somebody else corrected (D-37). corrected: taken back in time. cannot_tell: a card that matters was
not seen, or a reading it rests on is more likely wrong than right."""
KINDS: Final[tuple[Kind, ...]] = ("FOLLOW", "BEAT", "TRUMP", "ACES")
LEVELS: Final[tuple[Level, ...]] = ("book", "exposed", "meld")
STATUSES: Final[tuple[Status, ...]] = (
    "proven", "pending", "suspected", "induced", "cannot_tell", "corrected",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seen:
    """A card of the record as a flag names it. `book` None: seen as meld; 0: shown before play."""

    card: str
    seat: Seat
    face: Face
    book: int | None
    probability: float
    picture: str | None = None

    @classmethod
    def of(cls, card: Play | Shown | Melded, book: int | None) -> Seen:
        """The card as flags name it; its probability includes that of its seat."""
        probability = card.reading.probability
        if isinstance(card, Play):
            probability *= card.seat_probability
        return cls(card.card, card.seat, card.face, book, probability, card.reading.picture)


@dataclass(frozen=True, slots=True)
class Pair:
    """A proof pair: the flag's card was illegal for whoever held `proof`."""

    kind: Kind
    proof: Seen
    level: Level
    duty: Seen
    probability: float
    status: Status


@dataclass(frozen=True, slots=True)
class Flag:
    """A play (or undeclared aces: `book` 0, `card` the deciding ace) that the record speaks against.

    kind, level, proof, duty and probability are those of the pair to show first. `cards`: every
    card to picture. `weakest`: the least sure reading the flag rests on. `pending`: the play may
    still be corrected, so nobody but the director may know. `ruling`: what was decided on it. `sets`:
    sets of aces declared, and sets known to have been held.
    """

    seat: Seat
    book: int
    kind: Kind
    status: Status
    card: Seen
    proof: Seen | None
    duty: Seen | None
    level: Level
    probability: float
    weakest: Seen
    pairs: tuple[Pair, ...]
    cards: tuple[Seen, ...]
    pending: bool
    clauses: tuple[str, ...]
    text: str
    ruling: RulingMade | None = None
    sets: tuple[int, int] | None = None

    @property
    def team(self) -> Team:
        return team_of(self.seat)


def ruling_on(state: HandState, ids: Sequence[str]) -> RulingMade | None:
    """The director's latest decision on any of these cards."""
    return next((r for _, r in reversed(state.rulings) if r.card in ids), None)
