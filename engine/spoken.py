"""A hand's log as sentences that a person can read aloud, and back: one event a line.

Everything that judging rests on is said. Left out are times, wall clocks, pictures and event numbers:
a log that is read back counts its events from 1, one second apart. A card has a name of its own only
where it needs one: the nth card of the log is "cn" without saying so, unless something refers to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from engine import events as ev
from engine.cards import RANK_NAMES, SEAT_NAMES, SUIT_NAMES, Face, Rank, Seat, Suit, Team
from engine.events import Event, Reading, Source, What
from engine.notation import LogError

_RANKS: Final[dict[str, Rank]] = {name: rank for rank, name in RANK_NAMES.items()}  # type: ignore[misc]
_SUITS: Final[dict[str, Suit]] = {name: suit for suit, name in SUIT_NAMES.items()}  # type: ignore[misc]
_SEATS: Final[dict[str, Seat]] = {name: seat for seat, name in SEAT_NAMES.items()}  # type: ignore[misc]
_TEAMS: Final[dict[str, Team]] = {"North-South": "NS", "East-West": "EW"}
_TEAM_NAMES: Final = {team: name for name, team in _TEAMS.items()}
_SHOWN: Final = (ev.MeldLaid, ev.CardLaid, ev.CardExposed)
_BY: Final[dict[type[Any], Source]] = {
    ev.HandStarted: "system", ev.DealerNamed: "scorekeeper", ev.BidMade: "scorekeeper",
    ev.TrumpNamed: "scorekeeper", ev.DealNoted: "director", ev.CardsCounted: "scorekeeper",
    ev.ReadingRevised: "system", ev.PlaceRevised: "system", ev.Corrected: "director",
    ev.RenegeCalled: "player", ev.RulingMade: "director", ev.BooksAudited: "director",
    ev.HandEnded: "scorekeeper", ev.ScoreAgreed: "scorekeeper", ev.RoundClock: "director",
    ev.Undone: "director",
}  # fmt: skip
"""Who usually says it; all else is the camera's. Another source is named at the end of the line."""
_HOW: Final = {
    "turned": "is turned", "next_lead": "is closed by the next lead", "timeout": "is closed by time",
    "entered": "is closed as entered",
}  # fmt: skip
_EXPOSES: Final = {
    "dropped": "drops", "flashed": "flashes", "shown": "shows", "dealt": "is dealt face up",
}  # fmt: skip
_FACTS: Final[dict[str, str]] = {
    "shuffled": "The cards are shuffled", "cut": "The cards are cut and leave some",
    "no_cut": "No cut is offered", "packet": "Cards are dealt at a time",
    "card_exposed": "A card is exposed in the deal",
    "complaint_upheld": "A complaint about the deal is upheld",
    "complaint_denied": "A complaint about the deal is denied", "misdeal": "A misdeal is found",
}  # fmt: skip
_CLOCK: Final = {
    "started": "The round begins", "paused": "The round is paused", "resumed": "The round goes on",
    "ended": "The round ends",
}  # fmt: skip


# Saying


def say(events: Iterable[Event]) -> str:
    """The log as text, a sentence for each event."""
    log = list(events)
    named = {card for e in log for card in _refers(e.what)}
    shown, lines = 0, []
    for e in log:
        text = _sentence(e.what)
        if isinstance(e.what, _SHOWN):
            shown += 1
            if e.what.card in named or e.what.card != f"c{shown}":
                text += f", card {_quoted(e.what.card)}"
        usual = _BY.get(type(e.what), "camera")
        lines.append(text + "." + ("" if e.by == usual else f" [{e.by}]"))
    return "\n".join(lines) + "\n"


def _refers(what: What) -> list[str]:
    """Cards that an event names but does not show."""
    if isinstance(what, ev.MeldRemoved | ev.CardTakenBack | ev.ReadingRevised):
        return [what.card]
    if isinstance(what, ev.Corrected | ev.PlaceRevised):
        return [what.card, *([what.before] if what.before is not None else [])]
    if isinstance(what, ev.CardLaid) and what.before is not None:
        return [what.before]
    return [what.card] if isinstance(what, ev.RulingMade) and what.card is not None else []


def _quoted(text: str) -> str:
    """Bare where it is one plain word, else in quotes."""
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else json.dumps(text, ensure_ascii=False)


def _read(reading: Reading) -> str:
    text = f"the {reading.face.name}"
    if reading.probability != 1 or reading.second or reading.second_probability:
        text += f" (sure {reading.probability!r}"
        if reading.second or reading.second_probability:
            second = f"the {reading.second.name}" if reading.second else "another"
            text += f", or {second} {reading.second_probability!r}"
        text += ")"
    return text


def _sentence(what: What) -> str:
    match what:
        case ev.HandStarted():
            text = f"Hand {_quoted(what.hand)}, rules {_quoted(what.ruleset)}"
            text += f", dealer {SEAT_NAMES[what.dealer]}" if what.dealer else ""
            text += f", table {_quoted(what.table)}" if what.table is not None else ""
            return text + (f", deck {_quoted(what.deck)}" if what.deck != "double" else "")
        case ev.DealNoted(fact, number):
            return _FACTS[fact] + (f", {number}" if number is not None else "")
        case ev.CardsCounted(seat, number):
            return f"{SEAT_NAMES[seat]} has {number} cards"
        case ev.BidMade(seat, call):
            if call == "pass":
                return f"{SEAT_NAMES[seat]} passes"
            plain = re.fullmatch("[0-9]+", call)
            return f"{SEAT_NAMES[seat]} bids {call}" if plain else f"{SEAT_NAMES[seat]} says {_text(call)}"
        case ev.TrumpNamed(suit, by, sure):
            text = f"Trump is {SUIT_NAMES[suit]}" if suit else "There is no trump"
            text += f", named by {SEAT_NAMES[by]}" if by else ""
            return text + (f", sure {sure!r}" if sure != 1 else "")
        case ev.MeldLaid():
            return f"{SEAT_NAMES[what.seat]} melds {_read(what.reading)}"
        case ev.MeldRemoved(card):
            return f"Card {_quoted(card)} is taken back from meld"
        case ev.MeldClosed():
            return "Meld is picked up"
        case ev.CardLaid():
            text = f"{SEAT_NAMES[what.seat]} lays {_read(what.reading)}"
            text += f", seat sure {what.seat_probability!r}" if what.seat_probability != 1 else ""
            text += f", place sure {what.order_probability!r}" if what.order_probability != 1 else ""
            text += f", before card {_quoted(what.before)}" if what.before is not None else ""
            return text + (f", in book {what.book}" if what.book is not None else "")
        case ev.CardTakenBack(card):
            return f"Card {_quoted(card)} is taken back"
        case ev.CardExposed():
            return f"{SEAT_NAMES[what.seat]} {_EXPOSES[what.how]} {_read(what.reading)}"
        case ev.BookClosed(number, how):
            return f"Book {number} {_HOW[how]}"
        case ev.BookGathered(number, seat):
            return f"{SEAT_NAMES[seat]} gathers book {number}"
        case ev.ReadingRevised(card, reading):
            return f"Card {_quoted(card)} is read again as {_read(reading)}"
        case ev.PlaceRevised():
            text = f"Card {_quoted(what.card)} is placed again, laid by {SEAT_NAMES[what.seat]}"
            text += f" (sure {what.seat_probability!r}), place sure {what.order_probability!r}"
            return text + (f", before card {_quoted(what.before)}" if what.before is not None else "")
        case ev.Corrected():
            text = f"Card {_quoted(what.card)} is corrected"
            text += f", the {what.face.name}" if what.face else ""
            text += f", laid by {SEAT_NAMES[what.seat]}" if what.seat else ""
            text += f", before card {_quoted(what.before)}" if what.before is not None else ""
            return text + (", withdrawn" if what.withdrawn else "") + _why(what.why)
        case ev.RenegeCalled():
            text = f"{SEAT_NAMES[what.by]} calls a renege of {SEAT_NAMES[what.against]}"
            text += f", in book {what.book}" if what.book is not None else ""
            text += f", cards {' and '.join(f'the {f.name}' for f in what.cards)}" if what.cards else ""
            return text + _why(what.what)
        case ev.RulingMade():
            text = f"The ruling is {what.outcome.replace('_', ' ')}"
            text += f", card {_quoted(what.card)}" if what.card is not None else ""
            text += f", books of {_TEAM_NAMES[what.disordered]} out of order" if what.disordered else ""
            return text + _why(what.why)
        case ev.BooksAudited(team, spread):
            books = "; ".join(" and ".join(f"the {f.name}" for f in book) or "no card" for book in spread)
            return f"{_TEAM_NAMES[team]} spread {books or 'no book'}"
        case ev.SightLost(why):
            return "Sight is lost" + _why(why)
        case ev.SightRegained():
            return "Sight is regained"
        case ev.HandEnded(how, rest):
            text = f"The hand ends, {_quoted(how)}"
            return text + (f", the rest to {_TEAM_NAMES[rest]}" if rest else "")
        case ev.ScoreAgreed(team):
            return f"{_TEAM_NAMES[team]} agree the score"
        case ev.RoundClock(step, minutes):
            return _CLOCK[step] + (f", {minutes} minutes" if minutes is not None else "")
        case ev.DealerNamed(seat):
            return f"{SEAT_NAMES[seat]} deals"
        case ev.Undone(entry, why):
            return f"Line {entry} was a mistake" + _why(why)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _why(value: str) -> str:
    return f", {_text(value)}" if value else ""


# Hearing

_SEAT = "(North|East|South|West)"
_TEAM = "(North-South|East-West)"
_WORD = r'([A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*")'
_TEXT = r'("(?:[^"\\]|\\.)*")'
_FACE = f"the ({'|'.join(_RANKS)}) of ({'|'.join(_SUITS)})"
_NUM = r"([-+.0-9einfa]+)"
_READING = rf"{_FACE}(?: \(sure {_NUM}(?:, or (?:{_FACE}|another) {_NUM})?\))?"
_CARD = rf"(?:, card {_WORD})?"
_IN_BOOK = "(?:, in book (-?[0-9]+))?"
_WHY = rf"(?:, {_TEXT})?"
_BOOK = rf"(?:no card|{_FACE}(?: and {_FACE})*)"


_UNNAMED: Final = "\0"


def _word(text: str | None, default: str = "") -> str:
    if text is None:
        return default
    return str(json.loads(text)) if text.startswith('"') else text


def _face(rank: str | None, suit: str | None) -> Face | None:
    return Face(_RANKS[rank], _SUITS[suit]) if rank and suit else None


def _reading(found: Sequence[str | None]) -> Reading:
    """From the six groups of _READING."""
    rank, suit, sure, rank2, suit2, second = found
    face = _face(rank, suit)
    assert face is not None
    return Reading(face, float(sure or 1), _face(rank2, suit2), float(second or 0))


def _maybe(text: str | None) -> str | None:
    return None if text is None else _word(text)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


_Groups = Sequence[str | None]
_Rule = tuple[re.Pattern[str], Callable[[Any], What]]


def _rule(pattern: str, make: Callable[[Any], What]) -> _Rule:
    return re.compile(pattern), make


_EXPOSED_BY: Final[dict[str, Any]] = {verb: how for how, verb in _EXPOSES.items()}
_FACT_OF: Final[dict[str, Any]] = {said: fact for fact, said in _FACTS.items()}
_CLOCK_OF: Final[dict[str, Any]] = {said: step for step, said in _CLOCK.items()}
_CLOSED_BY: Final[dict[str, Any]] = {verb: how for how, verb in _HOW.items()}
_RULES: Final[tuple[_Rule, ...]] = (
    _rule(
        rf"Hand {_WORD}, rules {_WORD}(?:, dealer {_SEAT})?(?:, table {_WORD})?(?:, deck {_WORD})?",
        lambda g: ev.HandStarted(
            _word(g[0]), _word(g[1]), _SEATS[g[2]] if g[2] else None, _maybe(g[3]), _word(g[4] or "double")
        ),
    ),
    _rule(
        rf"({'|'.join(_FACTS.values())})(?:, (-?[0-9]+))?",
        lambda g: ev.DealNoted(_FACT_OF[g[0]], _number(g[1])),
    ),
    _rule(rf"{_SEAT} has (-?[0-9]+) cards", lambda g: ev.CardsCounted(_SEATS[g[0]], int(g[1]))),
    _rule(rf"{_SEAT} passes", lambda g: ev.BidMade(_SEATS[g[0]], "pass")),
    _rule(rf"{_SEAT} bids ([0-9]+)", lambda g: ev.BidMade(_SEATS[g[0]], g[1])),
    _rule(rf"{_SEAT} says {_TEXT}", lambda g: ev.BidMade(_SEATS[g[0]], _word(g[1]))),
    _rule(
        rf"(?:Trump is ({'|'.join(_SUITS)})|There is no trump)(?:, named by {_SEAT})?(?:, sure {_NUM})?",
        lambda g: ev.TrumpNamed(_SUITS.get(g[0]), _SEATS.get(g[1]), float(g[2] or 1)),
    ),
    _rule(
        rf"{_SEAT} melds {_READING}{_CARD}",
        lambda g: ev.MeldLaid(_word(g[7], _UNNAMED), _SEATS[g[0]], _reading(g[1:7])),
    ),
    _rule(rf"Card {_WORD} is taken back from meld", lambda g: ev.MeldRemoved(_word(g[0]))),
    _rule("Meld is picked up", lambda g: ev.MeldClosed()),
    _rule(
        rf"{_SEAT} lays {_READING}(?:, seat sure {_NUM})?(?:, place sure {_NUM})?(?:, before card {_WORD})?"
        rf"{_IN_BOOK}{_CARD}",
        lambda g: ev.CardLaid(
            _word(g[11], _UNNAMED),
            _SEATS[g[0]],
            _reading(g[1:7]),
            float(g[7] or 1),
            _maybe(g[9]),
            _number(g[10]),
            float(g[8] or 1),
        ),
    ),
    _rule(rf"Card {_WORD} is taken back", lambda g: ev.CardTakenBack(_word(g[0]))),
    _rule(
        rf"{_SEAT} ({'|'.join(_EXPOSED_BY)}) {_READING}{_CARD}",
        lambda g: ev.CardExposed(_word(g[8], _UNNAMED), _SEATS[g[0]], _reading(g[2:8]), _EXPOSED_BY[g[1]]),
    ),
    _rule(rf"Book (-?[0-9]+) ({'|'.join(_CLOSED_BY)})", lambda g: ev.BookClosed(int(g[0]), _CLOSED_BY[g[1]])),
    _rule(rf"{_SEAT} gathers book (-?[0-9]+)", lambda g: ev.BookGathered(int(g[1]), _SEATS[g[0]])),
    _rule(
        rf"Card {_WORD} is read again as {_READING}",
        lambda g: ev.ReadingRevised(_word(g[0]), _reading(g[1:7])),
    ),
    _rule(
        rf"Card {_WORD} is placed again, laid by {_SEAT} \(sure {_NUM}\), place sure {_NUM}"
        rf"(?:, before card {_WORD})?",
        lambda g: ev.PlaceRevised(_word(g[0]), _SEATS[g[1]], float(g[2]), float(g[3]), _maybe(g[4])),
    ),
    _rule(
        rf"Card {_WORD} is corrected(?:, {_FACE})?(?:, laid by {_SEAT})?(?:, before card {_WORD})?"
        rf"(, withdrawn)?{_WHY}",
        lambda g: ev.Corrected(
            _word(g[0]),
            _face(g[1], g[2]),
            _SEATS[g[3]] if g[3] else None,
            _maybe(g[4]),
            bool(g[5]),
            _word(g[6]),
        ),
    ),
    _rule(
        rf"{_SEAT} calls a renege of {_SEAT}{_IN_BOOK}(?:, cards ({_FACE}(?: and {_FACE})*))?"
        rf"{_WHY}",
        lambda g: ev.RenegeCalled(
            _SEATS[g[0]],
            _SEATS[g[1]],
            _word(g[8]),
            tuple(Face(_RANKS[r], _SUITS[s]) for r, s in re.findall(_FACE, g[3] or "")),
            _number(g[2]),
        ),
    ),
    _rule(
        rf"The ruling is (confirmed|denied|cannot tell)(?:, card {_WORD})?"
        rf"(?:, books of {_TEAM} out of order)?{_WHY}",
        lambda g: ev.RulingMade(
            g[0].replace(" ", "_"), _maybe(g[1]), _word(g[3]), _TEAMS[g[2]] if g[2] else None
        ),
    ),
    _rule(
        rf"{_TEAM} spread ({_BOOK}(?:; {_BOOK})*|no book)",
        lambda g: ev.BooksAudited(
            _TEAMS[g[0]],
            tuple(
                tuple(Face(_RANKS[r], _SUITS[s]) for r, s in re.findall(_FACE, book))
                for book in ([] if g[1] == "no book" else g[1].split("; "))
            ),
        ),
    ),
    _rule(rf"Sight is lost{_WHY}", lambda g: ev.SightLost(_word(g[0]))),
    _rule("Sight is regained", lambda g: ev.SightRegained()),
    _rule(
        rf"The hand ends, {_WORD}(?:, the rest to {_TEAM})?",
        lambda g: ev.HandEnded(_word(g[0]), _TEAMS[g[1]] if g[1] else None),
    ),
    _rule(rf"{_TEAM} agree the score", lambda g: ev.ScoreAgreed(_TEAMS[g[0]])),
    _rule(
        rf"({'|'.join(_CLOCK_OF)})(?:, (-?[0-9]+) minutes)?",
        lambda g: ev.RoundClock(_CLOCK_OF[g[0]], _number(g[1])),
    ),
    _rule(rf"{_SEAT} deals", lambda g: ev.DealerNamed(_SEATS[g[0]])),
    _rule(rf"Line (-?\d+) was a mistake{_WHY}", lambda g: ev.Undone(int(g[0]), _word(g[1]))),
)
_LINE: Final = re.compile(r"(.*?)\.(?: \[(camera|director|scorekeeper|player|system)\])?")


def hear(text: str, where: str = "text") -> list[Event]:
    """The events that `say` would say so. Raises LogError with `where`, line and what to do."""
    found: list[Event] = []
    shown = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        whole = _LINE.fullmatch(line.strip())
        what = _heard(whole[1]) if whole else None
        if whole is None or what is None:
            raise LogError(
                f"{where}, line {number}: '{line.strip()}' is no sentence of a hand; write it like "
                "'East lays the ace of spades.'"
            )
        if isinstance(what, _SHOWN):
            shown += 1
            if what.card == _UNNAMED:
                what = replace(what, card=f"c{shown}")
        by: Any = whole[2] or _BY.get(type(what), "camera")
        found.append(Event(len(found) + 1, float(len(found)), what, by))
    return found


def read(path: Path | str) -> list[Event]:
    """The events of a file of sentences. Raises LogError with file, line and what to do."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise LogError(f"{path}: cannot read this hand: {e}; check the path") from None
    found = hear(text, str(path))
    if not found:
        raise LogError(f"{path}: no sentence is in it; the first should begin 'Hand 1, rules LV'")
    return found


def _heard(sentence: str) -> What | None:
    for pattern, make in _RULES:
        if m := pattern.fullmatch(sentence):
            return make(m.groups())
    return None
