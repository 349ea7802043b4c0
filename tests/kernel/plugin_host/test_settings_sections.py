"""Sections of settings: a plugin has one of its own name, or several of other names."""

from pathlib import Path
from typing import Any

import pytest
from kernel.sample import Brings, refusal
from kernel.switching import saying
from msgspec import Struct

from landyard import Kernel, MethodGroup, Plugin, Settings, SettingsError, hookimpl, load_settings


class Walls(Struct, frozen=True):
    height: int = 2


class Roof(Struct, frozen=True):
    tiles: list[str] = []


class Needy(Struct, frozen=True):
    height: int


class Configured(Brings):
    def __init__(self, answer: Any) -> None:
        super().__init__(MethodGroup())
        self.answer = answer

    @hookimpl
    def register_settings(self) -> Any:
        return self.answer


def house(answer: Any = None) -> Plugin:
    return Plugin("house", Configured({"walls": Walls, "roof": Roof} if answer is None else answer))


def kernel_of(settings: Settings, *plugins: Plugin) -> Kernel:
    kernel = Kernel(settings, list(plugins))
    kernel.close()
    return kernel


def test_sections_may_have_names_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "landyard.toml"
    file.write_text("[walls]\nheight = 3")
    settings = load_settings({"LANDYARD_ROOF__TILES": "red, grey"}, file=file)

    kernel = kernel_of(settings, house())

    assert kernel.resolution.sections["walls"] == Walls(3)
    assert kernel.resolution.sections["roof"] == Roof(["red", "grey"])


def test_a_section_is_found_by_its_type(tmp_path: Path) -> None:
    kernel = kernel_of(Settings(data=tmp_path, plugins={"walls": {"height": 4}}), house())

    assert kernel.section(Walls) == Walls(4)
    assert kernel.section(Roof) == Roof()


def test_a_plugin_with_named_sections_has_none_of_its_own_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="house"):
        kernel_of(Settings(data=tmp_path, plugins={"house": {}}), house())


@pytest.mark.parametrize("answer", [{"walls": Walls()}, {"walls": Needy}, {"walls": int}, Needy])
def test_an_invalid_section_is_refused(tmp_path: Path, answer: Any) -> None:
    assert "'house'" in refusal(tmp_path, house(answer))


def walls() -> list[Plugin]:
    return [saying("house", register_settings=hookimpl(lambda: Walls)), saying("shed")]


def test_a_section_of_a_switched_off_plugin_is_accepted(tmp_path: Path) -> None:
    sections: dict[str, Any] = {"house": {"height": 3}, "plugins": {"off": ["house"]}}

    Kernel(Settings(data=tmp_path, plugins=sections), walls()).close()


@pytest.mark.parametrize("strict", [True, False])
def test_a_wrong_setting_stops_the_start(tmp_path: Path, strict: bool) -> None:
    settings = Settings(data=tmp_path, strict=strict, plugins={"house": {"height": "tall"}})

    with pytest.raises(SettingsError, match=r"house\.height"):
        Kernel(settings, walls())


def test_a_contrib_plugin_that_is_off_hides_no_misspelt_section(tmp_path: Path) -> None:
    def settings(section: str) -> Settings:
        return Settings(data=tmp_path, plugins={section: {"open": True}})

    Kernel(settings("metrics")).close()
    with pytest.raises(SettingsError, match="no plugin has settings called 'metrisc'"):
        Kernel(settings("metrisc"))
