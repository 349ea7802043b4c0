"""The themes that come with Landyard, and the requirements for a theme."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from plugins.public.themes.site import PLUGINS, serving, world

from landyard import PluginError, WorldError
from landyard.testing import Service
from landyard_public.themes.contrast import PAIRS, contrast, low_pairs, read_colour
from landyard_public.themes.default_theme import HARBOUR, themes_with
from landyard_public.themes.folders import read_themes
from landyard_public.themes.theme import Theme, schemes_of, worn

FOLDER = files("landyard_public") / "themes" / "shipped"
THEMES = themes_with({theme.code: theme for theme in read_themes(FOLDER)})
HEAVIEST = 60_000  # bytes of a theme's fonts


@pytest.mark.parametrize("code", THEMES)
def test_every_text_of_a_theme_is_legible(code: str) -> None:
    schemes = schemes_of(THEMES[code].tokens)

    assert list(low_pairs(schemes)) == []
    for colours in schemes.values():
        for fore, ground in PAIRS:
            assert contrast(read_colour(colours[fore]), read_colour(colours[ground])) >= 4.5


def test_contrast_is_computed_as_wcag_defines_it() -> None:
    black, white, grey = map(read_colour, ("#000000", "#ffffff", "#767676"))

    assert contrast(black, white) == pytest.approx(21)
    assert contrast(grey, white) == pytest.approx(4.54, abs=0.01)


def test_themes_differ_in_more_than_colours() -> None:
    shapes = ("display", "weight", "radius", "stroke", "density", "colouring")
    tokens = [tuple(theme.tokens[name] for name in shapes) for theme in THEMES.values()]

    assert len(THEMES) >= 4
    for number in range(len(shapes)):
        assert len({each[number] for each in tokens}) >= 3


@pytest.mark.parametrize("code", sorted(THEMES.keys() - {"harbour"}))
def test_a_theme_is_small_and_loads_only_its_own_files(code: str) -> None:
    theme = THEMES[code]
    fonts = {name: file for name, file in theme.files.items() if name.endswith(".woff2")}
    sheet = theme.files["theme.css"].content.decode()

    assert 0 < sum(len(file.content) for file in fonts.values()) <= HEAVIEST
    assert len({face.family for face in theme.faces}) <= 2
    assert {face.file for face in theme.faces} == fonts.keys()
    loaded = re.findall(r'url\("?([^")]+)', sheet)
    assert sorted(loaded) == sorted(theme.address(name) for name in fonts)
    assert "@import" not in sheet
    assert sheet.count("font-display: optional") == len(theme.faces)
    for name in {face.file.partition("-latin")[0] for face in theme.faces}:
        licence = (FOLDER / code / f"{name}.OFL.txt").read_text()
        assert "SIL Open Font License, Version 1.1" in licence


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"code": "harbour"}, "built-in theme has this code"),
        ({"code": "Big"}, "small letters"),
        ({"tokens": {}}, "paper: it must be a colour"),
        ({"tokens": {**HARBOUR.tokens, "ink": "#f1f5f3"}}, "ink on paper (light)"),
        ({"tokens": {**HARBOUR.tokens, "shadow": "1px"}}, "shadow: there is no such token"),
    ],
)
def test_a_faulty_theme_is_refused(change: dict[str, Any], message: str) -> None:
    theme = structs.replace(HARBOUR, **{"code": "quay", **change})

    with pytest.raises(PluginError, match=re.escape(message)):
        theme.check({})


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (None, "there is no file theme.json"),
        ("{", "theme.json cannot be read"),
        ('{"name": "Q"}', "theme.json cannot be read"),
        ("face", "there is no file gone.woff2"),
    ],
)
def test_a_folder_that_is_no_theme_is_refused(
    tmp_path: Path, written: str | None, message: str
) -> None:
    if written == "face":
        described = json.loads((FOLDER / "folio" / "theme.json").read_text())
        described["faces"][0]["file"] = "gone.woff2"
        written = json.dumps(described)
    (tmp_path / "quay").mkdir()
    if written is not None:
        (tmp_path / "quay" / "theme.json").write_text(written)

    with pytest.raises(PluginError, match=f"theme 'quay': {re.escape(message)}"):
        read_themes(tmp_path)


def test_own_values_that_became_illegible_are_not_applied() -> None:
    """The theme may have changed since they were checked."""
    stored = {"hot": "#f1f5f3", "radius": "1rem", "gone": "1", "stroke": "9rem", "scale": 1}

    assert worn(HARBOUR, stored) == {"radius": "1rem"}


def test_a_world_file_contains_themes_and_own_values() -> None:
    settings = {"theme": "studio", "theme_tokens": {"radius": "0.5rem"}}
    with serving(**settings) as service:
        site = json.loads(b"".join(service.kernel.dump()))["sites"][0]

        assert {name: site[name] for name in settings} == settings


@pytest.mark.parametrize(
    ("site", "message"),
    [
        ({"theme": "A theme"}, "sites[0].theme: must be the code of a theme"),
        ({"theme_tokens": {"radius": "9rem"}}, "sites[0].theme_tokens: radius: it must be"),
        ({"theme": "not_here", "theme_tokens": {"x": "1"}}, "x: there is no such token"),
        ({"theme_tokens": {"ink": "#f1f5f3"}}, "ink on paper (light)"),
    ],
)
def test_a_world_file_with_a_wrong_theme_is_refused(site: dict[str, Any], message: str) -> None:
    with Service(PLUGINS) as service, pytest.raises(WorldError, match=re.escape(message)):
        service.load(world(**site))


def test_a_theme_may_be_loaded_later_than_the_site() -> None:
    with serving(theme="not_here", theme_tokens={"radius": "0.5rem"}) as service:
        assert service.result("landyard.theme.get", id=1)["active"] is False


def test_the_built_in_theme_equals_its_style_sheet() -> None:
    with serving() as service:
        sheet = service.get("/assets/landyard.css").text

    assert isinstance(HARBOUR, Theme)
    for scheme, colours in schemes_of(HARBOUR.tokens).items():
        part = sheet.partition("@media (prefers-color-scheme: dark)")[2 if scheme == "dark" else 0]
        for name, value in colours.items():
            if name != "veil":
                assert f"--{name}: {value};" in part
