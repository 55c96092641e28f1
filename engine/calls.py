"""Calls of a renege: whether they are proven, and against whom they go (comparison.md 11).

The engine never calls and never rules: this is what the director may read before ruling.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.awards import TEAM_NAMES
from engine.cards import SEAT_NAMES, Seat, Team, team_of
from engine.flags import Flag, Kind
from engine.rules import RuleSet, cited
from engine.state import Call, HandState

_KINDS: Final[tuple[tuple[str, Kind], ...]] = (
    ("ace", "ACES"), ("follow|suit", "FOLLOW"), ("beat|higher|over", "BEAT"), ("trump|cut|ruff", "TRUMP"),
)  # fmt: skip


def kind_named(what: str) -> Kind | None:
    """The kind of renege that a caller's words name."""
    return next((kind for words, kind in _KINDS if re.search(words, what.lower())), None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rule set makes of a call; the director rules. `against`: the team that would pay.

    `flag`: what the record shows that bears it out. `lacks`: what the caller has still to name.
    """

    proven: bool
    against: Team | None
    text: str
    clauses: tuple[str, ...]
    flag: Flag | None = None
    lacks: tuple[str, ...] = ()


def judge_call(
    by: Seat, against: Seat, proven: bool, rules: RuleSet, disordered: Team | None = None
) -> Verdict:
    """`proven`: whether the books prove a renege of `against`; `disordered`: a team's books out of order."""
    if disordered and rules.call.books_out_of_order == "owner":
        ids = rules.clauses("call.books_out_of_order")
        text = f"the books of {TEAM_NAMES[disordered]} are out of order: the renege goes against them"
        return Verdict(proven, disordered, f"{text} ({cited(ids)})", ids)
    if proven:
        ids = rules.clauses("renege.evidence")
        text = f"proven: the renege of {SEAT_NAMES[against]} goes against {TEAM_NAMES[team_of(against)]}"
        return Verdict(True, team_of(against), f"{text} ({cited(ids)})", ids)
    ids = rules.clauses("call.unproven")
    if rules.call.unproven == "nobody":
        return Verdict(False, None, f"not proven; no penalty ({cited(ids)})", ids)
    text = f"not proven: the call of {SEAT_NAMES[by]} counts as a renege of {TEAM_NAMES[team_of(by)]}"
    return Verdict(False, team_of(by), f"{text} ({cited(ids)})", ids)


_NAMES: Final = {
    "kind": "the kind of renege", "proof_cards": "the two cards in the books that prove it",
    "person": "who reneged", "book_cards": "two cards of the book in question",
}  # fmt: skip


def judge(
    state: HandState, call: Call, flags: Sequence[Flag], rules: RuleSet, disordered: Team | None = None
) -> Verdict:
    """What a call of the record comes to, by the flags of `engine.renege.audit`.

    A call of a play that can still be corrected is not false: the player corrects it (D-29).
    """
    what = call.what
    lacks = tuple(_NAMES[item] for item in rules.call.must_name if not _named(item, call))
    if team_of(what.by) == team_of(what.against):
        text = f"{SEAT_NAMES[what.by]} called a renege of the own team: for the director (D-29)"
        return Verdict(False, None, text, ("D-29",), lacks=lacks)
    kind = kind_named(what.what)
    about = [
        f
        for f in flags
        if f.seat == what.against
        and (what.book is None or f.book == what.book or f.kind == "ACES")
        and (kind is None or kind == f.kind or kind in {p.kind for p in f.pairs})
    ]
    proven = next((f for f in about if f.status == "proven" and _callable(state, f, rules)), None)
    found = judge_call(what.by, what.against, proven is not None, rules, disordered)
    early = next((f for f in about if f.status in ("pending", "proven")), None)
    if proven is None and not disordered and early:
        ids = rules.clauses("call.earliest")
        text = f"the play may still be corrected or not yet be called: the call is not false ({cited(ids)})"
        found = Verdict(False, None, text, ids, early)
    elif proven is None and not disordered and kind == "ACES":
        text = "not proven; a call about aces that is not proven is for the director"
        ids = rules.clauses("renege.aces")
        found = Verdict(False, None, f"{text} ({cited(ids)})", ids)
    return Verdict(found.proven, found.against, found.text, found.clauses, proven or found.flag, lacks)


def _named(item: str, call: Call) -> bool:
    if item == "kind":
        return bool(call.what.what.strip())
    return item == "person" or len(call.what.cards) >= 2


def _callable(state: HandState, flag: Flag, rules: RuleSet) -> bool:
    """Where it is asked for, the next card after the closed book has been played (NP-51)."""
    if rules.call.earliest == "book_closed":
        return True
    later = [b for b in state.books if b.number > max(flag.book, 1)]
    return bool(state.ended) or any(b.plays for b in later)
