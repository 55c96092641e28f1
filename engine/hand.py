"""The fold of a hand's log into its state: who laid what in which book, what it won, what is wrong.

`fold` is pure and takes any list of events: what cannot be is named in `HandState.problems`, never
raised. It records and does not judge legality; `engine.renege` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine import contract, deal, rules, trump
from engine import events as ev
from engine.cards import SEAT_NAMES, TEAMS
from engine.conclude import conclude
from engine.corrections import resolve, standing
from engine.deck import DECKS, DOUBLE
from engine.rules import RuleSet
from engine.state import Book, Call, Gap, HandState, Melded, Noted, Play, Problem, Shown, Stage
from engine.table import Table

__all__ = ["Book", "Call", "Gap", "HandState", "Melded", "Play", "Problem", "Shown", "fold"]

_AFTER_END = (
    ev.DealerNamed,
    ev.RenegeCalled,
    ev.RulingMade,
    ev.BooksAudited,
    ev.BookGathered,
    ev.ScoreAgreed,
    ev.CardsCounted,
    ev.RoundClock,
)


def fold(events: Iterable[ev.Event], rules: RuleSet | None = None) -> HandState:
    """The state after these events. `rules` None: the rule set that the log names."""
    return _Fold(list(events), rules).run()


def _rules_of(start: ev.HandStarted | None) -> tuple[RuleSet, list[Problem]]:
    """The rule set that the log names, or LV and why."""
    if start is None:
        why = "the log does not say how the hand began; judged by LV"
        return rules.load("LV"), [Problem(0, "no_start", why)]
    try:
        return rules.load(start.ruleset), []
    except rules.RuleError as e:
        return rules.load("LV"), [Problem(1, "unknown_rules", f"{e}; judged by LV until it is entered")]


class _Fold(Table):
    def __init__(self, log: Sequence[ev.Event], given: RuleSet | None) -> None:
        self.log = log
        start = next((e.what for e in log if isinstance(e.what, ev.HandStarted)), None)
        law, problems = (given, []) if given else _rules_of(start)
        s = HandState(law)
        if start:
            s.hand, s.ruleset, s.dealer, s.table = start.hand, start.ruleset, start.dealer, start.table
            s.deck = DECKS.get(start.deck, DOUBLE)
        super().__init__(s)
        self.problems += problems
        if start and start.deck not in DECKS:
            self.report(1, "unknown_deck", f"deck '{start.deck}' is unknown; taken as {DOUBLE.name}")
        self.bid_seqs: list[int] = []
        self.entered: ev.TrumpNamed | None = None
        self.outranked: set[int] = set()

    def run(self) -> HandState:
        s = self.state
        expected = 1
        for e in self.log:
            if e.seq != expected:
                self.report(e.seq, "seq", f"event {e.seq} stands where event {expected} should")
            expected = e.seq + 1
            self.times[e.seq] = e.at
        s.last_seq = expected - 1
        log = standing(self.log, self.report)
        for e in log:
            if isinstance(e.what, ev.DealerNamed):
                s.dealer = e.what.seat
            if isinstance(e.what, ev.TrumpNamed):
                self.trump_told(e.what, e.by, e.seq)
        entries = resolve(log, self.report)
        for seq, what in entries:  # cards of books of which the end went unseen wait for their book
            if isinstance(what, ev.CardLaid) and what.book is not None and what.before is None:
                self.late.setdefault(what.book, []).append((seq, what))
        ends = (w for _, w in entries if isinstance(w, ev.BookClosed | ev.BookGathered))
        self.seen_to_end = {w.number for w in ends}
        self.taken_back_ids = {w.card for _, w in entries if isinstance(w, ev.CardTakenBack)}
        seen_start = False
        for seq, what in entries:
            self.order += 1
            if s.ended and not isinstance(what, _AFTER_END):
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
                    self.exposed(seq, what)
                case ev.TrumpNamed():
                    self.named = True
                    if seq not in self.outranked or self.namer is None:
                        self.namer = s.bidder = what.seat or self.namer
                case ev.DealNoted() | ev.CardsCounted():
                    s.noted.append(Noted(seq, what, self.stage()))
                case ev.BidMade():
                    s.bids.append((what.seat, what.call))
                    self.bid_seqs.append(seq)
                case ev.RenegeCalled():
                    self.called(seq, what)
                case ev.ScoreAgreed():
                    s.agreed.add(what.team)
                case ev.RulingMade():
                    s.rulings.append((seq, what))
                case ev.SightLost() | ev.SightRegained():
                    s.sight = isinstance(what, ev.SightRegained)
                case ev.HandEnded():
                    s.ended, s.rest = what.how, what.rest
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
        contract.settle(s, self.namer)
        self.problems += contract.judged(s, self.bid_seqs)
        self.trump()
        if s.books and not s.trump_known:
            first = s.plays[0].seq if s.plays else 0
            self.report(first, "no_trump", "cards are played but no trump is known")
        self.doubt_trump()
        conclude(s, self.report)
        s.problems = sorted(self.problems, key=lambda p: (p.seq, p.code))
        return s

    def trump_told(self, what: ev.TrumpNamed, by: ev.Source, seq: int) -> None:
        """The last word on trump holds for the whole hand; a person's outranks what the camera saw."""
        s = self.state
        if by == "player":  # a suit called aloud is outranked by the first marriage laid (LV-74)
            self.spoken = what
        elif by == "camera" and self.entered:
            self.outranked.add(seq)
        else:
            s.trump, s.trump_known = what.suit, True
            self.eyes = what.probability if by == "camera" else None
            self.entered = what if by != "camera" else None

    def doubt_trump(self) -> None:
        """How sure trump is, where it rests on the meld that the camera saw."""
        s = self.state
        if self.eyes is not None:
            found = trump.doubt(s, self.times)
            s.trump_probability, s.trump_other = found.probability * self.eyes, found.other

    def exposed(self, seq: int, what: ev.CardExposed) -> None:
        """A card seen in the deal is dealt again where the sheet says so, and then binds nobody (EC-18)."""
        if what.how == "dealt":
            ruling = deal.card_exposed(self.state.rules)
            self.report(seq, f"deal_{ruling.outcome}", ruling.text)
            if ruling.outcome in ("redeal", "second_deck"):
                return
        self.show(what.card, what.seat, what.reading, seq, what.how)

    def stage(self) -> Stage:
        s = self.state
        if s.ended:
            return "hand_over"
        if s.closed_books:
            return "after_first_book"
        return "before_first_book" if s.bids or self.named or s.books else "before_bidding"

    def called(self, seq: int, what: ev.RenegeCalled) -> None:
        s = self.state
        s.calls.append(Call(seq, what, s.closed_books))
        if s.agreed == set(TEAMS):
            ids = rules.cited(s.rules.clauses("call.latest"))
            self.report(
                seq, "call_late", f"{SEAT_NAMES[what.by]} called after both teams agreed the score ({ids})"
            )
