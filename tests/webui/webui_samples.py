"""Seeded sample hands for the pages: auction, meld, twenty books, a renege and a correction in time.

Not the simulator: no geometry, no camera; only a true log with drawn evidence pictures.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine import meld, notation, play, rules
from engine.cards import SEATS, SUITS, Face, Seat, Suit, next_seat
from engine.deck import DOUBLE
from engine.events import (
    BidMade,
    BookClosed,
    BookGathered,
    CardLaid,
    CardTakenBack,
    Event,
    HandEnded,
    HandStarted,
    MeldClosed,
    MeldLaid,
    Reading,
    TrumpNamed,
    What,
)  # fmt: skip

START = datetime(2026, 11, 30, 14, 0, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Renege:
    """What was injected: the offender's card, its book, and the card that later proves it."""

    seat: Seat
    book: int
    card: str
    face: Face
    proof_book: int
    proof_face: Face


@dataclass
class Sample:
    hand: str
    trump: Suit
    bidder: Seat
    dealt: dict[Seat, list[Face]]
    events: list[Event] = field(default_factory=list)
    renege: Renege | None = None
    corrected: tuple[str, Face] | None = None
    """Card id and face of the card taken back in time."""

    @property
    def pictures(self) -> dict[str, Face]:
        """Every picture that the log names, and the face that it shows."""
        readings = [r for e in self.events if (r := getattr(e.what, "reading", None))]
        return {r.picture: r.face for r in readings if r.picture}

    def upto(self, kind: type, count: int = 1) -> int:
        """How many events the log has when the `count`-th event of that kind is in it."""
        seqs = [e.seq for e in self.events if isinstance(e.what, kind)]
        return seqs[count - 1]

    def write(self, home: Path, upto: int | None = None, pictures: bool = True) -> Path:
        """Writes (or carries on) the hand folder with the first `upto` events."""
        folder = home / self.hand
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        file = folder / "log.jsonl"
        have = len(file.read_text().splitlines()) if file.exists() else 0
        new = self.events[have:upto]
        if pictures:
            for event in new:
                reading = getattr(event.what, "reading", None)
                if reading and reading.picture:
                    draw_picture(folder / reading.picture, reading.face)
        with file.open("a") as out:
            out.writelines(notation.event_to_json(e) + "\n" for e in new)
        return folder


def draw_picture(file: Path, face: Face) -> None:
    """A card on felt, turned a little, as an evidence picture shows it."""
    rng = np.random.default_rng(zlib.crc32(file.name.encode()))
    image = _felt().copy()
    card = np.full((280, 200, 3), 245, np.uint8)
    ink = (40, 30, 190) if face.suit in "HD" else (30, 30, 30)
    rank = "10" if face.rank == "T" else face.rank
    cv2.putText(card, rank, (12, 62), cv2.FONT_HERSHEY_DUPLEX, 1.9, ink, 4, cv2.LINE_AA)
    _pip(card, face.suit, (38, 100), 24, ink)
    _pip(card, face.suit, (100, 165), 62, ink)
    turn = cv2.getRotationMatrix2D((100, 140), float(rng.uniform(-25, 25)), 1.0)
    turn[:, 2] += (110, 70)
    mask = cv2.warpAffine(np.full(card.shape[:2], 255, np.uint8), turn, (420, 420))
    warped = cv2.warpAffine(card, turn, (420, 420))
    image[mask > 128] = warped[mask > 128]
    cv2.imwrite(str(file), image)


@cache
def _felt() -> np.ndarray:
    noise = np.random.default_rng(0).normal(0, 6, (420, 420, 3))
    return np.clip(np.array((70, 105, 45)) + noise, 0, 255).astype(np.uint8)


def _pip(image: np.ndarray, suit: Suit, at: tuple[int, int], size: int, ink: tuple[int, int, int]) -> None:
    x, y, r = at[0], at[1], size // 2
    if suit == "D":
        cv2.fillPoly(
            image, [np.array([[x, y - r], [x + r * 3 // 4, y], [x, y + r], [x - r * 3 // 4, y]])], ink
        )
        return
    sign = 1 if suit == "H" else -1
    if suit == "C":
        centers = [(x, y - r // 2), (x - r // 2, y + r // 4), (x + r // 2, y + r // 4)]
    else:
        centers = [(x - r // 2, y - sign * r // 3), (x + r // 2, y - sign * r // 3)]
        tip = np.array([[x - r + 2, y - sign * r // 8], [x + r - 2, y - sign * r // 8], [x, y + sign * r]])
        cv2.fillPoly(image, [tip], ink)
    for center in centers:
        cv2.circle(image, center, max(2, r * 11 // 20), ink, -1, cv2.LINE_AA)
    if suit in "SC":
        foot = np.array([[x, y], [x - r // 2, y + r], [x + r // 2, y + r]])
        cv2.fillPoly(image, [foot], ink)


def deal(rng: random.Random) -> dict[Seat, list[Face]]:
    cards = DOUBLE.cards()
    rng.shuffle(cards)
    return {s: cards[n * 20 : n * 20 + 20] for n, s in enumerate(SEATS)}


def melded(hand: list[Face], trump: Suit) -> list[Face]:
    """The cards a player lays: those that some group needs."""
    need: Counter[Face] = Counter()
    for group in meld.count(hand, trump, rules.load("lv")).groups:
        need |= Counter(group.cards)
    return list(need.elements())


def make(
    seed: int = 1,
    hand: str | None = None,
    table: str | None = "Table 1",
    renege: bool = True,
    doubt: bool = False,
) -> Sample:
    """A full hand. `renege`: one player fails a duty and shows it later. `doubt`: its reading is unsure."""
    for attempt in range(200):
        sample = _try(random.Random(seed * 1000 + attempt), hand or f"hand-{seed}", table, renege, doubt)
        if sample and (sample.renege or not renege) and sample.corrected:
            return sample
    raise AssertionError(f"no sample hand from seed {seed}")


def _try(rng: random.Random, name: str, table: str | None, want: bool, doubt: bool) -> Sample | None:
    dealt = deal(rng)
    bidder = rng.choice(SEATS)
    suits = [s for s in SUITS if {Face("K", s), Face("Q", s)} <= set(dealt[bidder])]
    if not suits:
        return None
    trump = max(suits, key=lambda s: sum(f.suit == s for f in dealt[bidder]))
    sample = Sample(name, trump, bidder, {s: list(h) for s, h in dealt.items()})
    clock = [0.0]

    def add(what: What, seconds: float, by: str = "camera") -> None:
        clock[0] += seconds
        utc = (START + timedelta(seconds=clock[0])).isoformat().replace("+00:00", "Z")
        sample.events.append(Event(len(sample.events) + 1, round(clock[0], 2), what, by, utc))  # type: ignore[arg-type]

    def reading(face: Face, picture: str, p: float | None = None) -> Reading:
        second = Face(
            "Q" if face.rank == "J" else "J" if face.rank == "Q" else "T" if face.rank == "K" else "K",
            face.suit,
        )
        p = p if p is not None else round(rng.uniform(0.985, 0.9999), 4)
        return Reading(face, p, second, round(1 - p, 4), f"pictures/{picture}.jpg")

    dealer = SEATS[(SEATS.index(bidder) - 2) % 4]
    add(HandStarted(name, "lv", dealer, table), 0, "system")
    seat, level = next_seat(dealer), 50
    while seat != bidder:
        add(BidMade(seat, str(level)), 4, "scorekeeper")
        seat, level = next_seat(seat), level + 1
    add(BidMade(bidder, str(level + 2)), 4, "scorekeeper")
    for _ in range(3):
        seat = next_seat(seat)
        add(BidMade(seat, "pass"), 3, "scorekeeper")
    add(TrumpNamed(trump, bidder), 5, "scorekeeper")
    number = 0
    for seat in SEATS:
        for face in melded(dealt[seat], trump):
            number += 1
            add(MeldLaid(f"m{number}", seat, reading(face, f"m{number:02}")), 0.6)
    add(MeldClosed(), 15)

    hands = {s: list(h) for s, h in dealt.items()}
    leader, number = bidder, 0
    pending: tuple[Seat, int, str, Face, list[Face]] | None = None
    for book in range(1, 21):
        table_cards: list[tuple[Seat, Face]] = []
        seat = leader
        for _ in range(4):
            faces = [f for _, f in table_cards]
            legal = play.legal(hands[seat], faces, trump)
            illegal = [f for f in hands[seat] if f not in legal]
            choice = rng.choice(legal)
            number += 1
            if illegal and book >= 3 and not sample.corrected and seat != (pending[0] if pending else None):
                wrong = rng.choice(illegal)
                add(CardLaid(f"c{number}", seat, reading(wrong, f"c{number:02}")), 1.5)
                add(CardTakenBack(f"c{number}"), 2.0)
                sample.corrected = (f"c{number}", wrong)
                number += 1
                choice = rng.choice(legal)
            elif want and illegal and 5 <= book <= 12 and not pending and sample.corrected:
                choice = rng.choice(illegal)
                witnesses = [
                    x
                    for x in dict.fromkeys(hands[seat])
                    if x != choice and choice not in play.legal([choice, x], faces, trump)
                ]
                pending = (seat, book, f"c{number}", choice, witnesses)
            p = 0.71 if doubt and pending and pending[2] == f"c{number}" else None
            add(CardLaid(f"c{number}", seat, reading(choice, f"c{number:02}", p)), rng.uniform(0.8, 3.0))
            hands[seat].remove(choice)
            if (
                pending
                and not sample.renege
                and pending[0] == seat
                and book > pending[1]
                and choice in pending[4]
            ):
                sample.renege = Renege(seat, pending[1], pending[2], pending[3], book, choice)
            table_cards.append((seat, choice))
            seat = next_seat(seat)
        leader = play.winner(table_cards, trump)
        add(BookClosed(book, "turned"), 1.5)
        add(BookGathered(book, leader), 1.0)
    add(HandEnded("played"), 2)
    return sample


def cards_of(sample: Sample) -> Iterator[tuple[str, Seat, Face]]:
    """Id, seat and face of every card laid in play that stayed laid."""
    back = {e.what.card for e in sample.events if isinstance(e.what, CardTakenBack)}
    for event in sample.events:
        what = event.what
        if isinstance(what, CardLaid) and what.card not in back:
            yield what.card, what.seat, what.reading.face


class Browser(FlaskClient):
    """A client that sends its forms from our pages: with the token that every form carries."""

    def post(self, *args: Any, **options: Any) -> TestResponse:
        with self.session_transaction() as session:
            token = session.setdefault("csrf", "t")
        options["data"] = {"csrf": token, **(options.get("data") or {})}
        return super().post(*args, **options)


def browser(app: Flask, address: str = "127.0.0.1") -> Browser:
    """A browser at this address; by default on the machine itself, which may do all where no PIN is set."""
    client = Browser(app, app.response_class, use_cookies=True)
    client.environ_base["REMOTE_ADDR"] = address
    return client
