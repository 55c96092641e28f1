"""What people entered into a hand's record, and what each entry changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.cards import SEAT_NAMES, TEAMS, Face, Seat
from engine.events import (
    CardExposed,
    CardLaid,
    Corrected,
    Event,
    MeldLaid,
    ReadingRevised,
    RenegeCalled,
    RulingMade,
)
from webui.desk import Judged, judge
from webui.names import TEAM_NAMES
from webui.proof import STATUS_WORDS

_OUTCOME: Final[dict[str, str]] = {
    "confirmed": "Confirmed", "denied": "Denied", "cannot_tell": "Cannot tell",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the audit trail. `at`: wall time as the log has it."""

    seq: int
    at: str | None
    by: str
    what: str
    why: str


def trail(events: tuple[Event, ...]) -> list[Entry]:
    """Calls, corrections and rulings, the last one first, with what stood there before."""
    faces: dict[str, Face] = {}
    seats: dict[str, Seat] = {}
    entries: list[Entry] = []

    def name(card: str | None) -> str:
        if card is None:
            return "the last call"
        return f"{SEAT_NAMES[seats[card]]}'s {faces[card].name}" if card in faces else f"card {card}"

    for event in events:
        what, said, why = event.what, "", ""
        match what:
            case CardLaid() | MeldLaid() | CardExposed():
                faces[what.card], seats[what.card] = what.reading.face, what.seat
            case ReadingRevised():
                faces[what.card] = what.reading.face
            case RenegeCalled():
                said = f"{SEAT_NAMES[what.by]} called a renege on {SEAT_NAMES[what.against]}"
                why = what.what
            case RulingMade():
                said, why = f"{_OUTCOME[what.outcome]}: {name(what.card)}", what.why
            case Corrected():
                said, why = _correction(what, name), what.why
                if what.face is not None:
                    faces[what.card] = what.face
                if what.seat is not None:
                    seats[what.card] = what.seat
        if said:
            entries.append(Entry(event.seq, event.utc, event.by, said, why))
    return entries[::-1]


def _correction(what: Corrected, name: Callable[[str | None], str]) -> str:
    card = name(what.card)
    if what.face is not None:
        return f"{card} is the {what.face.name}"
    if what.seat is not None:
        return f"{card} was laid by {SEAT_NAMES[what.seat]}"
    if what.before is not None:
        return f"{card} was laid before {name(what.before)}"
    return f"{card} was never laid"


def changes(judged: Judged, seq: int, threshold: float) -> list[str]:
    """What the entry with this number changed, everything after it judged again."""
    upto = [n for n, e in enumerate(judged.events) if e.seq == seq]
    if not upto:
        return []
    before = judge(judged.info, judged.events[: upto[0]], threshold)
    after = judge(judged.info, judged.events[: upto[0] + 1], threshold)
    lines = []
    old = {(f.card.card, f.kind == "ACES"): f for f in before.flags}
    new = {(f.card.card, f.kind == "ACES"): f for f in after.flags}
    for key, flag in new.items():
        status = STATUS_WORDS[flag.status]
        was = old.get(key)
        if was is None:
            lines.append(f"New flag, {status}: {flag.text}")
        elif was.status != flag.status:
            lines.append(f"{STATUS_WORDS[was.status].capitalize()} before, {status} now: {flag.text}")
    lines += [f"No longer a flag: {flag.text}" for key, flag in old.items() if key not in new]
    for one, two in zip(before.state.books, after.state.books, strict=False):
        if one.winner != two.winner and two.winner:
            was_won = f", before {SEAT_NAMES[one.winner]}" if one.winner else ""
            lines.append(f"Book {two.number} goes to {SEAT_NAMES[two.winner]}{was_won}.")
    for team in TEAMS:
        if before.state.points[team] != after.state.points[team]:
            lines.append(
                f"{TEAM_NAMES[team]}: {after.state.points[team]} points, before {before.state.points[team]}."
            )
    problems = {p.message for p in before.state.problems}
    lines += [f"{p.message}." for p in after.state.problems if p.message not in problems]
    return lines or ["No flag, no winner and no count changes by it."]
