"""Rule sheets: every value with its source, and errors that name line and remedy."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import rules
from engine.rules import RuleError, Term

SHEET = Path(rules.__file__).with_name("rulesets") / "lv.toml"


def test_rule_sets_are_found_by_name_in_any_case() -> None:
    assert "LV" in rules.available()
    assert rules.load("lv") is rules.load("LV")
    assert rules.load("lv").name == "LV"
    assert rules.load(SHEET) == rules.load("lv")


@pytest.mark.parametrize("name", rules.available())
def test_every_value_of_every_sheet_says_where_it_comes_from(name: str) -> None:
    sheet = rules.load(name)
    without = [
        key
        for key, ids in sheet.sources.items()
        if not ids and getattr(getattr(sheet, key.split(".")[0]), key.split(".")[1])
    ]
    assert without == []
    assert sheet.clauses("meld.board")


def test_an_unknown_rule_set_is_answered_with_the_known_ones() -> None:
    with pytest.raises(RuleError, match=r"no rule set 'LX': choose from .*LV.*did you mean"):
        rules.load("LX")
    with pytest.raises(RuleError, match=r"there is no rule set '\.\./lv'"):
        rules.load("../lv")


def _sheet(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_directors_own_sheet_states_only_what_differs(tmp_path: Path) -> None:
    path = _sheet(
        tmp_path,
        'extends = "lv"\nname = "CLUB"\ntitle = "Club"\n[meld]\nboard = { is = 15, from = ["club 3"] }\n',
    )
    own = rules.load(path)
    assert (own.name, own.meld.board, own.clauses("meld.board")) == ("CLUB", 15, ("club 3",))
    assert own.meld.aces == rules.load("lv").meld.aces
    assert rules.load("lv").meld.board == 20


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[meld]\nbord = { is = 15, from = [] }\n", "unknown key 'bord' in [meld]; did you mean 'board'"),
        ("[meldd]\n", "line 2: unknown section 'meldd'; did you mean 'meld'"),
        ("[meld]\nboard = 15\n", "line 3: meld.board must have the form { is = ..., from = ... }"),
        ('[meld]\nboard = { is = "x", from = [] }\n', "line 3: meld.board: a whole number"),
        ("[meld]\nboard = { is = true, from = [] }\n", "a whole number is needed"),
        ("[meld]\nboard = { is = 15, from = 3 }\n", "must be a list of clause ids"),
        ('[books]\ncorrect_until = { is = "next_cart", from = [] }\n', "did you mean 'next_card'"),
        ("[meld]\naces = { is = 3, from = [] }\n", "a list is needed"),
        ("[meld]\naces = { is = [1], from = [] }\n", "line 3: meld.aces needs a value for one, two, three"),
        ('[scoring]\nset = { bidders = ["bidd"], others = [], from = [] }\n', "'bidd' is no part"),
        ("[meld\n", "not a TOML file"),
        ('name = 3\n', "line 2: name"),
    ],
)  # fmt: skip
def test_errors_name_the_line_and_a_remedy(tmp_path: Path, text: str, said: str) -> None:
    path = _sheet(tmp_path, 'extends = "lv"\n' + text)
    with pytest.raises(RuleError) as error:
        rules.load(path)
    assert said in str(error.value)
    assert "own.toml" in str(error.value)


def test_incomplete_circular_and_missing_sheets(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"section \[deal\] is missing"):
        rules.load(_sheet(tmp_path, 'name = "X"\ntitle = "X"\n'))
    path = _sheet(tmp_path, SHEET.read_text(encoding="utf-8").replace("save = ", "# save = "))
    with pytest.raises(RuleError, match=r"line \d+: \[scoring\] lacks the key 'save'"):
        rules.load(path)
    with pytest.raises(RuleError, match="extends itself"):
        rules.load(_sheet(tmp_path, 'extends = "own.toml"\n'))
    with pytest.raises(RuleError, match="check the path"):
        rules.load(tmp_path / "none.toml")
    with pytest.raises(RuleError, match="extends must be"):
        rules.load(_sheet(tmp_path, "extends = 3\n"))


@pytest.mark.parametrize(
    ("text", "bid", "meld", "points", "amount"),
    [
        ("bid", 60, 0, 0, 60),
        ("minus bid", 60, 0, 0, -60),
        ("meld if 20", 0, 19, 0, 0),
        ("meld if 20", 0, 20, 0, 20),
        ("meld", 0, 7, 0, 7),
        ("points at least 31", 0, 0, 12, 31),
        ("points at least 31", 0, 0, 33, 33),
        ("50", 0, 0, 0, 50),
    ],
)
def test_terms_of_awards(text: str, bid: int, meld: int, points: int, amount: int) -> None:
    term = Term.parse(text)
    assert term.amount(bid, meld, points) == amount
    assert str(term) == text


@given(st.text(max_size=20))
def test_no_text_breaks_the_reading_of_terms(text: str) -> None:
    with contextlib.suppress(RuleError):
        assert Term.parse(str(Term.parse(text))) == Term.parse(text)
