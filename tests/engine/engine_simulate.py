"""Random hands as event logs with their truth: small, seeded, for tests of the engine alone."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from engine_judge import SEATS, Laid, Trick, Truth, may_play, taker

from engine import cards
from engine import events as ev
from engine.events import Event, Reading, What

PACK = [r + s for s in "SHDC" for r in "ATKQJ"] * 4
Step = tuple[What, ev.Source]


@dataclass
class Habits:
    """How often things go wrong, per chance."""

    illegal: float = 0.03
    corrects: float = 0.06
    new_before_old: float = 0.3
    drops: float = 0.01
    slow_turning: float = 0.2
    stops_early: float = 0.3
    misread: float = 0.03
    wrong_seat: float = 0.01
    missed: float = 0.01
    phantom: float = 0.01


PERFECT = {"misread": 0.0, "wrong_seat": 0.0, "missed": 0.0, "phantom": 0.0}
"""Habits of a record without errors."""


@dataclass
class Simulated:
    """`events`: the log with its errors and their corrections; `clean`: recorded right at first."""

    truth: Truth
    events: list[Event]
    clean: list[Event]


@dataclass
class Table:
    rng: random.Random
    habits: Habits
    truth: Truth
    left: dict[str, list[str]]
    steps: list[Step] = field(default_factory=list)
    clean: list[Step] = field(default_factory=list)
    mends: list[Step] = field(default_factory=list)
    clock: int = 0
    ids: int = 0
    names: dict[int, str] = field(default_factory=dict)
    missed: list[tuple[ev.CardLaid, int]] = field(default_factory=list)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def add(self, what: What, by: ev.Source = "camera") -> None:
        self.steps.append((what, by))
        self.clean.append((what, by))

    def name(self) -> str:
        self.ids += 1
        return f"c{self.ids}"

    def lay(self, seat: str, card: str, number: int, replaces: bool = False) -> Laid:
        self.clock += 1
        laid = Laid(seat, card, self.clock)
        name = self.names[id(laid)] = self.name()
        true = ev.CardLaid(name, cards.seat(seat), Reading(cards.face(card)))
        self.clean.append((true, "camera"))
        self.record(true, number, replaces)
        self.left[seat].remove(card)
        return laid

    def record(self, true: ev.CardLaid, number: int, replaces: bool) -> None:
        """Write down the laying, sometimes wrong; what mends it comes later."""
        h = self.habits
        if self.chance(h.missed) and not self.missed and not replaces:
            self.missed.append((true, number))
            return
        wrong = true
        if self.chance(h.misread):
            other = cards.face(self.rng.choice(PACK))
            wrong = ev.CardLaid(wrong.card, wrong.seat, Reading(other, 0.6))
            self.mends.append((ev.Corrected(true.card, face=true.reading.face), "director"))
        if self.chance(h.wrong_seat):
            other_seat = cards.seat(self.rng.choice(SEATS))
            wrong = ev.CardLaid(wrong.card, other_seat, wrong.reading, 0.7)
            self.mends.append((ev.Corrected(true.card, seat=true.seat), "director"))
        self.steps.append((wrong, "camera"))
        if self.chance(h.phantom):
            ghost = ev.CardLaid(
                self.name(), cards.seat(self.rng.choice(SEATS)), Reading(cards.face("QD"), 0.4)
            )
            self.steps.append((ghost, "camera"))
            self.mends.append((ev.Corrected(ghost.card, withdrawn=True), "director"))

    def enter_missed(self) -> None:
        """A person enters the card that the camera missed, in its place."""
        for what, number in self.missed:
            trick = self.truth.tricks[number - 1]
            order = [self.names[id(x)] for turn in trick.turns for x in turn if x.went is None]
            rest = order[order.index(what.card) + 1 :] if what.card in order else []
            before = rest[0] if rest else None
            book = None if before else number
            late = ev.CardLaid(what.card, what.seat, what.reading, before=before, book=book)
            self.steps.append((late, "scorekeeper"))
        self.missed.clear()

    def take_back(self, laid: Laid) -> None:
        self.clock += 1
        laid.went = self.clock
        self.left[laid.seat].append(laid.card)
        self.add(ev.CardTakenBack(self.names[id(laid)]))

    def choose(self, seat: str, table: list[str]) -> str:
        hand = self.left[seat]
        if self.chance(self.habits.illegal):
            return self.rng.choice(hand)
        return self.rng.choice(sorted(may_play(hand, table, self.truth.trump)))

    def correct(self, trick: Trick, number: int) -> None:
        """Somebody takes a card of the open trick back and lays another, sometimes the new one first."""
        turns = [turn for turn in trick.turns if self.left[turn[-1].seat]]
        if not turns or self.missed:
            return  # when exactly a missed card was laid is lost, so nothing else may happen around it
        turn = self.rng.choice(turns)
        old, seat = turn[-1], turn[-1].seat
        table = [t[-1].card for t in trick.turns[: trick.turns.index(turn)]]
        now = taker([(t[-1].seat, t[-1].card) for t in trick.turns], self.truth.trump)
        if (len(trick.turns) < 4 or seat != now) and self.chance(self.habits.new_before_old):
            turn.append(self.lay(seat, self.choose(seat, table), number, replaces=True))
            self.take_back(old)
        else:
            self.take_back(old)
            turn.append(self.lay(seat, self.choose(seat, table), number, replaces=True))

    def drop(self) -> None:
        seat = self.rng.choice([s for s in SEATS if self.left[s]])
        self.clock += 1
        card = self.rng.choice(self.left[seat])
        self.truth.dropped_cards.append(Laid(seat, card, self.clock))
        self.add(ev.CardExposed(self.name(), cards.seat(seat), Reading(cards.face(card))))

    def meld(self) -> None:
        for seat in SEATS:
            hand = self.left[seat]
            laid = self.rng.sample(hand, self.rng.randint(0, len(hand)))
            aces = [c for c in hand if c[0] == "A"]
            marriage = [r + self.truth.trump for r in "KQ"]
            if seat == self.truth.bidder:  # it names trump
                laid += [c for c in marriage if c not in laid]
            if self.chance(0.8):  # most players declare all their aces
                laid = [c for c in laid if c[0] != "A"] + aces
            for card in laid:
                self.add(ev.MeldLaid(self.name(), cards.seat(seat), Reading(cards.face(card))))
            self.truth.meld[seat] = laid
        self.add(ev.MeldClosed())


def simulate(seed: int, habits: Habits | None = None, ruleset: str = "LV") -> Simulated:
    """A whole hand or, by chance, the beginning of one."""
    rng = random.Random(seed)
    habits = habits or Habits()
    pack = rng.sample(PACK, 80)
    hands = {seat: pack[n * 20 : n * 20 + 20] for n, seat in enumerate(SEATS)}
    marriages = {seat: [s for s in "SHDC" if {"K" + s, "Q" + s} <= set(hands[seat])] for seat in SEATS}
    bidder = rng.choice([seat for seat in SEATS if marriages[seat]])
    trump = rng.choice(marriages[bidder])
    truth = Truth({s: list(h) for s, h in hands.items()}, trump, bidder, rng.randint(50, 90))
    t = Table(rng, habits, truth, hands)
    t.add(ev.HandStarted(f"sim {seed}", ruleset, cards.seat(rng.choice(SEATS))), "system")
    t.add(ev.BidMade(cards.seat(bidder), str(truth.bid)), "scorekeeper")
    if t.chance(0.1):
        t.drop()
    t.add(ev.TrumpNamed(truth.trump, cards.seat(bidder)), "scorekeeper")  # type: ignore[arg-type]
    t.meld()
    stop = rng.randint(1, 19) if t.chance(habits.stops_early) else 20
    leader, waiting = bidder, None
    for number in range(1, stop + 1):
        trick = Trick()
        truth.tricks.append(trick)
        first = SEATS.index(leader)
        for k in range(4):
            seat = SEATS[(first + k) % 4]
            table = [turn[-1].card for turn in trick.turns]
            trick.turns.append([t.lay(seat, t.choose(seat, table), number)])
            if waiting is not None:
                t.add(ev.BookClosed(waiting, "turned"))
                truth.tricks[waiting - 1].closed = True
                waiting = None
            if t.chance(habits.corrects):
                t.correct(trick, number)
            if t.chance(habits.drops) and any(t.left.values()) and not t.missed:
                t.drop()
        if number == 1 and t.chance(0.2):
            late_aces(t)
        leader = taker([(x.seat, x.card) for x in trick.final()], truth.trump)
        if number == stop and stop < 20 and t.chance(0.5):
            break
        if number < stop and t.chance(habits.slow_turning) and not t.missed:
            waiting = number
            continue
        trick.closed = True
        t.add(ev.BookClosed(number, "turned"))
        t.add(ev.BookGathered(number, cards.seat(leader)))
        t.enter_missed()
        if t.chance(0.5):
            t.steps += t.mends
            t.mends.clear()
    t.enter_missed()
    t.steps += t.mends
    if stop == 20:
        truth.played_out = True
        t.add(ev.HandEnded())
    return Simulated(truth, _numbered(t.steps), _numbered(t.clean))


def late_aces(t: Table) -> None:
    """Somebody remembers aces that were not declared while the first trick is open (LV-76)."""
    for seat in SEATS:
        held = t.truth.hands[seat]
        first = [
            x.card for turn in t.truth.tricks[0].turns for x in turn if x.seat == seat and x.went is None
        ]
        rest = [c for c in held if c[0] == "A"]
        for card in (*t.truth.meld[seat], *first):
            if card in rest:
                rest.remove(card)
        for card in rest:
            t.add(ev.MeldLaid(t.name(), cards.seat(seat), Reading(cards.face(card))))
        t.truth.late_aces[seat] = rest


def _numbered(steps: list[Step]) -> list[Event]:
    return [Event(n, float(n), what, by) for n, (what, by) in enumerate(steps, 1)]
