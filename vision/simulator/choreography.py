"""Gives a planned hand its times and places: who reaches where when, where each card comes to rest.

The result, `HandScript`, is at once what the renderer draws and the truth that it is judged by.
"""

from __future__ import annotations

from engine.cards import Seat
from engine.events import BidMade, BookClosed, Event, HandEnded, HandStarted
from vision.simulator.acts import BookActs
from vision.simulator.melding import MeldActs
from vision.simulator.playing import BOOKS, Book, Play, plan_hand
from vision.simulator.script import Behaviours, HandScript


def play_hand(seed: int, behaviours: Behaviours | None = None) -> HandScript:
    """One whole hand from its seed. Raises NoSuchHandError if the behaviours asked for find no deal."""
    behaviours = behaviours or Behaviours()
    b = behaviours
    plan = plan_hand(seed, b.reneges, b.corrections, b.drops, b.flashes, b.doubles)
    return _Director(HandScript(seed, plan), behaviours).run()


class _Director(BookActs, MeldActs):
    def run(self) -> HandScript:
        s = self.script
        self.note(0.0, HandStarted(f"sim-{s.seed}", "lv", self.plan.dealer, deck="double"))
        t = 0.8
        for seat, call in self.plan.calls:
            self.note(t, BidMade(seat, call))
            t += self.rng.uniform(0.5, 1.1) * self.b.pace
        t = self.meld(t + 0.6)
        leader = self.plan.bidder
        for book in self.plan.books:
            t = self.book(book, leader, t)
            leader = book.winner
        self.note(t + 0.5, HandEnded())
        s.duration = t + 2.0
        s.strokes = sorted((k for ks in self._strokes.values() for k in ks), key=lambda k: k.t0)
        s.incidents.sort(key=lambda i: i.at)
        self._whats.sort(key=lambda w: (w[0], w[1]))
        s.events = [
            Event(n, round(at, 4), what, by="system") for n, (at, _, what) in enumerate(self._whats, 1)
        ]
        return s

    def book(self, book: Book, leader: Seat, t: float) -> float:
        """Four cards, then gathered. `t`: when the leader may begin. Returns when the next may."""
        if book.dropped:
            t = self.drop(*book.dropped, t + 0.3, book.number)
        if book.flashed:
            t = self.flash(*book.flashed, t + 0.3, book.number)
        last = book.plays[-1].seat
        if self.chance(self.b.fidgets) and last != self.gatherer:
            self.fidget(last, t, book.number)
        elif last != self.gatherer and self.sometimes(self.b.leans):
            self.lean(last, t + self.rng.uniform(0.5, 1.2), book.number)
        knocked = int(self.rng.integers(1, 4)) if self.sometimes(self.b.knocks) else None
        on_table: list[str] = []
        rests: list[float] = []
        ready = t
        late: tuple[Play, str] | None = None
        for n, play in enumerate(book.plays):
            think = self.rng.uniform(0.15, 0.6) * self.b.pace
            if n and self.chance(self.b.slow):
                think += self.rng.uniform(2.5, 6.0)
                self.happened("hesitation", ready + think, play.seat, (play.card,), book.number)
            overlapping = bool(n) and play.taken_back is None and late is None and self.chance(self.b.overlap)
            start = ready + (0.0 if self.turning else think)
            if overlapping:
                # Land while the last card still slides; it must come to rest first, so order stays true.
                start = rests[-1] - self.rng.uniform(0.5, 0.6) * self.b.pace - 0.12
            if play.taken_back:
                wrong_rest = self.lay(play.seat, play.taken_back, start, book.number, on_table, rests)
                if n < 3 and self.chance(0.3):
                    late = (play, play.taken_back)
                    ready = wrong_rest
                    rests.append(wrong_rest)
                    continue
                ready = self.take_back(play, wrong_rest + self.rng.uniform(0.7, 2.2), book.number)
                start = ready + self.rng.uniform(0.3, 0.9)
            rest = self.lay(play.seat, play.card, start, book.number, on_table, rests, overlapping)
            on_table.append(play.card)
            rests.append(rest)
            if self.turning:
                self.turned(play, rest, book.number)
            if overlapping:
                self.happened("overlap", rest, play.seat, (play.card,), book.number)
            if play.renege:
                self.happened("renege", rest, play.seat, (play.card,), book.number, play.renege)
            ready = rest - 0.12 * self.b.pace
            if late:
                # The next player has played already; the mended card belongs ahead of that one.
                earlier, _ = late
                late = None
                back = self.take_back(earlier, rest + self.rng.uniform(0.5, 1.5), book.number)
                rest = self.lay(
                    earlier.seat,
                    earlier.card,
                    back + self.rng.uniform(0.3, 0.9),
                    book.number,
                    on_table,
                    rests,
                    before=play.card,
                )
                on_table.append(earlier.card)
                rests.append(rest)
                ready = rest
            if play.extra:
                ready = self.with_another(play.seat, play.card, play.extra, book.number)
            if n == knocked and not late:
                ready = max(ready, self.knock(play.seat, on_table, max(rests) + 0.1, book.number))
        if self.chance(self.b.pushes):
            ready = max(ready, self.push(book, self.settled(book) + 0.1))
        if self.sometimes(self.b.straightens) and (askew := self.askew(book)):
            ready = max(ready, self.push(book, max(ready, self.settled(book)) + 0.1, askew))
        early = self.chance(self.b.early_gather)
        wait = self.rng.uniform(0.0, 0.1) if early else self.rng.uniform(0.7, 1.6) * self.b.pace
        begin = self.settled(book) + wait
        if early:
            self.happened("early_gather", begin, self._keepers[book.winner], tuple(on_table), book.number)
        # A hand that turns a book cannot lay the next card: this takes a partner who keeps the books.
        free = book.number < BOOKS and self._keepers[book.winner] != book.winner
        return self.gather(book, begin, early, free and self.sometimes(self.b.during_turn))

    def settled(self, book: Book) -> float:
        """When the last of a book's cards comes to rest."""
        return max(self.script.tracks[p.card].last.t1 for p in book.plays)

    def turned(self, play: Play, rest: float, book: int) -> None:
        """How the book before ended: by being turned, or by this lead where that came to rest sooner."""
        assert self.turning is not None
        number, at = self.turning
        self.turning = None
        if rest >= at:
            self.note(at, BookClosed(number, "turned"))
            return
        self.note(rest - 0.0005, BookClosed(number, "next_lead"))
        self.happened("lay_during_turn", rest, play.seat, (play.card,), book)
