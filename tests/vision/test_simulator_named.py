"""Named behaviours at the simulated table: the record of each is true, and the picture shows it."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

import pytest

from engine.cards import SEATS
from engine.deck import DOUBLE
from engine.events import BookClosed, BookGathered, CardExposed, CardLaid, CardTakenBack
from engine.hand import fold
from engine.renege import audit
from engine.rules import load
from vision.simulator.camera import Effects
from vision.simulator.choreography import play_hand
from vision.simulator.drawn import own_deck
from vision.simulator.motions import SEAT_ANGLE, Pose
from vision.simulator.named import BEHAVIOURS, behaving
from vision.simulator.script import Behaviours, HandScript, Incident
from vision.simulator.stage import CardInView, Stage

KIND = {"take_back": "correction", "gather_early": "early_gather"}
PLAIN = Effects(noise=0, drift=0, gradient=0, shadows=0, defocus=0, warmth=0)


SEED = 1_000_003
ALL = ",".join(BEHAVIOURS)


@cache
def stage() -> Stage:
    """A small picture of one table for all: what lies where matters here, not how it looks."""
    return Stage(SEED, own_deck(SEED), PLAIN, width=800, height=450, surface="felt")


@cache
def script_of(name: str) -> HandScript:
    return play_hand(SEED, behaving([name]))


def incidents(script: HandScript, name: str) -> list[Incident]:
    return [i for i in script.incidents if i.kind == KIND.get(name, name)]


def seen(name: str, at: float) -> dict[str, CardInView]:
    return {c.card: c for c in stage().seen(script_of(name), at)}


def laid(script: HandScript, card: str) -> list[float]:
    return [e.at for e in script.events if isinstance(e.what, CardLaid) and e.what.card == card]


def pose(script: HandScript, card: str, at: float) -> Pose:
    state = script.tracks[card].at(at)
    assert state is not None
    return state.pose


def way(a: Pose, b: Pose) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


def off(seat: str, p: Pose) -> float:
    return abs((p.angle - SEAT_ANGLE[seat] + 180) % 360 - 180)  # type: ignore[index]


@pytest.mark.parametrize(("name", "seed"), [*((n, 1) for n in BEHAVIOURS), *((ALL, s) for s in (1, 2, SEED))])
def test_whatever_people_do_the_record_holds_eighty_cards_and_no_false_flag(name: str, seed: int) -> None:
    script = play_hand(seed, behaving(name.split(",")))
    state = fold(script.events)
    assert [p for p in state.problems if "partner took it" not in p.message] == []
    assert all(b.closed and len(b.plays) == 4 for b in state.books)
    assert Counter(p.face for b in state.books for p in b.plays) == Counter(DOUBLE.cards())
    for seat in SEATS:
        assert {p.card for b in state.books for p in b.plays if p.seat == seat} == set(script.hands[seat])
    assert [p.card for b in state.books for p in b.plays] == [
        p.card for b in script.plan.books for p in b.plays
    ]
    assert {f.status for f in audit(state, load("lv"))} <= {"corrected"}
    assert play_hand(seed, behaving(name.split(","))).events == script.events
    plain = play_hand(seed)
    assert script.hands == plain.hands
    assert not [i for i in plain.incidents if i.kind in set(BEHAVIOURS) - {"straighten"}]
    for each in name.split(","):
        assert incidents(script, each), each


def test_a_card_rests_when_the_record_says_so_whatever_people_do() -> None:
    script = play_hand(4, behaving(list(BEHAVIOURS)))
    for event in script.events:
        if isinstance(event.what, CardLaid):
            before, after = (script.tracks[event.what.card].at(event.at + d) for d in (-0.02, 0.005))
            assert before is not None
            assert after is not None
            assert (before.still, after.still) == (False, True)


def test_names_add_up_and_unknown_ones_are_refused() -> None:
    both = behaving(["cover", "flash"], Behaviours(pace=0.6, flashes=3))
    assert (both.covers, both.flashes, both.pace, both.slides) == (BEHAVIOURS["cover"].covers, 3, 0.6, 0.0)
    assert behaving([]) == Behaviours()
    with pytest.raises(ValueError, match="'hover' is no behaviour: use slide, cover"):
        behaving(["cover", "hover"])


def test_slide() -> None:
    script = script_of("slide")
    for i in incidents(script, "slide"):
        last = [s for s in script.tracks[i.cards[0]].segments if abs(s.t1 - i.at) < 1e-6][-1]
        assert way(last.a, last.b) > 50
        assert last.t1 - last.t0 > 0.35
        assert round(i.at, 4) in laid(script, i.cards[0])
    i = incidents(script, "slide")[0]
    sliding, lying = seen("slide", i.at - 0.3)[i.cards[0]], seen("slide", i.at + 0.02)[i.cards[0]]
    assert sliding.face_up
    assert (sliding.still, lying.still) == (False, True)
    assert math.dist(sliding.polygon.mean(axis=0), lying.polygon.mean(axis=0)) > 5


def test_cover() -> None:
    checked = 0
    for i in incidents(script_of("cover"), "cover")[:8]:
        card, covered = i.cards
        before, after = seen("cover", i.at - 1.0)[covered], seen("cover", i.at + 0.6)[covered]
        if min(index.visible for index in before.indices) < 0.9:
            continue  # it was covered by another already, or a hand
        assert min(index.visible for index in after.indices) < 0.3
        assert seen("cover", i.at + 0.6)[card].visible > 0.5, "it lies on top"
        checked += 1
    assert checked >= 3


def test_straighten() -> None:
    script = script_of("straighten")
    for i in incidents(script, "straighten"):
        (card,) = i.cards
        before, after = pose(script, card, i.at), pose(script, card, i.at + 0.6)
        assert off(i.seat, before) > 20
        assert off(i.seat, after) < 15
        told = [e.what for e in script.events if getattr(e.what, "card", None) == card and e.at > 30]
        assert [w for w in told if not isinstance(w, CardLaid)] == []
    i = incidents(script, "straighten")[0]
    shapes = [seen("straighten", i.at + d)[i.cards[0]].polygon for d in (-0.1, 0.7)]
    turns = [math.degrees(math.atan2(*(p[1] - p[0])[::-1])) for p in shapes]
    assert abs((turns[1] - turns[0] + 180) % 360 - 180) > 10


def test_knock() -> None:
    script = script_of("knock")
    for i in incidents(script, "knock"):
        ways = [way(pose(script, c, i.at), pose(script, c, i.at + 0.7)) for c in i.cards]
        assert min(ways) > 3
        for card in i.cards:
            assert len(laid(script, card)) == 1, "it is laid once and moved, not laid again"
    i = next(i for i in incidents(script, "knock") if len(i.cards) > 1)
    before, after = seen("knock", i.at - 0.05), seen("knock", i.at + 1.0)
    for card in i.cards:
        assert math.dist(before[card].polygon.mean(axis=0), after[card].polygon.mean(axis=0)) > 2


def test_take_back() -> None:
    script = script_of("take_back")
    backs = [e for e in script.events if isinstance(e.what, CardTakenBack)]
    assert len(backs) == len(incidents(script, "take_back")) == 2
    for back in backs:
        assert back.what.card in seen("take_back", back.at - 0.3)
        assert back.what.card not in seen("take_back", back.at + 1.0)
        assert len(laid(script, back.what.card)) == 2


def test_gather_early() -> None:
    script = script_of("gather_early")
    for i in incidents(script, "gather_early"):
        rest = max(laid(script, c)[-1] for c in i.cards)
        assert i.at - rest < 0.15
        assert not [c for c in i.cards if (s := script.tracks[c].at(i.at + 0.5)) and s.still]
    i = incidents(script, "gather_early")[0]
    shown = seen("gather_early", i.at + 0.3)
    assert not any(shown[c].still for c in i.cards)


def test_lay_during_turn() -> None:
    script = script_of("lay_during_turn")
    for i in incidents(script, "lay_during_turn"):
        (card,) = i.cards
        assert i.book is not None
        closed = next(e for e in script.events if e.what == BookClosed(i.book - 1, "next_lead"))
        (own,) = laid(script, card)
        gathered = next(
            e for e in script.events if isinstance(e.what, BookGathered) and e.what.number == i.book - 1
        )
        assert closed.at < own < gathered.at
        assert own - closed.at < 0.01
        before = [p.card for p in script.plan.books[i.book - 2].plays]
        assert not any(s.still for c in before if (s := script.tracks[c].at(own)))
    i = incidents(script, "lay_during_turn")[0]
    shown = seen("lay_during_turn", i.at + 0.02)
    before = [p.card for p in script.plan.books[(i.book or 0) - 2].plays]
    assert shown[i.cards[0]].still
    assert [c for c in before if c in shown and not shown[c].still]


def test_two_at_once() -> None:
    script = script_of("two_at_once")
    found = incidents(script, "two_at_once")
    assert len(found) == 2
    for i in found:
        card, extra = i.cards
        told = [e for e in script.events if isinstance(e.what, CardExposed) and e.what.card == extra]
        assert [(round(i.at, 4), i.seat, "dropped")] == [(e.at, e.what.seat, e.what.how) for e in told]
        assert laid(script, card) == [round(i.at, 4)]
        assert len(laid(script, extra)) == 1
        assert laid(script, extra)[0] > i.at
        shown = seen("two_at_once", i.at + 0.5)
        for c in i.cards:
            assert shown[c].still
            assert max(index.visible for index in shown[c].indices) > 0.8, "each can be read"
        later = seen("two_at_once", i.at + 2.4)
        assert extra not in later
        assert later[card].still


def test_flash() -> None:
    script = script_of("flash")
    found = incidents(script, "flash")
    assert len(found) == 2
    for i in found:
        (card,) = i.cards
        told = [e for e in script.events if isinstance(e.what, CardExposed) and e.what.card == card]
        assert [(round(i.at, 4), i.seat, "flashed")] == [(e.at, e.what.seat, e.what.how) for e in told]
        assert len(laid(script, card)) == 1
        assert laid(script, card)[0] > i.at
        shown = seen("flash", i.at + 0.2)[card]
        assert shown.face_up
        assert max(index.visible for index in shown.indices) > 0.5
        assert card not in seen("flash", i.at + 1.6)


def test_lean() -> None:
    script = script_of("lean")
    hidden = 0
    for i in incidents(script, "lean"):
        held = float(i.detail.split()[0])
        assert 1.2 <= held <= 2.6
        shown = seen("lean", i.at + held - 0.05)
        hidden += any(c.still and c.face_up and c.visible < 0.8 for c in shown.values())
    assert hidden >= 2, "an arm lies over cards"
