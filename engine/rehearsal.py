"""A tournament played by chance: plausible auctions and hands, scored and settled by the sheet.

For organisers who want to see what a sheet makes of a day, and for tests. Where a sheet leaves
something to the director, lots are drawn, and the notes say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from engine import auction, game, scoring, unplayed
from engine.cards import SEATS, TEAMS, Seat, Team, next_seat, opponents, partner, team_of
from engine.game import GameState, PlayedHand
from engine.penalties import late
from engine.rotation import Pairing, Seating
from engine.rounds import TableReport
from engine.rules import ALL_POINTS, RuleSet
from engine.scoring import Facts, HandScore
from engine.tournament import Tournament, open_tournament

ROUNDS = 4
"""Rounds where the sheet prints no number."""
MINUTES = 55
"""A round's minutes where it is timed and the sheet prints no length."""


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """One table of a round: its sheet, how its game went, and what lots decided."""

    report: TableReport
    game: GameState
    lots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayedRound:
    pairing: Pairing
    tables: tuple[PlayedTable, ...]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    tournament: Tournament
    rounds: tuple[PlayedRound, ...]
    lots: tuple[str, ...] = field(default=())


def rehearse(rules: RuleSet, teams: Sequence[str], seed: int, rounds: int | None = None) -> Rehearsal:
    """A whole tournament from a seed. Raises engine.tournament.TournamentError."""
    rng = Random(f"{rules.name} {seed}")
    now = open_tournament(teams, rules, rounds=rounds or rules.tournament.rounds or ROUNDS)
    played: list[PlayedRound] = []
    lots: list[str] = []
    while now.next_round is not None:
        cut = now.cut()
        if cut and cut.undecided:
            order = rng.sample(cut.undecided, len(cut.undecided))
            lots.append(f"lots order the teams equal at the cut: {', '.join(order)}")
            now = now.ties_broken(order)
        pairing = now.pairing()
        tables = tuple(play_table(seating, rules, rng) for seating in pairing.tables)
        entered = {}
        if rules.tournament.bye == "director" and pairing.byes:
            scores = [t.report.totals[team] for t in tables for team in TEAMS]
            mean = round(sum(scores) / max(len(scores), 1))
            entered = dict.fromkeys(pairing.byes, mean)
            lots.append(f"round {pairing.round}: the round's mean, {mean}, is entered for the bye")
        now = now.handed_in([t.report for t in tables], pairing, entered)
        played.append(PlayedRound(pairing, tables))
    return Rehearsal(now, tuple(played), tuple(lots))


def play_table(seating: Seating, rules: RuleSet, rng: Random) -> PlayedTable:
    """One table's round: now and then a team is late."""
    minutes: dict[Team, int] = {}
    if rng.random() < 0.08:
        minutes[rng.choice(TEAMS)] = rng.choice((1, 2, 4, 7, 9, 11, 12, 16))
    absent = [p for team, m in minutes.items() if (p := late(team, m, rules)) and p.out]
    if any(p.opponents != "as_played" for p in absent):
        return PlayedTable(TableReport(seating, late=minutes), game.begin())
    done = play_game(rules, rng)
    winner, lots = done.winner, []
    if done.tie:
        winner = rng.choice(TEAMS)
        name = seating.ns if winner == "NS" else seating.ew
        lots.append(f"table {seating.table}: equal scores, lots decide for {name}")
    return PlayedTable(TableReport(seating, done.totals, winner, minutes), done, tuple(lots))


def play_game(rules: RuleSet, rng: Random) -> GameState:
    """Hands until the game is over by target, sweep, number of hands or time."""
    now, dealer, elapsed = game.begin(), rng.choice(SEATS), 0.0
    announced = rules.game.minutes or MINUTES
    while not now.over:
        if not game.may_deal(game.minutes_left(elapsed, rules, announced=announced)):
            now = game.time_called(now, rules)
            break
        now = game.add(now, play_hand(dealer, rules, rng), rules)
        elapsed += rng.uniform(5.5, 8.5)
        dealer = next_seat(dealer)
    return now


def play_hand(dealer: Seat, rules: RuleSet, rng: Random) -> PlayedHand:
    """One hand: an auction of legal calls, meld and points by chance, scored by the sheet."""
    strength = {seat: rng.gauss(48, 9) for seat in SEATS}
    state = auction.start(dealer, rules)
    while not state.ended:
        seat, least = state.turn or dealer, state.next_min or 0
        state = auction.call(state, seat, str(least) if strength[seat] >= least else "pass")
    bid = state.bid or auction.Bid(dealer, rules.bidding.dropped_at)
    side = team_of(bid.seat)
    help_ = strength[partner(bid.seat)] - 48
    own = round(max(rng.gauss(bid.amount - 25 + help_ / 2, 7), 0))
    meld: dict[Team, int] = {side: own, opponents(side): round(max(rng.gauss(19, 9), 0))}
    if not state.dropped:
        meld[side] = max(own, rng.randint(14, 30))
    points = round(min(max(rng.gauss(29, 5), 0), ALL_POINTS))
    if rng.random() < 0.01:
        points = ALL_POINTS
    facts = Facts(bid.amount, side, meld, {side: points, opponents(side): ALL_POINTS - points})
    score = _scored(facts, state.dropped, rules, rng)
    books = 20 if points == ALL_POINTS else min(max(round(points * 0.4), 0), 19)
    return PlayedHand(score, facts, {side: books, opponents(side): 20 - books})


def _scored(facts: Facts, dropped: bool, rules: RuleSet, rng: Random) -> HandScore:
    if rng.random() < 0.02:
        return unplayed.not_played("no_marriage", facts, rules, dropped)
    if facts.meld[facts.bidders] < rules.meld.board:
        return unplayed.not_played("no_board", facts, rules, dropped)
    if unplayed.certain_set(facts) and rules.unplayed.impossible == "void":
        return unplayed.not_played("impossible", facts, rules, dropped)
    if rng.random() < 0.02:
        stopped = {team: facts.points[team] // 2 for team in TEAMS}
        cut_short = Facts(facts.bid, facts.bidders, facts.meld, stopped)
        return scoring.renege_award(rng.choice(TEAMS), cut_short, rules)
    return scoring.played(facts, rules)
