"""Every clause has its place: a value of a sheet, code with a test, an entry, or text for the director."""

from __future__ import annotations

import csv
import dataclasses
import re
from importlib import import_module
from pathlib import Path

import clauses_page
import pytest

from device.cli import main
from device.rulesheet import for_people
from engine import clauses, rules
from engine.cards import RANKS, face
from engine.deck import DOUBLE
from engine.notation import KINDS

ROOT = clauses_page.ROOT
COVER = clauses_page.coverage()


def test_the_law_is_that_of_the_shared_csv(shared_clauses: Path) -> None:
    shared = list(csv.DictReader(shared_clauses.read_text(encoding="utf-8").splitlines()))
    own = [(c.id, c.section, c.text, c.kind, c.handling, c.note) for c in clauses.clauses().values()]
    keys = ("id", "section", "paraphrase", "kind", "handling", "note")
    assert own == [tuple(row[k] for k in keys) for row in shared]


@pytest.mark.parametrize(
    "clause", [c for c in clauses.clauses().values() if c.handling in ("engine", "camera", "entry")],
    ids=lambda c: c.id,
)  # fmt: skip
def test_what_engine_camera_or_entry_carries_out_is_covered(clause: clauses.Clause) -> None:
    cover = COVER.get(clause.id, clauses_page.Cover())
    own = [key for key, names in cover.values.items() if any(n.startswith(clause.id[:2]) for n in names)]
    assert own or cover.handled or (cover.code and cover.tested), f"nothing carries out {clause}"


def test_every_other_clause_is_read_by_the_director() -> None:
    shown = {c.id for name in rules.available() for c in for_people(rules.load(name))}
    cited = {i for name in rules.available() for ids in rules.load(name).sources.values() for i in ids}
    assert clauses.clauses().keys() <= shown | cited


@pytest.mark.parametrize("name", rules.available())
def test_sheets_cite_only_known_ids(name: str) -> None:
    known = {*clauses.clauses(), *clauses.decisions(), clauses.SILENT}
    for key, ids in rules.load(name).sources.items():
        assert set(ids) <= known, key
        assert len(set(ids)) == len(ids), key
        assert "silent" not in ids[1:], key
        assert all(clauses.said(i) for i in ids)


def test_every_decision_is_cited_where_it_is_used() -> None:
    missing = [i for i in clauses.decisions() if i not in COVER or not (COVER[i].values or COVER[i].code)]
    assert missing == []


def test_every_value_of_a_sheet_is_used_by_the_code() -> None:
    for_people_only = [
        "deal.first_dealer", "books.card_touching", "call.who", "call.verified_by",
        "tournament.scorekeepers", "tournament.signed_by",
    ]  # fmt: skip
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for package in ("engine", "device", "webui")
        for path in (ROOT / package).rglob("*.py")
        if path.name != "rules.py"
    )
    law = rules.load("LV")
    unused = [
        f"{section.name}.{key.name}"
        for section in dataclasses.fields(law)
        if dataclasses.is_dataclass(table := getattr(law, section.name))
        for key in dataclasses.fields(table)
        if not re.search(rf"\.{key.name}\b|\"{key.name}\"", code)
    ]
    assert unused == for_people_only


def test_what_takes_a_clause_exists() -> None:
    for entry in {by for cover in COVER.values() for by in cover.handled}:
        what, _, name = entry.partition(" ")
        if what == "event":
            assert name in KINDS
        elif what == "code":
            module, _, attribute = name.partition(":")
            assert hasattr(import_module(module), attribute)
        else:
            assert what == "command"
            group, _, command = name.partition(" ")
            found = main.get_command(None, group)  # type: ignore[arg-type]
            assert found is not None
            assert not command or command in found.commands  # type: ignore[attr-defined]


def test_the_page_is_up_to_date() -> None:
    stale = "docs/clauses.md is out of date: run python tests/engine/clauses_page.py"
    assert Path(clauses_page.PAGE).read_text(encoding="utf-8") == clauses_page.page(), stale


def test_the_deck_is_double_and_ranks_ace_ten_king_queen_jack() -> None:
    """LV-01, LV-43, WS-08, EC-09."""
    assert DOUBLE.size == 80
    assert [DOUBLE.cards().count(face("TS")), len(DOUBLE.faces)] == [4, 20]
    strengths = [face(rank + "S").strength for rank in RANKS]
    assert RANKS == ("A", "T", "K", "Q", "J")
    assert strengths == sorted(strengths, reverse=True)
