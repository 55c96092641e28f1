"""What the scorekeeper's page shows. It is built from the public view and the auction alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine import auction, deal
from engine.cards import STRENGTH, SUITS, Face, Seat, Team
from engine.events import (
    BidMade,
    CardLaid,
    CardsCounted,
    Corrected,
    DealerNamed,
    DealFact,
    DealNoted,
    Event,
    HandEnded,
    MeldClosed,
    MeldLaid,
    ScoreAgreed,
    TrumpNamed,
)
from engine.hand import fold
from engine.questions import trump_question
from engine.spoken import say
from webui.desk import Judged
from webui.public import PublicTable, project

KEYS: Final = 8
"""Bids offered as keys to press; higher ones are typed."""
MINE: Final = (
    DealerNamed, DealNoted, CardsCounted, BidMade, TrumpNamed, MeldLaid, Corrected, MeldClosed, HandEnded,
    ScoreAgreed,
)  # fmt: skip
"""Kinds of events that the scorekeeper enters and may take back."""
ENDINGS: Final = {
    "played": "Played out",
    "no_marriage": "Bidder has no marriage",
    "no_board": "Bidders have no board",
    "impossible": "The bid cannot be made",
    "out_of_cards": "A player ran out of cards",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of the deal. `asks`: a number belongs to it."""

    what: DealFact
    words: str
    asks: bool = False


DEAL_FACTS: Final[dict[str, Fact]] = {
    f.what: f
    for f in (
        Fact("shuffled", "Shuffled so many times", True),
        Fact("cut", "The cut left so many cards", True),
        Fact("packet", "Dealt so many at a time", True),
        Fact("no_cut", "Dealt without a cut"),
        Fact("card_exposed", "A card was exposed in the deal"),
        Fact("misdeal", "A misdeal"),
    )
}
"""What scorekeepers enter; complaints are the director's to decide."""


@dataclass(frozen=True, slots=True)
class Called:
    """`fault`: what was improper in it, with its consequence and clauses."""

    seat: Seat
    call: str
    fault: str | None


@dataclass(frozen=True, slots=True)
class AuctionView:
    calls: tuple[Called, ...]
    turn: Seat | None
    keys: tuple[str, ...]
    result: str
    over: bool


@dataclass(frozen=True, slots=True)
class ScorePage:
    """`entries`: how many the scorekeepers have made; no number here counts what they may not know."""

    table: PublicTable
    entries: int
    auction: AuctionView | None
    namer: Seat | None
    faces: tuple[Face, ...]
    last: str | None
    """The last entry that stands, in words."""
    deal: tuple[str, ...]
    """What follows from the facts of the deal and the cards counted, with clauses."""
    dealt: int
    agreed: frozenset[Team]
    closed: bool
    """Both teams have agreed: nothing is entered any more."""
    trump_open: bool
    """Trump is in doubt by the meld that all saw; what later cards tell of it is the director's alone."""


def score_page(judged: Judged) -> ScorePage:
    state, table = judged.state, project(judged)
    called = auction_view(judged) if state.dealer else None
    agreed = frozenset(state.agreed)
    return ScorePage(
        table=table,
        entries=entries(judged),
        auction=called,
        namer=state.bidder if called is None or called.over else None,
        faces=tuple(sorted(state.deck.faces, key=lambda f: (SUITS.index(f.suit), -STRENGTH[f.rank]))),
        last=_said(last_entry(judged)),
        deal=tuple(_ruled(r) for _, r in deal.rulings(state, state.rules)),
        dealt=state.rules.deal.cards_each,
        agreed=agreed,
        closed=len(agreed) == 2,
        trump_open=_is_trump_open(judged),
    )


def _is_trump_open(judged: Judged) -> bool:
    gone, lead = judged.undone, next((e.seq for e in judged.events if isinstance(e.what, CardLaid)), None)
    open_to_all = [
        e
        for e in judged.events
        if e.seq not in gone and (lead is None or e.seq < lead or isinstance(e.what, TrumpNamed))
    ]
    return trump_question(fold(open_to_all, judged.state.rules)) is not None


def _ruled(ruling: deal.DealRuling) -> str:
    return f"{ruling.text[:1].upper()}{ruling.text[1:]}"


def auction_view(judged: Judged) -> AuctionView:
    state = judged.state
    assert state.dealer is not None
    found = auction.fold(state.dealer, state.bids, state.rules)
    faults = {f.index: f.text for f in found.faults}
    keys = [str(n) for n in found.next_bids(KEYS)]
    keys += ["pass"] if found.may_pass else []
    return AuctionView(
        calls=tuple(Called(seat, said, faults.get(n)) for n, (seat, said) in enumerate(state.bids)),
        turn=found.turn,
        keys=(*keys, *found.options),
        result=auction.result(found)[0],
        over=found.ended,
    )


def entries(judged: Judged) -> int:
    return sum(e.by == "scorekeeper" for e in judged.events)


def last_entry(judged: Judged) -> Event | None:
    """The scorekeepers' last entry that stands."""
    gone = judged.undone
    mine = (e for e in reversed(judged.events) if e.by == "scorekeeper" and isinstance(e.what, MINE))
    return next((e for e in mine if e.seq not in gone), None)


def _said(event: Event | None) -> str | None:
    """Meld cards are not named: they may have been picked up."""
    match event.what if event else None:
        case None:
            return None
        case MeldLaid():
            return "A card was added to the meld"
        case Corrected():
            return "A card was taken from the meld"
    assert event is not None
    return say([event]).strip().rstrip(".")
