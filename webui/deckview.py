"""What the set-up page says of decks: the one just learnt, those that are kept, the one in play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from device import decks
from device.config import Settings
from device.errors import UserError
from device.learning import Learnt
from engine.cards import Face
from engine.deck import DECKS
from vision import enrol
from vision.adapter import Check
from vision.enrol import EnrolError, EnrolledDeck


@dataclass(frozen=True, slots=True)
class Kept:
    """A deck of the list. `faces`: how many it was learnt from; `chosen`: cards are read with it."""

    name: str
    enrolled: str
    faces: int
    chosen: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DeckSection:
    """`needed`: faces of a whole deck. `in_play`: the chosen deck's name. `problem`: why it is not used."""

    needed: int
    kept: tuple[Kept, ...]
    in_play: str | None
    problem: str
    learnt: Learnt | None
    gain: str
    missing: str
    name: str
    taken: bool


def deck_section(settings: Settings, learnt: Learnt | None, name: str, taken: bool) -> DeckSection:
    """The state of the step; `name` was typed for the deck learnt, `taken` says that another deck has it."""
    in_play, problem = None, ""
    try:
        in_play = decks.in_play(settings)
        if in_play and not (decks.folder(settings) / f"{in_play}{decks.SUFFIX}").is_file():
            problem = f"The deck “{in_play}” is chosen, but its file is gone. Choose again."
    except UserError as error:
        problem = f"{error}"
    return DeckSection(
        len(DECKS[settings.game.deck].faces),
        _kept(settings, in_play),
        in_play,
        problem,
        learnt,
        gain(learnt.deck.check) if learnt else "",
        names(learnt.missing) if learnt else "",
        name,
        taken,
    )


def _kept(settings: Settings, in_play: str | None) -> tuple[Kept, ...]:
    found = []
    for path in decks.enrolled(settings):
        name = path.stem
        try:
            deck = enrol.load(path)
        except EnrolError:
            problem = "cannot be used: learn it again"
            found.append(Kept(name, "", 0, name == in_play, problem))
            continue
        found.append(_entry(name, deck, settings, in_play))
    return tuple(found)


def _entry(name: str, deck: EnrolledDeck, settings: Settings, in_play: str | None) -> Kept:
    kind = settings.game.deck
    fits = deck.kind in (kind, decks.ANY)
    problem = "" if fits else f"a {deck.kind} deck; a {kind} deck is played here"
    return Kept(name, deck.enrolled[:10], len(set(deck.faces)), name == in_play, problem)


def gain(check: Check) -> str:
    """What the trial on held-out indices found, in words."""
    if check.weight == 0:
        return "This deck is read as well without learning, so nothing changes."
    return (
        f"Of its indices, tried small and blurred, {check.after:.1%} are read right; "
        f"without learning, {check.before:.1%}."
    )


def names(faces: Sequence[Face]) -> str:
    return ", ".join(f.name for f in faces)
