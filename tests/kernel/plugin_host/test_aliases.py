"""Former names of plugins and methods count for the current ones, in switches and settings."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import MakeService
from kernel.installing import install, place
from kernel.switching import reason, saying, states, turn
from structlog.testing import capture_logs

from landyard import Kernel, Settings, load_settings
from landyard.kernel import open_store
from landyard.plugin_host import aliases
from landyard.plugin_host.aliases import current_name
from landyard.plugin_host.switchboard import NotSwitched, Switchboard
from landyard.plugin_host.switches import PluginSettings, known_switches
from landyard.storage.store import Store

__all__ = ["place"]

NOT_FOUND = "ERROR_METHOD_NOT_FOUND"


@pytest.fixture(autouse=True)
def read_anew() -> Iterator[None]:
    """Aliases are read, and each is logged, once in a process."""
    aliases.aliases.cache_clear()
    aliases._log_once.cache_clear()
    yield
    aliases.aliases.cache_clear()


def off(store: Store) -> dict[str, bool]:
    switches = known_switches(store)
    assert switches is not None
    return {name: not row.is_on for name, row in switches.switches.items()}


def test_a_former_name_is_logged_once() -> None:
    with capture_logs() as logs:
        names = [current_name(name) for name in ("editing", "EDITING", "blocks", "unheard")]

    assert names == ["blocks", "blocks", "blocks", "unheard"]
    assert logs == [
        {"event": "plugin_renamed", "old": "editing", "new": "blocks", "log_level": "warning"}
    ]


def test_the_name_of_an_installed_plugin_is_no_alias(place: Path) -> None:
    install(place, "strange", "themes = strange_themes")

    assert current_name("themes") == "themes"


def test_another_package_declares_aliases_of_its_own_plugin_alone(place: Path) -> None:
    install(place, "strange", "gift = strange_gift")
    for name, entry in (("one", "present = gift"), ("two", "uploads = gift")):
        install(place, name, entry, group="landyard.aliases")

    assert [current_name(name) for name in ("present", "uploads")] == ["gift", "pictures"]


@pytest.mark.parametrize(
    ("pins", "expected"),
    [
        ({"off": ["Editing"]}, "disabled"),
        ({"on": ["editing"]}, "enabled"),
        ({"on": ["blocks"], "off": ["editing"]}, "disabled"),
    ],
)
def test_settings_pin_a_plugin_by_its_former_name(
    make_service: MakeService, pins: dict[str, list[str]], expected: str
) -> None:
    service = make_service([saying("blocks")], plugins=pins)
    turn(service.kernel, "blocks", is_on=False)
    service.kernel.lifecycle.refresh()

    assert states(service.kernel) == {"blocks": expected}


def test_settings_that_pin_the_former_plugin_legacy_take_its_method_off_alone(
    tmp_path: Path,
) -> None:
    kernel = Kernel(Settings(data=tmp_path, plugins={"plugins": {"off": ["legacy"]}}))
    kernel.close()

    assert states(kernel)["general"] == "enabled"
    assert kernel.methods.find("methods") is None
    assert kernel.methods.find("server.time") is not None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ({"editing": False}, {"blocks": True}),
        ({"editing": True}, {"blocks": False}),
        ({"blocks": True, "editing": False}, {"blocks": False}),
        ({"blocks": False, "editing": True}, {"blocks": True}),
        ({"repeats": False, "dry_runs": True}, {"safe_writes": True}),
        ({"repeats": True, "dry_runs": False}, {"safe_writes": True}),
        ({"legacy": False}, {"methods": True}),
    ],
)
def test_a_stored_switch_of_a_former_name_counts_for_the_current_one(
    make_service: MakeService, rows: dict[str, bool], expected: dict[str, bool]
) -> None:
    kernel = make_service([saying("blocks")]).kernel
    for name, is_on in rows.items():
        turn(kernel, name, is_on=is_on)

    assert off(kernel.store) == expected


def test_a_plugin_that_was_off_under_its_former_name_is_switched_on(
    make_service: MakeService,
) -> None:
    service = make_service([saying("blocks")])
    turn(service.kernel, "editing", is_on=False)
    service.kernel.lifecycle.refresh()
    before = reason(service.kernel, "blocks"), service.call("blocks.say").error
    turn(service.kernel, "blocks", is_on=True)
    aliases._log_once.cache_clear()
    with capture_logs() as logs:
        service.kernel.lifecycle.refresh()

    assert before == ("switched off", NOT_FOUND)
    assert [each for each in logs if each["event"] == "plugin_renamed"] == []  # the row is gone
    assert service.call("blocks.say").error is None


@pytest.mark.parametrize(("name", "found"), [("editing", "blocks"), ("legacy", "methods")])
def test_a_former_name_finds_what_is_to_be_switched(tmp_path: Path, name: str, found: str) -> None:
    store = open_store(Settings(data=tmp_path))
    switchboard = Switchboard(Settings(data=tmp_path), PluginSettings(), store)
    plugins = switchboard.status(datetime.now(UTC))
    store.close()

    assert switchboard.find(name, plugins, is_on=False) == found
    with pytest.raises(NotSwitched, match="no plugin 'unheard'"):
        switchboard.find("unheard", plugins, is_on=False)


@pytest.mark.parametrize("rest", ["", "[plugins]\noff = ['safe_writes', 'pictures']"])
def test_sections_keep_their_names(tmp_path: Path, rest: str) -> None:
    file = tmp_path / "landyard.toml"
    file.write_text(f"{rest}\n[repeats]\nhours = 5\n[pictures]\n[uploads]\n")
    settings = load_settings({"LANDYARD_DATA": str(tmp_path)}, file=file)
    kernel = Kernel(settings)
    kernel.close()

    shown = kernel.plugins.settings_in_force()
    assert shown.get("repeats.hours") == (None if rest else 5)
    assert any(name.startswith("uploads.") for name in shown) == (not rest)


def test_a_section_of_a_renamed_plugin_may_come_from_the_environment_while_it_is_off(
    tmp_path: Path,
) -> None:
    pairs = {
        "LANDYARD_DATA": str(tmp_path),
        "LANDYARD_PLUGINS__OFF": "repeats, uploads",
        "LANDYARD_REPEATS__HOURS": "5",
        "LANDYARD_UPLOADS__PIXELS": "5",
    }
    kernel = Kernel(load_settings(pairs))
    kernel.close()

    off = {name for name, state in states(kernel).items() if state == "disabled"}
    assert {"safe_writes", "pictures"} <= off
