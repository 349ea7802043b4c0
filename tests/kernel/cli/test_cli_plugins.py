"""The command `plugins` works while the server is down, and imports no plugin."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kernel.commands import Run, done, failure, listing
from kernel.installing import install, place

from landyard import Settings
from landyard.kernel import open_store
from landyard.plugin_host.circuit_breaker import OpenBreaker
from landyard.plugin_host.switches import PluginState, keep_breaker, write_report
from landyard.plugin_host.usage import Usage
from landyard.storage.schema import Schema

__all__ = ["place"]

DEADLY = "import os\nos._exit(77)"  # importing it ends the process


@pytest.fixture
def gift(place: Path) -> str:
    install(place, "gifts", "gift = gift_horse", DEADLY)
    return "gift"


@pytest.fixture
def served(tmp_path: Path) -> None:
    """The data that a server leaves behind: its methods, and the outcomes of calls."""
    settings = Settings(data=tmp_path / "data")
    store = open_store(settings)
    Schema([]).prepare(store)
    rows = [
        PluginState("gift", "1.0", "gifts", "enabled", methods=("gift.say", "gift.wrap")),
        PluginState("legacy", "0.1.0", "landyard", "enabled", methods=("methods",)),
    ]
    write_report(store, rows, datetime.now(UTC))
    usage = Usage(lambda: datetime.now(UTC))
    for name, error in (("gift.say", ""), ("gift.wrap", ""), ("plugin:gift", "KeyError")):
        usage.count(name, 0.001, error)
    usage.flush(store)
    store.close()


def of(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(row for row in rows if row["name"] == name)


def state(landyard: Run, name: str) -> str:
    told: str = of(listing(landyard("plugins", "list", "--json")), name)["state"]
    return told


def test_the_list_for_programs(landyard: Run, gift: str, served: None) -> None:
    done(landyard("plugins", "disable", "gift.say"))
    row = of(listing(landyard("plugins", "list", "--json")), gift)

    assert 0 < row["p95"] < 0.01
    assert row["last_error"] == "KeyError"
    known = {
        "name": "gift",
        "version": "1.0",
        "distribution": "gifts",
        "state": "enabled",
        "methods": ["gift.say", "gift.wrap"],
        "methods_off": ["gift.say"],
        "calls": 3,
        "errors": 1,
        "reason": "",
    }
    assert known.items() <= row.items()


def test_the_list_for_people(landyard: Run, gift: str, served: None) -> None:
    lines = done(landyard("plugins", "list")).splitlines()

    row = next(line.split() for line in lines if line.startswith("gift "))
    assert row[:7] == ["gift", "1.0", "gifts", "enabled", "2", "3", "1"]


def test_the_list_for_people_gives_reasons_below(landyard: Run, gift: str) -> None:
    done(landyard("plugins", "disable", gift))

    assert done(landyard("plugins", "list")).splitlines()[-1] == " gift: switched off"


def test_one_plugin_is_shown_in_detail_for_people(landyard: Run, gift: str, served: None) -> None:
    shown = done(landyard("plugins", "show", gift))

    lines = [line.split() for line in shown.splitlines()]
    assert ["calls", "3"] in lines
    assert ["last_error", "KeyError"] in lines
    assert "reason" not in shown  # empty values are left out


def test_both_plugins_of_one_name_are_shown(landyard: Run, gift: str, place: Path) -> None:
    install(place, "more-gifts", "gift = other_horse", DEADLY)

    plugins = listing(landyard("plugins", "show", gift, "--json"))

    assert [each["distribution"] for each in plugins] == ["gifts", "more-gifts"]
    assert [each["state"] for each in plugins] == ["enabled", "failed"]
    assert "gifts 1.0; uninstall one" in plugins[1]["reason"]


def test_a_plugin_is_switched_on_and_off(landyard: Run, gift: str) -> None:
    on = done(landyard("plugins", "enable", gift))
    stood = state(landyard, gift)
    off = done(landyard("plugins", "disable", gift))

    assert "gift is on" in on
    assert "gift is off; running workers follow within a second" in off
    assert (stood, state(landyard, gift)) == ("enabled", "disabled")
    (plugin,) = listing(landyard("plugins", "show", gift, "--json"))
    assert plugin["switched_by"]
    assert plugin["switched_at"]


@pytest.mark.parametrize(("pin", "word"), [("ON", "disable"), ("OFF", "enable")])
def test_a_pinned_plugin_is_refused_with_advice(
    landyard: Run, gift: str, monkeypatch: pytest.MonkeyPatch, pin: str, word: str
) -> None:
    monkeypatch.setenv(f"LANDYARD_PLUGINS__{pin}", f"{gift}, landing")

    output = failure(landyard("plugins", word, gift))

    assert f"take it out of plugins.{pin.lower()}" in output


@pytest.mark.parametrize(
    "words", [("show", "landng"), ("show", "gift.say"), ("disable", "gift.sy"), ("enable", "x y")]
)
def test_an_unknown_name_is_an_error_with_advice(
    landyard: Run, gift: str, served: None, words: tuple[str, ...]
) -> None:
    assert "see `landyard plugins list`" in failure(landyard("plugins", *words))


def test_a_refused_method_is_shown_until_it_is_enabled(
    landyard: Run, gift: str, served: None, tmp_path: Path
) -> None:
    until = datetime.now(UTC) + timedelta(hours=1)
    store = open_store(Settings(data=tmp_path / "data"))
    keep_breaker(store, "gift.say", OpenBreaker("gift.say", gift, "it hangs", until))
    store.close()
    lines = done(landyard("plugins", "list")).splitlines()
    (before,) = listing(landyard("plugins", "show", gift, "--json"))
    done(landyard("plugins", "enable", "gift.say"))
    (after,) = listing(landyard("plugins", "show", gift, "--json"))

    assert lines[-1] == " gift: gift.say is refused: it hangs"
    assert before["refused"] == ["gift.say is refused: it hangs"]
    assert after["refused"] == []


def test_a_database_server_that_does_not_answer_is_reported_in_one_line(
    landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")

    assert "the database cannot be used" in failure(landyard("plugins", "list"))


@pytest.mark.parametrize(("old", "new"), [("editing", "blocks"), ("legacy", "methods")])
def test_a_former_name_switches_what_has_the_current_one_and_is_told(
    landyard: Run, old: str, new: str
) -> None:
    off = landyard("plugins", "disable", old)
    on = landyard("plugins", "enable", old)

    assert f"{new} is off" in done(off)
    assert f"{new} is on" in done(on)
    assert off.stderr == on.stderr == f"{old} is now called {new}\n"


def test_a_plugin_is_shown_under_its_former_name(landyard: Run) -> None:
    shown = landyard("plugins", "show", "repeats", "--json")

    (plugin,) = listing(shown)
    assert plugin["name"] == "safe_writes"
    assert shown.stderr == "repeats is now called safe_writes\n"
