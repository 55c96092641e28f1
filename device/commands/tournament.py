"""`bookwatch tournament`: a tournament played by chance, by the rules of a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from device.commands.common import command, print_json
from engine import rules as rulesets
from engine.rehearsal import PlayedRound, Rehearsal, rehearse
from engine.rounds import TeamResult
from engine.rules import RuleSet, cited
from engine.standings import Place
from engine.tournament import Tournament


@click.command()
@click.option(
    "--ruleset",
    "names",
    multiple=True,
    metavar="NAME",
    help="A rule set or sheet; may be repeated. [default: all]",
)
@click.option(
    "--teams", type=click.IntRange(2, 200), default=8, show_default=True, help="How many teams play."
)
@click.option(
    "--rounds", type=click.IntRange(1, 50), help="Rounds before brackets, where not as the sheet prints."
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed plays the same tournament."
)
@command
def tournament(names: tuple[str, ...], teams: int, rounds: int | None, seed: int, as_json: bool) -> None:
    """Play a tournament by chance and print pairings, results, standings and brackets.

    Hands are made up, but bid, scored and settled as the sheet says; what a sheet leaves to the
    director is decided by lot and said so.
    """
    sheets = [rulesets.load(name) for name in names or rulesets.available()]
    numbers = [str(n) for n in range(1, teams + 1)]
    played = [(sheet, rehearse(sheet, numbers, seed, rounds)) for sheet in sheets]
    if as_json:
        print_json([as_data(sheet, rehearsal) for sheet, rehearsal in played])
        return
    for n, (sheet, rehearsal) in enumerate(played):
        for line in (*([""] if n else []), *shown(sheet, rehearsal, seed)):
            click.echo(line)


def shown(sheet: RuleSet, rehearsal: Rehearsal, seed: int) -> Iterator[str]:
    """A tournament as lines for a person."""
    now = rehearsal.tournament
    more = f" and {now.final} in brackets" if now.final else ""
    yield f"{sheet.name}: {sheet.title}, {len(now.teams)} teams, {now.first} rounds{more} (seed {seed})"
    for number, (played, results) in enumerate(zip(rehearsal.rounds, now.settled(), strict=True), 1):
        yield ""
        yield f"Round {number}: {played.pairing.text}"
        yield from _round(played, results)
        if number == now.first:
            yield from _table(f"Standings after round {number}", now.standings())
            cut = now.cut()
            if cut:
                yield f"Brackets: {cut.text}"
                yield f"  winners      {', '.join(cut.winners)}"
                yield f"  consolation  {', '.join(cut.consolation)}"
    if now.final:
        winners, others = now.final_standings()
        yield from _table("Winners bracket, all rounds", winners)
        yield from _table("Consolation bracket, its own rounds", others)
    for lot in rehearsal.lots:
        yield f"By lot, for the director: {lot}"
    yield from _won(sheet, now)


def _round(played: PlayedRound, results: Sequence[TeamResult]) -> Iterator[str]:
    by_team = {r.team: r for r in results}
    for table in played.tables:
        seating = table.report.seating
        pair = [by_team[seating.ns], by_team[seating.ew]]
        scores = " : ".join(f"{_score(r):>4}" for r in pair)
        winner = next((f"{r.team} wins" for r in pair if r.won), "undecided")
        how = f"{table.game.hands} hands" if table.game.hands else "not played"
        yield f"  table {seating.table:2}  {seating.ns:>3} - {seating.ew:3}  {scores}  {winner:10}  {how}"
        for note in dict.fromkeys((*table.game.notes, *pair[0].notes, *pair[1].notes, *table.lots)):
            yield f"            {note}"
    for team in played.pairing.byes:
        one = by_team[team]
        yield f"  bye       {team:>3}        {_score(one):>4}  {' '.join(one.notes)}"


def _score(result: TeamResult) -> str:
    return "open" if result.score is None else str(result.score)


def _table(title: str, places: Sequence[Place]) -> Iterator[str]:
    yield ""
    yield title
    yield "  rank  team  won  lost  points"
    for p in places:
        r = p.record
        tied = f"  equal with {', '.join(p.tied_with)}: the director decides" if p.tied_with else ""
        yield f"  {p.rank:4}  {p.team:>4}  {r.wins:3}  {r.losses:4}  {r.points:6}{tied}"


def _won(sheet: RuleSet, now: Tournament) -> Iterator[str]:
    """The winners of the tournament and of the consolation bracket; a tie is the director's."""
    ids = cited(sheet.clauses("tournament.ranking"))
    for what, places in zip(
        ("the tournament", "the consolation bracket"), now.final_standings(), strict=True
    ):
        first = [p.team for p in places if p.rank == 1]
        if len(first) == 1:
            yield f"Team {first[0]} wins {what} ({ids})"
        elif first:
            yield f"Teams {', '.join(first)} are equal first in {what}: the director decides ({ids})"


def as_data(sheet: RuleSet, rehearsal: Rehearsal) -> dict[str, Any]:
    """A tournament for machines."""
    now = rehearsal.tournament
    winners, others = now.final_standings()
    cut = now.cut()
    return {
        "ruleset": sheet.name,
        "teams": list(now.teams),
        "rounds": [
            {
                "round": played.pairing.round,
                "proposed": played.pairing.proposed,
                "tables": [
                    {
                        "table": t.report.seating.table,
                        "teams": [t.report.seating.ns, t.report.seating.ew],
                        "hands": t.game.hands,
                        "notes": [*t.game.notes, *t.lots],
                    }
                    for t in played.tables
                ],
                "byes": list(played.pairing.byes),
                "results": [_result(r) for r in results],
            }
            for played, results in zip(rehearsal.rounds, now.settled(), strict=True)
        ],
        "standings": [_place(p) for p in now.standings()],
        "brackets": {"winners": list(cut.winners), "consolation": list(cut.consolation)} if cut else None,
        "final": {"winners": [_place(p) for p in winners], "consolation": [_place(p) for p in others]},
        "by_lot": list(rehearsal.lots),
    }


def _result(r: TeamResult) -> dict[str, Any]:
    return {
        "team": r.team, "opponent": r.opponent, "kind": r.kind, "score": r.score, "won": r.won,
        "waits_for": r.waits_for, "notes": list(r.notes), "director": r.director,
    }  # fmt: skip


def _place(p: Place) -> dict[str, Any]:
    r = p.record
    return {
        "rank": p.rank, "team": p.team, "wins": r.wins, "losses": r.losses, "points": r.points,
        "open": r.open, "tied_with": list(p.tied_with),
    }  # fmt: skip
