"""The fold of a hand's log into its state: who laid what in which book, what it won, what is wrong.

`fold` is pure and takes any list of events: what cannot be is named in `HandState.problems`, never
raised. It records and does not judge legality; `engine.renege` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from engine import events as ev
from engine import play, rules
from engine.cards import SEAT_NAMES, SEATS, Face, Seat, next_seat, partner, team_of
from engine.contract import judged, settle
from engine.corrections import resolve
from engine.deck import DECKS, DOUBLE
from engine.events import Reading
from engine.rules import ALL_POINTS, RuleSet
from engine.state import (
    Book,
    Call,
    Gap,
    HandState,
    Melded,
    Play,
    Problem,
    Shown,
    first_marriage,
    winner_of,
)

__all__ = ["Book", "Call", "Gap", "HandState", "Melded", "Play", "Problem", "Shown", "fold"]


def fold(events: Iterable[ev.Event], rules: RuleSet | None = None) -> HandState:
    """The state after these events. `rules` None: the rule set that the log names."""
    return _Fold(list(events), rules).run()


class _Fold:
    def __init__(self, log: Sequence[ev.Event], given: RuleSet | None) -> None:
        self.log = log
        self.problems: list[Problem] = []
        self.order = 0
        start = next((e.what for e in log if isinstance(e.what, ev.HandStarted)), None)
        self.state = s = HandState(given or self.rules_of(start))
        self.started = start is not None
        if start:
            s.hand, s.ruleset, s.dealer, s.table = start.hand, start.ruleset, start.dealer, start.table
            s.deck = DECKS.get(start.deck, DOUBLE)
            if start.deck not in DECKS:
                self.report(1, "unknown_deck", f"deck '{start.deck}' is unknown; taken as {DOUBLE.name}")
        self.books_in_hand = s.deck.size // 4
        self.late: dict[int, list[tuple[int, ev.CardLaid]]] = {}
        self.picked_up = False
        self.named = False
        self.namer: Seat | None = None
        self.bid_seqs: list[int] = []
        self.seen_to_end: set[int] = set()
        self.taken_back_ids: set[str] = set()
        self.spoken: ev.TrumpNamed | None = None
        self.last_play: dict[str, Play] = {}

    def rules_of(self, start: ev.HandStarted | None) -> RuleSet:
        if start:
            try:
                return rules.load(start.ruleset)
            except rules.RuleError as e:
                self.report(1, "unknown_rules", f"{e}; judged by LV until it is entered")
        else:
            self.report(0, "no_start", "the log does not say how the hand began; judged by LV")
        return rules.load("LV")

    def report(self, seq: int, code: str, message: str) -> None:
        self.problems.append(Problem(seq, code, message))

    def run(self) -> HandState:
        s = self.state
        expected = 1
        for e in self.log:
            if e.seq != expected:
                self.report(e.seq, "seq", f"event {e.seq} stands where event {expected} should")
            expected = e.seq + 1
            if isinstance(e.what, ev.TrumpNamed):  # the last word on it holds for the whole hand
                if e.by == "player":  # a suit called aloud is outranked by the first marriage laid (LV-74)
                    self.spoken = e.what
                else:
                    s.trump, s.trump_known = e.what.suit, True
        s.last_seq = expected - 1
        entries = resolve(self.log, self.report)
        for seq, what in entries:  # cards of books of which the end went unseen wait for their book
            if isinstance(what, ev.CardLaid) and what.book is not None and what.before is None:
                self.late.setdefault(what.book, []).append((seq, what))
        ends = (w for _, w in entries if isinstance(w, ev.BookClosed | ev.BookGathered))
        self.seen_to_end = {w.number for w in ends}
        self.taken_back_ids = {w.card for _, w in entries if isinstance(w, ev.CardTakenBack)}
        seen_start = False
        for seq, what in entries:
            self.order += 1
            if s.ended and not isinstance(what, ev.RenegeCalled | ev.RulingMade | ev.BookGathered):
                self.report(seq, "after_end", f"{type(what).__name__} after the hand had ended")
            match what:
                case ev.CardLaid():
                    if what.book is None or what.before is not None:
                        self.card_laid(seq, what)
                case ev.BookClosed():
                    self.book_closed(seq, what)
                case ev.BookGathered():
                    self.book_gathered(seq, what)
                case ev.CardTakenBack():
                    self.taken_back(seq, what.card)
                case ev.MeldLaid():
                    self.meld_laid(seq, what)
                case ev.MeldRemoved():
                    self.meld_removed(seq, what.card)
                case ev.MeldClosed():
                    self.picked_up = True
                case ev.CardExposed():
                    self.show(what.card, what.seat, what.reading, seq, what.how)
                case ev.TrumpNamed():
                    self.named = True
                    self.namer = s.bidder = what.seat or self.namer
                case ev.BidMade():
                    s.bids.append((what.seat, what.call))
                    self.bid_seqs.append(seq)
                case ev.RenegeCalled():
                    s.calls.append(Call(seq, what, s.closed_books))
                case ev.RulingMade():
                    s.rulings.append((seq, what))
                case ev.SightLost() | ev.SightRegained():
                    s.sight = isinstance(what, ev.SightRegained)
                case ev.HandEnded():
                    s.ended = what.how
                    self.flush(len(s.books))
                    for b in s.books:
                        if b.full and what.how == "played":
                            self.close(b)
                case ev.HandStarted():
                    if seen_start:
                        self.report(seq, "second_start", "a hand begins inside this hand's log; ignored")
                    seen_start = True
            if not s.sight and s.books and not s.books[-1].ended:
                s.books[-1].sight_lost = True
        for number in sorted(self.late):
            if number <= len(s.books) + 1:
                self.flush(number)
                continue
            for seq, what in self.late[number]:
                self.report(
                    seq, "no_such_book", f"card {what.card} belongs to book {number}, which never came"
                )
        s.meld_seen = self.picked_up or any(s.meld.values())
        settle(s, self.namer)
        self.problems += judged(s, self.bid_seqs)
        self.trump()
        if s.plays and not s.trump_known:
            self.report(s.plays[0].seq, "no_trump", "cards are played but no trump is known")
        self.settle()
        s.problems = sorted(self.problems, key=lambda p: (p.seq, p.code))
        return s

    # Cards of books

    def card_laid(self, seq: int, what: ev.CardLaid) -> None:
        s = self.state
        if what.card in self.last_play and self.last_play[what.card].stands:
            self.report(seq, "laid_twice", f"card {what.card} was laid while it lay on the table; ignored")
            return
        if not s.books:
            settle(s, self.namer)
            self.trump()
        book, slot = self.place(what.seat)
        if book is None:
            if s.books and self.ends_unseen(len(s.books)) and self.flush(len(s.books)):
                self.card_laid(seq, what)
                return
            book = Book(len(s.books) + 1)
            if book.number > self.books_in_hand:
                self.report(seq, "too_many_books", f"a card of book {book.number} was laid")
            s.books.append(book)
            if "next_lead" in s.rules.books.closed_by:
                for earlier in s.books[:-1]:
                    self.close(earlier)
        p = Play(
            what.card, what.seat, what.reading.face, what.reading, what.seat_probability, book.number,
            self.order, seq,
        )  # fmt: skip
        if slot is None:
            book.slots.append([p])
        else:
            p.void = any(q.lifted for q in slot)
            slot.append(p)
            if p.void:
                self.show(p.card, p.seat, p.reading, seq, "laid in vain", book.number)
                self.report(
                    seq, "not_replaceable",
                    f"{SEAT_NAMES[p.seat]} laid another card in book {book.number}; the first one stands",
                )  # fmt: skip
        self.last_play[what.card] = p
        s.plays.append(p)
        if p.stands:
            self.discharge(p)
        self.close_meld(p)

    def place(self, seat: Seat) -> tuple[Book | None, list[Play] | None]:
        """The book a card of this seat goes to, and the slot if it replaces one; None: a new book."""
        s = self.state
        for b in s.books:
            if b.closed:
                continue
            slot = b.slot_of(seat)
            if slot is None:
                if not b.ended and not b.full:
                    return b, None
            elif slot[-1].back is not None or slot[-1].lifted:
                return b, slot
        last = s.books[-1] if s.books else None
        if last and not last.ended and not last.full:
            mine = last.slot_of(seat)
            if not self.ends_unseen(last.number) or (mine and mine[-1].card in self.taken_back_ids):
                return last, None  # two cards of one seat; `settle` reports it if both stay
        return None, None

    def ends_unseen(self, number: int) -> bool:
        """Whether cards wait for a book of which nothing else says where it ends."""
        return number in self.late and number not in self.seen_to_end

    def flush(self, number: int) -> bool:
        """Lay the cards that were entered later for this book; whether there were any."""
        waiting = self.late.pop(number, [])
        for seq, what in waiting:
            self.order += 1
            self.card_laid(seq, what)
        return bool(waiting)

    def taken_back(self, seq: int, card: str) -> None:
        s = self.state
        p = self.last_play.get(card)
        if p is None or p.back is not None or p.lifted:
            self.report(seq, "not_on_table", f"card {card} was taken back but does not lie in a book")
            return
        book = s.books[p.book - 1]
        if p.void:
            p.back = self.order
            return
        if not self.may_correct(book, p):
            p.lifted = True
            ids = ", ".join(s.rules.clauses("books.correct_until"))
            self.report(
                seq, "taken_back_late",
                f"{SEAT_NAMES[p.seat]} took the {p.face.name} back from book {book.number} when it could "
                f"no longer be corrected ({ids}); the card stands",
            )  # fmt: skip
            return
        led_by = winner_of(book, s.trump)
        p.back = self.order
        self.show(card, p.seat, p.reading, seq, "taken back", book.number)
        mine = [slot for slot in book.slots if slot[0].seat == p.seat]
        for extra in mine[1:]:  # the new card was laid before the old one was picked up
            mine[0].extend(extra)
            book.slots.remove(extra)
        after = s.book(book.number + 1)
        if p.seat != led_by and after and [[q.seat for q in slot] for slot in after.slots] == [[p.seat]]:
            early = after.slots[0][0]  # it was no lead out of turn: it replaces the card taken back
            s.books.pop()
            early.book = book.number
            mine[0].append(early)
            for x in s.shown:
                if x.played == early.order:
                    x.played_book = book.number

    def may_correct(self, book: Book, p: Play) -> bool:
        if book.closed:
            return False
        if self.state.rules.books.correct_until == "next_card":
            return self.state.plays[-1] is p and not book.full
        return True

    def book_closed(self, seq: int, what: ev.BookClosed) -> None:
        s, law = self.state, self.state.rules.books.closed_by
        number = what.number
        if number == len(s.books) + 1 and number <= self.books_in_hand:
            s.books.append(Book(number))  # its end was seen, its cards were not
        if s.book(number) is None:
            self.report(seq, "no_such_book", f"book {number} was closed, but {len(s.books)} were begun")
            return
        self.flush(number)
        b = s.books[number - 1]
        if b.ended == what.how:
            self.report(seq, "closed_twice", f"book {number} was closed twice")
        b.ended = b.ended or what.how
        how = "turned" if what.how == "timeout" else what.how
        if how == "entered" or how in law or number == self.books_in_hand:
            self.close(b)

    def book_gathered(self, seq: int, what: ev.BookGathered) -> None:
        b = self.state.book(what.number)
        if b is None:
            self.report(seq, "no_such_book", f"book {what.number} was gathered, but it was never begun")
            return
        b.gathered_by = what.seat
        b.ended = b.ended or "turned"
        if "turned" in self.state.rules.books.closed_by or what.number == self.books_in_hand:
            self.close(b)

    def close(self, book: Book) -> None:
        """Close it, and all before it: a later book cannot be gathered while one lies there."""
        for b in self.state.books[: book.number]:
            b.closed = True

    # Meld, exposed cards

    def meld_laid(self, seq: int, what: ev.MeldLaid) -> None:
        s, law = self.state, self.state.rules.meld
        counts = "all"
        if not s.meld_open:
            first_open = not (s.books and s.books[0].closed)
            aces = what.reading.face.rank == "A" and law.aces_until == "first_book_closed" and first_open
            counts = "aces" if aces else "no"
            if not aces:
                ids = ", ".join(s.rules.clauses("meld.closes"))
                self.report(
                    seq, "late_meld",
                    f"{SEAT_NAMES[what.seat]} laid the {what.reading.face.name} after meld closed ({ids})",
                )  # fmt: skip
        for m in s.meld[what.seat]:
            if m.card == what.card:
                self.report(seq, "laid_twice", f"meld card {what.card} was laid twice; ignored")
                return
        s.meld[what.seat].append(Melded(what.card, what.seat, what.reading.face, what.reading, seq, counts))

    def meld_removed(self, seq: int, card: str) -> None:
        s = self.state
        for laid in s.meld.values():
            for m in laid:
                if m.card == card:
                    if s.meld_open and not self.picked_up:
                        laid.remove(m)
                    return
        self.report(seq, "not_on_table", f"meld card {card} was taken back but was never laid")

    def close_meld(self, p: Play) -> None:
        s, closes = self.state, self.state.rules.meld.closes
        if closes == "first_card_after_pickup" and not self.picked_up:
            return
        if closes == "bidders_first_card" and s.bidder not in (None, p.seat):
            return
        s.meld_open = False

    def show(
        self, card: str, seat: Seat, reading: Reading, seq: int, how: str, book: int | None = None
    ) -> None:
        s = self.state
        x = Shown(card, seat, reading.face, reading, len(s.books), self.order, seq, how)
        if book is not None:
            x.book = book
        x.before_trump = not (self.named or s.books or any(s.meld.values()))
        s.shown.append(x)

    def discharge(self, p: Play) -> None:
        """An exposed card leaves the table when its player plays it (or its twin: no one can tell)."""
        lying = [x for x in self.state.shown if x.seat == p.seat and x.played is None and x.face == p.face]
        for x in sorted(lying, key=lambda x: x.card != p.card)[:1]:
            x.played, x.played_book = p.order, p.book

    # What follows from the whole

    def trump(self) -> None:
        s = self.state
        if not s.trump_known and s.bidder and (suit := first_marriage(s.meld[s.bidder])):
            s.trump, s.trump_known = suit, True
        elif not s.trump_known and self.spoken is not None:
            s.trump, s.trump_known = self.spoken.suit, True
        if not s.trump_known and s.books:
            self.report(
                s.plays[0].seq if s.plays else 0, "no_trump", "cards are played but no trump is known"
            )

    def settle(self) -> None:
        s = self.state
        leader = s.bidder
        for b in s.books:
            plays = b.plays
            seats = [p.seat for p in plays]
            over = bool(b.closed or b.ended or b.number < len(s.books))
            if plays and leader and seats[0] != leader and (leader in seats or not over):
                self.report(
                    plays[0].seq, "lead_out_of_turn",
                    f"{SEAT_NAMES[seats[0]]} led to book {b.number}; it was {SEAT_NAMES[leader]}'s lead",
                )  # fmt: skip
            for before, p in pairwise(plays):
                if seats.count(p.seat) > 1:
                    if p.seat in seats[: plays.index(p)]:
                        self.report(
                            p.seq, "two_cards",
                            f"{SEAT_NAMES[p.seat]} laid two cards in book {b.number}",
                        )  # fmt: skip
                elif p.seat != next_seat(before.seat) and next_seat(before.seat) in seats[plays.index(p) :]:
                    self.report(
                        p.seq, "out_of_turn", f"{SEAT_NAMES[p.seat]} played out of turn in book {b.number}"
                    )
            if over:
                missing = [seat for seat in SEATS if seat not in seats]
                s.gaps += [Gap(b.number, seat) for seat in missing]
            complete = len(set(seats)) == 4
            b.winner = winner_of(b, s.trump) if s.trump_known and plays else None
            b.points = play.points([p.face for p in plays], b.number == self.books_in_hand)
            if b.closed and b.winner:
                s.points[team_of(b.winner)] += b.points
                s.tricks[team_of(b.winner)] += 1
            if b.winner and complete and b.gathered_by not in (None, b.winner, partner(b.winner)):
                self.report(
                    plays[-1].seq, "wrong_gatherer",
                    f"book {b.number} was won by {SEAT_NAMES[b.winner]} but lies with the other team",
                )  # fmt: skip
            leader = b.winner if complete else None
        self.leftover()
        s.turn = self.next_turn(leader)
        self.counts()

    def leftover(self) -> None:
        """A player ran out of cards: what is left goes with the last book turned, the last book (LV-60)."""
        s = self.state
        won = [b for b in s.books if b.closed and b.winner]
        if s.ended == "out_of_cards" and won:
            rest = ALL_POINTS - sum(s.points.values())
            last = won[-1]
            last.points += rest
            s.points[team_of(last.winner or "N")] += rest

    def next_turn(self, leader: Seat | None) -> Seat | None:
        s = self.state
        last = s.books[-1] if s.books else None
        if s.ended or (last and last.number == self.books_in_hand and last.full):
            return None
        if last is None or last.full or last.ended:
            return leader
        if not last.plays:
            return last.slots[0][0].seat if last.slots else None
        seat = last.plays[0].seat
        there = {p.seat for p in last.plays}
        while seat in there:
            seat = next_seat(seat)
        return seat

    def counts(self) -> None:
        """Physical limits: copies of a face, cards of a seat, faces of the deck."""
        s = self.state
        seen: dict[Face, int] = {}
        held = dict.fromkeys(SEATS, 0)
        faces = set(s.deck.faces)
        for p in s.plays:
            if not p.stands:
                continue
            held[p.seat] += 1
            seen[p.face] = n = seen.get(p.face, 0) + 1
            if p.face not in faces:
                self.report(p.seq, "foreign_card", f"the {p.face.name} is not in the {s.deck.name} deck")
            elif n == s.deck.copies + 1:
                self.report(
                    p.seq, "too_many_copies",
                    f"more than {s.deck.copies} cards were read as the {p.face.name}",
                )  # fmt: skip
            if held[p.seat] == self.books_in_hand + 1:
                self.report(
                    p.seq, "too_many_cards",
                    f"{SEAT_NAMES[p.seat]} played more than {self.books_in_hand} cards",
                )  # fmt: skip
