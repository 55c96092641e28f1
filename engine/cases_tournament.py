"""Rule cases of kinds `round` and `tournament`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from engine import deal, game, penalties, rotation, rounds, standings
from engine.cards import TEAMS, Team, seat
from engine.caseform import CaseError, Given, Got, Handler, teams
from engine.rules import RuleSet
from engine.scoring import Facts
from engine.state import Stage

_FOUND: Final[dict[str, Stage]] = {
    "before bidding": "before_bidding",
    "before trick 1 closed": "before_first_book",
    "during play": "after_first_book",
    "after trick 1 closed": "after_first_book",
    "at the end": "hand_over",
}


def _round(given: Given, expect: dict[str, Any], law: RuleSet) -> Got:
    if "late_team" in given or "disqualified_team" in given:
        return _absent(given, law)
    if "team_at_wrong_table" in given:
        fault = penalties.wrong_table(_team(given["team_at_wrong_table"]), law)
        final = teams(given["scores"])
        if fault.change_to:
            final[fault.change_to] += fault.change
        return {"final": final, "director": fault.director}
    if "end_of_hand_card_counts" in given:
        final = teams(given["final_before_penalty"])
        ruling = deal.wrong_count(_counts(given["end_of_hand_card_counts"]), "hand_over", law)
        fines = {t: -ruling.change[t] for t in TEAMS}
        return {"penalties": fines, "final": {t: final[t] - fines[t] for t in TEAMS}}
    if "hand" in given:
        return _wrong_count(given, law)
    return _end(given, law)


def _team(name: Any) -> Team:
    if name not in TEAMS:
        raise CaseError(f"'{name}' is not a team: write NS or EW")
    return "NS" if name == "NS" else "EW"


def _counts(table: Any) -> dict[Any, int]:
    return {seat(s): int(n) for s, n in table.items()}


def _absent(given: Given, law: RuleSet) -> Got:
    """A team that came late, or that the director disqualified for the round."""
    late = "late_team" in given
    team = _team(given["late_team" if late else "disqualified_team"])
    highest, totals = given.get("highest_score_of_round"), teams(given.get("scores_at_end"))
    report = rounds.TableReport(rotation.Seating(1, "NS", "EW"), totals)
    if late:
        report = replace(report, late={team: given["minutes_late"]})
    else:
        report = replace(report, disqualified=frozenset([team]))
    fault = next(iter(rounds.faults(report, law)), None)
    results = rounds.settle_table(report, 1, law)
    scores = {r.team: r.score for r in results}
    other = next(r for r in results if r.team != team)
    if other.waits_for == "highest_of_round":
        scores[other.team] = highest
    out = fault is not None and fault.out
    names = {"average_of_own": "bye", "highest_of_round": "highest", "as_played": "as_played"}
    return {
        "penalty_to": fault.change_to if fault and fault.change > 0 else None,
        "penalty_against": fault.change_to if fault and fault.change < 0 else None,
        "amount": abs(fault.change) if fault else 0,
        "scores": scores,
        "score": {t: s for t, s in scores.items() if s is not None},
        "disqualified": team if out else None,
        "other": names.get(fault.opponents or "", "director") if out and fault else None,
        "director": fault is not None and fault.director,
    }


def _wrong_count(given: Given, law: RuleSet) -> Got:
    hand = given["hand"]
    unknown = set(hand) - {"bid", "bidders", "meld", "points"}
    if unknown:
        raise CaseError(f"given.hand.{min(unknown)} is not understood")
    facts = Facts(hand["bid"], _team(hand["bidders"]), teams(hand["meld"]), teams(hand.get("points")))
    counts = _counts(given.get("card_counts", {}))
    found = given["misdeal_found"] if "misdeal_found" in given else given["found"]
    if found not in _FOUND:
        raise CaseError(f"'{found}' is not understood: write one of {', '.join(_FOUND)}")
    dealer = seat(given["dealer"]) if "dealer" in given else None
    ruling = deal.wrong_count(counts, _FOUND[found], law, dealer=dealer, facts=facts)
    return {"award": dict(ruling.change), "outcome": ruling.outcome, "director": ruling.director}


def _end(given: Given, law: RuleSet) -> Got:
    """The end of a round: its hands' scores, or only the totals."""
    hands = given.get("hands")
    awarded = {t: sum(h[t] for h in hands) for t in TEAMS} if hands is not None else teams(given["scores"])
    all_hands = hands is not None and bool(law.game.hands) and len(hands) >= law.game.hands
    bonus = game.shutout(awarded, law, time_up=given.get("time_limit_reached", False), all_hands=all_hands)
    final = {t: awarded[t] + (bonus.amount if bonus and bonus.team == t else 0) for t in TEAMS}
    team = bonus.team if bonus else None
    tie = final["NS"] == final["EW"]
    winner = None if tie else ("NS" if final["NS"] > final["EW"] else "EW")
    return {
        "bonus_to": team, "skunk": team, "bonus": bonus.amount if bonus else 0, "final": final,
        "winner": winner, "director": tie,
    }  # fmt: skip


def _tournament(given: Given, expect: dict[str, Any], law: RuleSet) -> Got:
    if "records" in given:
        if given["after_round"] != law.tournament.rounds:
            raise CaseError(f"the brackets are formed after round {law.tournament.rounds}")
        found = [standings.Record(team, wins, points) for team, (wins, points) in given["records"].items()]
        cut = standings.brackets(standings.standings(found, law), law)
        return {
            "winners_bracket": list(cut.winners),
            "consolation": list(cut.consolation),
            "undecided": list(cut.undecided),
        }
    if "teams" in given:
        pairing = rotation.pair([str(n) for n in range(1, given["teams"] + 1)], given["round"], law)
        tables = {str(t.table): [t.ns, t.ew] for t in pairing.tables}
        return {"tables": tables, "byes": list(pairing.byes)}
    if "bye_team" in given:
        seats = [rotation.Seating(n, f"a{n}", f"b{n}") for n in range(1, len(given["round_scores"]) + 1)]
        reports = [
            rounds.TableReport(s, {"NS": score, "EW": 0})
            for s, score in zip(seats, given["round_scores"], strict=True)
        ]
        pairing = rotation.Pairing(1, tuple(seats), (given["bye_team"],), "")
        own = next(r for r in rounds.settle_round(pairing, reports, law) if r.kind == "bye")
        return {"bye_score": own.score, "win": own.won is True}
    team, away = given["team"], given["bye_round"]
    played = [
        rounds.TeamResult(int(number), team, "-", "played", score, None)
        for number, score in given["scores"].items()
    ]
    own = standings.filled([*played, rounds.bye(team, away, law)])[-1]
    return {"bye_score": own.score, "win": own.won is True}


KINDS: Final[dict[str, Handler]] = {"round": _round, "tournament": _tournament}
