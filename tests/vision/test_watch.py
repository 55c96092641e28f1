"""A whole watcher on a table of paper: what happens on the table, and what is recorded of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_table import TURN, FakeTable, Hand, Paper, clockwise, place

from engine import events as ev
from engine.cards import face
from vision.watch import WatchOptions

BOOK = ("AS", "JS", "TS", "QS")


def lay_book(t: FakeTable, first: str = "W", faces: tuple[str, ...] = BOOK, name: str = "") -> list[str]:
    keys = []
    for seat, f in zip(clockwise(first), faces, strict=False):  # type: ignore[arg-type]
        keys.append(f"{name}{f}{seat}")
        t.lay(keys[-1], f, seat, wait=0.4)
    return keys


def test_a_book_is_recorded_in_order_by_seat_and_as_closed_and_gathered() -> None:
    t = FakeTable()
    keys = lay_book(t)
    t.gather(keys, "W")
    assert t.story() == ["lay W AS", "lay N JS", "lay E TS", "lay S QS", "close 1", "gather 1 W"]
    laid = t.of(ev.CardLaid)
    assert [c.card for c in laid] == ["c001", "c002", "c003", "c004"]
    assert all(c.seat_probability > 0.95 and c.reading.probability > 0.95 for c in laid)


def test_events_come_soon_after_rest_with_a_picture_of_the_whole_card() -> None:
    t = FakeTable()
    t.lay("a", "AS", "S", wait=0.0)
    rest = t.at
    t.wait(1.0)
    observed = next(o for o in t.observed if isinstance(o.what, ev.CardLaid))
    assert observed.at <= rest + 0.1
    name = observed.what.reading.picture  # type: ignore[union-attr]
    assert name == "pictures/c001.jpg"
    height, width = observed.pictures[name].shape[:2]
    assert min(height, width) > 63.5 * 0.8
    assert max(height, width) > 88.9 * 0.8


def test_a_card_taken_back_is_a_correction_and_its_replacement_another_card() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS", "JS"))
    t.take(["JSN"], "N")
    t.wait(1.0)
    t.lay("again", "KS", "N", wait=0.4)
    for seat, f in (("E", "TS"), ("S", "QS")):
        t.lay(f + seat, f, seat, wait=0.4)  # type: ignore[arg-type]
    t.gather(list(t.cards), "W")
    assert t.story() == [
        "lay W AS", "lay N JS", "back N JS", "lay N KS", "lay E TS", "lay S QS", "close 1", "gather 1 W",
    ]  # fmt: skip


def test_a_card_mended_after_the_next_player_laid() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS", "JH", "TS"))
    t.take(["JHN"], "N")
    t.wait(0.8)
    t.lay("again", "KS", "N", wait=0.4)
    t.lay("QSS", "QS", "S", wait=0.4)
    assert t.story() == ["lay W AS", "lay N JH", "lay E TS", "back N JH", "lay N KS", "lay S QS"]


def test_a_card_pushed_and_turned_stays_the_same_card() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS", "JS"))
    x, y, angle = t.spot("N")
    t.move("JSN", "N", (x + 45, y + 10, angle + 35))
    t.wait(1.0)
    lay_book(t, "E", ("TS", "QS"))
    assert t.story() == ["lay W AS", "lay N JS", "lay E TS", "lay S QS"]


def test_a_card_laid_over_others_leaves_them_what_they_were() -> None:
    t = FakeTable()
    for n, seat in enumerate(clockwise("W")):
        t.lay(BOOK[n], BOOK[n], seat, at=(*place(seat, 10, -32), TURN[seat] + 8), wait=0.5)
    t.gather(list(BOOK), "N")
    assert t.story() == ["lay W AS", "lay N JS", "lay E TS", "lay S QS", "close 1", "gather 1 N"]


def test_identical_copies_are_different_cards() -> None:
    t = FakeTable()
    keys = lay_book(t, "W", ("AS", "AS", "AS", "AS"))
    t.gather(keys, "W")
    keys = lay_book(t, "W", ("TH", "TH", "TH", "TH"))
    assert len({c.card for c in t.of(ev.CardLaid)}) == 8
    assert t.story()[-4:] == ["lay W TH", "lay N TH", "lay E TH", "lay S TH"]


def test_the_next_lead_may_come_while_the_last_book_is_put_away() -> None:
    t = FakeTable()
    keys = lay_book(t)
    t.gather(keys, "W", wait=0.0)
    lay_book(t, "S", ("AD", "QD", "KD", "JD"))
    assert [s for s in t.story() if not s.startswith("gather")] == [
        "lay W AS", "lay N JS", "lay E TS", "lay S QS", "close 1",
        "lay S AD", "lay W QD", "lay N KD", "lay E JD",
    ]  # fmt: skip
    assert "gather 1 W" in t.story()


def test_a_copy_led_where_the_winner_s_card_lay_while_that_book_is_turned_is_another_card() -> None:
    t = FakeTable()
    keys = lay_book(t)
    x, y, angle = t.spot("W")
    start = {k: t.cards[k] for k in keys}
    px, py = place("E", 0, -128)
    for n in range(1, 13):  # East draws the book in, and West's hand is on its way already
        f = min(1.0, n / 6)
        for k, c in start.items():
            up = n < 8
            t.cards[k] = replace(c, x=c.x + (px - c.x) * f, y=c.y + (py - c.y) * f, up=up)
        come = max(0.0, 1 - n / 9)
        t.cards["again"] = Paper("AS", x - 240 * come + 14, y + 6, angle + 4)
        t.hands = [Hand("E", px, py), Hand("W", x - 240 * come - 24, y)]
        t.frame()
    t.hands = [Hand("E", px, py)]
    t.wait(0.2)
    for n in range(1, 7):
        for k in keys:
            t.cards[k] = replace(t.cards[k], x=px + 30 * n, y=py - 20 * n)
        t.hands = [Hand("E", px + 30 * n, py - 20 * n)]
        t.frame()
    t.hands = []
    t.lay("TS2", "TS", "N")
    t.wait(1.0)
    assert not t.of(ev.CardTakenBack)
    laid = t.of(ev.CardLaid)
    assert [(c.seat, str(c.reading.face)) for c in laid[:4]] == [
        ("W", "AS"), ("N", "JS"), ("E", "TS"), ("S", "QS"),
    ]  # fmt: skip
    second = {(c.seat, str(c.reading.face)) for c in laid[4:]}
    assert second == {("W", "AS"), ("N", "TS")}
    assert len({c.card for c in laid}) == 6
    late = next(c for c in laid[4:] if c.seat == "W")
    north = next(c for c in laid[4:] if c.seat == "N")
    assert late is laid[4] or late.before == north.card  # in its place whenever it is noticed


def test_a_fifth_card_begins_another_book_though_the_last_still_lies_there() -> None:
    t = FakeTable(WatchOptions(closing="next_lead"))
    keys = lay_book(t)
    t.lay("AD", "AD", "W", at=(*place("W", 40, -150), 270.0))
    assert t.story()[-2:] == ["close 1", "lay W AD"]
    assert t.of(ev.BookClosed)[0].how == "next_lead"
    t.gather(keys, "W")
    assert "gather 1 W" in t.story()


def test_a_last_card_swept_up_before_it_rested_is_found_in_the_pictures_just_past() -> None:
    t = FakeTable()
    keys = lay_book(t, "W", ("AS", "JS", "TS"))
    x, y, angle = t.spot("S")
    for n in range(5):  # it slides in while the winner's hand is there already
        t.cards.pop("last", None)
        t.cards["last"] = Paper("QS", x + 4 * (4 - n), y - 12 * (4 - n), angle)
        t.hands = [Hand("W", -200 + 45 * n, 60)]
        t.frame()
    t.hands = []
    t.gather([*keys, "last"], "W")
    assert t.story() == ["lay W AS", "lay N JS", "lay E TS", "lay S QS", "close 1", "gather 1 W"]


def test_white_cards_on_white_cloth_are_found_once_the_hand_has_left() -> None:
    t = FakeTable(mat=(233, 233, 233), pictures=False)
    rests = []
    for seat, f in zip(clockwise("W"), BOOK, strict=True):
        t.lay(f, f, seat, wait=1.0)
        rests.append(t.at)
        assert len(t.of(ev.CardLaid)) == len(rests), "found within a second"
    t.gather(list(BOOK), "W", wait=2.5)
    assert t.story() == ["lay W AS", "lay N JS", "lay E TS", "lay S QS", "close 1", "gather 1 W"]


def test_what_is_read_where_the_dark_table_is_bare_is_no_card() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS",))
    x, y, angle = t.spot("N")
    t.ghosts.append(Paper("KH", x + 68, y, angle))
    t.lay("JS", "JS", "N", wait=1.5)
    assert t.story() == ["lay W AS", "lay N JS"]


def test_a_card_out_of_turn_is_reported_by_its_seat_in_the_order_it_came() -> None:
    t = FakeTable()
    t.lay("a", "AS", "W", wait=0.4)
    t.lay("b", "JS", "E", wait=0.4)
    t.lay("c", "QS", "N", wait=0.4)
    assert t.story() == ["lay W AS", "lay E JS", "lay N QS"]


def row(t: FakeTable, seat: str, faces: tuple[str, ...], step: float = 22.0) -> list[str]:
    keys = []
    for n, f in enumerate(faces):
        keys.append(f"m{seat}{n}")
        x, y = place(seat, (n - len(faces) / 2) * step, -260)  # type: ignore[arg-type]
        t.lay(keys[-1], f, seat, at=(x, y, TURN[seat]), wait=0.0)  # type: ignore[arg-type,index]
    t.wait(1.2)
    return keys


def test_meld_is_found_without_being_told_and_the_leader_s_marriage_names_trump() -> None:
    t = FakeTable()
    south = row(t, "S", ("KH", "QH", "QH", "JD", "JD"))
    west = row(t, "W", ("KD", "QD"))
    assert sorted(t.story()) == sorted(
        ["meld S KH", "meld S QH", "meld S QH", "meld S JD", "meld S JD", "meld W KD", "meld W QD"]
    )
    t.take(south, "S")
    t.take(west, "W")
    t.wait(0.5)
    t.lay("AH", "AH", "S")
    assert t.story()[7:] == ["MeldClosed", "lay S AH", "TrumpNamed"]
    assert t.of(ev.TrumpNamed) == [ev.TrumpNamed("H", "S")]


def test_the_first_marriage_is_the_one_that_came_to_rest_first_not_the_one_read_first() -> None:
    """The queen of clubs reads badly until the meld has lain for a while."""
    t = FakeTable()
    t.reads_as["mS1"] = ("QC/QS", 0.99)
    south = row(t, "S", ("KC", "QC", "KH", "QH"))
    assert "meld S QC" not in t.story()
    del t.reads_as["mS1"]
    t.wait(3.0)
    assert t.story()[-1] == "meld S QC"
    t.take(south, "S")
    t.wait(0.5)
    t.lay("AH", "AH", "S")
    assert [(told.suit, told.seat) for told in t.of(ev.TrumpNamed)] == [("C", "S")]


def test_a_card_of_the_bidder_s_meld_that_could_not_be_read_leaves_trump_in_doubt() -> None:
    """A queen beside the first king reads as one of clubs or of spades: the suit of the king, perhaps."""
    t = FakeTable()
    t.reads_as["mS1"] = ("QC/QS", 0.99)
    south = row(t, "S", ("KC", "QC", "KH", "QH"))
    assert sorted(t.story()) == ["meld S KC", "meld S KH", "meld S QH"]
    t.take(south, "S")
    t.wait(0.5)
    t.lay("AH", "AH", "S")
    (told,) = t.of(ev.TrumpNamed)
    assert (told.suit, told.seat) == ("H", "S")
    assert 0.3 < told.probability < 0.7


def test_meld_taken_back_while_the_rest_stays_was_not_melded() -> None:
    t = FakeTable()
    keys = row(t, "S", ("KH", "QH", "JD"), step=75)
    t.take([keys[2]], "S")
    t.wait(4.0)
    assert t.story()[3:] == ["back S JD"]


def test_a_card_dropped_before_a_player_is_exposed_and_no_play() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS", "JS"))
    t.lay("drop", "QD", "E", at=(*place("E", -60, -300), TURN["E"] + 30), wait=1.0)
    t.take(["drop"], "E")
    t.wait(0.5)
    t.lay("TS", "TS", "E")
    assert t.story() == ["lay W AS", "lay N JS", "exposed E QD", "lay E TS"]


def test_a_lost_sight_is_said_and_the_table_known_again_afterwards() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS", "JS"))
    t.dark = True
    t.wait(2.0)
    t.dark = False
    t.wait(1.0)
    lay_book(t, "E", ("TS", "QS"))
    assert t.story() == ["lay W AS", "lay N JS", "SightLost", "SightRegained", "lay E TS", "lay S QS"]


def test_an_arm_that_rests_over_a_card_takes_nothing_away() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS", "JS"))
    x, y, _ = t.spot("W")
    hand = Hand("W", x + 30, y)
    t.reach("W", hand.x, hand.y)
    t.hands.append(hand)
    t.wait(3.0)
    t.hands.remove(hand)
    t.reach("W", hand.x, hand.y, leave=True)
    lay_book(t, "E", ("TS", "QS"))
    assert t.story() == ["lay W AS", "lay N JS", "lay E TS", "lay S QS"]


def test_a_doubtful_reading_is_mended_by_the_deck_s_counts() -> None:
    t = FakeTable()
    for n in range(4):
        seats = clockwise("W")
        for k, seat in enumerate(seats):
            key = f"{n}{seat}"
            f = "AS" if k == 0 else ("TS", "KS", "QS")[k - 1]
            if (n, k) == (3, 3):  # the last queen reads as a fifth ace
                f = "QS"
                t.reads_as[key] = ("AS", 0.7)
            t.lay(key, f, seat, wait=0.3)
        t.gather([k for k in t.cards if k.startswith(str(n))], "W", wait=0.6)
    wrong = t.of(ev.CardLaid)[-1]
    assert wrong.reading.face == face("AS")
    revised = [r for r in t.of(ev.ReadingRevised) if r.card == wrong.card]
    assert revised
    assert revised[-1].reading.probability < 0.3 or revised[-1].reading.face != face("AS")


def test_the_bare_table_that_an_arm_leaves_costs_no_look() -> None:
    t = FakeTable()
    t.wait(2.0)
    before = t.reader.looks
    for seat in clockwise("W"):
        t.reach(seat, *place(seat, 0, -74))
        t.reach(seat, *place(seat, 0, -74), leave=True)
        t.wait(0.8)
    assert t.reader.looks - before <= 4  # one at each arm, where it turns back


def test_a_card_costs_few_looks_and_quick_pictures_none() -> None:
    t = FakeTable(fps=30.0)
    t.wait(2.0)
    before = t.reader.looks
    lay_book(t)
    t.wait(1.0)
    assert t.story() == ["lay W AS", "lay N JS", "lay E TS", "lay S QS"]
    assert t.reader.looks - before <= 12


@pytest.mark.slow
def test_twenty_books_end_the_hand() -> None:
    t = FakeTable()
    suits = "SHDC"
    for n in range(20):
        f = tuple(r + suits[n % 4] for r in "ATKQ") if n < 16 else tuple("J" + s for s in suits)
        keys = lay_book(t, "W", f, name=str(n))
        t.gather(keys, "W", wait=0.7)
    assert t.of(ev.HandEnded) == [ev.HandEnded("played")]
    assert len(t.of(ev.CardLaid)) == 80
    assert [b.number for b in t.of(ev.BookClosed)] == list(range(1, 21))
    assert t.watcher.ended


def lay_two(t: FakeTable) -> tuple[str, str]:
    """North's hand lays two cards at once, upon each other."""
    x, y, angle = t.spot("N")
    for n in range(1, 7):
        away = 40 * (6 - n)
        for key, dx in (("JS", 0.0), ("JD", 22.0)):
            t.cards.pop(key, None)
            t.cards[key] = Paper(key, x + dx, y + away + dx / 2, angle + dx / 4)
        t.hands = [Hand("N", x + 30, y + away + 50)]
        t.frame()
    t.hands = []
    t.reach("N", x + 30, y + 50, leave=True)
    return "JS", "JD"


@pytest.mark.parametrize("taken", [0, 1])
def test_of_two_cards_laid_at_once_the_one_taken_up_again_is_exposed(taken: int) -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS",))
    two = lay_two(t)
    t.wait(0.8)
    t.take([two[taken]], "N")
    t.wait(1.5)
    lay_book(t, "E", ("TS",))
    assert t.story() == ["lay W AS", f"lay N {two[1 - taken]}", f"exposed N {two[taken]}", "lay E TS"]


def test_of_two_cards_laid_at_once_and_left_one_is_the_play_until_it_goes() -> None:
    t = FakeTable()
    lay_book(t, "W", ("AS",))
    two = set(lay_two(t))
    t.wait(3.5)
    (play,) = (str(c.reading.face) for c in t.of(ev.CardLaid)[1:])
    (other,) = two - {play}
    assert t.story() == ["lay W AS", f"lay N {play}", f"exposed N {other}"]
    t.take([play], "N")
    t.wait(2.0)
    assert t.story()[-2:] == [f"back N {play}", f"lay N {other}"]
