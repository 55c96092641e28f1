"""What a photograph's cards are worth: whose they are, group by group, under each trump."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from device.photo import UNSURE
from engine import meld
from engine.cards import SEAT_NAMES, SEATS, SUITS, Face, Suit
from engine.rules import RuleSet
from webui.held import ReadCard, Reading
from webui.names import meld_name

Whose: TypeAlias = Literal["one", "heaps", "seats"]
"""All one player's; each heap a player's; or by the sides of the table."""


@dataclass(frozen=True, slots=True)
class CountedGroup:
    """`key`: tells it from the others of the picture; `cards`: numbers of the cards that make it."""

    key: str
    name: str
    value: int
    faces: tuple[Face, ...]
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """One player's cards. `by_trump`: the total under each trump."""

    name: str
    cards: tuple[ReadCard, ...]
    total: int
    groups: tuple[CountedGroup, ...]
    by_trump: tuple[tuple[Suit, int], ...]


def choices(reading: Reading) -> tuple[Whose, ...]:
    """The ways in which this photograph's cards can be several players'."""
    heaps = len({c.heap for c in reading.cards if c.outline}) > 1
    found: list[Whose] = ["seats"] if reading.seats_known else []
    return ("one", *(["heaps"] if heaps else []), *found)  # type: ignore[arg-type]


def usual(reading: Reading, most: int) -> Whose:
    """Whose the cards are if nobody says: more than `most`, a hand's cards, are no single player's.

    By seats only if none lies in the middle, where it would be nobody's.
    """
    known = choices(reading)
    if "seats" in known and reading.cards and all(c.seat for c in reading.cards if c.outline):
        return "seats"
    return "heaps" if "heaps" in known and len(reading.cards) > most else "one"


def count(reading: Reading, trump: Suit | None, whose: Whose, rules: RuleSet) -> list[Counted]:
    """Each player's count; partners' cards never combine. By seats, cards in the middle are nobody's."""
    return [_counted(name, cards, trump, rules) for name, cards in _players(reading, whose)]


def unsure(reading: Reading) -> list[ReadCard]:
    """Cards that a person should look at, the least sure first."""
    doubtful = [c for c in reading.cards if not c.by_hand and (c.foreign or c.probability < UNSURE)]
    return sorted(doubtful, key=lambda c: (not c.foreign, c.probability))


def _players(reading: Reading, whose: Whose) -> Iterable[tuple[str, tuple[ReadCard, ...]]]:
    if whose == "one":
        yield "", reading.cards
    elif whose == "heaps":
        for heap in sorted({c.heap for c in reading.cards}):
            yield f"Heap {heap}", tuple(c for c in reading.cards if c.heap == heap)
    else:
        for seat in SEATS:
            if own := tuple(c for c in reading.cards if c.seat == seat):
                yield SEAT_NAMES[seat], own


def _counted(name: str, cards: Sequence[ReadCard], trump: Suit | None, rules: RuleSet) -> Counted:
    valid = [c for c in cards if c.face is not None and not c.foreign]
    faces = [c.face for c in valid if c.face is not None]
    found = meld.count(faces, trump, rules)
    groups = tuple(
        CountedGroup(
            f"{name}-{g.kind}", meld_name(g.kind, g.sets), g.value, g.cards, _numbers(g.cards, valid)
        )
        for g in sorted(found.groups, key=lambda g: -g.value)
    )
    by_trump = tuple((suit, meld.count(faces, suit, rules).total) for suit in SUITS)
    return Counted(name, tuple(sorted(cards, key=_by_suit)), found.total, groups, by_trump)


def _by_suit(card: ReadCard) -> tuple[int, int]:
    if card.face is None:
        return len(SUITS), 0
    return SUITS.index(card.face.suit), -card.face.strength


def _numbers(faces: Sequence[Face], cards: Sequence[ReadCard]) -> tuple[int, ...]:
    """Which cards make a group: of several copies the surest."""
    free = sorted(cards, key=lambda c: -c.probability)
    numbers = []
    for wanted in faces:
        card = next(c for c in free if c.face == wanted)
        free.remove(card)
        numbers.append(card.number)
    return tuple(sorted(numbers))
