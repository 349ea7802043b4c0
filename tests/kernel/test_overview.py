"""The overview: how every installed plugin stands, with the server down and nothing imported."""

import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from conftest import MakeService
from kernel.switching import saying, turn
from kernel.test_plugins_installed import install, place
from sqlalchemy.exc import DBAPIError

from landyard import Settings
from landyard.app import open_store
from landyard.faults import Quarantine
from landyard.ledger import Ledger, Use
from landyard.overview import Line, overview
from landyard.schema import KERNEL, alembic_config
from landyard.states import PluginSettings, PluginState, keep_quarantine, write_report
from landyard.store import Store
from landyard.usage import Hour

__all__ = ["place"]

NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)
DEADLY = "raise SystemExit('nobody imports this')"


@pytest.fixture
def gift(place: Path) -> str:
    """An installed plugin that ends whoever imports it."""
    install(place, "gifts", "gift = gift_horse", DEADLY)
    return "gift"


def lines(settings: Settings, **rules: Any) -> dict[str, list[Line]]:
    store = open_store(settings)
    ledger = Ledger(settings, store)
    try:
        listed: dict[str, list[Line]] = {}
        for line in overview(settings, PluginSettings(**rules), store, ledger):
            listed.setdefault(line.plugin.name, []).append(line)
        return listed
    finally:
        ledger.close()
        store.close()


def settings_of(store: Store, folder: Path) -> Settings:
    url = store.engine.url.render_as_string(hide_password=False)
    return Settings(data=folder, database_url=url)


def line(settings: Settings, name: str, **rules: Any) -> Line:
    (only,) = lines(settings, **rules)[name]
    return only


def told(settings: Settings, name: str, **rules: Any) -> tuple[str, str]:
    state = line(settings, name, **rules).state
    return state.state, state.reason


def reported(state: str, version: str = "1.0", distribution: str = "gifts") -> PluginState:
    return PluginState("gift", version, distribution, state, "as told", ("gift.say",))  # type: ignore[arg-type]


def test_where_there_is_no_database_none_is_made(tmp_path: Path, gift: str) -> None:
    listed = lines(Settings(data=tmp_path / "data"))

    assert {"landing", "blocks", "legacy", "pages", "uploads", gift} <= set(listed)
    assert {each.state.state for every in listed.values() for each in every} == {"enabled"}
    assert not (tmp_path / "data").exists()
    assert "gift_horse" not in sys.modules


def test_a_switch_a_pin_and_what_is_contributed(
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
        "it requires 'landing', which is disabled"
    )


def test_a_failure_is_what_the_last_server_told(
    make_service: MakeService, tmp_path: Path, gift: str
) -> None:
    store = make_service([saying("one")]).kernel.store
    write_report(store, [reported("failed")], NOW)

    only = line(settings_of(store, tmp_path), gift)

    assert (only.state.state, only.state.reason) == ("failed", "as told")
    assert only.state.methods == ("gift.say",)


@pytest.mark.parametrize(
    "row", [reported("failed", version="0.9"), reported("failed", distribution="of-others")]
)
def test_a_failure_of_another_version_or_distribution_says_nothing(
    make_service: MakeService, tmp_path: Path, gift: str, row: PluginState
) -> None:
    store = make_service([saying("one")]).kernel.store
    write_report(store, [row], NOW)

    assert told(settings_of(store, tmp_path), gift) == ("enabled", "")


def test_what_is_not_installed_any_more_is_not_listed(
    make_service: MakeService, tmp_path: Path
) -> None:
    store = make_service([saying("one")]).kernel.store
    write_report(store, [reported("failed")], NOW)

    assert "gift" not in lines(settings_of(store, tmp_path))


def test_of_two_distributions_with_one_name_both_are_listed(
    tmp_path: Path, gift: str, place: Path
) -> None:
    install(place, "more-gifts", "gift = other_horse", DEADLY)

    first, second = lines(Settings(data=tmp_path / "data"))[gift]

    assert (first.state.distribution, first.state.state) == ("gifts", "enabled")
    assert (second.state.distribution, second.state.state) == ("more-gifts", "failed")
    assert "gifts 1.0; uninstall one" in second.state.reason


def test_a_quarantine_says_why_and_until_when(
    make_service: MakeService, tmp_path: Path, gift: str
) -> None:
    store = make_service([saying("one")]).kernel.store
    until = NOW + timedelta(seconds=10)
    keep_quarantine(store, gift, Quarantine(gift, "it crashed", NOW, until, 1))

    only = line(settings_of(store, tmp_path), gift)

    assert (only.state.state, only.state.reason) == ("quarantined", "it crashed")
    assert only.quarantine is not None
    assert only.quarantine.until == until


def test_methods_that_are_off_by_themselves_are_named(
    make_service: MakeService, tmp_path: Path, gift: str
) -> None:
    service = make_service([saying("one")])
    write_report(service.kernel.store, [reported("enabled")], NOW)
    turn(service.kernel, "gift.say", is_on=False, kind="method")

    assert line(settings_of(service.kernel.store, tmp_path), gift).off == ("gift.say",)


def test_the_calls_of_the_last_hour(make_service: MakeService, tmp_path: Path, gift: str) -> None:
    store = make_service([saying("one")]).kernel.store
    settings = settings_of(store, tmp_path)
    ledger = Ledger(settings, store)
    ledger.keep_uses([Use(gift, ledger.minute, "w", 3, 1, '{"20": 3}')])
    ledger.close()

    hour = line(settings, gift).hour

    assert (hour.calls, hour.errors) == (3, 1)
    assert line(settings, "blocks").hour == Hour(0, 0, 0.0)


def test_a_database_of_an_earlier_version_switches_nothing(
    make_service: MakeService, tmp_path: Path, gift: str
) -> None:
    store = make_service([]).kernel.store
    with store.rebuilding() as connection:
        command.downgrade(alembic_config(KERNEL, connection), "landyard_0004")
    try:
        assert told(settings_of(store, tmp_path), gift) == ("enabled", "")
    finally:
        with store.rebuilding() as connection:
            command.upgrade(alembic_config(KERNEL, connection), "heads")


def test_a_database_without_any_table_switches_nothing(tmp_path: Path, gift: str) -> None:
    (tmp_path / "data").mkdir()
    sqlite3.connect(tmp_path / "data" / "landyard.db").close()

    assert told(Settings(data=tmp_path / "data"), gift) == ("enabled", "")


def test_a_server_that_does_not_answer_is_an_error_and_no_list(tmp_path: Path) -> None:
    with pytest.raises(DBAPIError):
        lines(Settings(data=tmp_path, database_url="postgresql://nobody@127.0.0.1:1/none"))


def test_the_order_is_that_in_which_they_are_asked(tmp_path: Path, gift: str) -> None:
    names = list(lines(Settings(data=tmp_path / "data")))

    assert names[0] == "landing"
    assert names[-1] == gift
