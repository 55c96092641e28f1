"""The sections of a rule sheet that concern the auction, the game and the tournament.

Each class is a section of `engine/rulesets/*.toml`, each field a key in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.sheet import RuleError

AbsentScore: TypeAlias = Literal["average_of_own", "highest_of_round", "as_played", "director"]
"""What a team gets for a round without opponents: the mean of its own played games of the same
record, the round's highest score, its score against substitutes, or what the director enters."""


@dataclass(frozen=True, slots=True)
class Bidding:
    """`steps`: from which bid on bids are multiples of what.

    `off_ladder` has its own consequence only once the bidding stood at `off_ladder_from` or more;
    below that such a bid is void and replaced.
    """

    order: Literal["from_dealers_left"]
    minimum: int
    steps: tuple[tuple[int, ...], ...]
    dropped_at: int
    pass_is_final: bool
    chatty: Literal["bar_partner", "replace"]
    insufficient: Literal["replace", "raise_and_freeze_partner"]
    off_ladder: Literal["replace", "freeze_team"]
    off_ladder_from: int
    out_of_turn: Literal["bar_team", "bar_partner", "director", "freeze_team", "silence_partner"]
    first_out_of_turn: Literal["as_any", "opponents_choose"]
    pass_out_of_turn: Literal["as_bid", "director"]
    information: Literal["conduct", "misdeal_claim"]
    double_run: Literal["need_not_be_declared", "on_first_bid"]
    names_trump: Literal["bidder"]

    def __post_init__(self) -> None:
        starts = [step[0] for step in self.steps if len(step) == 2 and step[1] > 0]
        if not starts or len(starts) < len(self.steps) or starts != sorted(starts):
            raise RuleError(
                "steps must be a rising list like [[50, 1], [60, 5]]: from 50 in ones, from 60 in fives"
            )
        if starts[0] > self.minimum:
            raise RuleError(f"steps must begin at the lowest bid, {self.minimum}, not at {starts[0]}")

    def step(self, amount: int) -> tuple[int, int]:
        """The step that holds for this bid: from where, multiples of what."""
        held = [s for s in self.steps if s[0] <= amount] or [self.steps[0]]
        return held[-1][0], held[-1][1]

    def on_ladder(self, amount: int) -> bool:
        return amount >= self.minimum and amount % self.step(amount)[1] == 0

    def above(self, amount: int | None) -> int:
        """The lowest bid that may follow this one; None: the lowest of all."""
        bid = self.minimum if amount is None else max(amount + 1, self.minimum)
        while not self.on_ladder(bid):
            bid += 1
        return bid


@dataclass(frozen=True, slots=True)
class Game:
    """How a round's game ends. Zero: no target, no fixed number of hands, no printed time.

    `automatic_printed`: whether the sheet prints the automatic win or it is only proposed (D-18).
    """

    target: int
    both_reach: Literal["bidders", "does_not_apply"]
    hands: int
    timed: bool
    minutes: int
    at_time: Literal["finish_hand"]
    lost_time_back: bool
    tie: Literal["director"]
    automatic_win: Literal["all_books", "all_points", "none"]
    automatic_printed: bool
    automatic_bonus: int
    automatic_lifts_to_target: bool
    automatic_ends_game: bool
    short_format_hands: int
    shutout_bonus: int
    shutout_when: Literal["time_limit", "all_hands", "never"]


@dataclass(frozen=True, slots=True)
class Tournament:
    """Zero: no printed number of rounds, no brackets, no limit, no penalty.

    Lateness: up to `late_grace` minutes nothing; then `late_per_minute` for each minute over it,
    `late_charged` to whom; over `late_limit` minutes the team has 0 for the round.
    """

    rounds: int
    final_rounds: int
    bracket_size: int
    others_restart: bool
    ranking: tuple[Literal["wins", "points"], ...]
    rotation: Literal["even_teams_move_up", "entered"]
    bye: AbsentScore
    bye_wins: bool
    late_grace: int
    late_per_minute: int
    late_charged: Literal["to_opponents", "from_late_team", "nobody"]
    late_limit: int
    late_opponents: AbsentScore
    disqualified_opponents: AbsentScore
    wrong_table: int
    scorekeepers: Literal["one_each_team", "one_player", "director"]
    signed_by: Literal["both_scorekeepers", "all_players", "one_player_each_team", "both_teams", "director"]
    changes_after_submission: bool

    def __post_init__(self) -> None:
        if not self.ranking:
            raise RuleError('ranking needs at least one of "wins", "points"')
