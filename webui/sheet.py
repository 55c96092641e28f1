"""The ruling sheet of a hand: what was called and ruled, the proof, the law in words; made to be printed."""

from __future__ import annotations

from dataclasses import dataclass

from engine import clauses, scoring
from engine.cards import TEAMS
from engine.events import RulingMade
from webui.claims import OUTCOME_WORDS, ClaimShown, claim, score_lines
from webui.desk import Judged
from webui.names import TEAM_NAMES
from webui.proof import FlagShown, flags_of, open_call


@dataclass(frozen=True, slots=True)
class Matter:
    """One thing ruled on, or the open call (`ruling` None)."""

    ruling: str | None
    at: str | None
    why: str
    claim: ClaimShown | None
    flag: FlagShown | None
    clauses: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    matters: tuple[Matter, ...]
    score: tuple[str, ...]
    score_text: str


def sheet(judged: Judged) -> Sheet:
    state = judged.state
    flags = {f.key: f for f in flags_of(judged)}
    by_card = {f.offence.card: f for f in flags.values()}
    times = {e.seq: e.utc for e in judged.events}
    matters = []
    for seq, ruling in state.rulings:
        call = next((c for c in reversed(state.calls) if c.seq < seq), None) if ruling.card is None else None
        shown = claim(judged, call) if call else None
        flag = by_card.get(ruling.card) if ruling.card else flags.get(shown.flag or "") if shown else None
        matters.append(_matter(shown, flag, ruling, times.get(seq)))
    if call := open_call(state):
        shown = claim(judged, call)
        matters.append(_matter(shown, flags.get(shown.flag or ""), None, None))
    score = scoring.score(state)
    change = tuple(f"{TEAM_NAMES[t]} {score.change[t]}" for t in TEAMS) if score.lines else ()
    return Sheet(tuple(matters), change, " ".join(score_lines(score)) if not score.lines else score.text)


def _matter(
    shown: ClaimShown | None, flag: FlagShown | None, ruling: RulingMade | None, at: str | None
) -> Matter:
    said = None
    if ruling is not None:
        said = OUTCOME_WORDS[ruling.outcome]
        if ruling.disordered:
            said += f"; books of {TEAM_NAMES[ruling.disordered]} out of order"
    ids = dict.fromkeys((*(flag.clauses if flag else ()), *(shown.clauses if shown else ())))
    words = tuple((i, text) for i in ids if (text := clauses.said(i)))
    return Matter(said, at, ruling.why if ruling else "", shown, flag, words)
