"""The table while a log is folded: cards laid in books and taken back, meld, cards shown."""

from __future__ import annotations

from engine import contract
from engine import events as ev
from engine.cards import SEAT_NAMES, Seat
from engine.events import Reading
from engine.rules import cited
from engine.state import Book, HandState, Melded, Play, Problem, Shown, first_marriage, winner_of


class Table:
    """Takes what happened, one thing after the other, and keeps `state`. `order` counts what happened.

    `late` holds cards entered for a book of which the end went unseen; `seen_to_end` the books of which
    it was seen. `namer`: who named trump, as entered; `spoken`: trump as it was only said; `eyes`: how sure
    the eye is of the first marriage, None where trump does not rest on it. `times`: when each event came, in
    seconds.
    """

    def __init__(self, state: HandState) -> None:
        self.state = state
        self.problems: list[Problem] = []
        self.order = 0
        self.books_in_hand = state.deck.size // 4
        self.late: dict[int, list[tuple[int, ev.CardLaid]]] = {}
        self.times: dict[int, float] = {}
        self.picked_up = False
        self.named = False
        self.namer: Seat | None = None
        self.spoken: ev.TrumpNamed | None = None
        self.eyes: float | None = None
        self.seen_to_end: set[int] = set()
        self.taken_back_ids: set[str] = set()
        self.closed_by_lead: set[int] = set()
        self.last_play: dict[str, Play] = {}

    def report(self, seq: int, code: str, message: str) -> None:
        self.problems.append(Problem(seq, code, message))

    def trump(self) -> None:
        """What was entered as trump holds; else the bidder's first marriage, else what was said (LV-74)."""
        s = self.state
        if s.trump_known:
            return
        suit = first_marriage(s.meld[s.bidder]) if s.bidder else None
        if suit and s.rules.trump.fixed_by == "first_marriage":
            s.trump, s.trump_known, self.eyes = suit, True, 1.0
        elif self.spoken is not None:
            s.trump, s.trump_known = self.spoken.suit, True

    # Cards of books

    def card_laid(self, seq: int, what: ev.CardLaid) -> None:
        s = self.state
        if what.card in self.last_play and self.last_play[what.card].stands:
            self.report(seq, "laid_twice", f"card {what.card} was laid while it lay on the table; ignored")
            return
        if not s.books:
            contract.settle(s, self.namer)
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
                self.closed_by_lead = {b.number for b in s.books[:-1] if not b.closed}
                for earlier in s.books[:-1]:
                    self.close(earlier)
        p = Play(
            what.card, what.seat, what.reading.face, what.reading, what.seat_probability, book.number,
            self.order, seq, order_probability=what.order_probability,
        )  # fmt: skip
        if slot is None:
            book.slots.append([p])
        else:
            slot.append(p)
            if any(q.lifted for q in slot):
                self.in_vain(seq, p)
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
        early = self.laid_early(book, p)
        if early and book.number in self.closed_by_lead and not self.closes(book.ended):
            book.closed = False  # that was no lead, so it closed nothing
        if not self.may_correct(book, p):
            p.lifted = True
            ids = cited(s.rules.clauses("books.correct_until"))
            self.report(
                seq, "taken_back_late",
                f"{SEAT_NAMES[p.seat]} took the {p.face.name} back from book {book.number} when it could "
                f"no longer be corrected ({ids}); the card stands",
            )  # fmt: skip
            if early:
                self.move_early(early, book)
                self.in_vain(seq, early)
            return
        p.back = self.order
        self.show(card, p.seat, p.reading, seq, "taken back", book.number)
        mine = [slot for slot in book.slots if slot[0].seat == p.seat]
        for extra in mine[1:]:  # the new card was laid before the old one was picked up
            mine[0].extend(extra)
            book.slots.remove(extra)
        if early:
            self.move_early(early, book)

    def laid_early(self, book: Book, p: Play) -> Play | None:
        """The card that the seat of `p` laid beside a full book before it picked `p` up, if it did.

        It looks like the lead of the next book, but the seat has not won this one.
        """
        after = self.state.book(book.number + 1)
        if after is None or [[q.seat for q in slot] for slot in after.slots] != [[p.seat]]:
            return None
        return after.slots[0][0] if winner_of(book, self.state.trump) != p.seat else None

    def move_early(self, early: Play, book: Book) -> None:
        """Put it where it belongs: in the book before, in place of the seat's card there."""
        s = self.state
        s.books.pop()
        early.book = book.number
        slot = book.slot_of(early.seat)
        if slot is not None:
            slot.append(early)
        for x in s.shown:
            if x.played == early.order:
                x.played_book = book.number

    def in_vain(self, seq: int, p: Play) -> None:
        """Another card of the seat stands, so this one was only shown."""
        p.void = True
        for x in self.state.shown:
            if x.played == p.order:
                x.played = x.played_book = None
        self.show(p.card, p.seat, p.reading, seq, "laid in vain", p.book)
        self.report(
            seq, "not_replaceable",
            f"{SEAT_NAMES[p.seat]} laid another card in book {p.book}; the first one stands",
        )  # fmt: skip

    def may_correct(self, book: Book, p: Play) -> bool:
        if book.closed:
            return False
        if self.state.rules.books.correct_until == "next_card":
            later = self.state.plays[self.state.plays.index(p) + 1 :]
            return not book.full and all(q.seat == p.seat for q in later)
        return True

    def book_closed(self, seq: int, what: ev.BookClosed) -> None:
        s, number = self.state, what.number
        if number == len(s.books) + 1 and number <= self.books_in_hand:
            s.books.append(Book(number))  # its end was seen, its cards were not
        if s.book(number) is None:
            self.report(seq, "no_such_book", f"book {number} was closed, but {len(s.books)} were begun")
            return
        self.flush(number)
        b = s.books[number - 1]
        if b.ended == what.how:
            self.report(seq, "closed_twice", f"book {number} was closed twice")
        self.lay_long(seq, b)
        closes = self.closes(what.how)
        if b.ended is None or (closes and not self.closes(b.ended)):
            b.ended = what.how
        lead = what.how == "next_lead" and "next_lead" in s.rules.books.closed_by
        if lead or closes or number == self.books_in_hand:
            self.close(b)

    def lay_long(self, seq: int, book: Book) -> None:
        """Report a full book that lay open longer than it may (GL-26, NP-54)."""
        most = self.state.rules.books.lies_at_most
        if not most or book.ended or not book.full or not {seq, book.plays[-1].seq} <= self.times.keys():
            return
        lay = self.times[seq] - max(self.times[p.seq] for p in book.plays if p.seq in self.times)
        if lay > most:
            books, ids = self.state.rules.books, self.state.rules.clauses("books.lies_at_most")
            ids = tuple(dict.fromkeys((*ids, *self.state.rules.clauses("books.overdue"))))
            then = ", then anyone may close it" if books.overdue == "anyone_closes" else ""
            said = f"book {book.number} lay {lay:.0f} s; {most} s are allowed{then} ({cited(ids)})"
            self.report(seq, "book_lay_long", said)

    def book_gathered(self, seq: int, what: ev.BookGathered) -> None:
        b = self.state.book(what.number)
        if b is None:
            self.report(seq, "no_such_book", f"book {what.number} was gathered, but it was never begun")
            return
        b.gathered_by = what.seat
        b.ended = b.ended or "turned"
        if "turned" in self.state.rules.books.closed_by or what.number == self.books_in_hand:
            self.close(b)

    def closes(self, how: ev.Closing | None) -> bool:
        """Whether this closes a book, other than the next lead, which may prove to be none."""
        turned = how in ("turned", "timeout") and "turned" in self.state.rules.books.closed_by
        return turned or how == "entered"

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
                ids = cited(s.rules.clauses("meld.closes"))
                self.report(
                    seq, "late_meld",
                    f"{SEAT_NAMES[what.seat]} laid the {what.reading.face.name} after meld closed ({ids})",
                )  # fmt: skip
        if self.early_meld(what.seat):
            ids = cited(s.rules.clauses("trump.meld_before"))
            self.report(
                seq, "early_meld", f"{SEAT_NAMES[what.seat]} laid meld before trump was known ({ids})"
            )
        for m in s.meld[what.seat]:
            if m.card == what.card:
                self.report(seq, "laid_twice", f"meld card {what.card} was laid twice; ignored")
                return
        s.meld[what.seat].append(Melded(what.card, what.seat, what.reading.face, what.reading, seq, counts))

    def early_meld(self, seat: Seat) -> bool:
        """Whether it is laid before the bidder has named trump or laid a marriage."""
        s = self.state
        if s.rules.trump.meld_before or s.trump_known or self.spoken or s.books:
            return False
        contract.settle(s, self.namer)
        return s.bidder not in (None, seat) and first_marriage(s.meld[s.bidder or seat]) is None

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
