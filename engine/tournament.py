"""A whole tournament as data: teams in, pairings, results, standings and brackets out.

A `Tournament` is never changed: `handed_in` gives the next one. Everything a person decides, such as
a tie, a pairing or an entered score, is an argument; everything else follows from the sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.rotation import Pairing, pair, pair_brackets
from engine.rounds import TableReport, TeamResult, settle_round
from engine.rules import RuleSet, cited
from engine.standings import Brackets, Place, brackets, filled, records, standings


class TournamentError(ValueError):
    """Something that cannot be entered; the message says what and what to do."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """`first`, `final`: rounds before and in the brackets. `broken`: teams in the order in which the director
    broke ties. `results`: a tuple for each round that was handed in.
    """

    rules: RuleSet
    teams: tuple[str, ...]
    first: int
    final: int
    broken: tuple[str, ...] = ()
    results: tuple[tuple[TeamResult, ...], ...] = ()

    @property
    def rounds(self) -> int:
        return self.first + self.final

    @property
    def next_round(self) -> int | None:
        """The number of the round to be played; None when all are."""
        return len(self.results) + 1 if len(self.results) < self.rounds else None

    def pairing(self) -> Pairing:
        """The next round's tables. Raises TournamentError if there is none or a tie must be broken first."""
        number = self.next_round
        if number is None:
            raise TournamentError(f"all {self.rounds} rounds are played; there is no further pairing")
        if number <= self.first:
            return pair(self.teams, number, self.rules)
        cut = self.cut()
        if cut is None:
            raise TournamentError("the brackets are not formed yet")
        if cut.undecided:
            teams = ", ".join(cut.undecided)
            raise TournamentError(
                f"{teams} are equal at the cut of the brackets: enter the order of these teams"
            )
        return pair_brackets([cut.winners, cut.consolation], number, self.first + 1, self.rules)

    def cut(self) -> Brackets | None:
        """The brackets, once the first rounds are played; None before, or where the sheet has none."""
        if not self.final or len(self.results) < self.first:
            return None
        return brackets(self.standings(after=self.first), self.rules)

    def standings(self, after: int | None = None) -> list[Place]:
        """All teams in one table, as posted after each round (LV-21), without the rounds in brackets.

        after: of so many rounds; None: of all that were handed in.
        """
        done = self.results[: self.first if after is None else min(after, self.first)]
        found = records((r for results in done for r in results), self.teams)
        return standings(found, self.rules, self.broken)

    def final_standings(self) -> tuple[list[Place], list[Place]]:
        """The winners' bracket with its whole record; the consolation bracket with its own rounds (LV-08).

        Without brackets: all teams, and nobody.
        """
        cut = self.cut()
        if cut is None:
            return self.standings(), []
        settled = self.settled()
        early = [r for results in settled[: self.first] for r in results]
        late = [r for results in settled[self.first :] for r in results]
        since = late if self.rules.tournament.others_restart else [*early, *late]
        top = [r for r in (*early, *late) if r.team in cut.winners]
        rest = [r for r in since if r.team in cut.consolation]
        return (
            standings(records(top, cut.winners), self.rules, self.broken),
            standings(records(rest, cut.consolation), self.rules, self.broken),
        )

    def settled(self) -> tuple[tuple[TeamResult, ...], ...]:
        """The results of each round, with averages filled in from games of the same record (D-28)."""
        early = filled(r for results in self.results[: self.first] for r in results)
        late = [r for results in self.results[self.first :] for r in results]
        cut = self.cut()
        restart = cut.consolation if cut and self.rules.tournament.others_restart else ()
        apart = filled(r for r in late if r.team in restart)
        on = filled((*early, *(r for r in late if r.team not in restart)))
        return tuple(
            tuple(r for r in (*on, *apart) if r.round == number) for number in range(1, len(self.results) + 1)
        )

    def handed_in(
        self,
        reports: Iterable[TableReport],
        pairing: Pairing | None = None,
        entered: Mapping[str, int] | None = None,
    ) -> Tournament:
        """The tournament with the next round's sheets. `pairing`: where the director paired otherwise.

        A round once handed in is not changed (LV-19). Raises TournamentError when not every team has
        one table or bye, or a sheet is missing.
        """
        number = self.next_round
        if number is None:
            law = cited(self.rules.clauses("tournament.changes_after_submission"))
            raise TournamentError(f"all rounds are handed in, and sheets handed in are not changed ({law})")
        pairing = pairing or self.pairing()
        given = list(reports)
        self._complete(pairing, given)
        results = settle_round(replace(pairing, round=number), given, self.rules, entered)
        return replace(self, results=(*self.results, results))

    def ties_broken(self, order: Sequence[str]) -> Tournament:
        """With the director's order of tied teams. Raises TournamentError for an unknown team."""
        unknown = [team for team in order if team not in self.teams]
        if unknown:
            raise TournamentError(f"there is no team '{unknown[0]}' in this tournament; check the name")
        return replace(self, broken=tuple(order))

    def _complete(self, pairing: Pairing, reports: Sequence[TableReport]) -> None:
        there = sorted(pairing.teams)
        if there != sorted(self.teams):
            wrong = sorted(set(self.teams) ^ set(there)) or [t for t in there if there.count(t) > 1]
            raise TournamentError(f"each team needs one table or bye in a round: check team {wrong[0]}")
        seated, sheets = set(pairing.tables), [r.seating for r in reports]
        for seating in sheets:
            if seating not in seated or sheets.count(seating) > 1:
                raise TournamentError(
                    f"the sheet of table {seating.table} is not of this round, or came twice"
                )
        missing = sorted(t.table for t in seated - set(sheets))
        if missing:
            raise TournamentError(f"the sheet of table {missing[0]} is missing: hand it in first")


def open_tournament(
    teams: Sequence[str], rules: RuleSet, *, rounds: int | None = None, final: int | None = None
) -> Tournament:
    """A tournament before its first round, teams in the order of their numbers.

    rounds, final: where the sheet does not print them, or the director plays others. Raises TournamentError.
    """
    law = rules.tournament
    first = law.rounds if rounds is None else rounds
    if first < 1:
        raise TournamentError(f"{rules.title} prints no number of rounds: say how many are played")
    if len(teams) < 2 or len(set(teams)) < len(teams):
        raise TournamentError("a tournament needs two teams or more, each with a name of its own")
    extra = law.final_rounds if final is None else final
    if not law.bracket_size or len(teams) <= law.bracket_size:
        extra = 0
    return Tournament(rules, tuple(teams), first, extra)
