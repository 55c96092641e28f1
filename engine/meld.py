"""The meld of one player's cards on the table (meld-tables.md section 2).

A card may serve in groups of different classes, once in each class: {aces}, {kings}, {queens},
{jacks}, {pinochle}, {runs and marriages}. A table's value replaces, it does not accumulate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.cards import RANKS, SUITS, Face, Rank, Suit
from engine.rules import RuleSet

MeldKind: TypeAlias = Literal[
    "aces", "kings", "queens", "jacks", "pinochle", "run", "royal_marriage",
    "marriage_S", "marriage_H", "marriage_D", "marriage_C", "double_roundhouse_premium",
]  # fmt: skip
_AROUND: tuple[tuple[MeldKind, Rank], ...] = (("aces", "A"), ("kings", "K"), ("queens", "Q"), ("jacks", "J"))
AROUNDS: dict[MeldKind, tuple[Face, ...]] = {k: tuple(Face(r, s) for s in SUITS) for k, r in _AROUND}
PINOCHLE = (Face("Q", "S"), Face("J", "D"))
RUNS: dict[Suit, tuple[Face, ...]] = {s: tuple(Face(r, s) for r in RANKS) for s in SUITS}
MARRIAGES: dict[Suit, tuple[Face, Face]] = {s: (Face("K", s), Face("Q", s)) for s in SUITS}
_MARRIAGE: dict[Suit, MeldKind] = {
    "S": "marriage_S", "H": "marriage_H", "D": "marriage_D", "C": "marriage_C",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MeldGroup:
    """`sets` complete copies of one meld and the cards that make them."""

    kind: MeldKind
    sets: int
    value: int
    cards: tuple[Face, ...]
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MeldCount:
    """What one player's cards are worth, group by group."""

    total: int
    groups: tuple[MeldGroup, ...]


def count(
    faces: Iterable[Face], trump: Suit | None, rules: RuleSet, *, double_run_declared: bool = True
) -> MeldCount:
    """Meld of one player's laid cards. Partners' cards never combine: count each player apart.

    `double_run_declared`: whether the player who names trump said it on the first bid; it matters
    only where the rule set asks for it. More than four sets count as four.
    """
    have: dict[Face, int] = {}
    for f in faces:
        have[f] = have.get(f, 0) + 1
    table = rules.meld
    groups: list[MeldGroup] = []

    def sets_of(cards: tuple[Face, ...]) -> int:
        fewest = 4
        for f in cards:
            n = have.get(f, 0)
            if n < fewest:
                fewest = n
        return fewest

    def add(kind: MeldKind, sets: int, values: tuple[int, ...], each: tuple[Face, ...], by: str) -> None:
        if sets:
            cards = tuple(f for f in each for _ in range(sets))
            groups.append(MeldGroup(kind, sets, values[sets - 1], cards, rules.clauses(by)))

    around = {kind: sets_of(cards) for kind, cards in AROUNDS.items()}
    for kind, cards in AROUNDS.items():
        add(kind, around[kind], getattr(table, kind), cards, f"meld.{kind}")
    add("pinochle", sets_of(PINOCHLE), table.pinochle, PINOCHLE, "meld.pinochle")
    runs = 0
    if trump is not None:
        runs = sets_of(RUNS[trump])
        name = "run_undeclared" if table.run_undeclared and not double_run_declared else "run"
        add("run", runs, getattr(table, name), RUNS[trump], f"meld.{name}")
    for suit, pair in MARRIAGES.items():
        marriages = sets_of(pair)
        if suit == trump:
            add("royal_marriage", marriages - runs, table.royal_marriage, pair, "meld.royal_marriage")
        else:
            add(_MARRIAGE[suit], marriages, table.marriage, pair, "meld.marriage")
    premium = table.double_roundhouse_premium
    if premium and around["kings"] == around["queens"] == 2:
        add("double_roundhouse_premium", 1, (premium,), (), "meld.double_roundhouse_premium")
    return MeldCount(sum(g.value for g in groups), tuple(groups))
