"""`bookwatch judge` and `bookwatch recover`: from the record on disk to books, meld, reneges, score."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from device import report
from device.commands.common import command, opened_store, print_json
from device.config import Settings
from device.errors import UserError
from device.handlog import LOG, catch_up
from engine import notation, spoken
from engine import rules as rulesets
from engine.events import Event, HandStarted
from engine.exposure import breaches
from engine.hand import fold
from engine.renege import audit
from engine.rules import RuleError, RuleSet
from engine.scoring import score


def rules_for(events: list[Event], path: Path, asked: str | None) -> RuleSet:
    """The rule set asked for, or the one that the log names. Raises RuleError and UserError."""
    if asked:
        return rulesets.load(asked)
    start = events[0].what
    if not isinstance(start, HandStarted):
        raise UserError(
            "the log does not begin with hand_started, so its rule set is not known",
            where=f"{path}, line 1",
            do="Name the rule set with --ruleset.",
        )
    try:
        return rulesets.load(start.ruleset)
    except RuleError as error:
        raise UserError(str(error), where=f"{path}, line 1", do="Name another with --ruleset.") from error


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--ruleset", help="Judge by this rule set instead of the log's own.")
@click.option(
    "--threshold", type=click.FloatRange(0.5, 1, min_open=True, max_open=True), help="[game.threshold]"
)
@click.option("--aloud", is_flag=True, help="Print the hand as sentences instead of judging it.")
@command
@click.pass_obj
def judge(
    settings: Settings, log: Path, ruleset: str | None, threshold: float | None, aloud: bool, as_json: bool
) -> None:
    """Judge a hand's LOG (log.jsonl, or the folder that holds it): books, meld, reneges, score.

    A LOG ending in .txt holds sentences, as --aloud prints them.
    """
    path = log / LOG if log.is_dir() else log
    events = spoken.read(path) if path.suffix == ".txt" else notation.read_log(path)
    if aloud:
        click.echo(spoken.say(events), nl=False)
        return
    rules = rules_for(events, path, ruleset)
    state = fold(events, rules)
    flags = audit(state, rules, threshold or settings.game.threshold)
    duties = breaches(state, rules)
    result = score(state, rules)
    if as_json:
        print_json(
            {
                "hand": state.hand,
                "ruleset": rules.name,
                "dealer": state.dealer,
                "bidder": state.bidder,
                "bid": state.bid,
                "trump": state.trump,
                "ended": state.ended,
                "books": [report.book_json(book) for book in state.books],
                "meld": report.meld_json(state),
                "flags": [report.flag_json(flag) for flag in flags],
                "exposures": [asdict(duty) for duty in duties],
                "calls": report.calls_json(state, flags),
                "rulings": [{"seq": seq, **asdict(ruling)} for seq, ruling in state.rulings],
                "points": state.points,
                "score": report.score_json(result),
                "problems": [{"seq": p.seq, "code": p.code, "message": p.message} for p in state.problems],
            }
        )
        return
    click.echo(f"Hand {state.hand or path}. {report.contract_line(state)}")
    for line in report.meld_lines(state):
        click.echo(line)
    for book in state.books:
        click.echo(report.book_line(book))
    for flag in flags:
        for line in report.flag_lines(flag):
            click.echo(line)
    if not flags:
        click.echo("No renege is proven or suspected.")
    for duty in duties:
        click.echo(f"EXPOSED CARD: {duty.text} For the director; no penalty follows by itself.")
    for line in (*report.call_lines(state, flags), *report.correction_lines(events)):
        click.echo(line)
    for problem in state.problems:
        click.echo(f"Note (event {problem.seq}): {problem.message}.")
    for line in report.score_lines(result):
        click.echo(line)


@click.command()
@command
@click.pass_obj
def recover(settings: Settings, as_json: bool) -> None:
    """Mend what a crash left: set unfinished last lines aside, fill the store again from the hand folders."""
    with opened_store(settings) as store:
        notes = catch_up(settings.hands, store)
        hands = len(store.hands())
    if as_json:
        print_json({"hands": hands, "notes": notes})
        return
    for note in notes:
        click.echo(note)
    click.echo(
        f"{hands} hands in {settings.database}; {'all level' if not notes else f'{len(notes)} notes'}."
    )
