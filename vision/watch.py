"""Watching a table: pictures in, observations out.

`TableWatcher` runs the networks only where something changed and has become still, keeps the
physical cards, and turns what happens to them into the events of one hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine import events as ev
from engine.cards import SEATS, Seat, Suit
from engine.deck import DOUBLE, Deck
from vision import lookback
from vision.books import Books, Closing
from vision.cards import CardReader
from vision.eye import Eye
from vision.meldwatch import MeldWatch
from vision.motion import Motion, Region
from vision.readings import Readings, rounded
from vision.seats import Sides
from vision.sight import Sight
from vision.sightings import AGREE_MOVED, Card, State, agreement, normalised
from vision.table import Doubles, Table
from vision.tracking import Tracker
from vision.twins import UNDECIDED, Twins
from vision.types import Frame, Image, Observed
from vision.visits import Visits


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How a table is watched.

    closing: what closes a book: "turned" (LV, GL, NP) or "next_lead" (WS, EC). bidder, trump: if
    known before play. margin_mm: what is left around a card in its evidence picture.
    """

    closing: Closing = "turned"
    bidder: Seat | None = None
    trump: Suit | None = None
    margin_mm: float = 12.0


_LEAST_CELLS = 6
_AROUND, _AROUND_KNOWN = 25.0, 12.0
"""Millimetres that are read about what changed, and about a card that is read again."""
_AGAIN_SOON, _AGAIN = 0.12, 0.6
_MELD_AGAIN = 0.4
_NEAR_MOTION, _NEAR_ARM = 0.12, 0.3
"""Seconds until a place beside a movement is looked at again; longer where nothing was: sleeves pause."""
_TOGETHER, _TOGETHER_MM = 0.1, 220.0
"""Looks due within so many seconds, at places that fit into such a square, are one look."""
_INTERVAL, _INTERVAL_CALM = 0.06, 0.12
"""Seconds: pictures that come sooner after the last are not looked at; nobody lays cards so fast."""
_STRAY_CELLS = 3
_SURE, _LIKELY = 0.9, 0.6
_LEAVING = 0.3
"""Seconds for which a card must lie while the last book is being drawn in: cards turn in the air."""
_PERSISTS = 1.0
"""Seconds after which a card that cannot be read well is recorded all the same."""
_EXPOSED_AFTER = 0.5
_A_BOOK = 3
"""Cards that make a book which counts towards the end of the hand; fewer come of one card seen as two."""
_RECHECK = 0.1


@dataclass(slots=True)
class _Pending:
    """A card not recorded yet, for want of a second look."""

    card: Card
    since: float


@dataclass(slots=True)
class _Due:
    at: float
    region: Region


class TableWatcher:
    """Follows one hand on a calibrated table, from pictures in the order of their times.

    Set `bidder` as soon as it is known: the bidder's first marriage names trump, and the bidder
    leads. Set `trump` if a person names it. After HandEnded a new hand needs a new watcher.
    """

    def __init__(
        self, table: Table, reader: CardReader, deck: Deck = DOUBLE, options: WatchOptions | None = None
    ) -> None:
        self.options = options or WatchOptions()
        self.table, self.deck = table, deck
        self._motion = Motion(table)
        self._eye = Eye(table, reader, self._motion, self.options.margin_mm)
        self.costs = self._eye.costs
        self._readings = Readings(deck)
        self._sight = Sight(table, self._motion)
        self._visits = Visits(self._motion, table.area_mm("play"))
        self._tracker = Tracker(table, self._motion, self._visits)
        sides = Sides(table, self._motion.plan)
        self.books = Books(self._motion, sides, self.options.closing, self._readings)
        self.meld = MeldWatch(table, self._motion, sides, self._readings)
        self.books.leader, self.books.trump = self.options.bidder, self.options.trump
        self._trump_named = self.options.trump is not None
        self._twins = Twins(self.books.told)
        self._exposed: dict[str, Card] = {}
        self._pending: list[_Pending] = []
        self._due: list[_Due] = []
        self._looked: list[tuple[float, Region]] = []
        self._rechecked = -np.inf
        self._kept = lookback.Kept()
        self._revised = 0
        self.ended = False

    @property
    def bidder(self) -> Seat | None:
        return self.books.leader

    @bidder.setter
    def bidder(self, seat: Seat | None) -> None:
        self.books.leader = seat

    @property
    def trump(self) -> Suit | None:
        return self.books.trump

    @trump.setter
    def trump(self, suit: Suit | None) -> None:
        self.books.trump, self._trump_named = suit, suit is not None

    # -- frames ---------------------------------------------------------------------------------

    def wants(self, at: float) -> bool:
        """Whether a picture of that time would be looked at: not so soon after the last."""
        return at - self._motion.at >= (_INTERVAL_CALM if self._is_calm() else _INTERVAL)

    def push(self, frame: Frame) -> list[Observed]:
        """Take the next picture; returns what was observed by it, in order."""
        if self.ended:
            return []
        self.costs.frames += 1
        at = frame.at
        if not self.wants(at):
            return []
        self._motion.push(frame.image, at)
        self._visits.push()
        out: list[Observed] = []
        if not self._sees(frame.image, at, out):
            return out
        region = self._next_region(at)
        if region is not None:
            out += self._look(frame.image, region, at)
        if at - self._rechecked >= _RECHECK:
            self._rechecked = at
            for card in self._tracker.recheck():
                self._lost(card, at)
        out += self._look_back(at)
        self._kept.push(frame.image, at)
        out += self._commit(at)
        out += self.meld.step(at)
        out += self.books.step(at)
        out += self._after_books(at)
        self._motion.refresh(self._tracker.spots())
        return out

    def finish(self) -> list[Observed]:
        """No more pictures come: conclude what can be concluded."""
        if self.ended:
            return []
        out = self.books.finish()
        out += self._revise(self._motion.at, whole=True)
        return out

    def _is_calm(self) -> bool:
        """Whether nothing moved in the last picture, nor is anything waited for."""
        return not self._pending and int(np.count_nonzero(self._motion.active)) < _STRAY_CELLS

    def _sees(self, image: Image, at: float, out: list[Observed]) -> bool:
        """Whether the table can be seen; what is known is kept while it cannot."""
        before = self._sight.clear
        out += self._sight.push(image, at)
        if before and not self._sight.clear:
            self._visits.blind()
        if any(isinstance(o.what, ev.SightRegained) for o in out):
            self._kept = lookback.Kept()
            for card in self._tracker.cards:
                card.disturbed_at = at if card.disturbed_at is not None else None
        return self._sight.clear

    # -- where to look --------------------------------------------------------------------------

    def _next_region(self, at: float) -> Region | None:
        """The part of the table to be read in this picture; at most one, so that no picture costs much."""
        self._looked = [(until, r) for until, r in self._looked if at < until]
        for region in self._motion.settled(_LEAST_CELLS):
            if region.restless or (
                region.beside_motion and any(_overlap(region, r) for _, r in self._looked)
            ):
                continue
            if self._is_bare(region):
                self._motion.accept(region.cells)
                continue
            return region
        return self._next_due(at) or self._unseen()

    def _next_due(self, at: float) -> Region | None:
        """What is to be looked at again by now, with what is so soon after and beside it."""
        if not self._due or self._due[0].at > at:
            return None
        region = self._due.pop(0).region
        for due in [d for d in self._due if d.at <= at + _TOGETHER]:
            both = _joined(region, due.region)
            if max(both.high[0] - both.low[0], both.high[1] - both.low[1]) <= _TOGETHER_MM:
                region = both
                self._due = [d for d in self._due if d is not due]
        return region

    def _unseen(self) -> Region | None:
        """What was visited and not looked at since, unless the bare table is to be seen there."""
        region = self._visits.unseen()
        if region is None or not self._is_bare(region):
            return region
        self._visits.looked(np.array(region.low), np.array(region.high))
        return None

    def _is_bare(self, region: Region) -> bool:
        """Whether there is nothing to read in a region, nor was there."""
        return not self._tracker.read_with(region) and self._motion.is_bare(region)

    def _again(self, card: Card, at: float) -> None:
        low, high = card.polygon.min(axis=0), card.polygon.max(axis=0)
        nothing = np.zeros_like(self._motion.changed)
        region = Region(
            nothing, (float(low[0]), float(low[1])), (float(high[0]), float(high[1])), False, False
        )
        self._due.append(_Due(at, region))
        self._due.sort(key=lambda d: d.at)

    def _look(self, image: Image, region: Region, at: float) -> list[Observed]:
        sightings = self._eye.read(image, self._corners(region))
        self._looked.append((at + (_NEAR_MOTION if sightings else _NEAR_ARM), region))
        update = self._tracker.look(sightings, region, at)
        seen = [self._motion.plan.spot(c.polygon) for c in self._tracker.cards if c.last_seen == at]
        self._motion.accept(region.cells | self._motion.cells(seen))
        self._visits.looked(*_around(region))
        out: list[Observed] = []
        for card in update.gone:
            self._lost(card, at)
        for card in update.moved:
            out += self._went(card, at)
        for card in update.new:
            self._pending.append(_Pending(card, at))
        for card in self._tracker.cards:
            if card.plain and card.missed == 1:
                self._again(card, at + _AGAIN_SOON)
        for card in self._tracker.cards:
            if card.last_seen == at:
                self._eye.picture(card, image)
        return out

    def _look_back(self, at: float) -> list[Observed]:
        """Was there a card that is swept up before it came to rest?"""
        book = self.books.short()
        if book is None or at - book.looked_back < lookback.BACK / 2:
            return []
        book.looked_back = at
        pending = [p.card for p in self._pending if p.card.state is State.UNSURE]
        known = [c for c in self._tracker.cards if not any(c is p for p in pending)]
        known += [x.card for x in book.standing if x.card.state is State.GONE]
        play = self.table.area_mm("play")
        times, images = self._kept.frames()
        found = lookback.find(times, lambda n: self._eye.read(images[n], play), known, 4 - len(book.standing))
        out = []
        for n, sighting in found:
            for card in pending:
                if agreement(card.evidence.probabilities, normalised(sighting.seen)) > AGREE_MOVED:
                    self._tracker.drop(card)
            card = self._tracker.adopt(sighting, times[n], at)
            self._eye.picture(card, images[n])
            out += self.books.lay_unseen(card)
        return out

    def _corners(self, region: Region) -> Doubles:
        """Points in mm about the region and the cards that are read along with it."""
        low, high = _around(region)
        corners = [np.array([low, (low[0], high[1]), high, (high[0], low[1])])]
        return np.concatenate(corners + [c.polygon for c in self._tracker.read_with(region)])

    # -- what became of cards -------------------------------------------------------------------

    def _commit(self, at: float) -> list[Observed]:
        """Record cards that were seen well enough."""
        out: list[Observed] = []
        waiting: list[_Pending] = []
        for p in sorted(self._pending, key=lambda p: (p.card.rested, p.card.level)):
            card = p.card
            if card.state is State.GONE:
                out += self._gone_before(card)
                continue
            if card.missed > 1:  # nothing is there
                out += self._gone_before(card)
                self._tracker.drop(card)
                continue
            if card.state is not State.LIES:
                if at - p.since < 3.0:
                    waiting.append(p)
                else:
                    out += self._gone_before(card)
                    self._tracker.drop(card)
                continue
            kind = self._kind(card)
            if kind == "play" and at - p.since < UNDECIDED and self._twin(card, self._lying()):
                waiting.append(p)
                self._look_again(card, _MELD_AGAIN, at)
            elif self._ready(card, kind, p.since, at):
                out += self._record(card, kind, at)
            else:
                waiting.append(p)
                self._look_again(card, _AGAIN_SOON if kind == "play" else _MELD_AGAIN, at)
        self._pending = waiting
        for card in self._twins.left(lambda play: self.books.of(play) is None):
            self._exposed.pop(self._readings.name(card), None)
            out += self.books.lay(card)
        return out

    def _look_again(self, card: Card, soon: float, at: float) -> None:
        if not any(_within(card, d.region) for d in self._due):
            self._again(card, max(at, card.last_seen + soon))

    def _lying(self) -> list[Card]:
        """Cards not recorded yet that lie there."""
        return [p.card for p in self._pending if p.card.state is State.LIES]

    def _twin(self, card: Card, others: list[Card]) -> Card | None:
        """The card that was laid at once with this one, once play may have begun."""
        meld = self.meld.lying and not self.books.books
        return None if meld else self._twins.of(card, others)

    def _kind(self, card: Card) -> str:
        """What a card is that lies there: in play, meld, or exposed."""
        play = self.table.area(card.centre) == "play"
        if self.books.books:
            return "play" if play else "exposed"
        if self.meld.lying and (not play or self.meld.beside(card)):
            return "meld"
        return "play" if play else "meld"

    def _gone_before(self, card: Card) -> list[Observed]:
        """A card went before it was recorded: exposed with the play, meld unread, or never there."""
        twin = self._twin(card, [*self._lying(), *self.books.lying])
        if twin is not None and card.looks > 1 and card.evidence.probabilities.max() >= _SURE:
            return self._expose(card, self._seat_of_play(card))
        if card.missed <= 1 and self._kind(card) == "meld":
            self.meld.leave_unread(card)
        return []

    def _ready(self, card: Card, kind: str, since: float, at: float) -> bool:
        """Whether a card was seen well enough to be recorded."""
        sure, age = float(card.evidence.probabilities.max()), at - since
        if age >= _PERSISTS and card.looks > 2:
            return kind == "play" or sure >= (_LIKELY if kind == "meld" else _SURE)
        if kind == "play" and not self.books.leaving:
            if card.looks > 1:
                return sure >= _LIKELY
            return sure >= _SURE and self._motion.share_active(self._tracker.spot(card)) < 0.1
        wait = {"play": _LEAVING, "meld": _MELD_AGAIN, "exposed": _EXPOSED_AFTER}[kind] - 0.05
        return card.looks > 1 and age >= wait and sure >= (_LIKELY if kind == "meld" else _SURE)

    def _record(self, card: Card, kind: str, at: float) -> list[Observed]:
        if kind == "meld":
            return self.meld.lay(card)
        if kind == "exposed":
            self._exposed[self._readings.name(card)] = card
            return self._expose(card, self._seat_of_side(card))
        play = self._twin(card, self.books.lying)
        if play is not None:
            self._twins.expose(card, play)
            self._exposed[self._readings.name(card)] = card
            return self._expose(card, self._seat_of_play(card))
        out = self._begin_play(card) if not self.books.books else []
        out += self.books.lay(card)
        if len(self.books.books) == 1 and len(self.books.books[0].laid) == 1:
            out += self._name_trump(self.books.books[0].laid[0].seat, card.rested)
        self._again(card, at + _AGAIN)
        return out

    def _expose(self, card: Card, seat: Seat) -> list[Observed]:
        what = ev.CardExposed(self._readings.name(card), seat, self._readings.read(card), "dropped")
        return [self._readings.observe(what, card.rested, card)]

    def _begin_play(self, card: Card) -> list[Observed]:
        return self.meld.close()

    def _name_trump(self, leader: Seat, at: float) -> list[Observed]:
        """Trump is the first marriage laid by the bidder; who leads to the first book is the bidder."""
        if self._trump_named:
            return []
        seat = self.bidder or leader
        found = self.meld.first_marriage(seat)
        if found is None:
            return []
        suit, probability = found
        self._trump_named, self.books.trump = True, suit
        return [self._readings.observe(ev.TrumpNamed(suit, seat, rounded(probability)), at, None)]

    def _seat_of_play(self, card: Card) -> Seat:
        return SEATS[int(self.books.told(card).argmax())]

    def _seat_of_side(self, card: Card) -> Seat:
        return self.table.seat(card.centre)

    def _went(self, card: Card, at: float) -> list[Observed]:
        """A card was pushed: within its area nothing happened; from one to another it was played or drawn."""
        name = self._readings.named(card)
        if name is None:
            return []
        play = self.table.area(card.centre) == "play"
        in_book = self.books.of(card)
        if in_book is not None:
            if not play and not in_book[0].closed and in_book[0].left_at is None:
                self._exposed[name] = card
                return self.books.withdrawn(card, at)
            in_book[1].gone_at = None
            return []
        if play and (self.books.books or name in self._exposed):
            self._exposed.pop(name, None)
            card.rested = self._motion.rested(self._motion.plan.spot(card.polygon))
            return self.books.lay(card)
        return []

    def _lost(self, card: Card, at: float) -> None:
        when = card.disturbed_at if card.disturbed_at is not None else at
        self.meld.gone(card, when)
        self.books.gone(card, when)
        self._exposed.pop(self._readings.named(card) or "", None)

    def _after_books(self, at: float) -> list[Observed]:
        """Joint reading whenever a book was closed; the hand's end with the last one."""
        out: list[Observed] = []
        for book in self.books.books:
            left = [x.card for x in book.standing if x.card.state is not State.GONE]
            if book.left_at is not None and left:
                lead = self.books.next_lead(book)
                if lead is not None:
                    self._pending.append(_Pending(self._tracker.renewed(lead), at))
                for card in left:
                    self._tracker.drop(card)
        done = sum(b.left_at is not None and len(b.standing) >= _A_BOOK for b in self.books.books)
        if done > self._revised:
            self._revised = done
            last = self.books.books[-1]
            if done == self.deck.size // 4 and last.left_at is not None:
                out += self.books.step(last.left_at + 10)
                out += self.books.close_last()
                out += self._revise(at, whole=True)
                out.append(Observed(ev.HandEnded(), at))
                self.ended = True
            else:
                out += self._revise(at, whole=False)
        return out

    def _revise(self, at: float, whole: bool) -> list[Observed]:
        played = [(x.seat, x.card) for b in self.books.books for x in b.standing]
        melded = [(m.seat, m.card) for m in self.meld.melded]
        return self._readings.revise(played, melded, at, whole)


def _around(region: Region) -> tuple[Doubles, Doubles]:
    """Lower and upper bounds, in mm, of what is read for a region."""
    margin = _AROUND if region.cells.any() else _AROUND_KNOWN
    return np.array(region.low) - margin, np.array(region.high) + margin


def _overlap(a: Region, b: Region) -> bool:
    return bool((np.array(a.low) <= b.high).all() and (np.array(a.high) >= b.low).all())


def _joined(a: Region, b: Region) -> Region:
    low, high = np.minimum(a.low, b.low), np.maximum(a.high, b.high)
    return a._replace(low=(float(low[0]), float(low[1])), high=(float(high[0]), float(high[1])))


def _within(card: Card, region: Region) -> bool:
    low, high = card.polygon.min(axis=0), card.polygon.max(axis=0)
    return bool((low >= np.array(region.low) - 5).all() and (high <= np.array(region.high) + 5).all())
