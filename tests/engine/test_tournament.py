"""Games, penalties, rotation, standings and whole tournaments in all six rule sets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import game, rules, scoring
from engine.cards import TEAMS, Team, opponents
from engine.game import PlayedHand
from engine.penalties import disqualified, late, wrong_table
from engine.rehearsal import play_game, play_hand, rehearse
from engine.rotation import Pairing, Seating, circle, pair
from engine.rounds import TableReport, TeamResult, average, bye, settle_round, settle_table
from engine.rules import RuleSet
from engine.scoring import Facts
from engine.standings import Record, brackets, filled, standings
from engine.tournament import TournamentError, open_tournament

NAMES = ("LV", "GL", "WS", "EC", "EC-P", "NP")
RULES = st.sampled_from(NAMES).map(rules.load)


def hand(
    name: str, bidders: Team, bid: int, meld: tuple[int, int], points: int, books: int = 10
) -> PlayedHand:
    """A played hand: meld of North-South and East-West, points and books of the bidders."""
    other = opponents(bidders)
    facts = Facts(bid, bidders, dict(zip(TEAMS, meld, strict=True)), {bidders: points, other: 50 - points})
    return PlayedHand(scoring.played(facts, rules.load(name)), facts, {bidders: books, other: 20 - books})


# Games


def test_both_over_the_target_the_bidders_win() -> None:
    law = rules.load("LV")
    hands = [hand("LV", "NS", 100, (240, 240), 26)] * 2
    end = game.fold(hands, law)
    assert (end.over, end.winner, end.hands) == (True, "NS", 2)
    assert "LV-91" in end.notes[-1]
    assert game.add(end, hands[0], law) is end
    assert game.fold([hand("LV", "EW", 100, (240, 240), 24)] * 2, law).winner == "EW"


@pytest.mark.parametrize(
    ("name", "total", "over"),
    [
        ("LV", 600, True),
        ("GL", 590, True),
        ("WS", 450, True),
        ("EC", 600, True),
        ("EC-P", 600, True),
        ("NP", 590, False),
    ],
)
def test_taking_everything(name: str, total: int, over: bool) -> None:
    end = game.fold([hand(name, "EW", 60, (0, 40), 50, 20)], rules.load(name))
    assert (end.totals["EW"], end.over) == (total, over)
    assert end.winner == ("EW" if over else None)
    assert ("a proposal" in end.notes[0]) == (name == "LV")


def test_a_mini_tournament_of_four_hands_goes_on_after_a_boston() -> None:
    law = rules.load("EC")
    end = game.fold([hand("EC", "EW", 60, (0, 40), 50, 20)], law, short_hands=4)
    assert (end.totals["EW"], end.over) == (190, False)
    four = game.fold([hand("EC", "EW", 60, (22, 300), 26)] * 4, law, short_hands=4)
    assert (four.hands, four.over, four.winner) == (4, True, "EW")
    assert "EC-61" in four.notes[-1]


def test_time_up_finishes_the_hand_and_the_higher_score_wins() -> None:
    law = rules.load("LV")
    one = game.add(game.begin(), hand("LV", "NS", 50, (30, 22), 28), law)
    assert game.time_called(one, law, bidding_begun=True) is one
    end = game.time_called(one, law)
    assert (end.over, end.winner) == (True, "NS")
    assert "LV-05" in end.notes[-1]
    tie = game.time_called(game.begin(), law)
    assert (tie.over, tie.winner, tie.tie) == (True, None, True)
    assert "director" in tie.notes[-1]
    untimed = rules.load("NP")
    assert not game.time_called(game.begin(), untimed).over


def test_the_clock() -> None:
    assert game.minutes_left(50, rules.load("LV")) == 5
    assert game.minutes_left(50, rules.load("LV"), lost=3) == 5
    assert game.minutes_left(50, rules.load("GL"), announced=60, lost=3) == 13  # GL-57
    assert game.minutes_left(50, rules.load("WS")) is None
    assert game.minutes_left(50, rules.load("NP"), announced=60) is None
    assert game.may_deal(None)
    assert not game.may_deal(0)


def test_shutouts_are_for_the_opponents_of_a_team_without_points() -> None:
    bonus = game.shutout({"NS": 0, "EW": 90}, rules.load("GL"), time_up=True)
    assert bonus is not None
    assert (bonus.team, bonus.amount, bonus.clauses) == ("EW", 250, ("GL-52", "GL-53", "D-40"))
    assert bonus.text == "North-South have no points: 250 for East-West (GL-52, GL-53, D-40)"
    assert game.shutout({"NS": 0, "EW": 90}, rules.load("GL")) is None
    assert game.shutout({"NS": 0, "EW": 0}, rules.load("GL"), time_up=True) is None
    assert game.shutout({"NS": 0, "EW": 90}, rules.load("LV"), time_up=True, all_hands=True) is None
    end = game.fold([hand("NP", "NS", 50, (40, 22), 35)] * 4, rules.load("NP"))
    assert (end.over, end.totals, end.winner) == (True, {"NS": 500, "EW": 0}, "NS")


@settings(deadline=None, max_examples=60)
@given(RULES, st.integers(0, 10**6))
def test_points_conserve_and_prefixes_are_stable(law: RuleSet, seed: int) -> None:
    rng = Random(seed)
    hands = [play_hand("N", law, rng) for _ in range(12)]
    for n in range(13):
        now = game.fold(hands[:n], law)
        counted = hands[: now.hands]
        given = {t: sum(h.score.change[t] for h in counted) for t in TEAMS}
        extra = {t: now.totals[t] - given[t] for t in TEAMS}
        bonus = now.shutout
        swept = any("took all" in note for note in now.notes)
        assert all(extra[t] == 0 or swept or (bonus is not None and bonus.team == t) for t in TEAMS)
        before = game.fold(hands[: n - 1], law) if n else game.begin()
        assert now == (game.add(before, hands[n - 1], law) if n else before)
        assert not (now.winner and now.tie)


@settings(deadline=None, max_examples=40)
@given(RULES, st.integers(0, 10**6))
def test_the_names_of_the_sides_do_not_matter(law: RuleSet, seed: int) -> None:
    rng = Random(seed)
    hands = [h for h in (play_hand("N", law, rng) for _ in range(8)) if h.score.result in ("made", "set")]
    turned = []
    for h in hands:
        f = h.facts
        g = Facts(
            f.bid, opponents(f.bidders), *({opponents(t): x[t] for t in TEAMS} for x in (f.meld, f.points))
        )
        turned.append(PlayedHand(scoring.played(g, law), g, {opponents(t): h.books[t] for t in TEAMS}))
    one, two = (game.fold(x, law, time_up=True) for x in (hands, turned))
    assert [one.totals[t] for t in TEAMS] == [two.totals[opponents(t)] for t in TEAMS]
    assert (one.over, one.tie) == (two.over, two.tie)
    assert (one.winner and opponents(one.winner)) == two.winner


# Penalties and results of a round

SEATING = Seating(1, "a", "b")


@pytest.mark.parametrize(
    ("name", "minutes", "ns", "ew"),
    [
        ("LV", 1, 310, 200), ("LV", 10, 400, 200), ("LV", 11, None, 0),
        ("WS", 3, 300, 200), ("WS", 4, None, 0), ("EC", 3, 300, 200), ("EC-P", 4, None, 0),
        ("NP", 5, 300, 200), ("NP", 6, 300, 190), ("NP", 15, 300, 100), ("NP", 16, 300, 0),
        ("GL", 30, 300, 200),
    ],
)  # fmt: skip
def test_lateness(name: str, minutes: int, ns: int | None, ew: int) -> None:
    report = TableReport(SEATING, {"NS": 300, "EW": 200}, "NS", {"EW": minutes})
    one, two = settle_table(report, 1, rules.load(name))
    assert (one.score, two.score, one.won, two.won) == (ns, ew, True, False)
    assert one.director == (name == "GL")
    assert late("EW", 0, rules.load(name)) is None
    assert late("EW", -3, rules.load(name)) is None


@pytest.mark.parametrize("name", NAMES)
def test_wrong_table_and_disqualification(name: str) -> None:
    law = rules.load(name)
    fault = wrong_table("NS", law)
    assert (fault.change, fault.director) == ((-100, False) if name == "NP" else (0, True))
    out = disqualified("NS", law)
    waits = {"LV": "average_of_own", "GL": "director", "NP": "director"}.get(name, "highest_of_round")
    assert (out.out, out.opponents) == (True, waits)
    report = TableReport(SEATING, disqualified=frozenset(("NS",)))
    other = TableReport(Seating(2, "c", "d"), {"NS": 410, "EW": 500}, "EW")
    pairing = Pairing(1, (SEATING, other.seating), (), "")
    scores = {r.team: r.score for r in settle_round(pairing, [report, other], law)}
    assert scores == {"a": 0, "b": 500 if waits == "highest_of_round" else None, "c": 410, "d": 500}
    fixed = TableReport(SEATING, disqualified=frozenset(("NS",)), rulings={"EW": 321})
    assert settle_table(fixed, 1, law)[1].score == 321


def test_a_penalty_that_turns_the_scores_round_is_for_the_director() -> None:
    report = TableReport(SEATING, {"NS": 480, "EW": 510}, "EW", {"EW": 7})
    one, two = settle_table(report, 1, rules.load("LV"))
    assert (one.score, two.score, two.won, one.director) == (550, 510, True, True)
    assert settle_table(TableReport(SEATING, {"NS": 5, "EW": 5}), 1, rules.load("LV"))[0].won is None


def test_bye_scores() -> None:
    lv = rules.load("LV")
    played = [TeamResult(n, "x", "y", "played", s, True) for n, s in enumerate((500, 411, 500, 320), 1)]
    waiting = bye("x", 5, lv)
    assert (waiting.score, waiting.won) == (None, True)
    assert filled([waiting, *played])[0].score == 433  # 432.75
    assert filled([waiting])[0].score is None
    assert (average((1, 2)), average((1, 1, 2)), average(())) == (2, 1, None)
    assert bye("x", 1, rules.load("GL"), 250).score == 250


# Rotation and standings


@given(RULES, st.integers(2, 31), st.integers(1, 40))
def test_every_team_has_one_table_or_bye_in_a_round(law: RuleSet, count: int, number: int) -> None:
    names = [str(n) for n in range(1, count + 1)]
    pairing = pair(names, number, law)
    assert sorted(pairing.teams) == sorted(names)
    assert len(pairing.byes) == count % 2
    assert len({t.table for t in pairing.tables}) == len(pairing.tables)
    if not pairing.proposed:
        assert all(t.ns == str(2 * t.table - 1) for t in pairing.tables)  # odd teams never move


@given(RULES, st.integers(2, 15), st.integers(1, 30))
def test_byes_and_meetings_are_spread(law: RuleSet, count: int, many: int) -> None:
    names = [str(n) for n in range(1, count + 1)]
    rounds = [pair(names, n, law) for n in range(1, many + 1)]
    byes = Counter(team for p in rounds for team in p.byes)
    could = names[::2] if law.tournament.rotation == "even_teams_move_up" else names
    if count % 2:
        assert max(byes[t] for t in could) - min(byes[t] for t in could) <= 1
        assert set(byes) <= set(could)
    met = Counter(frozenset((t.ns, t.ew)) for p in rounds for t in p.tables)
    assert max(met.values(), default=0) - min(met.values(), default=0) <= 1


def test_the_circle_lets_everybody_meet_everybody() -> None:
    pairs = {frozenset(p) for n in range(1, 8) for p in circle("abcdefgh", n)}
    assert pairs == {frozenset(p) for p in combinations("abcdefgh", 2)}
    assert circle("abcd", 1) == [("a", "d"), ("b", "c")]
    assert circle("", 1) == []


RECORDS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 4).map(lambda n: n * 500)), min_size=2, max_size=12
).map(lambda rows: [Record(str(n), wins, points) for n, (wins, points) in enumerate(rows, 1)])


@given(RULES, RECORDS, st.randoms())
def test_standings_do_not_depend_on_the_order_of_records(
    law: RuleSet, found: list[Record], rng: Random
) -> None:
    places = standings(found, law)
    mixed = rng.sample(found, len(found))
    assert standings(mixed, law) == places
    assert [p.rank for p in places] == sorted(p.rank for p in places)
    for p in places:
        same = [q.team for q in places if q.rank == p.rank and q is not p]
        assert sorted(p.tied_with) == sorted(same)
    cut = brackets(places, law)
    assert sorted((*cut.winners, *cut.consolation)) == sorted(r.team for r in found)
    if law.name == "LV" and cut.undecided:
        assert {*cut.undecided} & {*cut.winners}
        assert {*cut.undecided} & {*cut.consolation}
        order = rng.sample(cut.undecided, len(cut.undecided))
        again = brackets(standings(mixed, law, order), law)
        assert not again.undecided
        among = [t for t in (*again.winners, *again.consolation) if t in order]
        assert among == order


def test_ties_at_the_cut_are_left_to_the_director() -> None:
    law = rules.load("LV")
    found = [Record(str(n), 3, 900) for n in range(1, 7)]
    cut = brackets(standings(found, law), law)
    assert len(cut.undecided) == 6
    assert "the director decides" in cut.text
    assert standings([Record("a", 1, 5), Record("b", 0, 5)], rules.load("WS"))[1].tied_with == ("a",)


# Whole tournaments


@settings(deadline=None, max_examples=25)
@given(RULES, st.integers(2, 11), st.integers(0, 10**6))
def test_a_tournament_from_first_pairing_to_last_bracket(law: RuleSet, count: int, seed: int) -> None:
    names = [str(n) for n in range(1, count + 1)]
    played = rehearse(law, names, seed)
    now = played.tournament
    assert now.next_round is None
    for results in now.results:
        assert sorted(r.team for r in results) == sorted(names)
    for results in now.settled():
        for (
            r
        ) in results:  # open: no game of the team's own, or none in the round, that it could be taken from
            nothing = not any(x.kind == "played" and r.waits_for == "director" for x in results)
            assert r.score is not None or r.waits_for == "average_of_own" or nothing
    first = [r for results in now.settled()[: now.first] for r in results]
    assert sum(p.record.points for p in now.standings()) == sum(r.score or 0 for r in first)
    winners, others = now.final_standings()
    assert sorted(p.team for p in (*winners, *others)) == sorted(names)
    if now.final:
        assert [len(winners), now.final] == [law.tournament.bracket_size, law.tournament.final_rounds]
        assert all(r.wins + r.losses + r.undecided == 2 for r in (p.record for p in others))
        assert all(r.wins + r.losses + r.undecided == 8 for r in (p.record for p in winners))
    assert rehearse(law, names, seed) == played


def test_sheets_of_a_round_must_be_complete_and_are_not_changed() -> None:
    now = open_tournament("abcd", rules.load("LV"), rounds=1, final=0)
    one, two = (TableReport(s, {"NS": 500, "EW": 90}, "NS") for s in now.pairing().tables)
    with pytest.raises(TournamentError, match="table 2 is missing"):
        now.handed_in([one])
    with pytest.raises(TournamentError, match="came twice"):
        now.handed_in([one, one, two])
    with pytest.raises(TournamentError, match="check team d"):
        now.handed_in([one], Pairing(1, (SEATING,), ("c",), ""))
    done = now.handed_in([two, one])
    assert done == now.handed_in([one, two]) or done.standings() == now.handed_in([one, two]).standings()
    assert now.results == ()
    with pytest.raises(TournamentError, match="LV-19"):
        done.handed_in([one, two])
    with pytest.raises(TournamentError, match="no further pairing"):
        done.pairing()
    with pytest.raises(TournamentError, match="no team 'z'"):
        done.ties_broken("z")


def test_a_tie_at_the_cut_must_be_broken_before_brackets_are_paired() -> None:
    now = open_tournament("abcdef", rules.load("LV"), rounds=1)
    reports = [TableReport(s, {"NS": 500, "EW": 90}, "NS") for s in now.pairing().tables]
    tied = now.handed_in(reports)
    with pytest.raises(TournamentError, match="enter the order"):
        tied.pairing()
    pairing = tied.ties_broken("fdb").pairing()
    assert [(t.ns, t.ew) for t in pairing.tables] == [("a", "f"), ("c", "e"), ("d", "b")]
    assert pairing.proposed


@pytest.mark.parametrize(
    ("name", "teams", "said"),
    [("NP", "ab", "say how many"), ("LV", "a", "two teams"), ("LV", "aa", "name of its own")],
)
def test_tournaments_that_cannot_begin(name: str, teams: str, said: str) -> None:
    with pytest.raises(TournamentError, match=said):
        open_tournament(teams, rules.load(name))


@pytest.mark.parametrize("name", NAMES)
def test_rehearsed_games_end_as_the_sheet_says(name: str) -> None:
    law = rules.load(name)
    games = [play_game(law, Random(f"{name} {n}")) for n in range(30)]
    assert all(g.over and g.notes and (g.winner or g.tie) for g in games)
    if law.game.hands:
        assert {g.hands for g in games} == {law.game.hands}
