"""The word `plugins`: it works with the server down, and imports no plugin."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kernel.test_cli import Run, done, failure, landyard, listing
from kernel.test_plugins_installed import install, place

from landyard import Settings
from landyard.app import open_store
from landyard.cli.standing import duration
from landyard.faults import Quarantine
from landyard.ledger import Ledger, Use
from landyard.schema import Schema
from landyard.states import PluginState, keep_quarantine, write_report

__all__ = ["landyard", "place"]

DEADLY = "import os\nos._exit(77)"  # whoever imports it is gone
COLUMNS = ["name", "version", "distribution", "state", "methods", "calls", "errors", "p95"]
FACTS = [
    *("name", "version", "distribution", "module", "contrib", "state", "reason", "rests_until"),
    *("pinned", "requires", "required_by", "methods", "methods_off", "calls", "errors", "p95"),
]


@pytest.fixture
def gift(place: Path) -> str:
    install(place, "gifts", "gift = gift_horse", DEADLY)
    return "gift"


@pytest.fixture
def served(tmp_path: Path) -> None:
    """What a server leaves behind: which methods there are, and how calls went."""
    settings = Settings(data=tmp_path / "data")
    store = open_store(settings)
    Schema([]).prepare(store)
    rows = [
        PluginState("gift", "1.0", "gifts", "enabled", methods=("gift.say", "gift.wrap")),
        PluginState("legacy", "0.1.0", "landyard", "enabled", methods=("methods",)),
    ]
    write_report(store, rows, datetime.now(UTC))
    ledger = Ledger(settings, store)
    ledger.keep_uses([Use("gift", ledger.minute, "w", 3, 1, '{"20": 3}')])
    ledger.close()
    store.close()


def of(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(row for row in rows if row["name"] == name)


def state(landyard: Run, name: str) -> str:
    told: str = of(listing(landyard("plugins", "list", "--json")), name)["state"]
    return told


def test_the_list_for_programs(landyard: Run, gift: str, served: None) -> None:
    rows = listing(landyard("plugins", "list", "--json"))

    assert {tuple(row) for row in rows} == {(*COLUMNS, "reason")}
    row = of(rows, gift)
    assert 0 < row.pop("p95") < 0.01
    assert row == {
        "name": "gift",
        "version": "1.0",
        "distribution": "gifts",
        "state": "enabled",
        "methods": ["gift.say", "gift.wrap"],
        "calls": 3,
        "errors": 1,
        "reason": "",
    }


def test_the_list_for_people(landyard: Run, gift: str, served: None) -> None:
    done(landyard("plugins", "disable", "gift.say"))

    lines = done(landyard("plugins", "list")).splitlines()

    row = next(line.split() for line in lines if line.startswith(" gift "))
    assert row[:8] == ["gift", "gifts", "1.0", "enabled", "1", "of", "2", "3"]
    assert row[-1] == "ms"


def test_all_about_one_for_programs(landyard: Run, gift: str, served: None) -> None:
    done(landyard("plugins", "disable", "gift.say"))

    (told,) = listing(landyard("plugins", "show", gift, "--json"))
    (landing,) = listing(landyard("plugins", "show", "landing", "--json"))

    assert list(told) == FACTS
    assert (told["module"], told["methods_off"], told["rests_until"], told["contrib"]) == (
        "gift_horse",
        ["gift.say"],
        None,
        False,
    )
    assert set(landing["required_by"]) == {"blocks", "pages", "uploads"}


def test_all_about_one_for_people(
    landyard: Run, gift: str, served: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_PLUGINS__OFF", "landing")
    done(landyard("plugins", "disable", "gift.say"))

    shown = done(landyard("plugins", "show", gift))
    pinned = done(landyard("plugins", "show", "landing"))

    assert "gift.say  (off)" in shown
    assert "3 in the last hour, 95 % of them within 0." in shown
    assert "1 unexpected" in shown
    assert "reason" not in shown  # what is empty is left out
    assert "off, by the settings" in pinned
    assert "blocks, pages, uploads" in pinned
    assert max(map(len, (shown + pinned).splitlines())) < 80


def test_of_two_plugins_with_one_name_all_is_told_about_both(
    landyard: Run, gift: str, place: Path
) -> None:
    install(place, "more-gifts", "gift = other_horse", DEADLY)

    told = listing(landyard("plugins", "show", gift, "--json"))

    assert [each["distribution"] for each in told] == ["gifts", "more-gifts"]


def test_one_is_switched_on_and_off_and_the_audit_says_who_did_it(landyard: Run, gift: str) -> None:
    on = done(landyard("plugins", "enable", gift))
    stood = state(landyard, gift)
    off = done(landyard("plugins", "disable", gift))
    rows = listing(landyard("audit", "--json"))

    assert "gift is on" in on
    assert "gift is off; running workers follow within a second" in off
    assert (stood, state(landyard, gift)) == ("enabled", "disabled")
    kept = [(row["method"], row["subject"], row["outcome"]) for row in rows]
    assert sorted(kept) == [
        ("plugins.disable", "plugin:gift", "ok"),
        ("plugins.enable", "plugin:gift", "ok"),
    ]
    assert all(row["credential"].startswith("command line:") for row in rows)


def test_who_goes_off_along_is_told_and_who_comes_back(landyard: Run, place: Path) -> None:
    install(place, "walls", "walls = walls_1", "requires = ('landing',)\nraise SystemExit")
    install(place, "roof", "roof = roof_1", "requires = ('walls',)\nraise SystemExit")

    off = done(landyard("plugins", "disable", "landing"))
    held = done(landyard("plugins", "enable", "roof"))
    on = done(landyard("plugins", "enable", "landing"))

    assert "walls is disabled: it requires 'landing', which is disabled" in off
    assert "roof is disabled: it requires 'walls', which is disabled" in off
    assert "legacy" not in off
    assert "roof is disabled: it requires 'walls'" in held
    assert "roof is enabled: on again" in on


def test_a_method_that_is_on_while_its_plugin_is_off_is_told(
    landyard: Run, gift: str, served: None
) -> None:
    done(landyard("plugins", "disable", gift))

    assert "gift is disabled: switched off" in done(landyard("plugins", "enable", "GIFT.SAY"))


@pytest.mark.parametrize(("pin", "word"), [("ON", "disable"), ("OFF", "enable")])
def test_what_is_pinned_is_refused_with_advice(
    landyard: Run, gift: str, monkeypatch: pytest.MonkeyPatch, pin: str, word: str
) -> None:
    monkeypatch.setenv(f"LANDYARD_PLUGINS__{pin}", f"{gift}, landing")

    told = failure(landyard("plugins", word, gift))

    assert f"take it out of plugins.{pin.lower()}" in told


def test_what_is_pinned_both_ways_is_an_error(
    landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_PLUGINS__ON", "gift")
    monkeypatch.setenv("LANDYARD_PLUGINS__OFF", "gift")

    assert "'gift' is both in plugins.on" in failure(landyard("plugins", "list"))


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("show", "landng"), "did you mean 'landing'?"),
        (("disable", "gift.sy"), "did you mean 'gift.say'?"),
        (("enable", "something else"), "see `landyard plugins list`"),
        (("show", "gift.say"), "there is no plugin 'gift.say'"),
    ],
)
def test_what_is_not_there_is_an_error_with_advice(
    landyard: Run, gift: str, served: None, words: tuple[str, ...], advice: str
) -> None:
    assert advice in failure(landyard("plugins", *words))


def test_before_the_first_server_methods_are_not_known(landyard: Run, gift: str) -> None:
    assert "plugins.off in the settings" in failure(landyard("plugins", "disable", "gift.say"))


def test_enable_lifts_a_quarantine(landyard: Run, gift: str, served: None, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    store = open_store(Settings(data=tmp_path / "data"))
    held = Quarantine(gift, "it crashed", now, now + timedelta(hours=1), 1)
    keep_quarantine(store, gift, held)
    store.close()
    resting = state(landyard, gift), done(landyard("plugins", "show", gift))
    done(landyard("plugins", "enable", gift))

    assert resting[0] == "quarantined"
    assert f"rests until  {held.until:%Y-%m-%d %H:%M}" in resting[1]
    assert state(landyard, gift) == "enabled"


def test_the_list_makes_nothing(landyard: Run, gift: str, tmp_path: Path) -> None:
    done(landyard("plugins", "list"))
    done(landyard("plugins", "show", gift))

    assert not (tmp_path / "data").exists()


def test_a_server_that_does_not_answer_is_one_line(
    landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")

    assert "the database cannot be used" in failure(landyard("plugins", "list"))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 ms"),
        (0.000_012, "0.012 ms"),
        (0.000_994, "0.99 ms"),
        (0.000_999, "1.0 ms"),
        (0.0123, "12 ms"),
        (0.1261, "130 ms"),
        (0.999, "1.0 s"),
        (1.26, "1.3 s"),
        (61.0, "61 s"),
    ],
)
def test_a_time_has_two_digits(seconds: float, text: str) -> None:
    assert duration(seconds) == text
