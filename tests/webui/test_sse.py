from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webui.sse import Message, encode


def parse(data: bytes) -> list[tuple[str | None, str, str]]:
    """Messages as a browser reads them (WHATWG, server-sent events, section 9.2.6): id, event, data."""
    found = []
    id, event, lines = None, "message", []
    text = data.decode().replace("\r\n", "\n").replace("\r", "\n")
    for line in text.split("\n"):
        if not line:
            if lines:
                found.append((id, event, "\n".join(lines)))
            event, lines = "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            lines.append(value)
        elif name == "event":
            event = value
        elif name == "id" and "\0" not in value:
            id = value
    return found


@given(
    st.text(),
    st.sampled_from(["message", "table", "beat"]),
    st.from_regex(r"[a-z0-9-]{1,20}", fullmatch=True),
)
def test_a_browser_reads_what_was_sent(data: str, event: str, id: str) -> None:
    expected = data.replace("\r\n", "\n").replace("\r", "\n")
    assert parse(encode(Message(data, event, id))) == [(id, event, expected)]


def test_two_messages_stay_two() -> None:
    sent = encode(Message("a\n\nb", "table", "1")) + encode(Message("", "beat"))
    assert parse(sent) == [("1", "table", "a\n\nb"), ("1", "beat", "")]


@pytest.mark.parametrize("forged", ["1\ndata: x", "1\rdata: x", "1\0"])
def test_an_id_or_event_cannot_forge_fields(forged: str) -> None:
    with pytest.raises(ValueError, match="line end"):
        encode(Message("x", id=forged))
    with pytest.raises(ValueError, match="line end"):
        encode(Message("x", event=forged))
