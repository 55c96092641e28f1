"""Duties of exposed cards are reported only when they are certainly broken."""

from __future__ import annotations

from engine_logs import log

from engine.exposure import Exposure, breaches
from engine.hand import fold


def found(*lines: str) -> list[Exposure]:
    return breaches(fold(log("trump H N", *lines)))


def test_an_exposed_card_must_be_led_or_beat_when_it_can() -> None:
    flags = found("show x N KD", "lay a N AS")
    assert [(f.seat, f.breach, f.card, f.instead) for f in flags] == [("N", "not_played", "x", "a")]
    assert "LV-83" in flags[0].text
    assert found("show x N KD", "lay a N KD") == []
    assert [f.seat for f in found("show x E AS", "lay a N KS", "lay b E TS")] == ["E"]


def test_an_exposed_card_that_may_have_been_illegal_waits() -> None:
    assert found("show x E JS", "lay a N KS", "lay b E AS") == []
    assert found("show x E QS", "lay a N TS", "lay b E KS") == []


def test_nothing_beats_an_ace_so_the_exposed_card_of_its_suit_must_follow() -> None:
    """play-law section 2 and case C-PLAY-12."""
    assert [f.card for f in found("show x E QS", "lay a N AS", "lay b E TS")] == ["x"]


def test_the_partner_may_not_lead_the_suit_while_another_is_held() -> None:
    lines = ("show x S KD", "book 1: N AD, E QD, S KD, W JD")
    assert found(*lines) == []
    flags = found(*lines, "lay a N TC")
    assert [(f.seat, f.breach, f.book) for f in flags] == [("N", "partner_led", 1)]
    assert "LV-84" in flags[0].text


def test_a_card_exposed_in_bidding_bars_that_trump() -> None:
    flags = breaches(fold(log("show x S KH", "trump H N")))
    assert [(f.seat, f.breach) for f in flags] == [("N", "partner_named")]
    assert breaches(fold(log("trump H N", "show x S KH"))) == []
    assert breaches(fold(log("show x E KH", "trump H N"))) == []
