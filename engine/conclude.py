"""What follows from a whole hand's record: winners, points, the turn, and what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from engine import deal, play
from engine.cards import SEAT_NAMES, SEATS, SUIT_NAMES, Face, Seat, next_seat, partner, team_of
from engine.rules import ALL_POINTS, cited
from engine.state import Gap, HandState, winner_of

Report: TypeAlias = Callable[[int, str, str], None]
"""Takes a problem: seq, code, message."""


def conclude(s: HandState, report: Report) -> None:
    """Winners, points, whose turn it is; and what in the record cannot be or is for the director."""
    in_hand = s.deck.size // 4
    leader = s.bidder  # the bidder leads to the first book (D-31)
    for b in s.books:
        plays = b.plays
        seats = [p.seat for p in plays]
        over = bool(b.closed or b.ended or b.number < len(s.books))
        if plays and leader and seats[0] != leader and (leader in seats or not over):
            said = f"{SEAT_NAMES[seats[0]]} led to book {b.number}; it was {SEAT_NAMES[leader]}'s lead"
            ids = f" ({cited(s.rules.clauses('books.first_lead'))})" if b.number == 1 else ""
            report(plays[0].seq, "lead_out_of_turn", said + ids)
        for before, p in pairwise(plays):
            if seats.count(p.seat) > 1:
                if p.seat in seats[: plays.index(p)]:
                    report(
                        p.seq, "two_cards",
                        f"{SEAT_NAMES[p.seat]} laid two cards in book {b.number}",
                    )  # fmt: skip
            elif p.seat != next_seat(before.seat) and next_seat(before.seat) in seats[plays.index(p) :]:
                report(p.seq, "out_of_turn", f"{SEAT_NAMES[p.seat]} played out of turn in book {b.number}")
        if over:
            missing = [seat for seat in SEATS if seat not in seats]
            s.gaps += [Gap(b.number, seat) for seat in missing]
        complete = len(set(seats)) == 4
        b.winner = winner_of(b, s.trump) if s.trump_known and plays else None
        b.points = play.points([p.face for p in plays], b.number == in_hand)
        if b.closed and b.winner:
            s.points[team_of(b.winner)] += b.points
            s.tricks[team_of(b.winner)] += 1
        leader = b.winner if complete else None
    _gathered(s, report)
    _leftover(s)
    s.turn = _next_turn(s, leader)
    _counts(s, report)
    _ended(s, report)
    _bidders_meld(s, report)
    for seq, ruling in deal.rulings(s, s.rules):
        report(seq, f"deal_{ruling.outcome}", ruling.text)


def _leftover(s: HandState) -> None:
    """What was not played to a book: a player ran out of cards, so it goes with the last book turned and
    that is the last book (LV-60, LV-61); or the director gave one team all the rest (GL-48)."""
    rest = ALL_POINTS - sum(s.points.values())
    won = [b for b in s.books if b.closed and b.winner]
    if s.rest:
        s.points[s.rest] += rest
        s.tricks[s.rest] += s.deck.size // 4 - sum(s.tricks.values())
    elif s.ended == "out_of_cards" and won:
        last = won[-1]
        last.points += rest
        s.points[team_of(last.winner or "N")] += rest


def _next_turn(s: HandState, leader: Seat | None) -> Seat | None:
    last = s.books[-1] if s.books else None
    if s.ended or (last and last.number == s.deck.size // 4 and last.full):
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


def _counts(s: HandState, report: Report) -> None:
    """Physical limits: copies of a face, cards of a seat, faces of the deck."""
    in_hand = s.deck.size // 4
    seen: dict[Face, int] = {}
    held = dict.fromkeys(SEATS, 0)
    faces = set(s.deck.faces)
    for p in s.plays:
        if not p.stands:
            continue
        held[p.seat] += 1
        seen[p.face] = n = seen.get(p.face, 0) + 1
        if p.face not in faces:
            report(p.seq, "foreign_card", f"the {p.face.name} is not in the {s.deck.name} deck")
        elif n == s.deck.copies + 1:
            report(
                p.seq, "too_many_copies",
                f"more than {s.deck.copies} cards were read as the {p.face.name}",
            )  # fmt: skip
        if held[p.seat] == in_hand + 1:
            report(
                p.seq, "too_many_cards",
                f"{SEAT_NAMES[p.seat]} played more than {in_hand} cards",
            )  # fmt: skip


def _gathered(s: HandState, report: Report) -> None:
    """Who drew the books to a pile, against who may (LV-86, GL-43, EC-24)."""
    law, ids = s.rules.books.collected_by, cited(s.rules.clauses("books.collected_by"))
    collectors: dict[str, Seat] = {}
    for b in s.books:
        seat = b.gathered_by
        if b.winner is None or seat is None or len({p.seat for p in b.plays}) < 4:
            continue
        where, won = b.plays[-1].seq, SEAT_NAMES[b.winner]
        if team_of(seat) != team_of(b.winner):
            report(where, "wrong_gatherer", f"book {b.number} was won by {won} but lies with the other team")
        elif law == "winner" and seat == partner(b.winner):
            report(
                where, "partner_gathered", f"book {b.number} was won by {won}, the partner took it ({ids})"
            )
        elif law == "one_per_team" and collectors.setdefault(team_of(seat), seat) != seat:
            report(
                where, "two_gatherers",
                f"{SEAT_NAMES[seat]} took book {b.number}, {SEAT_NAMES[partner(seat)]} others ({ids})",
            )  # fmt: skip


def _ended(s: HandState, report: Report) -> None:
    """A hand played out has all its books (LV-90), unless the director gave the rest to a team."""
    if s.rest:
        ids = cited(s.rules.clauses("exposed.shown_on_purpose"))
        given = f"the director gave all books not played to {' and '.join(SEAT_NAMES[x] for x in s.rest)}"
        report(s.last_seq, "rest_given", f"{given} ({ids})")
    missing = s.deck.size // 4 - s.closed_books
    if s.ended == "played" and missing > 0 and not s.rest and s.books and s.rules.books.all_played:
        ids = cited(s.rules.clauses("books.all_played"))
        report(s.last_seq, "not_all_played", f"{missing} books were not played; all must be ({ids})")


def _bidders_meld(s: HandState, report: Report) -> None:
    """Trump named without a marriage in it (LV-72), and runs that were not declared in time (GL-36, D-34)."""
    laid = s.meld[s.bidder] if s.bidder else []
    if not laid or s.bidder is None or s.trump is None:
        return
    ranks = {m.face.rank for m in laid if m.face.suit == s.trump}
    if s.rules.trump.marriage_needed and not s.meld_open and not {"K", "Q"} <= ranks:
        ids = cited(s.rules.clauses("trump.marriage_needed"))
        named = f"{SEAT_NAMES[s.bidder]} named {SUIT_NAMES[s.trump]} and laid no marriage in it"
        report(laid[-1].seq, "trump_without_marriage", f"{named} ({ids})")
    if s.rules.meld.run_undeclared and not s.double_run_declared(s.bidder):
        for g in s.meld_count(s.bidder).groups:
            if g.kind == "run" and g.sets > 1:
                ids = cited(s.rules.clauses("meld.run_undeclared"))
                said = f"{SEAT_NAMES[s.bidder]} did not declare a double run on the first bid"
                report(laid[-1].seq, "run_undeclared", f"{said}: {g.sets} runs count {g.value} ({ids})")
