"""A team takes every book or every point of a hand: Boston, pinochle, 48 and the board (comparison.md 13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.cards import TEAMS, Team
from engine.rules import ALL_POINTS, RuleSet, cited
from engine.scoring import TEAM_NAMES, Facts, HandScore, game_over


@dataclass(frozen=True, slots=True)
class Standing:
    """The game after a hand. `totals`: with the hand's score; `final`: with the bonus of a sweep too.

    `sweep`: who took everything. `text`: why, with its clauses; empty when there is nothing to say.
    """

    totals: Mapping[Team, int]
    final: Mapping[Team, int]
    over: bool
    winner: Team | None
    sweep: Team | None = None
    bonus: int = 0
    text: str = ""
    clauses: tuple[str, ...] = ()


def sweeper(
    score: HandScore, facts: Facts, books: Mapping[Team, int], rules: RuleSet, in_hand: int = 20
) -> Team | None:
    """Who took all books (WS-67) or all points (GL-40, NP-62) of a hand that was played.

    It is open to either team; the bidders must have made their bid (D-30).
    """
    if score.result not in ("made", "set"):
        return None
    for team in TEAMS:
        wants = rules.game.automatic_win
        took = books[team] == in_hand if wants == "all_books" else facts.points[team] == ALL_POINTS
        if wants != "none" and took and (team != facts.bidders or score.result == "made"):
            return team
    return None


def after_hand(
    score: HandScore,
    facts: Facts,
    books: Mapping[Team, int],
    before: Mapping[Team, int],
    rules: RuleSet,
    *,
    hands: int = 0,
) -> Standing:
    """The totals after a hand, and whether they or a sweep end the game.

    `hands`: hands in the round where their number is fixed; in a format as short as the sheet names
    one, a sweep brings its points and does not end the game (EC-61).
    """
    law = rules.game
    totals: dict[Team, int] = {team: before[team] + score.change[team] for team in TEAMS}
    final = dict(totals)
    short = bool(hands) and hands == law.short_format_hands
    over, winner = (False, None) if short else game_over(totals, facts.bidders, rules)
    team = sweeper(score, facts, books, rules)
    if team is None:
        return Standing(totals, final, over, winner)
    if law.automatic_lifts_to_target and not short:
        final[team] = max(final[team], law.target)
    final[team] += law.automatic_bonus
    if law.automatic_ends_game and not short:
        over, winner = True, team
    keys = ["automatic_win", "automatic_bonus"]
    if short:
        keys.append("short_format_hands")
    elif law.automatic_lifts_to_target:
        keys.append("automatic_lifts_to_target")
    if law.automatic_ends_game and not short:
        keys.append("automatic_ends_game")
    ids = tuple(dict.fromkeys(i for key in keys for i in rules.clauses(f"game.{key}")))
    what = "all books" if law.automatic_win == "all_books" else f"all {ALL_POINTS} points"
    text = f"{TEAM_NAMES[team]} took {what}: {totals[team]} becomes {final[team]}"
    text += " and the game is won" if winner == team and over else ""
    text += f" ({cited(ids)})"
    if not law.automatic_printed:
        text += "; a proposal, the text of the rule is missing"
    return Standing(totals, final, over, winner, team, law.automatic_bonus, text, ids)
