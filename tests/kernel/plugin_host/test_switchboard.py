"""The state of every installed plugin, with the server down and nothing imported."""

import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from kernel.installing import install, place
from kernel.switching import saying, turn

from landyard import Settings
from landyard.kernel import open_store
from landyard.plugin_host.status import PluginStatus
from landyard.plugin_host.switchboard import Switchboard
from landyard.plugin_host.switches import PluginSettings, PluginState, write_report
from landyard.storage.store import Store

__all__ = ["place"]

NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)
DEADLY = "raise SystemExit('nobody imports this')"


@pytest.fixture
def gift(place: Path) -> str:
    """An installed plugin that ends any process that imports it."""
    install(place, "gifts", "gift = gift_horse", DEADLY)
    return "gift"


def statuses(settings: Settings, **rules: Any) -> dict[str, list[PluginStatus]]:
    store = open_store(settings)
    try:
        listed: dict[str, list[PluginStatus]] = {}
        for each in Switchboard(settings, PluginSettings(**rules), store).status(NOW):
            listed.setdefault(each.plugin.name, []).append(each)
        return listed
    finally:
        store.close()


def settings_of(store: Store, folder: Path) -> Settings:
    url = store.engine.url.render_as_string(hide_password=False)
    return Settings(data=folder, database_url=url)


def status_of(settings: Settings, name: str, **rules: Any) -> PluginStatus:
    (only,) = statuses(settings, **rules)[name]
    return only


def told(settings: Settings, name: str, **rules: Any) -> tuple[str, str]:
    state = status_of(settings, name, **rules).state
    return state.state, state.reason


def reported(state: str, version: str = "1.0", distribution: str = "gifts") -> PluginState:
    return PluginState("gift", version, distribution, state, "as told", ("gift.say",))  # type: ignore[arg-type]


def test_without_a_database_none_is_made(tmp_path: Path, gift: str) -> None:
    listed = statuses(Settings(data=tmp_path / "data"))

    assert {"landing", "blocks", "describe", "general", "pages", "pictures", gift} <= set(listed)
    off = {name for name, every in listed.items() for each in every if each.plugin.contrib}
    assert {"metrics", "tracing"} <= off
    assert {
        name for name, every in listed.items() for each in every if each.state.state != "enabled"
    } == off
    assert not (tmp_path / "data").exists()
    assert "gift_horse" not in sys.modules


def test_states_by_switch_by_pin_and_of_contrib_plugins(
    make_service: MakeService, tmp_path: Path, gift: str, place: Path
) -> None:
    install(place, "others", "other = other_horse", DEADLY, group="landyard.contrib")
    store = make_service([saying("one")]).kernel.store
    settings = settings_of(store, tmp_path)
    before = told(settings, gift), told(settings, "other")
    turn(make_service([], world={}).kernel, gift, is_on=False)

    assert before == (("enabled", ""), ("disabled", "off until it is switched on"))
    assert told(settings, gift) == ("disabled", "switched off")
    assert told(settings, gift, on=[gift]) == ("enabled", "")
    assert told(settings, "other", on=["other"]) == ("enabled", "")
    assert told(settings, "blocks", off=["landing"])[1] == (
        "it requires 'content', which is disabled"
    )


def test_a_failure_is_the_one_the_last_server_stored(
    make_service: MakeService, tmp_path: Path, gift: str
) -> None:
    store = make_service([saying("one")]).kernel.store
    write_report(store, [reported("failed")], NOW)

    only = status_of(settings_of(store, tmp_path), gift)

    assert (only.state.state, only.state.reason) == ("failed", "as told")
    assert only.state.methods == ("gift.say",)


@pytest.mark.parametrize(
    "row", [reported("failed", version="0.9"), reported("failed", distribution="of-others")]
)
def test_a_failure_of_another_version_or_distribution_is_ignored(
    make_service: MakeService, tmp_path: Path, gift: str, row: PluginState
) -> None:
    store = make_service([saying("one")]).kernel.store
    write_report(store, [row], NOW)

    assert told(settings_of(store, tmp_path), gift) == ("enabled", "")


def test_a_plugin_that_is_no_longer_installed_is_not_listed(
    make_service: MakeService, tmp_path: Path
) -> None:
    store = make_service([saying("one")]).kernel.store
    write_report(store, [reported("failed")], NOW)

    assert "gift" not in statuses(settings_of(store, tmp_path))


def test_a_database_without_any_table_switches_nothing(tmp_path: Path, gift: str) -> None:
    (tmp_path / "data").mkdir()
    sqlite3.connect(tmp_path / "data" / "landyard.db").close()

    assert told(Settings(data=tmp_path / "data"), gift) == ("enabled", "")


def test_plugins_are_listed_in_the_order_of_their_hooks(tmp_path: Path) -> None:
    names = list(statuses(Settings(data=tmp_path / "data")))

    assert names.index("landing") < names.index("blocks") < names.index("pages")
