"""The auction: calls in, who has the bid out (comparison.md section 3, D-10, D-11, D-32).

A call is a seat and what it said. `call` adds one call to a state, `fold` a whole list; neither
raises: what is improper is a `Fault` that names what happened, its consequence and the clauses.
Besides a number or "pass" these words are understood where they have a place: "take 50" and "redeal"
(the choice of GL-10), "misdeal" (the claim of GL-51), "stands" (NP-22: the bid is not changed),
"52 double run" (GL-35), and "barred" (the director bars that seat). All other words are an improper call.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.auction_state import AuctionState, Bid, Fault, FaultKind, read
from engine.cards import SEAT_NAMES, Seat, Team, next_seat, opponents, partner, team_of
from engine.rules import RuleSet, cited

__all__ = ["AuctionState", "Bid", "Fault", "call", "fold", "read", "result", "start"]

SIDES: dict[Team, str] = {"NS": "North and South", "EW": "East and West"}


def start(dealer: Seat, rules: RuleSet) -> AuctionState:
    return AuctionState(rules, dealer, next_seat(dealer))


def fold(dealer: Seat, calls: Iterable[tuple[Seat, str]], rules: RuleSet) -> AuctionState:
    state = start(dealer, rules)
    for seat, text in calls:
        _add(state, seat, text)
    return state


def call(state: AuctionState, seat: Seat, text: str) -> AuctionState:
    """The state after this call; what is wrong with it is the new last entry of `faults`."""
    after = replace(state)
    _add(after, seat, text)
    return after


def result(state: AuctionState) -> tuple[str, tuple[str, ...]]:
    """What the auction has come to in a sentence, and the clauses behind it."""
    rules = state.rules
    if state.stop:
        ids = rules.clauses("bidding.first_out_of_turn") + rules.clauses("bidding.information")
        text = "there is a redeal"
    elif state.bid is None:
        ids = rules.clauses("bidding.order")
        best = state.standing if state.waiting else state.high
        high = f"{SEAT_NAMES[best.seat]} stands at {best.amount}" if best else "no bid yet"
        who = f"{SEAT_NAMES[state.turn or 'N']} calls next"
        if state.choosing:
            who = f"{SIDES[state.choosing]} choose"
        text = f"{high}; {who}"
    elif state.dropped:
        ids = rules.clauses("bidding.dropped_at")
        text = f"the bid is dropped on {SEAT_NAMES[state.dealer]} at {state.bid.amount}"
        if state.dealer in state.barred:
            ids = (*ids, "D-10")
            text += ", though that seat was barred: the director may rule otherwise"
    else:
        ids = rules.clauses("bidding.names_trump")
        text = f"{SEAT_NAMES[state.bid.seat]} has the bid at {state.bid.amount} and names trump"
    return f"{text} ({cited(ids)})", ids


def _add(s: AuctionState, seat: Seat, text: str) -> None:
    """Change a state that nobody has seen yet, and close it when nobody can change its result any more."""
    s.calls = (*s.calls, (seat, text))
    _Call(s, seat, text).make()
    if s.replaces in s.barred:
        s.replaces, s.must_raise = None, False
    if s.ended or s.choosing:
        return
    held = s.standing if s.waiting else s.high
    if held is None and s.contenders <= {s.dealer}:
        s.bid, s.dropped = Bid(s.dealer, s.rules.bidding.dropped_at), True
    elif held is not None and not s.contenders:
        s.bid = held


class _Call:
    """One call on its way into the state, which it changes."""

    def __init__(self, state: AuctionState, seat: Seat, text: str) -> None:
        self.state = state
        self.law = state.rules.bidding
        self.seat = seat
        self.name = SEAT_NAMES[seat]
        self.text = text
        self.lead = ""
        self.said, self.amount, self.double = read(text, self.law)

    def make(self) -> None:
        s, seat, said = self.state, self.seat, self.said
        if s.ended:
            return self.void("after_end", "the auction is over", "it changes nothing", director=False)
        if said == "empty":
            return self.void("empty", "nothing was called", "enter a number or pass", director=False)
        if said == "barred":
            s.barred |= {seat}
            return None
        if s.choosing:
            return self.choice()
        if said == "misdeal" and s.claim == team_of(seat):
            s.stop = "redeal"
            return None
        if said in ("take", "redeal", "misdeal") or (said == "stands" and not self.may_keep()):
            return self.void(
                "no_choice", "there is nothing to choose here", "it changes nothing", director=False
            )
        if seat in s.barred:
            return self.void(
                "may_not_call", "may not call any more", "the call is void", "out_of_turn", "D-10"
            )
        if seat in s.passed:
            return self.void(
                "has_passed", "has passed before", "a pass is final, the call is void", "pass_is_final"
            )
        if said == "words":
            return self.chatty()
        if seat != s.turn:
            return self.out_of_turn()
        if said == "pass":
            return self.passes()
        amount = s.standing.amount if said == "stands" and s.standing else self.amount
        return self.bids(amount)

    def void(
        self, kind: FaultKind, reason: str, then: str, key: str = "", *more: str, director: bool = True
    ) -> None:
        """No consequence but that the call does not count."""
        self.faulty(kind, reason, then, key, more, director)

    def faulty(
        self,
        kind: FaultKind,
        reason: str,
        then: str,
        key: str = "",
        more: tuple[str, ...] = (),
        director: bool = True,
        **consequences: object,
    ) -> None:
        s = self.state
        clauses = s.rules.clauses(f"bidding.{key}") if key else ()
        ids = tuple(dict.fromkeys((*clauses, *more)))
        tail = f" ({cited(ids)})" if ids else ""
        text = f"{self.name} called '{self.text.strip()}': {reason}; {self.lead}{then}{tail}"
        fault = Fault(
            len(s.calls) - 1, self.seat, kind, reason, text, ids, director, **consequences  # type: ignore[arg-type]
        )  # fmt: skip
        s.faults = (*s.faults, fault)

    # Calls in turn

    def bids(self, amount: int) -> None:
        s, law = self.state, self.law
        least = law.above(s.high.amount if s.high else None)
        if amount < law.minimum:
            return self.insufficient(f"below the lowest bid, {law.minimum}", least)
        if s.high and amount <= s.high.amount:
            return self.insufficient(f"not above the last bid, {s.high.amount}", least)
        if not law.on_ladder(amount):
            return self.off_ladder(amount, least)
        first = all(b.seat != self.seat for b in s.bids)
        s.bids = (*s.bids, Bid(self.seat, amount))
        s.pointer, s.replaces, s.must_raise = next_seat(self.seat), None, False
        if s.standing and s.standing.seat == self.seat:
            s.standing = None
        elif s.standing and team_of(s.standing.seat) != team_of(self.seat):
            s.challenged = True
        if self.double and first:
            s.declared |= {self.seat}
        elif self.double:
            reason, then = "a double run is declared on the first bid", "only the bid counts"
            self.faulty("late_declaration", reason, then, "double_run", director=False)
        return None

    def passes(self) -> None:
        s = self.state
        if s.must_raise:
            then = f"enter at least {s.next_min}"
            return self.void("must_raise", "the bid must be raised", then, "insufficient", director=False)
        if s.standing and s.standing.seat == self.seat:
            s.standing = None
        s.passed |= {self.seat}
        s.pointer, s.replaces = next_seat(self.seat), None
        return None

    def insufficient(self, reason: str, least: int) -> None:
        s, law = self.state, self.law
        s.replaces = self.seat
        if law.insufficient == "replace":
            then = f"it is void: enter at least {least}, or pass"
            return self.faulty("insufficient", reason, then, "insufficient")
        other = partner(self.seat)
        then = f"it must be raised to at least {least}, and {SEAT_NAMES[other]} may not call any more"
        s.barred |= {other}
        s.must_raise = True
        return self.faulty(
            "insufficient", reason, then, "insufficient", director=False, barred=(other,), raise_to=least
        )

    def off_ladder(self, amount: int, least: int) -> None:
        s, law = self.state, self.law
        since, step = law.step(amount)
        reason = f"above {since} only multiples of {step}"
        if law.off_ladder == "replace" or not s.high or s.high.amount < law.off_ladder_from:
            then = f"it is void: enter at least {least}, or pass"
            s.replaces = self.seat
            more = ("D-10",) if law.off_ladder != "replace" else ()
            return self.faulty("off_ladder", reason, then, "off_ladder", more)
        return self.freeze("off_ladder", reason, "off_ladder", pointer=next_seat(self.seat))

    # Improper calls

    def chatty(self) -> None:
        s, law = self.state, self.law
        if self.seat == s.turn:
            s.replaces = self.seat
        reason, then = "only a number or PASS may be called", "it is void, enter a number or pass"
        if law.information == "misdeal_claim":
            s.claim = opponents(team_of(self.seat))
            then += "; if it told of the hand, the opponents may claim a misdeal"
            return self.faulty("chatty", reason, then, "chatty", s.rules.clauses("bidding.information"))
        if law.chatty == "replace":
            return self.faulty("chatty", reason, then, "chatty")
        other = partner(self.seat)
        s.barred |= {other}
        then += f", and {SEAT_NAMES[other]} may not call any more"
        return self.faulty("chatty", reason, then, "chatty", barred=(other,))

    def out_of_turn(self) -> None:
        s, law, turn = self.state, self.law, self.state.turn
        other = partner(self.seat)
        if s.replaces == turn and turn:
            then = f"first {SEAT_NAMES[turn]} replaces the void call"
            return self.void("replacement_due", f"{SEAT_NAMES[turn]}'s call is still open", then, "", "D-10")
        if s.waiting and s.standing and s.standing.seat == self.seat:
            reason = f"the bid of {s.standing.amount} stands until an opponent bids"
            return self.void("bid_stands", reason, "it changes nothing", "out_of_turn")
        reason = "out of turn"
        self.lead = f"it was {SEAT_NAMES[turn or 'N']}'s turn; "
        if self.said == "pass" and law.pass_out_of_turn == "director":
            return self.void("out_of_turn", reason, "it is void; call again in turn", "pass_out_of_turn")
        if law.first_out_of_turn == "opponents_choose" and not s.bids:
            side = opponents(team_of(self.seat))
            then = f"{SIDES[side]} choose: take the bid at {law.minimum}, or a redeal"
            s.choosing = side
            reason += ", no legal bid yet"
            return self.faulty(
                "out_of_turn", reason, then, "first_out_of_turn", director=False, choosing=side
            )
        match law.out_of_turn:
            case "freeze_team":
                return self.freeze("out_of_turn", reason, "out_of_turn", pointer=s.pointer)
            case "bar_team":
                back = (
                    f"the bid goes back to {s.high.amount} by {SEAT_NAMES[s.high.seat]}"
                    if s.high
                    else "no bid stands"
                )
                then = f"{SIDES[team_of(self.seat)]} may not call any more, {back}"
                return self.bar((self.seat, other), reason, then)
            case "bar_partner":
                then = f"{SEAT_NAMES[other]} may not call any more, the call is void"
                return self.bar((other,), reason, then)
            case "director":
                then = f"it is void; the director may bar {SEAT_NAMES[other]}"
                return self.void("out_of_turn", reason, then, "out_of_turn")
        stands = (
            s.standing is None
            and law.on_ladder(self.amount)
            and (s.high is None or self.amount > s.high.amount)
        )
        then = f"{SEAT_NAMES[other]} is silenced; "
        if not stands:
            return self.bar((other,), reason, then + "the bid is void")
        then += f"the bid stands unless an opponent bids {law.minimum} or more, then it may be changed"
        s.standing, s.challenged = Bid(self.seat, self.amount), False
        return self.bar((other,), reason, then, stands=True)

    def bar(self, seats: tuple[Seat, ...], reason: str, then: str, stands: bool = False) -> None:
        self.state.barred |= set(seats)
        return self.faulty("out_of_turn", reason, then, "out_of_turn", barred=seats, stands=stands)

    def freeze(self, kind: FaultKind, reason: str, key: str, pointer: Seat) -> None:
        s, team = self.state, team_of(self.seat)
        seats = (self.seat, partner(self.seat))
        at = max((b.amount for b in s.bids if b.seat in seats), default=None)
        s.barred |= set(seats)
        s.frozen |= {team}
        s.pointer, s.replaces = pointer, None
        last = f"at their last legal bid, {at}" if at else "without a bid"
        then = f"{SIDES[team]} are frozen {last}"
        return self.faulty(kind, reason, then, key, director=False, barred=seats, frozen=team, frozen_at=at)

    # Choices

    def choice(self) -> None:
        s = self.state
        if team_of(self.seat) != s.choosing or self.said not in ("take", "redeal"):
            then = f"{SIDES[s.choosing or 'NS']} enter '{s.options[0]}' or '{s.options[1]}' first"
            return self.void("choice_open", "a choice is open", then, "first_out_of_turn", director=False)
        if self.said == "redeal":
            s.choosing, s.stop = None, "redeal"
        else:
            s.choosing, s.bid = None, Bid(self.seat, self.law.minimum)
        return None

    def may_keep(self) -> bool:
        """Whether this seat may leave its bid out of turn as it is (NP-22)."""
        s = self.state
        return s.standing is not None and s.standing.seat == self.seat
