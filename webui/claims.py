"""A caller's call, checked against the record: what it comes to, and what each ruling on it would bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine import calls, scoring
from engine.awards import HandScore
from engine.cards import SEAT_NAMES, TEAMS, Face
from engine.events import Event, RulingMade
from engine.flags import Flag, Kind
from engine.hand import fold
from engine.state import Call
from webui.desk import Judged
from webui.names import TEAM_NAMES

KIND_WORDS: Final[dict[Kind, str]] = {
    "FOLLOW": "did not follow suit", "BEAT": "did not beat", "TRUMP": "did not trump",
    "ACES": "did not declare aces",
}  # fmt: skip
"""As the call is recorded; `engine.calls.kind_named` reads the kind out of it again."""
OUTCOME_WORDS: Final[dict[str, str]] = {
    "confirmed": "Confirmed", "denied": "Denied", "cannot_tell": "Cannot tell",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """A possible ruling and what each team would get by it, in words."""

    ruling: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClaimShown:
    """`verdict`: the rule set's word on the call; `cards`: whether the cards named are the proof."""

    said: str
    named: tuple[Face, ...]
    verdict: str
    clauses: tuple[str, ...]
    proven: bool
    lacks: tuple[str, ...]
    cards: str
    flag: str | None
    outcomes: tuple[Outcome, ...]


def claim(judged: Judged, call: Call) -> ClaimShown:
    state, what = judged.state, call.what
    found = calls.judge(state, call, judged.flags, state.rules)
    said = f"{SEAT_NAMES[what.by]} called a renege on {SEAT_NAMES[what.against]}"
    said += f" in book {what.book}" if what.book else ""
    said += f": {what.what}" if what.what else ""
    return ClaimShown(
        said=said + ".",
        named=what.cards,
        verdict=_sentence(found.text),
        clauses=found.clauses,
        proven=found.proven,
        lacks=found.lacks,
        cards=_cards(what.cards, found.flag),
        flag=key(found.flag) if found.flag else None,
        outcomes=tuple(outcomes(judged)),
    )


def key(flag: Flag) -> str:
    """Names the flag as long as its card is in the record."""
    return f"aces-{flag.seat}" if flag.kind == "ACES" else f"flag-{flag.card.card}"


def _cards(named: tuple[Face, ...], flag: Flag | None) -> str:
    if not named:
        return "No cards were named."
    if flag is None:
        return "The record holds no proof that these cards could be."
    pairs = [{flag.card.face, p.proof.face} for p in flag.pairs]
    pairs += [{c.face for c in flag.cards}] if flag.kind == "ACES" else []
    if any(set(named) <= pair for pair in pairs):
        return "The cards named are cards of the proof."
    best = f"the {flag.card.face.name}" + (f" and the {flag.proof.face.name}" if flag.proof else "")
    return f"The cards named are not the proof; the record shows {best}."


def outcomes(judged: Judged) -> list[Outcome]:
    """What each ruling on the last call would bring, each tried on the record as it stands."""
    kinds: list[tuple[str, RulingMade]] = [
        (OUTCOME_WORDS["confirmed"], RulingMade("confirmed")),
        (OUTCOME_WORDS["denied"], RulingMade("denied")),
        (OUTCOME_WORDS["cannot_tell"], RulingMade("cannot_tell")),
    ]
    for team in TEAMS:
        text = f"Books of {TEAM_NAMES[team]} out of order"
        kinds.append((text, RulingMade("cannot_tell", disordered=team)))
    last = judged.events[-1]
    return [
        Outcome(
            text, score_lines(scoring.score(fold([*judged.events, Event(last.seq + 1, last.at, ruling)])))
        )
        for text, ruling in kinds
    ]


def score_lines(score: HandScore) -> tuple[str, ...]:
    """What each team gets, and of what it is made."""
    if not score.lines:
        return (_sentence(score.text),)
    said = []
    for team in TEAMS:
        parts = ", ".join(line.text for line in score.lines if line.team == team)
        said.append(f"{TEAM_NAMES[team]} {score.change[team]} ({parts})")
    return tuple(said)


def claim_json(shown: ClaimShown) -> dict[str, Any]:
    return {
        "said": shown.said,
        "cards": [str(f) for f in shown.named],
        "verdict": shown.verdict,
        "proven": shown.proven,
        "lacks": list(shown.lacks),
        "cards_checked": shown.cards,
        "flag": shown.flag,
        "outcomes": [{"ruling": o.ruling, "teams": list(o.lines)} for o in shown.outcomes],
    }


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
