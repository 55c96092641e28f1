"""Events in any order, for hypothesis; and the table turned by one seat."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

from hypothesis import strategies as st

from engine import events as ev
from engine.cards import ALL_FACES, SEATS, SUITS, TEAMS, next_seat, opponents
from engine.events import Event, Reading

TEAM = st.sampled_from(TEAMS)
CALL = st.sampled_from(
    ["50", "51", "61", "65", "100", "105", "pass", "by me", "50 double run", "stands", "redeal", "²", ""]
)
ENDING = st.sampled_from(
    ["played", "out_of_cards", "no_board", "no_marriage", "impossible", "refused", "fire"]
)
IDS = st.sampled_from([f"c{n}" for n in range(12)])
SEAT = st.sampled_from(SEATS)
READING = st.builds(
    Reading,
    st.sampled_from(ALL_FACES),
    st.floats(0, 1),
    st.none() | st.sampled_from(ALL_FACES),
    st.floats(0, 1),
    st.none() | st.just("p.jpg"),
)
NUMBER = st.integers(-1, 22)
HOW = st.sampled_from(["turned", "next_lead", "timeout", "entered"])
FACE = st.none() | st.sampled_from(ALL_FACES)
WHAT: st.SearchStrategy[Any] = st.one_of(
    st.builds(ev.CardLaid, IDS, SEAT, READING, st.floats(0, 1), st.none() | IDS, st.none() | NUMBER,
              st.floats(0, 1)),
    st.builds(ev.CardLaid, IDS, SEAT, READING),
    st.builds(ev.CardTakenBack, IDS),
    st.builds(ev.BookClosed, NUMBER, HOW),
    st.builds(ev.BookGathered, NUMBER, SEAT),
    st.builds(ev.MeldLaid, IDS, SEAT, READING),
    st.builds(ev.MeldRemoved, IDS),
    st.builds(ev.MeldClosed),
    st.builds(ev.CardExposed, IDS, SEAT, READING, st.sampled_from(["dropped", "shown"])),
    st.builds(ev.TrumpNamed, st.none() | st.sampled_from(SUITS), st.none() | SEAT, st.floats(0, 1)),
    st.builds(ev.BidMade, SEAT, CALL),
    st.builds(ev.ReadingRevised, IDS, READING),
    st.builds(ev.PlaceRevised, IDS, SEAT, st.floats(0, 1), st.floats(0, 1), st.none() | IDS),
    st.builds(ev.Corrected, IDS, FACE, st.none() | SEAT, st.none() | IDS, st.booleans()),
    st.builds(
        ev.RenegeCalled, SEAT, SEAT, st.sampled_from(["", "follow suit", "aces", "beat"]),
        st.lists(st.sampled_from(ALL_FACES), max_size=2).map(tuple), st.none() | NUMBER,
    ),
    st.builds(
        ev.RulingMade, st.sampled_from(["confirmed", "denied", "cannot_tell"]), st.none() | IDS, st.just(""),
        st.none() | TEAM,
    ),
    st.builds(
        ev.BooksAudited, TEAM,
        st.lists(st.lists(st.sampled_from(ALL_FACES), max_size=4).map(tuple), max_size=3).map(tuple),
    ),
    st.builds(ev.SightLost, st.just("dark")),
    st.builds(ev.SightRegained),
    st.builds(ev.HandStarted, st.just("h"), st.sampled_from(["LV", "??"]), st.none() | SEAT),
    st.builds(ev.HandEnded, ENDING, st.none() | TEAM),
    st.builds(ev.ScoreAgreed, TEAM),
    st.builds(ev.DealNoted, st.sampled_from(get_args(ev.DealFact)), st.none() | NUMBER),
    st.builds(ev.CardsCounted, SEAT, st.integers(17, 23)),
    st.builds(ev.DealerNamed, SEAT),
    st.builds(
        ev.RoundClock, st.sampled_from(["started", "paused", "resumed", "ended"]), st.none() | NUMBER
    ),
    st.builds(ev.Undone, NUMBER),
)  # fmt: skip


def numbered(whats: list[Any]) -> list[Event]:
    return [Event(n, float(n), what) for n, what in enumerate(whats, 1)]


_SEATS = {"seat", "dealer", "by", "against"}
_TEAMS = {"team", "rest", "disordered"}


def turned(what: Any) -> Any:
    """The same event with everybody one seat further clockwise."""
    changed: dict[str, Any] = {}
    for f in dataclasses.fields(what):
        value = getattr(what, f.name)
        if value is not None and f.name in _SEATS:
            changed[f.name] = next_seat(value)
        elif value is not None and f.name in _TEAMS:
            changed[f.name] = opponents(value)
    return dataclasses.replace(what, **changed)
