from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_core import PydanticUndefined

from device import config
from device.errors import UserError

DOCUMENT = Path(__file__).parents[2] / "docs" / "configuration.md"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return path


def test_defaults_need_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "default_path", lambda: tmp_path / "none.toml")
    settings = config.load(env={})
    assert settings.game.ruleset == "lv"
    assert settings.hands.name == "hands"


def test_the_file_and_then_the_environment_decide(tmp_path: Path) -> None:
    path = write(tmp_path, '[table]\nname = "table-7"\nwidth_mm = 1000\n[web]\nport = 9000\n')
    env = {"BOOKWATCH_WEB_PORT": "9001", "BOOKWATCH_TABLE_CORNERS": "[[1,2],[3,2],[3,4],[1,4]]"}
    settings = config.load(path, env)
    assert (settings.table.name, settings.table.width_mm, settings.web.port) == ("table-7", 1000.0, 9001)
    assert settings.table.corners == ((1, 2), (3, 2), (3, 4), (1, 4))
    assert config.load(env={"BOOKWATCH_CONFIG": str(path)}).web.port == 9000


@pytest.mark.parametrize(
    ("text", "where", "what", "do"),
    [
        ("[web]\nport = 1\nprot = 2\n", "line 3", "unknown setting `web.prot`", "web.port"),
        ("\n[tabel]\nname = 'x'\n", "line 2", "unknown setting `tabel`", "table"),
        ("[web]\n\nport = 70000\n", "line 3", "`web.port` = 70000", "configuration.md"),
        ("[web]\nport = 'http'\n", "line 2", "`web.port` = 'http'", "configuration.md"),
        ("[game]\n\nruleset = 'XX'\n", "line 3", "`game.ruleset` = 'XX'", "configuration.md"),
        ("[game]\nruleset = 'none.toml'\n", "line 2", "`game.ruleset` = 'none.toml'", "configuration.md"),
        ("[web\n", "config.toml", "not valid TOML", "Mend"),
        ("web = 3\n", "line 1", "`web` = 3", "configuration.md"),
        ("web.hots = 'x'\n", "line 1", "unknown setting `web.hots`", "web.host"),
    ],
)
def test_mistakes_name_line_and_remedy(tmp_path: Path, text: str, where: str, what: str, do: str) -> None:
    with pytest.raises(UserError) as caught:
        config.load(write(tmp_path, text), {})
    assert where in caught.value.where
    assert what in caught.value.what
    assert do in caught.value.do


def test_a_misspelt_variable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        config.load(write(tmp_path, ""), {"BOOKWATCH_WEB_PROT": "1", "BOOKWATCH_SHARED": "x"})
    assert caught.value.where == "environment variable BOOKWATCH_WEB_PROT"
    assert "web.port" in caught.value.do


def test_a_pin_itself_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        config.load(write(tmp_path, "[dashboard]\ndirector_pin = '123456'\n"), {})
    assert "bookwatch pin" in str(caught.value)
    assert "line 2" in caught.value.where
    assert "123456" not in str(caught.value) + str(caught.value.__cause__)


def test_a_missing_named_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        config.load(tmp_path / "none.toml", {})
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not UTF-8"):
        config.load(tmp_path / "binary.toml", {})


def test_every_setting_is_documented_with_its_meaning_and_default() -> None:
    rows = {
        cells[1].strip(" `"): cells
        for line in DOCUMENT.read_text(encoding="utf-8").splitlines()
        if len(cells := line.split("|")) == 5 and cells[1].strip().startswith("`")
    }
    settings = dict(config.settings_in())
    assert set(rows) == set(settings)
    for name, field in settings.items():
        assert rows[name][3].strip() == field.description
        if field.default is not PydanticUndefined:
            assert rows[name][2].strip(" `") == ("none" if field.default is None else str(field.default))
