"""Joint reading: all cards of a hand read together under what a deck can hold.

A deck holds so many copies of each face and no more. That is the only thing known beside what was
seen; which plays are legal is none of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

from engine.cards import ALL_FACES, Face
from engine.deck import Deck
from vision.table import Doubles

_LOWEST = -25.0
_ROUNDS = 300
_CLOSE = 1e-6
_UNDECIDED = 0.9


@dataclass(frozen=True, slots=True)
class Decoded:
    """A card read jointly with the others: the face of the best joint reading, and marginals."""

    face: Face
    probability: float
    second: Face
    second_probability: float


def decode(logs: Sequence[Doubles], deck: Deck) -> list[Decoded]:
    """The best joint reading of cards, and how sure each one is.

    logs: for each card (52,) log-likelihoods over ALL_FACES, up to a constant. The best joint
    reading is an assignment of cards to copies of faces (Crouse 2016, "On implementing 2D
    rectangular assignment algorithms", as in SciPy). Marginals are those of the matrix scaled to one
    face a card and at most `deck.copies` cards a face (Sinkhorn and Knopp 1967), an approximation
    of the sum over all readings. More cards than the deck has (something was taken for a card) are
    read with as many more copies of each face.
    """
    if not logs:
        return []
    columns = [ALL_FACES.index(f) for f in deck.faces]
    table = np.maximum(np.stack(logs)[:, columns], -1e6)
    table = np.maximum(table - table.max(axis=1, keepdims=True), _LOWEST)
    copies = max(deck.copies, -(-len(table) // len(columns)))
    rows, slots = linear_sum_assignment(-np.repeat(table, copies, axis=1))
    best = np.empty(len(table), int)
    best[rows] = slots // copies
    marginals = marginal(table, copies)
    out = []
    for mine, p in zip(best, marginals, strict=True):
        order = np.argsort(-p, kind="stable")
        # Where the marginals are split the best joint reading decides; it is one of the likeliest.
        other = order[0] if order[0] != mine else order[1]
        out.append(Decoded(deck.faces[mine], float(p[mine]), deck.faces[int(other)], float(p[int(other)])))
    return out


def marginal(logs: Doubles, copies: int) -> Doubles:
    """Probabilities (cards, faces) under at most `copies` cards of each face.

    Cards that were not seen stand in for the copies left over, so that a face runs out only when its
    copies were seen.
    """
    cards, faces = logs.shape
    unseen = max(faces * copies - cards, 0)
    rows = np.vstack((logs, np.zeros((1, faces)))) if unseen else logs
    weight = np.zeros(len(rows))
    if unseen:
        weight[-1] = np.log(unseen)
    column = np.zeros(faces)
    for _ in range(_ROUNDS):
        row = weight - logsumexp(rows + column, axis=1)
        before, column = column, np.log(copies) - logsumexp(rows + row[:, None], axis=0)
        if np.abs(column - before).max() < _CLOSE:
            break
    p = np.exp(rows[:cards] + column)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def link(melded: Sequence[Doubles], played: Sequence[Doubles]) -> Mapping[int, int]:
    """Which played card each melded card of the same seat was, as far as faces tell: melded -> played.

    A melded card goes back to its player's hand and is played later; which of a hand's copies it
    is cannot be seen and does not matter. Only links that both readings make likely are given.
    """
    if not melded or not played:
        return {}
    a = np.stack([_normal(m) for m in melded])
    b = np.stack([_normal(p) for p in played])
    likeness = np.sqrt(a) @ np.sqrt(b).T
    rows, columns = linear_sum_assignment(-likeness)
    return {int(i): int(j) for i, j in zip(rows, columns, strict=True) if likeness[i, j] > _UNDECIDED}


def _normal(logs: Doubles) -> Doubles:
    return np.asarray(np.exp(logs - logsumexp(logs)))
