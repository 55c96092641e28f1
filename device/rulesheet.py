"""Rule sheets in words: every value beside its clauses, and what two sheets say differently."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from engine import clauses
from engine.rules import Award, RuleSet

_ELSE_AS: Final = {
    "unplayed.no_marriage_dropped": "unplayed.no_marriage",
    "penalty.aces_bidders_fault": "penalty.bidders_fault",
    "penalty.aces_others_fault": "penalty.others_fault",
}
"""Awards that few sheets state apart; in the others what is stated for the whole holds."""
_ZERO: Final = {
    "books.lies_at_most": "no limit",
    "game.target": "no target",
    "game.hands": "no fixed number",
    "game.minutes": "not printed",
    "game.short_format_hands": "no short format",
    "tournament.rounds": "not printed",
    "tournament.final_rounds": "no final rounds",
    "tournament.bracket_size": "no brackets",
    "tournament.late_limit": "no limit",
}
"""What zero means where it is no amount."""


class Value(NamedTuple):
    """One value of a sheet. `plain`: as JSON has it; `words`: for people; `ids`: where it comes from.

    `own`: the sheet states it; if not, `plain` is what holds instead, or None.
    """

    section: str
    key: str
    plain: Any
    words: str
    ids: tuple[str, ...]
    own: bool = True

    @property
    def path(self) -> str:
        return f"{self.section}.{self.key}"


def values(rule_set: RuleSet) -> list[Value]:
    """Every value in force, in the order of the sheet's sections."""
    found = []
    for section in dataclasses.fields(rule_set):
        table = getattr(rule_set, section.name)
        if dataclasses.is_dataclass(table):
            for key in dataclasses.fields(table):
                path, value = f"{section.name}.{key.name}", getattr(table, key.name)
                own = value is not None
                source = path if own else _ELSE_AS.get(path, path)
                plain = _plain(getattr(table, source.partition(".")[2]))
                words = _ZERO[path] if plain == 0 and path in _ZERO else _words(plain)
                found.append(Value(section.name, key.name, plain, words, rule_set.clauses(source), own))
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Award):
        return {side: [str(term) for term in getattr(value, side)] for side in ("bidders", "others")}
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _words(value: Any) -> str:
    if value is None or value == []:
        return "does not apply"
    if isinstance(value, dict):
        sides = {side: " + ".join(terms).replace("+ minus", "-") for side, terms in value.items()}
        return "; ".join(f"{side} {said or 'nothing'}" for side, said in sides.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return "; ".join(f"from {start} multiples of {step}" for start, step in value)
        return ", ".join(_words(v) for v in value)
    return value.replace("_", " ") if isinstance(value, str) else str(value)


def sources(ids: Iterable[str]) -> str:
    return ", ".join(ids) or "not printed"


def decisions(found: Iterable[Value]) -> list[clauses.Decision]:
    """The decisions behind these values."""
    named = {i for value in found for i in value.ids}
    return [d for item, d in clauses.decisions().items() if item in named]


def for_people(rule_set: RuleSet) -> list[clauses.Clause]:
    """Clauses of the rule set that no value holds: what people do, and what the director reads."""
    cited = {i for ids in rule_set.sources.values() for i in ids}
    own = clauses.prefixes(cited)[:1]
    return [
        c for item, c in clauses.clauses().items() if item.rpartition("-")[0] in own and item not in cited
    ]


def differences(one: RuleSet, other: RuleSet) -> list[tuple[Value, Value]]:
    """Values in which two rule sets differ; what neither states apart is compared where it is stated."""
    pairs = zip(values(one), values(other), strict=True)
    return [(a, b) for a, b in pairs if a.plain != b.plain and (a.own or b.own)]


def shown(rule_set: RuleSet) -> Iterator[str]:
    """Lines of a sheet for a terminal."""
    every = values(rule_set)
    yield f"{rule_set.name}: {rule_set.title}"
    width = max(len(v.key) for v in every)
    section = ""
    for v in every:
        if v.section != section:
            section = v.section
            yield ""
            yield section
        if v.own:
            yield f"  {v.key.replace('_', ' '):{width}}  {v.words}  [{sources(v.ids)}]"
    yield ""
    yield "Decisions that fill what the sheet leaves open"
    for d in decisions(every):
        yield f"  {d.id}  {d.text}"
    rest = for_people(rule_set)
    if rest:
        yield ""
        yield "The deck, what people do at the table, and what the director rules"
        for c in rest:
            yield f"  {c.id}  {c.text}"


def compared(one: RuleSet, other: RuleSet) -> Iterator[str]:
    """Lines of a comparison for a terminal."""
    found = differences(one, other)
    total = len(values(one))
    names = f"{one.name} ({one.title}) and {other.name} ({other.title})"
    yield f"{names} differ in {len(found)} of {total} values."
    if not found:
        return
    key_width = max(len(a.key) for a, _ in found)
    name_width = max(len(one.name), len(other.name))
    section = ""
    for a, b in found:
        if a.section != section:
            section = a.section
            yield ""
            yield section
        for v, name, label in ((a, one.name, a.key.replace("_", " ")), (b, other.name, "")):
            yield f"  {label:{key_width}}  {name:{name_width}}  {v.words}  [{sources(v.ids)}]"
    both = decisions([v for pair in found for v in pair])
    if both:
        yield ""
        yield "Decisions behind these values"
        for d in both:
            yield f"  {d.id}  {d.text}"
