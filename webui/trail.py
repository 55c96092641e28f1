"""What people entered into a hand's record, and what each entry changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.bookaudit import taken
from engine.cards import SEAT_NAMES, TEAMS, Face, Seat
from engine.corrections import undone
from engine.events import (
    BooksAudited,
    CardExposed,
    CardLaid,
    Corrected,
    Event,
    MeldLaid,
    PlaceRevised,
    ReadingRevised,
    RenegeCalled,
    RulingMade,
    Undone,
)
from engine.hand import fold
from engine.spoken import say
from webui.auditview import told
from webui.claims import OUTCOME_WORDS
from webui.desk import Judged, judge
from webui.names import TEAM_NAMES
from webui.proof import STATUS_WORDS


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the audit trail. `at`: wall time as the log has it. `undone`: a later entry undid it.

    `audit`: it is a book audit with a page of its own.
    """

    seq: int
    at: str | None
    by: str
    what: str
    why: str
    undone: bool
    audit: bool = False


def trail(events: tuple[Event, ...]) -> list[Entry]:
    """What people entered, the last one first, with what stood there before."""
    faces: dict[str, Face] = {}
    seats: dict[str, Seat] = {}
    said_of: dict[int, str] = {}
    gone = undone(events)
    entries: list[Entry] = []

    def name(card: str | None) -> str:
        if card is None:
            return "the last call"
        return f"{SEAT_NAMES[seats[card]]}'s {faces[card].name}" if card in faces else f"card {card}"

    for event in events:
        what, said, why = event.what, "", ""
        match what:
            case RenegeCalled():
                said = f"{SEAT_NAMES[what.by]} called a renege on {SEAT_NAMES[what.against]}"
                said += f" in book {what.book}" if what.book else ""
                said += f", naming the {' and the '.join(f.name for f in what.cards)}" if what.cards else ""
                why = what.what
            case RulingMade():
                said, why = f"{OUTCOME_WORDS[what.outcome]}: {name(what.card)}", what.why
                if what.disordered:
                    said += f"; the books of {TEAM_NAMES[what.disordered]} were out of order"
            case BooksAudited():
                record = taken(fold(events).books, what.team)
                said = f"Book audit: {told(record, what.team, what.spread)}"
            case Corrected():
                said, why = _correction(what, name), what.why
            case Undone():
                said, why = f"Undone: {said_of.get(what.entry, f'event {what.entry}')}", what.why
            case _ if event.by not in ("camera", "system"):
                said = say([event]).split("\n")[0].partition(". [")[0].rstrip(".")
        if said:
            said_of[event.seq] = said
            audit = isinstance(what, BooksAudited)
            entries.append(Entry(event.seq, event.utc, event.by, said, why, event.seq in gone, audit))
        match what:  # what the next entry finds there
            case CardLaid() | MeldLaid() | CardExposed():
                faces[what.card], seats[what.card] = what.reading.face, what.seat
            case ReadingRevised():
                faces[what.card] = what.reading.face
            case PlaceRevised():
                seats[what.card] = what.seat
            case Corrected() if event.seq not in gone and what.card in faces:
                faces[what.card] = what.face or faces[what.card]
                seats[what.card] = what.seat or seats[what.card]
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
