"""Logs written by hand for tests: `log("lay c1 N KS", "close 1", ...)`."""

from __future__ import annotations

from engine import cards
from engine import events as ev
from engine.events import Event, Reading, What


def reading(text: str) -> Reading:
    """ "KS", "KS@0.9" or "KS@0.9/TS@0.05"."""
    first, _, second = text.partition("/")
    face, _, p = first.partition("@")
    if not second:
        return Reading(cards.face(face), float(p or 1))
    other, _, q = second.partition("@")
    return Reading(cards.face(face), float(p or 1), cards.face(other), float(q))


def what(text: str) -> tuple[What, ev.Source]:
    match text.split():
        case ["trump", suit]:
            return ev.TrumpNamed(suit), "scorekeeper"  # type: ignore[arg-type]
        case ["trump", suit, seat]:
            return ev.TrumpNamed(suit, cards.seat(seat)), "scorekeeper"  # type: ignore[arg-type]
        case ["say", suit, seat]:
            return ev.TrumpNamed(suit, cards.seat(seat)), "player"  # type: ignore[arg-type]
        case ["bid", seat, call]:
            return ev.BidMade(cards.seat(seat), call), "scorekeeper"
        case ["meld", card, seat, face]:
            return ev.MeldLaid(card, cards.seat(seat), reading(face)), "camera"
        case ["unmeld", card]:
            return ev.MeldRemoved(card), "camera"
        case ["melded"]:
            return ev.MeldClosed(), "camera"
        case ["lay", card, seat, face]:
            return ev.CardLaid(card, cards.seat(seat), reading(face)), "camera"
        case ["lay", card, seat, face, "before", other]:
            return ev.CardLaid(card, cards.seat(seat), reading(face), before=other), "scorekeeper"
        case ["lay", card, seat, face, "in", book]:
            return ev.CardLaid(card, cards.seat(seat), reading(face), book=int(book)), "scorekeeper"
        case ["back", card]:
            return ev.CardTakenBack(card), "camera"
        case ["show", card, seat, face]:
            return ev.CardExposed(card, cards.seat(seat), reading(face)), "camera"
        case ["close", number]:
            return ev.BookClosed(int(number), "turned"), "camera"
        case ["led", number]:
            return ev.BookClosed(int(number), "next_lead"), "camera"
        case ["gather", number, seat]:
            return ev.BookGathered(int(number), cards.seat(seat)), "camera"
        case ["revise", card, face]:
            return ev.ReadingRevised(card, reading(face)), "system"
        case ["place", card, seat, sure, order, *before]:
            seen = ev.PlaceRevised(card, cards.seat(seat), float(sure), float(order), *before)
            return seen, "system"
        case ["correct", card, face]:
            return ev.Corrected(card, face=cards.face(face)), "director"
        case ["move", card, before]:
            return ev.Corrected(card, before=before), "director"
        case ["withdraw", card]:
            return ev.Corrected(card, withdrawn=True), "director"
        case ["call", by, against]:
            return ev.RenegeCalled(cards.seat(by), cards.seat(against)), "player"
        case ["rule", outcome]:
            return ev.RulingMade(outcome), "director"  # type: ignore[arg-type]
        case ["rule", outcome, card]:
            return ev.RulingMade(outcome, card), "director"  # type: ignore[arg-type]
        case ["end", how]:
            return ev.HandEnded(how), "scorekeeper"
        case ["blind"]:
            return ev.SightLost("a hat lies on the camera"), "camera"
        case ["sees"]:
            return ev.SightRegained(), "camera"
    raise ValueError(f"no event: {text}")


def log(*lines: str, ruleset: str = "LV") -> list[Event]:
    """Events after a hand_started; a line "book 3: N AS, E KS" lays c31, c32 ... and closes book 3."""
    found: list[tuple[What, ev.Source]] = [(ev.HandStarted("h1", ruleset, "N"), "system")]
    for line in lines:
        if line.startswith("book "):
            number, _, plays = line[5:].partition(": ")
            for k, play in enumerate(plays.split(", "), 1):
                found.append(what(f"lay c{number}{k} {play}"))
            found.append(what(f"close {number}"))
        else:
            found.append(what(line))
    return [Event(n, n / 2, w, by) for n, (w, by) in enumerate(found, 1)]
