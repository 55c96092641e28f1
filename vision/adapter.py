"""A light adapter to one deck: what a few pictures of its indices add to the reader.

The deck's index patches, cut again crooked, small, blurred and in other light, give two linear
discriminants (Fisher), one of ranks and one of suits, over the patch's edges and colours and the
reader's own opinion. Their log-probabilities are added to the reader's, with a weight that a
cross-check on held-out indices chooses; where nothing is gained the weight is 0 and the reader stays
as it is. Faces of which the deck showed neither rank nor suit, and "not an index", keep the
probability that the reader gave them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import ALL_FACES, ALL_RANKS, SUITS
from vision.types import (
    CLASSES,
    NOT_AN_INDEX,
    PATCH_HEIGHT,
    PATCH_PAD,
    PATCH_WIDTH,
    Floats,
    GlyphReader,
    Image,
)

Ints: TypeAlias = NDArray[np.intp]

RANK_OF: Ints = np.array([ALL_RANKS.index(f.rank) for f in ALL_FACES], np.intp)
SUIT_OF: Ints = np.array([SUITS.index(f.suit) for f in ALL_FACES], np.intp)
"""Rank and suit, as numbers, of the classes that are faces."""

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.4)
"""What the deck's own discriminants may weigh against the reader. More trusts few pictures too far."""
HEIGHTS = (9.0, PATCH_HEIGHT / PATCH_PAD)
"""Pixels: the index heights that the deck is learnt and checked at."""
MOST_CUTS, CUTS_EACH, CHECKS_EACH = 2400, 40, 12
"""Patches made in all, and of each index to learn from and to check with."""
_SHRINKAGE = 0.15
"""How far the spread within a class is taken as equal in all directions: samples are few."""
_CELLS, _BINS = (7, 11), 8
"""Edges are counted in so many places across and down, and in so many directions."""
_SMALL = (PATCH_WIDTH // 2, PATCH_HEIGHT // 2)
_TINT = (5, 8)
_FLOOR = 1e-5


class AdapterError(ValueError):
    """Too little was shown to learn a deck from; says what, and what to do."""


def features(patches: Image, probabilities: Floats) -> Floats:
    """What the discriminants see of patches (n, height, width, 3) and the reader's opinion of them."""
    return np.hstack((_edges(patches), 6 * _tints(patches), _opinion(probabilities) / 3)).astype(np.float32)


def _tents(length: int, count: int) -> Floats:
    """(count, length): overlapping windows, each with its middle weighing most, that cover a side."""
    middles, width = np.linspace(0, length - 1, count), (length - 1) / (count - 1)
    windows = np.clip(1 - np.abs(np.arange(length)[None] - middles[:, None]) / width, 0, None)
    return np.asarray(windows / windows.sum(1, keepdims=True), np.float32)


_ACROSS, _DOWN = _tents(_SMALL[0], _CELLS[0]), _tents(_SMALL[1], _CELLS[1])


def _edges(patches: Image) -> Floats:
    """Histograms of edge directions by place, independent of light and contrast."""
    small = np.stack([cv2.resize(p, _SMALL, interpolation=cv2.INTER_AREA) for p in patches])
    grey = small.astype(np.float32).mean(axis=3)
    down, across = np.gradient(grey, axis=(1, 2))
    strength = np.hypot(across, down)
    direction = np.arctan2(down, across) / (2 * np.pi) * _BINS % _BINS
    cells = []
    for k in range(_BINS):
        off = np.abs(direction - k)
        share = np.clip(1 - np.minimum(off, _BINS - off), 0, None)
        cells.append(_DOWN @ (strength * share) @ _ACROSS.T)
    flat = np.stack(cells, axis=1).reshape(len(patches), -1)
    return np.asarray(np.sqrt(20 * flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-3)))


def _tints(patches: Image) -> Floats:
    """Colour by place, the paper taken as white."""
    coarse = np.stack([cv2.resize(p, _TINT, interpolation=cv2.INTER_AREA) for p in patches])
    flat = coarse.reshape(len(patches), -1, 3).astype(np.float32)
    paper = np.maximum(np.sort(flat, axis=1)[:, int(0.8 * flat.shape[1])], 20)
    blue, green, red = np.moveaxis(flat / paper[:, None], 2, 0)
    return np.asarray(np.hstack((red - (blue + green) / 2, green - blue)))


def _opinion(probabilities: Floats) -> Floats:
    """The reader's log-probabilities of each rank and of each suit."""
    faces = probabilities[:, :NOT_AN_INDEX].astype(np.float64) + _FLOOR
    ranks = [faces[:, k == RANK_OF].sum(1) for k in range(len(ALL_RANKS))]
    suits = [faces[:, k == SUIT_OF].sum(1) for k in range(len(SUITS))]
    return np.asarray(np.log(np.stack(ranks + suits, axis=1)), np.float32)


class Discriminant(NamedTuple):
    """Fisher's linear discriminant of `kinds`, numbers of ranks or suits: scores are x @ slopes + offsets."""

    kinds: Ints
    slopes: Floats
    offsets: Floats

    def log_probabilities(self, x: Floats) -> Floats:
        """(n, len(kinds)), natural logarithms, each kind as likely beforehand."""
        scores = x @ self.slopes + self.offsets
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)), np.float32)


def _discriminant(x: Floats, kinds: Ints) -> Discriminant:
    there = np.unique(kinds)
    means = np.stack([x[kinds == k].mean(axis=0) for k in there]).astype(np.float64)
    rest = x - means[np.searchsorted(there, kinds)]
    spread = rest.T @ rest / len(x)
    size = len(spread)
    spread = (1 - _SHRINKAGE) * spread + _SHRINKAGE * np.trace(spread) / size * np.eye(size)
    slopes = np.linalg.solve(spread, means.T)
    offsets = -0.5 * (means.T * slopes).sum(axis=0)
    return Discriminant(there, slopes.astype(np.float32), offsets.astype(np.float32))


class Adapter(NamedTuple):
    """One deck's discriminants, and what they weigh against the reader's log-probabilities (0: nothing)."""

    ranks: Discriminant
    suits: Discriminant
    weight: float

    @property
    def classes(self) -> Ints:
        """The faces, as numbers of CLASSES, whose rank and suit the deck showed."""
        return np.flatnonzero(np.isin(RANK_OF, self.ranks.kinds) & np.isin(SUIT_OF, self.suits.kinds))

    def adapt(self, patches: Image, probabilities: Floats) -> Floats:
        """The reader's probabilities (n, len(CLASSES)) of patches, with what is known of the deck."""
        if self.weight == 0 or len(patches) == 0:
            return probabilities
        return self.mixed(features(patches, probabilities), probabilities)

    def mixed(self, x: Floats, probabilities: Floats) -> Floats:
        """`adapt` from features already made."""
        faces = self.classes
        rank = self.ranks.log_probabilities(x)[:, np.searchsorted(self.ranks.kinds, RANK_OF[faces])]
        suit = self.suits.log_probabilities(x)[:, np.searchsorted(self.suits.kinds, SUIT_OF[faces])]
        known = probabilities[:, faces].astype(np.float64)
        logs = np.log(known + _FLOOR) + self.weight * (rank + suit)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        adapted = probabilities.copy()
        adapted[:, faces] = shares / shares.sum(axis=1, keepdims=True) * known.sum(axis=1, keepdims=True)
        return adapted


class AdaptedReader:
    """A glyph reader that knows its deck."""

    def __init__(self, reader: GlyphReader, adapter: Adapter) -> None:
        self.reader, self.adapter = reader, adapter

    def read(self, patches: Image) -> Floats:
        """uint8 (n, 64, 40, 3) to float32 (n, len(CLASSES)), rows summing to one."""
        return self.adapter.adapt(patches, self.reader.read(patches))


@dataclass(frozen=True, slots=True)
class Check:
    """What the cross-check found, in shares of 0..1.

    indices: held out in turn; trials: patches that they were cut to, HEIGHTS pixels high; before, after:
    share of trials with the right face without and with the adapter; plain_before, plain_after: the
    same of the indices as they were photographed; weight: what was chosen.
    """

    indices: int
    trials: int
    before: float
    after: float
    plain_before: float
    plain_after: float
    weight: float


def worn(patch: Image, rng: np.random.Generator) -> Image:
    """A patch as another picture may show it: crooked, smaller, blurred, in other light, with noise."""
    turn, size = np.radians(rng.normal(0, 5)), rng.uniform(0.85, 1.18)
    c, s = np.cos(turn) * size, np.sin(turn) * size
    middle = np.array([(PATCH_WIDTH - 1) / 2, (PATCH_HEIGHT - 1) / 2])
    matrix = np.array([[c, -s], [s, c]])
    move = middle - matrix @ middle + rng.normal(0, 0.04 * HEIGHTS[1], 2)
    full = (PATCH_WIDTH, PATCH_HEIGHT)
    made = cv2.warpAffine(patch, np.column_stack((matrix, move)), full, borderMode=cv2.BORDER_REPLICATE)
    share = np.exp(rng.uniform(*np.log(HEIGHTS))) / HEIGHTS[1]
    if share < 0.95:
        made = cv2.resize(made, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        made = cv2.resize(made, full, interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.5:
        made = cv2.GaussianBlur(made, (0, 0), rng.uniform(0.5, 2.2))
    light = rng.uniform(0.7, 1.15) * rng.uniform(0.9, 1.1, 3)
    lit = made.astype(np.float32) * light + rng.uniform(-10, 20)
    noisy = lit + rng.normal(0, rng.uniform(1, 8), lit.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


class _Samples(NamedTuple):
    """Patches as the discriminants see them, with the reader's opinion; origin: which index each shows."""

    features: Floats
    probabilities: Floats
    origin: Ints


def _samples(patches: Image, reader: GlyphReader, origin: Ints) -> _Samples:
    read = reader.read(patches)
    return _Samples(features(patches, read), read, origin)


def _worn_samples(patches: Image, each: int, reader: GlyphReader, rng: np.random.Generator) -> _Samples:
    made = np.stack([worn(p, rng) for p in patches for _ in range(each)])
    return _samples(made, reader, np.repeat(np.arange(len(patches)), each))


def _enough(classes: Ints) -> bool:
    return len(np.unique(RANK_OF[classes])) > 1 and len(np.unique(SUIT_OF[classes])) > 1


def _fitted(x: Floats, classes: Ints) -> Adapter:
    return Adapter(_discriminant(x, RANK_OF[classes]), _discriminant(x, SUIT_OF[classes]), 0.0)


def fit(
    patches: Image, faces: Sequence[str], folds: Sequence[int], reader: GlyphReader
) -> tuple[Adapter, Check]:
    """Learn a deck from upright patches of its indices, uint8 (n, 64, 40, 3), and their faces ("TH").

    folds: number of the set that each index belongs to; sets are held out in turn, so a set should be
    a picture, or one corner of every card. The same patches give the same adapter. Raises AdapterError.
    """
    classes, groups = np.array([CLASSES.index(f) for f in faces], np.intp), np.asarray(folds)
    if not _enough(classes):
        raise AdapterError("a deck is learnt from at least two ranks and two suits: show more of its cards")
    rng = np.random.default_rng(len(patches))
    each = int(np.clip(MOST_CUTS // len(patches), CHECKS_EACH, CUTS_EACH))
    made = _worn_samples(patches, each, reader, rng)
    trials = _worn_samples(patches, CHECKS_EACH, reader, rng)
    plain = _samples(patches, reader, np.arange(len(patches)))
    tried = [(_Score.of(trials, classes), _Score.of(plain, classes)) for _ in WEIGHTS]
    for group in np.unique(groups):
        learnt = made.origin[groups[made.origin] != group]
        if not _enough(classes[learnt]):
            continue
        adapter = _fitted(made.features[groups[made.origin] != group], classes[learnt])
        for weight, scores in zip(WEIGHTS[1:], tried[1:], strict=True):
            for samples, score in zip((trials, plain), scores, strict=True):
                score.set(groups[samples.origin] == group, samples, adapter._replace(weight=weight))
    best = _chosen(tried)
    (before, plain_before), (after, plain_after) = tried[0], tried[best]
    check = Check(
        len(patches), len(trials.origin), before.right, after.right,
        plain_before.right, plain_after.right, WEIGHTS[best],
    )  # fmt: skip
    return _fitted(made.features, classes[made.origin])._replace(weight=WEIGHTS[best]), check


@dataclass
class _Score:
    """Probabilities given to samples, held out set by set, against the truth."""

    given: Floats
    truth: Ints

    @classmethod
    def of(cls, samples: _Samples, classes: Ints) -> _Score:
        return cls(samples.probabilities.copy(), classes[samples.origin])

    def set(self, at: NDArray[np.bool_], samples: _Samples, adapter: Adapter) -> None:
        self.given[at] = adapter.mixed(samples.features[at], samples.probabilities[at])

    @property
    def right(self) -> float:
        return float((self.given[:, :NOT_AN_INDEX].argmax(1) == self.truth).mean())

    @property
    def loss(self) -> float:
        return float(-np.log(self.given[np.arange(len(self.truth)), self.truth] + _FLOOR).mean())


def _chosen(tried: Sequence[tuple[_Score, _Score]]) -> int:
    """Which weight has the least loss of those that read more right, and nowhere less; 0 if there is none."""
    (worn_first, plain_first), best = tried[0], 0
    for k, (score, plain) in enumerate(tried):
        better = score.right > worn_first.right and plain.right >= plain_first.right
        if better and score.loss < tried[best][0].loss:
            best = k
    return best
