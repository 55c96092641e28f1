"""A picture with what was read drawn into it, for people to check."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.melds import Group
from vision.types import CardSeen, Image

_SURE, _UNSURE, _DOUBTFUL, _FOREIGN = (80, 200, 60), (0, 190, 250), (60, 60, 240), (220, 80, 220)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def annotated(image: Image, cards: Sequence[CardSeen], groups: Sequence[Group] = ()) -> Image:
    """A copy of a BGR picture: each card's outline, an arrow up each index, its face and probability.

    Green is sure (95 %), amber unsure, red doubtful (under 60 %), violet foreign to the deck; where a
    card is not sure its second-best face is named too. `groups` are framed and named.
    """
    out = image.copy()
    size = max(image.shape[:2])
    thick = max(1, round(size / 900))
    scale = max(0.4, size / 2200)
    for group in groups:
        corners = np.concatenate([c.polygon for c in group.cards])
        (x0, y0), (x1, y1) = corners.min(0).round().astype(int), corners.max(0).round().astype(int)
        cv2.rectangle(out, (int(x0), int(y0)), (int(x1), int(y1)), (255, 160, 60), thick)
        name = f"{group.name}: {len(group.cards)}"
        _label(out, name, (float(x0), float(y0)), 1.3 * scale, (255, 160, 60), thick)
    for card in cards:
        colour = _colour(card)
        cv2.polylines(out, [np.round(card.polygon).astype(np.int32)], True, colour, thick, cv2.LINE_AA)
        for index in card.indices:
            foot, top = (tuple(round(v) for v in p) for p in (index.box.foot, index.box.top))
            cv2.arrowedLine(out, foot, top, colour, thick, cv2.LINE_AA, tipLength=0.3)
    for card in cards:  # labels over every line
        _label(out, _text(card), card.indices[0].box.top, scale, _colour(card), thick)
    return out


def _colour(card: CardSeen) -> tuple[int, int, int]:
    if card.foreign:
        return _FOREIGN
    return _SURE if card.probability >= 0.95 else _UNSURE if card.probability >= 0.6 else _DOUBTFUL


def _text(card: CardSeen) -> str:
    text = f"{card.face} {card.probability:.2f}"
    if card.probability < 0.95:
        face, probability = card.second
        text += f" {face} {probability:.2f}"
    return text + (" foreign" if card.foreign else "")


def _label(
    out: Image, text: str, at: tuple[float, float], scale: float, colour: tuple[int, int, int], thick: int
) -> None:
    (width, height), below = cv2.getTextSize(text, _FONT, scale, thick)
    x = int(np.clip(at[0] - width / 2, 0, max(out.shape[1] - width, 0)))
    y = int(np.clip(at[1] - 3, height + 2, out.shape[0] - below))
    cv2.rectangle(out, (x - 2, y - height - 3), (x + width + 2, y + below), (255, 255, 255), -1)
    cv2.putText(out, text, (x, y), _FONT, scale, tuple(int(c * 0.7) for c in colour), thick, cv2.LINE_AA)
