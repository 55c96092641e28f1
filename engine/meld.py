"""The meld of one player's cards on the table (meld-tables.md section 2).

A card may serve in groups of different classes, once in each class: {aces}, {kings}, {queens},
{jacks}, {pinochle}, {runs and marriages}. A table's value replaces, it does not accumulate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.cards import SUITS, Face, Rank, Suit
from engine.rules import RuleSet

MeldKind: TypeAlias = Literal[
    "aces", "kings", "queens", "jacks", "pinochle", "run", "royal_marriage",
    "marriage_S", "marriage_H", "marriage_D", "marriage_C", "double_roundhouse_premium",
]  # fmt: skip
AROUNDS: tuple[tuple[MeldKind, Rank], ...] = (("aces", "A"), ("kings", "K"), ("queens", "Q"), ("jacks", "J"))
PINOCHLE = (Face("Q", "S"), Face("J", "D"))
RUN: tuple[Rank, ...] = ("A", "T", "K", "Q", "J")
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
    have = Counter(faces)
    table, ids = rules.meld, rules.clauses
    groups: list[MeldGroup] = []

    def add(kind: MeldKind, sets: int, values: tuple[int, ...], each: Iterable[Face], by: str) -> None:
        sets = min(sets, len(values))
        if sets:
            cards = tuple(f for f in each for _ in range(sets))
            groups.append(MeldGroup(kind, sets, values[sets - 1], cards, ids(by)))

    sets_of: dict[str, int] = {}
    for kind, rank in AROUNDS:
        around = [Face(rank, s) for s in SUITS]
        sets_of[kind] = min(have[f] for f in around)
        add(kind, sets_of[kind], getattr(table, kind), around, f"meld.{kind}")
    add("pinochle", min(have[f] for f in PINOCHLE), table.pinochle, PINOCHLE, "meld.pinochle")
    runs = 0
    if trump is not None:
        cards = [Face(r, trump) for r in RUN]
        runs = min(min(have[f] for f in cards), len(table.run))
        undeclared = bool(table.run_undeclared) and not double_run_declared
        name = "run_undeclared" if undeclared else "run"
        add("run", runs, getattr(table, name), cards, f"meld.{name}")
    for suit in SUITS:
        pair = (Face("K", suit), Face("Q", suit))
        marriages = min(have[f] for f in pair)
        if suit == trump:
            add("royal_marriage", marriages - runs, table.royal_marriage, pair, "meld.royal_marriage")
        else:
            add(_MARRIAGE[suit], marriages, table.marriage, pair, "meld.marriage")
    premium = table.double_roundhouse_premium
    if premium and sets_of["kings"] == sets_of["queens"] == 2:
        add("double_roundhouse_premium", 1, (premium,), (), "meld.double_roundhouse_premium")
    return MeldCount(sum(g.value for g in groups), tuple(groups))
