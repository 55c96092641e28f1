"""Flags as the director sees them: the proof pair, the duty, the law in words; hands worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from engine import scoring
from engine.cards import Face, Seat
from engine.events import Reading, RulingMade
from engine.hand import HandState
from engine.renege import Flag, Seen
from engine.state import Call
from webui.books import CardShown, Showcase
from webui.claims import KIND_WORDS, key, score_lines
from webui.desk import Judged

STATUS_WORDS: Final[dict[str, str]] = {
    "proven": "proven", "pending": "pending", "suspected": "suspected", "induced": "induced",
    "cannot_tell": "cannot tell", "corrected": "corrected",
}  # fmt: skip
"""Worst first."""
STATUS_MEANING: Final[dict[str, str]] = {
    "proven": "The cards prove it as the rule set asks.",
    "pending": "It would be proven, but a book concerned is still open and may be corrected: tell nobody.",
    "suspected": "It rests on a doubtful reading or on evidence that the rule set does not admit.",
    "induced": "The card became illegal only because somebody else corrected a play.",
    "cannot tell": "A card that matters was not seen, or is more likely misread than not.",
    "corrected": "Taken back before the book was closed: no renege.",
}
_RULE: Final[dict[str, str]] = {
    "FOLLOW": "Whoever has a card of the suit led must play one.",
    "BEAT": "Whoever can beat the highest card must: with a higher card of the suit led or, out of that suit "
    "and the book trumped, with a higher trump.",
    "TRUMP": "Whoever is out of the suit led must trump if able.",
    "ACES": "Aces around must be declared: every set that is held.",
}
_LEVEL: Final[dict[str, str]] = {
    "book": "Both cards were played: they lie in the books.",
    "exposed": "The second card was taken back or shown: it was in the hand.",
    "meld": "The second card was melded and had not been played yet.",
}


@dataclass(frozen=True, slots=True)
class Besides:
    """A further card that shows it, and which duty it breaks."""

    face: Face
    where: str
    fault: str


@dataclass(frozen=True, slots=True)
class FlagShown:
    """`key` names the flag as long as its card is in the record."""

    key: str
    status: str
    meaning: str
    seat: Seat
    book: int
    kind: str
    fault: str
    offence: CardShown
    witness: CardShown | None
    duty: CardShown | None
    duty_role: str
    rule: str
    clauses: tuple[str, ...]
    evidence: str
    probability: float
    depends_on: str | None
    text: str
    more: tuple[Besides, ...]
    ruling: str | None
    called: bool
    award: tuple[str, ...]
    """What each team gets if the director confirms it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A hand in the director's list."""

    hand: str
    table: str | None
    ended: bool
    progress: str
    trump: str | None
    counts: tuple[tuple[str, int], ...]
    called: bool
    problem: str | None
    worst: FlagShown | None
    severity: str


def open_call(state: HandState) -> Call | None:
    """The last call, unless a ruling came after it."""
    if not state.calls:
        return None
    call = state.calls[-1]
    return None if any(seq > call.seq for seq, _ in state.rulings) else call


def flags_of(judged: Judged) -> list[FlagShown]:
    """All flags: those that answer an open call first, then worst first; what was ruled on goes last."""
    maker = _Maker(judged)
    shown = [maker.flag(f) for f in judged.flags]
    order = list(STATUS_WORDS.values())
    return sorted(
        shown,
        key=lambda f: (f.ruling is not None, not f.called, order.index(f.status), -f.probability, f.book),
    )


def _where(seen: Seen) -> str:
    if seen.book is None:
        return "meld"
    return f"book {seen.book}" if seen.book else "before play"


class _Maker:
    def __init__(self, judged: Judged) -> None:
        self.state = state = judged.state
        self.case = Showcase(judged.info.hand, judged.events)
        self.call = open_call(state)
        self.facts = scoring.facts_of(state)
        self.readings: dict[str, Reading] = {x.card: x.reading for x in state.shown}
        self.readings |= {m.card: m.reading for laid in state.meld.values() for m in laid}
        self.readings |= {p.card: p.reading for p in state.plays}

    def card(self, seen: Seen) -> CardShown:
        return self.case.named(seen, self.readings[seen.card], _where(seen))

    def flag(self, flag: Flag) -> FlagShown:
        rules = self.state.rules
        evidence = _LEVEL[flag.level]
        if flag.level not in rules.renege.evidence and flag.kind != "ACES":
            evidence += f" Strong, but {rules.title} asks for cards in the books."
        weak = flag.weakest
        return FlagShown(
            key=key(flag),
            status=STATUS_WORDS[flag.status],
            meaning=STATUS_MEANING[STATUS_WORDS[flag.status]],
            seat=flag.seat,
            book=flag.book,
            kind=flag.kind,
            fault=KIND_WORDS[flag.kind],
            offence=self.card(flag.card),
            witness=self.card(flag.proof) if flag.proof else None,
            duty=self.card(flag.duty) if flag.duty else None,
            duty_role="the highest card" if flag.kind == "BEAT" else "the lead",
            rule=_RULE[flag.kind],
            clauses=flag.clauses,
            evidence=evidence,
            probability=flag.probability,
            depends_on=f"the {weak.face.name} ({_where(weak)}), read {weak.probability:.0%}"
            if weak.probability < 0.95
            else None,
            text=flag.text,
            more=tuple(self._more(flag)),
            ruling=_ruling(flag.ruling),
            called=self.call is not None and self.call.what.against == flag.seat,
            award=self._award(flag),
        )

    def _award(self, flag: Flag) -> tuple[str, ...]:
        if self.facts is None or flag.status == "corrected":
            return ()
        due = scoring.aces_award if flag.kind == "ACES" else scoring.renege_award
        return score_lines(due(flag.team, self.facts, self.state.rules))

    def _more(self, flag: Flag) -> Iterable[Besides]:
        if flag.kind == "ACES":
            shown = {flag.card.card, flag.proof.card if flag.proof else ""}
            return [Besides(s.face, _where(s), "held as well") for s in flag.cards if s.card not in shown]
        proof = flag.proof.card if flag.proof else ""
        return [
            Besides(p.proof.face, _where(p.proof), KIND_WORDS[p.kind])
            for p in flag.pairs
            if (p.proof.card, p.kind) != (proof, flag.kind)
        ]


def _ruling(ruling: RulingMade | None) -> str | None:
    return ruling.outcome.replace("_", " ") if ruling else None


def progress(state: HandState) -> str:
    """Where the hand stands, in a few words."""
    total = state.deck.size // 4
    if state.ended is not None:
        return f"over ({state.ended}), {state.closed_books} of {total} books"
    if state.books:
        return f"book {min(state.closed_books + 1, total)} of {total}"
    return "meld" if state.trump_known or any(state.meld.values()) else "bidding"


def row(judged: Judged) -> Row:
    state, flags = judged.state, flags_of(judged)
    unruled = [f for f in flags if f.ruling is None]
    counts = Counter(f.status for f in unruled)
    called = open_call(state) is not None
    worst = unruled[0] if unruled and unruled[0].status != "corrected" else None
    bad = called or counts["proven"]
    warn = judged.info.problem or any(counts[s] for s in ("pending", "suspected", "induced"))
    return Row(
        hand=judged.info.hand,
        table=state.table,
        ended=state.ended is not None,
        progress=progress(state),
        trump=state.trump,
        counts=tuple((s, counts[s]) for s in STATUS_WORDS.values() if counts[s]),
        called=called,
        problem=judged.info.problem,
        worst=worst,
        severity="bad" if bad else "warn" if warn else "calm",
    )


def worst_first(hands: Iterable[Judged]) -> list[Row]:
    """Calls, then by the worst flag not ruled on; of equals hands in play, then the newest, first."""
    order = [*STATUS_WORDS.values()]

    def urgency(row: Row) -> tuple[bool, int, bool]:
        worst = order.index(row.counts[0][0]) if row.counts else len(order)
        return not row.called, worst, row.ended

    return sorted((row(judged) for judged in hands), key=urgency)


def _card_json(card: CardShown | None) -> dict[str, Any] | None:
    if card is None:
        return None
    return {
        "card": card.card,
        "face": str(card.face),
        "seat": card.seat,
        "where": card.where,
        "probability": card.probability,
        "second": str(card.second) if card.second else None,
        "second_probability": card.second_probability,
        "picture": card.picture,
        "entered_by": card.entered,
    }


def flag_json(flag: FlagShown) -> dict[str, Any]:
    return {
        "key": flag.key,
        "status": flag.status,
        "seat": flag.seat,
        "book": flag.book,
        "kind": flag.kind,
        "text": flag.text,
        "rule": flag.rule,
        "clauses": list(flag.clauses),
        "evidence": flag.evidence,
        "probability": flag.probability,
        "offence": _card_json(flag.offence),
        "shown_by": _card_json(flag.witness),
        "duty": _card_json(flag.duty),
        "also_shown_by": [{"face": str(b.face), "where": b.where} for b in flag.more],
        "award_if_confirmed": list(flag.award),
        "ruling": flag.ruling,
    }


def hand_json(row: Row) -> dict[str, Any]:
    return {
        "hand": row.hand,
        "table": row.table,
        "ended": row.ended,
        "progress": row.progress,
        "counts": dict(row.counts),
        "called": row.called,
        "problem": row.problem,
        "worst": flag_json(row.worst) if row.worst else None,
    }
