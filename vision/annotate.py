"""A picture with what was read drawn into it, for people to check."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.melds import Group
from vision.types import CardSeen, Image

_SURE, _UNSURE, _DOUBTFUL, _FOREIGN = (80, 200, 60), (0, 190, 250), (60, 60, 240), (220, 80, 220)
_GROUP = (255, 160, 60)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def annotated(image: Image, cards: Sequence[CardSeen], groups: Sequence[Group] = ()) -> Image:
    """A copy of a BGR picture: each card's outline, an arrow up each index, its face and probability.

    Green is sure (95 %), amber unsure, with its probability, red doubtful (under 60 %), with the
    second-best face too, violet foreign to the deck. `groups` are framed and named.
    """
    out = image.copy()
    thick = max(1, round(max(image.shape[:2]) / 1200))
    for group in groups:
        corners = np.concatenate([c.polygon for c in group.cards])
        (x0, y0), (x1, y1) = corners.min(0).round().astype(int), corners.max(0).round().astype(int)
        cv2.rectangle(out, (int(x0), int(y0)), (int(x1), int(y1)), _GROUP, thick)
        _label(
            out,
            f"{group.name}: {len(group.cards)}",
            (float(x0), float(y0) - 2),
            1.5 * _scale(group.cards),
            _GROUP,
        )
    for card in cards:
        cv2.polylines(out, [np.round(card.polygon).astype(np.int32)], True, _colour(card), thick, cv2.LINE_AA)
        for index in card.indices:
            foot, top = (tuple(round(v) for v in p) for p in (index.box.foot, index.box.top))
            cv2.arrowedLine(out, foot, top, _colour(card), thick, cv2.LINE_AA, tipLength=0.3)
    scale = _scale(cards)
    for card in cards:  # labels over every line, below the index as it is read
        box = card.indices[0].box
        x, y = (1.6 * f - 0.6 * t for f, t in zip(box.foot, box.top, strict=True))
        _label(out, _text(card), (x, y), scale, _colour(card), centred=True)
    return out


def _scale(cards: Sequence[CardSeen]) -> float:
    """Letters that fit the cards: a face's two letters take a third of a card's width."""
    if not cards:
        return 0.4
    width = float(np.median([np.linalg.norm(c.polygon[1] - c.polygon[0]) for c in cards]))
    return max(0.33, width / 3 / float(cv2.getTextSize("QH", _FONT, 1.0, 1)[0][0]))


def _colour(card: CardSeen) -> tuple[int, int, int]:
    if card.foreign:
        return _FOREIGN
    return _SURE if card.probability >= 0.95 else _UNSURE if card.probability >= 0.6 else _DOUBTFUL


def _text(card: CardSeen) -> str:
    text = str(card.face)
    if card.probability < 0.95:
        text += f" {card.probability:.0%}"
    if card.probability < 0.6:
        text += f" {card.second[0]}?"
    return text + (" foreign" if card.foreign else "")


def _label(
    out: Image,
    text: str,
    at: tuple[float, float],
    scale: float,
    colour: tuple[int, int, int],
    centred: bool = False,
) -> None:
    """Text on white, its middle or its lower left corner at a point, kept inside the picture."""
    thick = max(1, round(1.6 * scale))
    (width, height), below = cv2.getTextSize(text, _FONT, scale, thick)
    x, y = (at[0] - width / 2, at[1] + height / 2) if centred else at
    x, y = (
        round(min(max(x, 1), out.shape[1] - width - 1)),
        round(min(max(y, height + 1), out.shape[0] - below)),
    )
    cv2.rectangle(out, (x - 1, y - height - 2), (x + width + 1, y + 2), (255, 255, 255), -1)
    cv2.putText(out, text, (x, y), _FONT, scale, tuple(int(c * 0.6) for c in colour), thick, cv2.LINE_AA)
