"""Plugins are found by entry point without an import, and unusable ones are named."""

import sys
from pathlib import Path

import pytest
from corpora import read_data
from kernel.installing import install, place

from landyard import Kernel, Settings
from landyard.plugin_host.discovery import Found, found
from landyard.plugin_host.switches import PluginState

__all__ = ["place"]


def named(name: str) -> list[Found]:
    return [plugin for plugin in found() if plugin.name == name]


def stands(name: str, tmp_path: Path, **settings: object) -> list[PluginState]:
    kernel = Kernel(Settings(data=tmp_path / "data", **settings))  # type: ignore[arg-type]
    kernel.close()
    return [state for state in kernel.resolution.states if state.name == name]


def test_installed_plugins_are_found_built_in_ones_first(place: Path) -> None:
    install(place, "strange-aardvark", "aardvark = strange_aardvark")

    assert [plugin.name for plugin in found()][-1] == "aardvark"
    assert "strange_aardvark" not in sys.modules


@pytest.mark.parametrize(
    "written",
    [
        'requires = ("landing", "blocks")',
        'requires = "landing", "blocks"',
        'requires: tuple[str, ...] = ("landing", "blocks")',
        'requires = [\n    "landing",  # pages (and sites)\n    "blocks",  # see [1]\n]',
        'requires = ("landing", "blocks")\nTEXT = """\nrequires = ("other",)\n"""',
    ],
)
def test_the_requirements_of_a_plugin_are_read_from_its_source(place: Path, written: str) -> None:
    install(place, "strange-needs", "needs = strange_needs", f"{written}\nraise SystemExit\n")

    assert named("needs")[0].requires == ("landing", "blocks")


def test_of_two_plugins_of_one_name_the_built_in_one_serves(place: Path, tmp_path: Path) -> None:
    install(place, "strange-blocks", "blocks = strange_blocks")

    ours, other = stands("blocks", tmp_path)

    assert (ours.state, ours.distribution) == ("enabled", "landyard")
    assert (other.state, other.distribution) == ("failed", "strange-blocks")
    assert "landyard" in other.reason


@pytest.mark.parametrize(("body", "reason"), read_data(__file__, "BROKEN", list[tuple[str, str]]))
def test_a_plugin_that_cannot_be_imported_has_failed_and_the_rest_serves(
    place: Path, tmp_path: Path, body: str, reason: str
) -> None:
    install(place, "strange-broken", "broken = strange_broken", body)

    (state,) = stands("broken", tmp_path)

    assert (state.state, state.distribution, state.version) == (
        "failed",
        "strange-broken",
        "1.0",
    )
    assert reason in state.reason
    assert {each.state for each in stands("blocks", tmp_path)} == {"enabled"}


@pytest.mark.parametrize(
    "requirement",
    [
        "landyard>=99",
        "Landyard (<0.0.1)",
        "landyard>=99; python_version > '3'",
        "not a requirement[",
    ],
)
def test_a_plugin_for_another_version_is_not_imported(
    place: Path, tmp_path: Path, requirement: str
) -> None:
    install(place, "far", "far = far_away", "raise SystemExit", f"Requires-Dist: {requirement}")

    (state,) = stands("far", tmp_path)

    assert state.state == "failed"
    assert "requires landyard" in state.reason or "requirements" in state.reason
    assert "far_away" not in sys.modules


@pytest.mark.parametrize(
    "requirement", ["landyard>=0.0.1", "landyard", "landyard>=99; python_version < '3'", "click"]
)
def test_a_plugin_for_this_version_is_enabled(
    place: Path, tmp_path: Path, requirement: str
) -> None:
    install(place, "near", "near = near_by", "", f"Requires-Dist: {requirement}")

    assert stands("near", tmp_path)[0].state == "enabled"
    del sys.modules["near_by"]


def test_a_contrib_plugin_is_off_until_it_is_switched_on(place: Path, tmp_path: Path) -> None:
    body = "raise SystemExit"
    install(place, "gift", "gift = gift_horse", body, group="landyard.contrib")

    assert stands("gift", tmp_path)[0].state == "disabled"
    assert "gift_horse" not in sys.modules


def test_with_safe_no_plugin_is_enabled(tmp_path: Path) -> None:
    kernel = Kernel(Settings(data=tmp_path, safe=True))
    kernel.close()

    assert {state.state for state in kernel.resolution.states} == {"disabled"}
    assert [*kernel.methods] == []


@pytest.mark.parametrize(
    "body",
    [
        *("requires = 5", "requires = 'landing'", "requires: object = None"),
        *("requires = tuple(['landing'])", "requires = ()\nrequires += ('landing',)"),
    ],
)
def test_requirements_that_are_no_literal_are_reported(
    place: Path, tmp_path: Path, body: str
) -> None:
    install(place, "odd", f"odd = odd_one_{sum(body.encode())}", body)

    (state,) = stands("odd", tmp_path)

    assert state.state == "failed"
    assert "`requires` must be a tuple of plugins' names, written out" in state.reason


def test_requirements_may_be_a_list(place: Path, tmp_path: Path) -> None:
    install(place, "plain", "plain = plain_one", "requires: list[str] = ['landing']")

    assert stands("plain", tmp_path)[0].state == "enabled"


@pytest.mark.parametrize("metadata", ["", "Metadata-Version: 2.1\n"])
def test_a_distribution_without_a_name_is_unknown(place: Path, metadata: str) -> None:
    for number in range(2):
        name = f"odd{number}"
        install(place, name, f"{name} = {name}")
        (place / f"{name}-1.0.dist-info" / "METADATA").write_text(metadata)

    listed: list[Found] = [plugin for plugin in found() if plugin.name.startswith("odd")]

    assert [plugin.distribution for plugin in listed] == ["unknown distribution"] * 2
