"""Forms sent twice, late, or after sign-out: recorded once, or refused with nothing recorded."""

from __future__ import annotations

import re
import threading
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webui_samples import Sample

from device.pins import hash_of
from engine.events import BidMade, BookClosed, RenegeCalled, RulingMade, TrumpNamed, Undone, What
from webui.app import create_app
from webui.once import Once
from webui.roles import Keys
from webui.source import FolderSource
from webui.writing import FolderWriter

ELSEWHERE = "192.0.2.7"
DIRECTOR, SCORE = hash_of("director-pin"), hash_of("4711")
Form = tuple[str, dict[str, str]]


@pytest.fixture
def guarded(home: Path) -> Flask:
    keys = Keys(b"s" * 32, DIRECTOR, SCORE)
    # Logs are looked at seldom: what is entered must be known at once all the same.
    return create_app(FolderSource(home, poll=600.0), writer=FolderWriter(home), keys=keys)


def signed_in(app: Flask, pin: str) -> FlaskClient:
    """A browser that adds nothing of its own to a form: what is sent is what stands on the page."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = ELSEWHERE
    fields = forms(client, "/sign-in")[0][1]
    assert client.post("/sign-in", data={**fields, "pin": pin}).status_code == 303
    return client


def forms(client: FlaskClient, page: str) -> list[Form]:
    """Address and hidden fields of the page's forms, as a browser would send them."""
    text = client.get(page).text
    found = []
    for action, inside in re.findall(r'<form[^>]* action="([^"]+)"[^>]*>(.*?)</form>', text, re.DOTALL):
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', inside)
        found.append((unescape(action), {name: unescape(value) for name, value in hidden}))
    return found


def form(client: FlaskClient, page: str, address: str, **fields: str) -> Form:
    """The page's first form for that address whose hidden fields include `fields`' known ones."""
    for action, hidden in forms(client, page):
        if action.endswith(address) and all(fields.get(k, v) == v for k, v in hidden.items()):
            return action, {**hidden, **fields}
    raise AssertionError(f"{page} has no form for {address} with {fields}")


def entered(home: Path, hand: str, kind: type) -> list[What]:
    return [e.what for e in FolderSource(home).events(hand) if isinstance(e.what, kind)]


def call_form(client: FlaskClient, sample: Sample) -> Form:
    page = f"/director/hands/{sample.hand}"
    return form(client, page, "/calls", by="N", against="E", kind="FOLLOW")


def test_a_call_sent_twice_is_one_call(guarded: Flask, home: Path, sample: Sample) -> None:
    sample.write(home)
    client = signed_in(guarded, "director-pin")
    action, fields = call_form(client, sample)
    first, second = (client.post(action, data=fields) for _ in range(2))
    assert first.status_code == second.status_code == 303
    assert first.location == second.location, "a second tap leads where the first one led"
    assert "What it changed" in client.get(first.location).text, "the page knows of it already"
    assert len(entered(home, sample.hand, RenegeCalled)) == 1
    client.post(*call_form(client, sample)[:1], data=call_form(client, sample)[1])
    assert len(entered(home, sample.hand, RenegeCalled)) == 2, "made anew on a fresh page it is another call"


def test_an_old_form_sent_again_changes_nothing(guarded: Flask, home: Path, sample: Sample) -> None:
    """Confirmed, then denied; then the browser's back button sends the first form once more."""
    sample.write(home)
    assert sample.renege is not None
    client, page = signed_in(guarded, "director-pin"), f"/director/hands/{sample.hand}"
    card = sample.renege.card
    old = form(client, page, "/rulings", card=card, outcome="confirmed")
    assert client.post(old[0], data=old[1]).status_code == 303
    new = form(client, page, "/rulings", card=card, outcome="denied")
    assert client.post(new[0], data=new[1]).status_code == 303
    assert client.post(old[0], data=old[1]).status_code == 303
    assert entered(home, sample.hand, RulingMade) == [
        RulingMade("confirmed", card, "", None),
        RulingMade("denied", card, "", None),
    ]


def test_an_undo_sent_twice_undoes_once(guarded: Flask, home: Path, sample: Sample) -> None:
    sample.write(home)
    client, page = signed_in(guarded, "director-pin"), f"/director/hands/{sample.hand}"
    action, fields = call_form(client, sample)
    client.post(action, data=fields)
    action, fields = form(client, page, "/undo")
    assert [client.post(action, data=fields).status_code for _ in range(2)] == [303, 303]
    stale = {k: v for k, v in fields.items() if k != "entries"}
    assert client.post(action, data=stale).status_code == 400, "undone already"
    assert len(entered(home, sample.hand, Undone)) == 1


def test_a_double_tap_at_the_same_moment_is_one_bid(guarded: Flask, home: Path, sample: Sample) -> None:
    sample.write(home, 1, pictures=False)
    client = signed_in(guarded, "4711")
    seat = next(e.what.seat for e in sample.events if isinstance(e.what, BidMade))
    action, fields = form(client, "/score/", f"/score/hands/{sample.hand}", kind="bid", seat=seat)
    cookie = client.get_cookie("bookwatch")
    assert cookie is not None
    codes: list[int] = []

    def tap() -> None:
        other = guarded.test_client()
        other.environ_base["REMOTE_ADDR"] = ELSEWHERE
        other.set_cookie("bookwatch", cookie.value)
        codes.append(other.post(action, data={**fields, "call": "55"}).status_code)

    taps = [threading.Thread(target=tap) for _ in range(8)]
    for one in taps:
        one.start()
    for one in taps:
        one.join()
    assert codes == [303] * 8
    assert entered(home, sample.hand, BidMade) == [BidMade(seat, "55")]


def test_two_scorekeepers_at_the_same_moment_enter_one_call(
    guarded: Flask, home: Path, sample: Sample
) -> None:
    sample.write(home, 1, pictures=False)
    seat = next(e.what.seat for e in sample.events if isinstance(e.what, BidMade))
    keepers = [signed_in(guarded, "4711") for _ in range(4)]
    sent = [form(k, "/score/", f"/score/hands/{sample.hand}", kind="bid", seat=seat) for k in keepers]
    codes: list[int] = []

    def enter(n: int) -> None:
        action, fields = sent[n]
        codes.append(keepers[n].post(action, data={**fields, "call": str(55 + n)}).status_code)

    threads = [threading.Thread(target=enter, args=(n,)) for n in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(codes) == [303, 409, 409, 409]
    assert len(entered(home, sample.hand, BidMade)) == 1


def test_trump_sent_twice_is_recorded_once(guarded: Flask, home: Path, sample: Sample) -> None:
    sample.write(home, sample.upto(TrumpNamed) - 1, pictures=False)
    client = signed_in(guarded, "4711")
    action, fields = form(client, "/score/", f"/score/hands/{sample.hand}", kind="trump")
    for _ in range(2):
        assert client.post(action, data={**fields, "suit": sample.trump}).status_code == 303
    assert len(entered(home, sample.hand, TrumpNamed)) == 1


@pytest.mark.parametrize("pin", ["director-pin", "4711"])
def test_what_was_signed_out_of_is_over(guarded: Flask, home: Path, sample: Sample, pin: str) -> None:
    """The form, its token and even a copy of the cookie from before: refused, nothing recorded."""
    sample.write(home, sample.upto(BookClosed, 3), pictures=False)
    client = signed_in(guarded, pin)
    if pin == "4711":
        action, fields = form(client, "/score/", f"/score/hands/{sample.hand}", kind="counted")
    else:
        action, fields = call_form(client, sample)
    cookie = client.get_cookie("bookwatch")
    assert cookie is not None
    before = len(FolderSource(home).events(sample.hand))
    leaving = form(client, "/score/" if pin == "4711" else "/director/", "/sign-out")
    assert client.post(leaving[0], data=leaving[1]).status_code == 303
    assert client.post(action, data=fields).status_code in (400, 403)
    client.set_cookie("bookwatch", cookie.value)
    assert client.post(action, data=fields).status_code == 403
    assert client.get("/director/" if pin != "4711" else "/score/").status_code == 403
    assert len(FolderSource(home).events(sample.hand)) == before
    client.delete_cookie("bookwatch")
    again = signed_in(guarded, pin)
    assert again.post(action, data=fields).status_code == 400, "the token of another session"


def test_a_token_from_before_signing_in_is_no_good_after(guarded: Flask, home: Path, sample: Sample) -> None:
    sample.write(home)
    client = guarded.test_client()
    client.environ_base["REMOTE_ADDR"] = ELSEWHERE
    fields = forms(client, "/sign-in")[0][1]
    client.post("/sign-in", data={**fields, "pin": "director-pin"})
    action, fresh = call_form(client, sample)
    assert client.post(action, data={**fresh, "csrf": fields["csrf"]}).status_code == 400
    assert not entered(home, sample.hand, RenegeCalled)


def test_a_form_that_failed_may_be_sent_again(guarded: Flask) -> None:
    once, tries = Once(), []

    def fail_once() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("the disk is full")
        return 7

    with guarded.test_request_context("/x", method="POST", data={"entries": "0"}):
        with pytest.raises(OSError, match="full"):
            once.take(fail_once)
        assert [once.take(fail_once) for _ in range(3)] == [7, 7, 7]
    assert len(tries) == 2
