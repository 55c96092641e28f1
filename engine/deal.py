"""What follows from a deal that went wrong: misdeals, shortages, cards shown (comparison.md 1 and 2).

People enter what happened; each answer says what the sheet makes of it, and by which clause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from engine.awards import TEAM_NAMES, Facts, HandScore
from engine.cards import SEAT_NAMES, SEATS, TEAMS, Seat, Team, next_seat, opponents, team_of
from engine.events import CardsCounted, DealNoted
from engine.penalized import played_set, renege_award
from engine.rules import RuleSet, cited
from engine.state import HandState, Stage

Outcome: TypeAlias = Literal[
    "redeal", "second_deck", "next_dealer", "draw", "play_on", "award", "fine", "exposed_card", "director",
    "none",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class DealRuling:
    """`change`: what is added to each team's score; `award`: the amounts line by line, if there are any.

    `director`: the sheet leaves it, or more of it, to the director.
    """

    outcome: Outcome
    text: str
    clauses: tuple[str, ...]
    change: Mapping[Team, int]
    award: HandScore | None = None
    director: bool = False


def _ruling(
    outcome: Outcome, said: str, keys: tuple[str, ...], rules: RuleSet, *, director: bool = False
) -> DealRuling:
    ids = tuple(dict.fromkeys(i for key in keys for i in rules.clauses(key)))
    return DealRuling(outcome, f"{said} ({cited(ids)})", ids, {"NS": 0, "EW": 0}, director=director)


def next_dealer(dealer: Seat, rules: RuleSet, deals: int = 0) -> Seat | None:
    """The deal moves clockwise (LV-47); None when each player has dealt once and that is all (NP-12).

    deals: how many hands of the round have been dealt.
    """
    if rules.deal.order == "each_once" and deals >= len(SEATS):
        return None
    return next_seat(dealer)


def order_of(dealer: Seat) -> tuple[Seat, Seat, Seat, Seat]:
    """Who gets cards, and calls, in which order: from the dealer's left, clockwise (LV-48, LV-62)."""
    first = next_seat(dealer)
    n = SEATS.index(first)
    a, b, c, d = (*SEATS[n:], *SEATS[:n])
    return a, b, c, d


def packet(cards: int, rules: RuleSet) -> DealRuling | None:
    """Dealing this many cards at a time; None when it is allowed."""
    allowed = rules.deal.packets
    if cards in allowed:
        return None
    said = f"{cards} cards were dealt at a time; {allowed[0]} to {allowed[-1]} are allowed"
    return _ruling("director", said, ("deal.packets",), rules, director=True)


def shuffled(times: int, rules: RuleSet) -> DealRuling | None:
    """The dealer shuffled this often; None when that is enough."""
    if times >= rules.deal.shuffles:
        return None
    said = f"the cards were shuffled {times} times, {rules.deal.shuffles} are asked for"
    return _ruling("director", said, ("deal.shuffles",), rules, director=True)


def cut(left: int, rules: RuleSet) -> DealRuling | None:
    """A cut that left this many cards; None when it is as it should be."""
    if left >= rules.deal.cut_leaves:
        return None
    said = f"the cut left {left} cards, at least {rules.deal.cut_leaves} must be left"
    return _ruling("director", said, ("deal.cut_leaves",), rules, director=True)


_NO_CUT: Final[dict[str, tuple[Outcome, str]]] = {
    "redeal_on_request": ("redeal", "no cut was offered: the opponents may ask for a new deal, no penalty"),
    "before_deal": ("director", "no cut was made: it must be called before the deal begins"),
    "director": ("director", "no cut was offered: for the director"),
}


def no_cut(rules: RuleSet) -> DealRuling:
    outcome, said = _NO_CUT[rules.deal.no_cut]
    keys = ("deal.no_cut", "deal.cut")
    return _ruling(outcome, said, keys, rules, director=outcome == "director")


_EXPOSED: Final[dict[str, tuple[Outcome, str]]] = {
    "consent_or_second_deck": (
        "second_deck",
        "a card was exposed in the deal: it is shuffled back if all agree, else the second deck is dealt",
    ),
    "redeal": ("redeal", "a card was exposed in the deal: deal again"),
    "exposed_card": ("exposed_card", "a card was exposed in the deal: it is an exposed card"),
    "director": ("director", "a card was exposed in the deal: for the director"),
}


def card_exposed(rules: RuleSet) -> DealRuling:
    """A card was seen while dealing."""
    outcome, said = _EXPOSED[rules.deal.exposed_card]
    return _ruling(outcome, said, ("deal.exposed_card",), rules, director=outcome == "director")


def complaint(dealer: Seat, upheld: bool, rules: RuleSet) -> DealRuling:
    """Before a bid the opponents asked for a new deal; the director has looked into it (LV-51, LV-52)."""
    keys = ("deal.unfounded_complaint",)
    if upheld:
        return _ruling("redeal", "the complaint is upheld: deal again", keys, rules)
    amount, team = rules.deal.unfounded_complaint, team_of(dealer)
    if not amount:
        return _ruling("none", "the complaint is not upheld: no penalty", keys, rules)
    said = f"the complaint is not upheld: the director may give {TEAM_NAMES[team]} {amount} points"
    found = _ruling("award", said, keys, rules, director=True)
    return DealRuling(
        found.outcome, found.text, found.clauses, {team: amount, opponents(team): 0}, director=True
    )


def wrong_count(
    counts: Mapping[Seat, int],
    stage: Stage,
    rules: RuleSet,
    *,
    dealer: Seat | None = None,
    facts: Facts | None = None,
    again: bool = False,
    played: bool = True,
) -> DealRuling:
    """Players have a wrong number of cards.

    counts: cards each player was dealt, played ones included; a seat left out has the right number.
    facts: of the hand, where an award may follow. again: the same dealer misdealt just before.
    played: a book had been closed, so that what is found when the hand is over was found after that.
    Without a wrong number `counts` may be empty: then a misdeal was found that nobody counted.
    """
    right = rules.deal.cards_each
    wrong = {s: n for s, n in counts.items() if n != right}
    listed = ", ".join(f"{SEAT_NAMES[s]} has {n}" for s, n in wrong.items()) or "a misdeal"
    if stage == "before_bidding":
        return _before_bidding(wrong, listed, rules, again)
    early = stage == "before_first_book"
    key = "misdeal.before_first_book" if early else "misdeal.after_first_book"
    law = rules.misdeal.before_first_book if early else rules.misdeal.after_first_book
    short = [s for s, n in wrong.items() if n < right]
    one_short = law == "one_short" and len(wrong) == len(short) == 1
    costs = one_short or (law == "dealers_set" and dealer and (wrong or not counts))
    if stage == "hand_over" and not (costs and played):
        return _at_end(wrong, listed, rules)
    if one_short:
        offender = team_of(short[0])
        said = f"{listed}, all others are right: as a renege of {TEAM_NAMES[offender]}"
        if facts is None:
            return _ruling("award", said, (key,), rules)
        return _awarded(renege_award(offender, facts, rules), said, (key,), rules)
    if law == "dealers_set" and dealer:
        team = team_of(dealer)
        said = f"{listed}: a set for {TEAM_NAMES[team]}, who dealt"
        if facts is None:
            return _ruling("award", said, (key,), rules)
        return _awarded(played_set(team, facts, rules), said, (key,), rules)
    if law == "redeal":
        return _ruling("redeal", f"{listed}: deal again", (key,), rules)
    if law == "by_cards":
        return _by_cards(wrong, listed, key, rules)
    if law == "play_on":
        rest = "the cards left over go with the last book"
        return _ruling("play_on", f"{listed}: play on, {rest}", (key, "misdeal.leftover"), rules)
    return _ruling("director", f"{listed}: for the director", (key,), rules, director=True)


def _before_bidding(wrong: Mapping[Seat, int], listed: str, rules: RuleSet, again: bool) -> DealRuling:
    key = "misdeal.before_bidding"
    if again and rules.misdeal.same_dealer_twice == "deal_passes":
        said = f"{listed}, the second misdeal in a row: no points, the deal passes to the next player"
        return _ruling("next_dealer", said, ("misdeal.same_dealer_twice",), rules)
    match rules.misdeal.before_bidding:
        case "second_deck":
            said = f"{listed}: the same dealer deals again with the second deck, the cut is offered"
            return _ruling("second_deck", said, (key,), rules)
        case "draw":
            said = f"{listed}: the short player draws from the whole hand of the player with too many"
            return _ruling("draw", said, (key,), rules)
        case "by_cards":
            return _by_cards(wrong, listed, key, rules)
    return _ruling("redeal", f"{listed}: shuffle, cut and deal again", (key,), rules)


def _by_cards(wrong: Mapping[Seat, int], listed: str, key: str, rules: RuleSet) -> DealRuling:
    """One card to be pulled: no new deal; two or more: deal again (NP-14, NP-15)."""
    pulled = sum(max(rules.deal.cards_each - n, 0) for n in wrong.values())
    pulled = max(pulled, sum(max(n - rules.deal.cards_each, 0) for n in wrong.values()))
    if pulled > 1:
        return _ruling("redeal", f"{listed}, {pulled} cards must be pulled: deal again", (key,), rules)
    return _ruling("draw", f"{listed}: one card is pulled, there is no new deal", (key,), rules)


def _at_end(wrong: Mapping[Seat, int], listed: str, rules: RuleSet) -> DealRuling:
    fine = rules.misdeal.fine
    keys = ("misdeal.leftover", "misdeal.fine") if fine else ("misdeal.leftover",)
    said = f"{listed} at the end: the cards left over go with the last book"
    if not fine or not wrong:
        return _ruling("play_on", said, keys, rules)
    change: dict[Team, int] = dict.fromkeys(TEAMS, 0)
    for seat in wrong:
        change[team_of(seat)] -= fine
    found = _ruling("fine", f"{said}; {fine} points off for each of them", keys, rules)
    return DealRuling("fine", found.text, found.clauses, change)


def _awarded(award: HandScore, said: str, keys: tuple[str, ...], rules: RuleSet) -> DealRuling:
    ids = tuple(dict.fromkeys((*(i for key in keys for i in rules.clauses(key)), *award.clauses)))
    return DealRuling("award", f"{said} ({cited(ids)})", ids, award.change, award)


def rulings(state: HandState, rules: RuleSet, facts: Facts | None = None) -> list[tuple[int, DealRuling]]:
    """What follows from each fact of the deal that was entered, with the event's number.

    Players' counts of one stage are taken together, at the last of them.
    """

    def _counted(cards: Mapping[Seat, int], stage: Stage) -> DealRuling:
        played = state.closed_books > 0
        return wrong_count(cards, stage, rules, dealer=state.dealer, facts=facts, played=played)

    found: list[tuple[int, DealRuling]] = []
    counts: dict[Stage, tuple[int, dict[Seat, int]]] = {}
    for noted in state.noted:
        what = noted.what
        if isinstance(what, CardsCounted):
            counts[noted.stage] = (noted.seq, {**counts.get(noted.stage, (0, {}))[1], what.seat: what.number})
        elif what.what == "misdeal":
            found.append((noted.seq, _counted({}, noted.stage)))
        elif ruling := _fact(what, state.dealer, rules):
            found.append((noted.seq, ruling))
    for stage, (seq, counted) in counts.items():
        if any(n != rules.deal.cards_each for n in counted.values()):
            found.append((seq, _counted(counted, stage)))
    return sorted(found, key=lambda f: f[0])


def _fact(what: DealNoted, dealer: Seat | None, rules: RuleSet) -> DealRuling | None:
    number = what.number
    match what.what:
        case "no_cut":
            return no_cut(rules)
        case "card_exposed":
            return card_exposed(rules)
        case "complaint_upheld" | "complaint_denied":
            return complaint(dealer, what.what == "complaint_upheld", rules) if dealer else None
        case "shuffled" if number is not None:
            return shuffled(number, rules)
        case "cut" if number is not None:
            return cut(number, rules)
        case "packet" if number is not None:
            return packet(number, rules)
    return None
