"""One table's game in a round: its hands, its clock, how it ends, who has won (comparison.md section 13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from engine import sweep
from engine.cards import TEAMS, Team, opponents
from engine.rules import RuleSet, cited
from engine.scoring import TEAM_NAMES, Facts, HandScore


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A scored hand. `books`: how many each team took."""

    score: HandScore
    facts: Facts
    books: Mapping[Team, int]


@dataclass(frozen=True, slots=True)
class Bonus:
    """Points for what happened in the round as a whole; never part of a hand's score."""

    team: Team
    amount: int
    text: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameState:
    """A game after some hands. `awarded`: what each team got for hands alone (D-40).

    `tie`: it is over and the director decides. `notes`: what brought its bonuses and its end, with clauses.
    """

    totals: Mapping[Team, int]
    awarded: Mapping[Team, int]
    hands: int = 0
    over: bool = False
    winner: Team | None = None
    tie: bool = False
    shutout: Bonus | None = None
    notes: tuple[str, ...] = ()


def begin() -> GameState:
    return GameState({"NS": 0, "EW": 0}, {"NS": 0, "EW": 0})


def add(game: GameState, hand: PlayedHand, rules: RuleSet, *, short_hands: int = 0) -> GameState:
    """The game after one more hand, added and totalled (LV-14, WS-04, EC-04). A game that is over stays.

    short_hands: hands in the round, where the format is as short as the sheet's own (EC-61).
    """
    if game.over:
        return game
    now = sweep.after_hand(hand.score, hand.facts, hand.books, game.totals, rules, hands=short_hands)
    awarded = {t: game.awarded[t] + max(hand.score.change[t], 0) for t in TEAMS}
    after = GameState(now.final, awarded, game.hands + 1, notes=game.notes)
    if now.text:
        after = replace(after, notes=(*after.notes, now.text))
    if now.over and now.winner:
        return _ended(replace(after, winner=now.winner), _reached(now, hand.facts.bidders, rules), rules)
    limit = short_hands or rules.game.hands
    if limit and after.hands >= limit:
        ids = rules.clauses("game.short_format_hands" if short_hands else "game.hands")
        after = _ended(after, f"all {limit} hands are played ({cited(ids)})", rules, all_hands=True)
    return after


def time_called(game: GameState, rules: RuleSet, *, bidding_begun: bool = False) -> GameState:
    """The game when the director calls time. A hand whose bidding has begun is finished first (D-24):

    then the game goes on as it is, and time is called again after that hand.
    """
    if game.over or bidding_begun or not rules.game.timed:
        return game
    ids = rules.clauses("game.timed") + rules.clauses("game.at_time")
    return _ended(game, f"time is up ({cited(ids)})", rules, time_up=True)


def fold(
    hands: Iterable[PlayedHand], rules: RuleSet, *, time_up: bool = False, short_hands: int = 0
) -> GameState:
    """The game after these hands. `time_up`: time was called after the last of them."""
    game = begin()
    for hand in hands:
        game = add(game, hand, rules, short_hands=short_hands)
    return time_called(game, rules) if time_up else game


def minutes_left(
    elapsed: float, rules: RuleSet, *, announced: float | None = None, lost: float = 0
) -> float | None:
    """Minutes until time is up by the director's clock (LV-36), below 0 when it is; None without a time.

    elapsed: minutes since the round began. announced: the director's time, where none is printed or
    another holds. lost: minutes for which time was called in a dispute, which GL-57 gives back.
    """
    limit = announced if announced is not None else rules.game.minutes
    if not rules.game.timed or not limit:
        return None
    return limit - elapsed + (lost if rules.game.lost_time_back else 0)


def may_deal(left: float | None) -> bool:
    """Whether a new hand may begin with so many minutes left: none after time is up (D-24)."""
    return left is None or left > 0


def shutout(
    awarded: Mapping[Team, int], rules: RuleSet, *, time_up: bool = False, all_hands: bool = False
) -> Bonus | None:
    """The bonus for opponents without a point in all hands of the round, penalties ignored (D-40)."""
    law = rules.game
    due = {"time_limit": time_up, "all_hands": all_hands, "never": False}[law.shutout_when]
    without = [team for team in TEAMS if awarded[team] == 0]
    if not due or len(without) != 1:
        return None
    team = opponents(without[0])
    ids = rules.clauses("game.shutout_bonus") + rules.clauses("game.shutout_when")
    text = (
        f"{TEAM_NAMES[without[0]]} have no points: {law.shutout_bonus} for {TEAM_NAMES[team]} ({cited(ids)})"
    )
    return Bonus(team, law.shutout_bonus, text, ids)


def _reached(now: sweep.Standing, bidders: Team, rules: RuleSet) -> str:
    target = rules.game.target
    if now.sweep == now.winner and rules.game.automatic_ends_game:
        return f"{TEAM_NAMES[now.winner or 'NS']} win by taking everything ({cited(now.clauses)})"
    if all(now.totals[t] >= target for t in TEAMS):
        ids = rules.clauses("game.both_reach")
        return f"both have reached {target}: the bidders, {TEAM_NAMES[bidders]}, win ({cited(ids)})"
    ids = rules.clauses("game.target")
    return f"{TEAM_NAMES[now.winner or 'NS']} have reached {target} ({cited(ids)})"


def _ended(
    game: GameState, why: str, rules: RuleSet, *, time_up: bool = False, all_hands: bool = False
) -> GameState:
    totals, notes, winner, tie = dict(game.totals), [*game.notes, why], game.winner, False
    bonus = shutout(game.awarded, rules, time_up=time_up, all_hands=all_hands)
    if bonus:
        totals[bonus.team] += bonus.amount
        notes.append(bonus.text)
    if winner is None:
        tie = totals["NS"] == totals["EW"]
        winner = None if tie else ("NS" if totals["NS"] > totals["EW"] else "EW")
        if tie:
            notes.append(f"equal scores: the director decides ({cited(rules.clauses('game.tie'))})")
    return replace(game, totals=totals, over=True, winner=winner, tie=tie, shutout=bonus, notes=tuple(notes))
