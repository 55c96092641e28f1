"""Which team meets which, at which table, round by round (LV-26, LV-29, D-27).

Where a sheet prints no rotation, and within brackets, the pairings are a proposal: everybody meets
everybody once before anybody meets twice. The director may enter others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.rules import RuleSet, cited


@dataclass(frozen=True, slots=True)
class Seating:
    """One table of a round; `ns` and `ew` are team names."""

    table: int
    ns: str
    ew: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """A round's tables, and the teams without opponents. `proposed`: the sheet prints no pairing."""

    round: int
    tables: tuple[Seating, ...]
    byes: tuple[str, ...]
    text: str
    clauses: tuple[str, ...] = ()
    proposed: bool = field(default=False)

    @property
    def teams(self) -> list[str]:
        return [name for t in self.tables for name in (t.ns, t.ew)] + list(self.byes)


def pair(teams: Sequence[str], number: int, rules: RuleSet) -> Pairing:
    """Round `number` (from 1) of these teams, in the order of their team numbers."""
    ids = rules.clauses("tournament.rotation")
    if rules.tournament.rotation == "entered":
        text = f"everybody meets everybody: proposed, the director may pair otherwise ({cited(ids)})"
        return _pairing(circle(teams, number), number, text, ids, True)
    text = f"odd teams stay, even teams move up a table each round ({cited(ids)})"
    return _pairing(even_teams_move(teams, number), number, text, ids, False)


def pair_brackets(brackets: Sequence[Sequence[str]], number: int, since: int, rules: RuleSet) -> Pairing:
    """Round `number` within brackets that began with round `since`; each lists its teams by rank."""
    ids = rules.clauses("tournament.final_rounds")
    pairs = [p for bracket in brackets for p in circle(bracket, number - since + 1)]
    text = f"within the brackets, by rank: proposed, no pairing is printed ({cited(ids)})"
    return _pairing(pairs, number, text, ids, True)


def even_teams_move(teams: Sequence[str], number: int) -> list[tuple[str | None, str | None]]:
    """Team 2k-1 stays at table k; team 2k starts there and moves up one table a round, the last to the first.

    With an odd number of teams nobody is the last even team: who would meet it has the bye.
    """
    odd = list(teams[0::2])
    even: list[str | None] = [*teams[1::2], *[None] * (len(teams) % 2)]
    count = len(odd)
    return [(odd[k], even[(k - number + 1) % count]) for k in range(count)]


def circle(teams: Sequence[str], number: int) -> list[tuple[str | None, str | None]]:
    """The circle method: one team stays, the others go round it. First meets last, second the one before."""
    ring: list[str | None] = [*teams, *[None] * (len(teams) % 2)]
    if len(ring) < 2:
        return []
    first, others = ring[0], ring[1:]
    shift = (number - 1) % len(others)
    turned = [first, *others[len(others) - shift :], *others[: len(others) - shift]]
    half = len(turned) // 2
    return list(zip(turned[:half], reversed(turned[half:]), strict=True))


def _pairing(
    pairs: Sequence[tuple[str | None, str | None]],
    number: int,
    text: str,
    ids: tuple[str, ...],
    proposed: bool,
) -> Pairing:
    tables: list[Seating] = []
    byes: list[str] = []
    for place, (ns, ew) in enumerate(pairs, 1):
        if ns is not None and ew is not None:
            table = len(tables) + 1 if proposed else place  # an odd team keeps its table while it has a bye
            tables.append(Seating(table, ns, ew))
        elif ns is not None or ew is not None:
            byes.append(ns or ew or "")
    return Pairing(number, tuple(tables), tuple(byes), text, ids, proposed)
