"""Counts of all lines of legal play from fixed deals, as chess programs count moves (perft).

The brute-force judge, whose list of legal plays shares no code with the engine, counts the same: the
endings wholly, the openings as far as is quick.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import engine_judge as judge
import pytest

from engine import play
from engine.cards import SEATS, Face, Seat, Suit, face, faces, next_seat, team_of

CASES = Path(__file__).resolve().parents[1] / "data" / "cases.jsonl"
Legal = Callable[[Sequence[Face], Sequence[Face], Suit], list[Face]]


def by_judge(hand: Sequence[Face], table: Sequence[Face], trump: Suit) -> list[Face]:
    return [face(c) for c in judge.may_play([str(f) for f in hand], [str(f) for f in table], trump)]


def count(
    hands: dict[Seat, list[Face]], leader: Seat, trump: Suit, depth: int, legal: Legal = play.legal
) -> tuple[int, int]:
    """Lines of `depth` plays (copies of a face are one play), and the points North-South take in them all."""
    table: list[tuple[Seat, Face]] = []
    taken = 0

    def lines(seat: Seat, left: int) -> int:
        nonlocal taken
        if left == 0:
            return 1
        found = 0
        for f in legal(hands[seat], [c for _, c in table], trump):
            hands[seat].remove(f)
            table.append((seat, f))
            if len(table) == 4:
                book = table[:]
                table.clear()
                winner = play.winner(book, trump)
                here = lines(winner, left - 1)
                if team_of(winner) == "NS":
                    taken += here * play.points([c for _, c in book], not any(hands.values()))
                table.extend(book)
            else:
                here = lines(next_seat(seat), left - 1)
            found += here
            table.pop()
            hands[seat].append(f)
        return found

    return lines(leader, depth), taken


def deals() -> list[tuple[dict[Seat, list[Face]], Seat, Suit]]:
    """The six dealt hands of the rule cases."""
    found = []
    for line in CASES.read_text(encoding="utf-8").splitlines():
        given: dict[str, Any] = json.loads(line)["given"]
        if isinstance(given.get("hands"), dict):
            hands: dict[Seat, list[Face]] = {s: [face(c) for c in given["hands"][s]] for s in SEATS}
            found.append((hands, given["bidder"], given["trump"]))
    return found


DEALS = deals()
OPENINGS = (
    (12, 24, 65, 219, 2924, 6692),
    (13, 28, 61, 154, 2000, 4251),
    (13, 25, 62, 215, 2758, 6467),
    (15, 41, 91, 345, 4718, 11186),
    (15, 32, 77, 294, 3950, 8028),
    (14, 37, 81, 218, 3014, 6913),
)
"""Lines of 1 to 6 plays of each deal."""


@pytest.mark.parametrize("number", range(len(DEALS)))
def test_openings(number: int) -> None:
    hands, leader, trump = DEALS[number]
    counts = tuple(count(hands, leader, trump, depth)[0] for depth in range(1, 7))
    assert counts == OPENINGS[number]


@pytest.mark.parametrize("number", range(len(DEALS)))
def test_the_judge_counts_the_same_openings(number: int) -> None:
    hands, leader, trump = DEALS[number]
    assert count(hands, leader, trump, 3, by_judge)[0] == OPENINGS[number][2]


ENDINGS = (
    # North, East, South, West, leader, trump, lines to the end, points of North-South in all of them
    ("AS TS KS", "AH TH KH", "AD TD KD", "AC TC KC", "N", "S", 1296, 18144),
    ("AS KS JH QD", "AS TS QH JD", "KS QS AH TD", "TS JS KH AD", "E", "H", 120, 626),
    ("AS AS TS TS", "AS AS TS TS", "KS KS KS KS", "QS QS QS QS", "W", "S", 13, 101),
    ("AS KH QD JC", "TS AH KD QC", "KS TH AD KC", "QS JH TD AC", "S", "C", 24, 168),
    ("AS KS QS JS AH", "AS KS QS JS AH", "TS TS QS QS KD", "JS JS AD TC KC", "N", "D", 34630, 185314),
)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("legal", [play.legal, by_judge], ids=["engine", "judge"])
def test_endings(ending: Any, legal: Legal) -> None:
    *held, leader, trump, lines, points = ending
    hands = dict(zip(SEATS, (faces(h) for h in held), strict=True))
    assert count(hands, leader, trump, sum(map(len, hands.values())), legal) == (lines, points)
