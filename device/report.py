"""A hand in words and as plain data: books, meld, flags, score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.calls import judge
from engine.cards import SEAT_NAMES, SEATS, SUIT_NAMES
from engine.events import Corrected, Event
from engine.flags import Flag, Seen
from engine.meld import MeldGroup
from engine.questions import Question
from engine.scoring import HandScore
from engine.state import Book, HandState, Play

SURE = 0.95
"""Readings below this are marked with a question mark in text."""


def card_text(play: Play) -> str:
    """`N TH`, with `?` for a doubtful reading and the cards taken back before it struck out in words."""
    return f"{play.seat} {play.face}{'?' if play.reading.probability < SURE else ''}"


def book_line(book: Book) -> str:
    """One line for a book: its cards in order, who took it, how many points."""
    cards = "  ".join(f"{card_text(play):6}" for play in book.plays)
    back = [p for slot in book.slots for p in slot if p.back is not None]
    taken = f"; taken back: {', '.join(card_text(p) for p in back)}" if back else ""
    missing = f"; only {len(book.plays)} cards seen" if len(book.plays) < 4 else ""
    won = f"won by {book.winner}, {book.points} points" if book.winner else "winner not known"
    return f"Book {book.number:2}: {cards}  {won}{taken}{missing}"


def _play_json(play: Play) -> dict[str, Any]:
    reading = play.reading
    return {
        "card": play.card,
        "seat": play.seat,
        "face": str(play.face),
        "probability": round(reading.probability, 4),
        "second": str(reading.second) if reading.second else None,
        "seat_probability": round(play.seat_probability, 4),
        "picture": reading.picture,
    }


def book_json(book: Book) -> dict[str, Any]:
    return {
        "book": book.number,
        "plays": [_play_json(play) for play in book.plays],
        "taken_back": [_play_json(p) for slot in book.slots for p in slot if p.back is not None],
        "closed": book.closed,
        "winner": book.winner,
        "points": book.points,
        "gathered_by": book.gathered_by,
    }


def _seen_json(seen: Seen | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {
        "card": seen.card,
        "seat": seen.seat,
        "face": str(seen.face),
        "book": seen.book,
        "probability": round(seen.probability, 4),
        "picture": seen.picture,
    }


def flag_json(flag: Flag) -> dict[str, Any]:
    return {
        "seat": flag.seat,
        "book": flag.book,
        "kind": flag.kind,
        "status": flag.status,
        "level": flag.level,
        "probability": round(flag.probability, 4),
        "card": _seen_json(flag.card),
        "proof": _seen_json(flag.proof),
        "duty": _seen_json(flag.duty),
        "pairs": [
            {
                "kind": pair.kind,
                "level": pair.level,
                "status": pair.status,
                "probability": round(pair.probability, 4),
                "proof": _seen_json(pair.proof),
            }
            for pair in flag.pairs
        ],
        "clauses": list(flag.clauses),
        "text": flag.text,
        "ruling": flag.ruling.outcome if flag.ruling else None,
    }


def flag_lines(flag: Flag) -> list[str]:
    """The sentence, then the proof pair with the pictures that show it."""
    lines = [f"{flag.status.replace('_', ' ').upper()}: {flag.text}"]
    for what, seen in (("card", flag.card), ("proof", flag.proof)):
        if seen is not None:
            where = f"book {seen.book}" if seen.book else "meld" if seen.book is None else "before play"
            picture = f", {seen.picture}" if seen.picture else ""
            lines.append(
                f"  {what:5}  {seen.seat} {seen.face} ({where}), {seen.probability:.0%} sure{picture}"
            )
    return lines


def question_json(question: Question) -> dict[str, Any]:
    return {
        "about": question.about,
        "text": question.text,
        "probability": round(question.probability, 4),
        "book": question.book,
        "seat": question.seat,
        "card": question.card,
        "faces": [str(face) for face in question.faces],
        "picture": question.picture,
    }


def question_lines(questions: Sequence[Question]) -> list[str]:
    """What the record leaves open, with the picture to look at."""
    if not questions:
        return []
    lines = [f"Open questions: {len(questions)}"]
    return lines + [f"  {q.text}" + (f" ({q.picture})" if q.picture else "") for q in questions]


def call_lines(state: HandState, flags: Sequence[Flag]) -> list[str]:
    """Each call with what the record makes of it, then the rulings, then people's corrections."""
    lines = []
    for call in state.calls:
        by, against = SEAT_NAMES[call.what.by], SEAT_NAMES[call.what.against]
        lines.append(f"CALL (event {call.seq}): {by} against {against}, {call.what.what or 'no kind named'}.")
        lines.append(f"  The record: {judge(state, call, flags, state.rules).text}.")
    for seq, ruling in state.rulings:
        about = f"card {ruling.card}" if ruling.card else "the last call"
        why = f" Why: {ruling.why}" if ruling.why else ""
        lines.append(f"RULING (event {seq}): {ruling.outcome.replace('_', ' ')}, on {about}.{why}")
    return lines


def correction_lines(events: Iterable[Event]) -> list[str]:
    """What people changed in the record, in the order in which they did."""
    lines = []
    for event in events:
        what = event.what
        if isinstance(what, Corrected):
            changes = [
                f"is the {what.face.name}" if what.face else "",
                "was never laid" if what.withdrawn else "",
            ]
            changes += [f"is {SEAT_NAMES[what.seat]}'s" if what.seat else ""]
            changes += [f"lies before card {what.before}" if what.before else ""]
            why = f" Why: {what.why}" if what.why else ""
            said = " and ".join(c for c in changes if c)
            lines.append(f"CORRECTED by {event.by} (event {event.seq}): card {what.card} {said}.{why}")
    return lines


def calls_json(state: HandState, flags: Sequence[Flag]) -> list[dict[str, Any]]:
    """The calls with the record's verdict."""
    out = []
    for call in state.calls:
        verdict = judge(state, call, flags, state.rules)
        out.append(
            {
                "seq": call.seq,
                "by": call.what.by,
                "against": call.what.against,
                "what": call.what.what,
                "cards": [str(f) for f in call.what.cards],
                "book": call.what.book,
                "proven": verdict.proven,
                "goes_against": verdict.against,
                "text": verdict.text,
                "clauses": list(verdict.clauses),
            }
        )
    return out


def meld_json(state: HandState) -> dict[str, Any]:
    return {
        seat: {
            "total": counted.total,
            "cards": [str(m.face) for m in state.meld[seat]],
            "groups": [
                {"kind": g.kind, "sets": g.sets, "value": g.value, "cards": [str(f) for f in g.cards]}
                for g in counted.groups
            ],
        }
        for seat, counted in ((seat, state.meld_count(seat)) for seat in SEATS)
    }


def kind_name(kind: str) -> str:
    """A meld group's kind for people: "marriage in hearts", "aces around"."""
    name, _, suit = kind.rpartition("_")
    if name == "marriage" and suit in SUIT_NAMES:
        return f"marriage in {SUIT_NAMES[suit]}"
    return f"{kind} around" if kind in ("aces", "kings", "queens", "jacks") else kind.replace("_", " ")


def group_line(group: MeldGroup) -> str:
    times = f"{group.sets} x " if group.sets > 1 else ""
    return f"{group.value:4}  {times}{kind_name(group.kind)}: {' '.join(str(f) for f in group.cards)}"


def meld_lines(state: HandState) -> list[str]:
    lines = []
    for seat in SEATS:
        counted = state.meld_count(seat)
        laid = len(state.meld[seat])
        lines.append(f"Meld {seat}: {counted.total}" + (f" ({laid} cards laid)" if laid else ""))
        lines += [f"  {group_line(group)}" for group in counted.groups]
    return lines


def contract_line(state: HandState) -> str:
    """Who bid what, and what is trump."""
    trump = SUIT_NAMES[state.trump] if state.trump else "none" if state.trump_known else "not known"
    bid = f"{state.bidder} for {state.bid}" if state.bidder and state.bid else state.bidder or "not known"
    return f"Bid: {bid}. Trump: {trump}. Rule set: {state.rules.name}."


def score_json(score: HandScore) -> dict[str, Any]:
    return {
        "result": score.result,
        "change": dict(score.change),
        "text": score.text,
        "lines": [
            {"team": line.team, "amount": line.amount, "text": line.text, "clauses": list(line.clauses)}
            for line in score.lines
        ],
        "clauses": list(score.clauses),
    }


def score_lines(score: HandScore) -> list[str]:
    changes = ", ".join(f"{team} {amount:+d}" for team, amount in score.change.items())
    lines = [f"Score: {score.text}. {changes}"]
    return lines + [f"  {line.team}  {line.amount:+4d}  {line.text}" for line in score.lines]
