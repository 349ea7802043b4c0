"""The watch: whose module it is, and who killed a process while being imported."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kernel.switching import turn
from kernel.test_plugins_installed import install, place

from landyard import Kernel, PluginError, Settings
from landyard.discovery import Found
from landyard.faults import FaultRules, Faults
from landyard.recorder import Recorder
from landyard.states import PluginState
from landyard.watch import DEADLY, Watch

__all__ = ["place"]

KILLING = "import os\nos._exit(3)\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data")


@pytest.mark.parametrize(
    ("module", "owner"),
    [
        ("guests", "guests"),
        ("guests.pages", "guests"),
        ("guestsbook", None),
        ("acme.one", "one"),
        ("acme.one.inner", "one"),
        ("acme.two", "two"),
        ("acme.shared", None),
        ("landyard.app", None),
        ("json", None),
    ],
)
def test_a_module_is_of_the_plugin_whose_package_it_is_in(
    settings: Settings, module: str, owner: str | None
) -> None:
    """Two plugins may share a package."""
    installed = [Found("guests", "guests.plugin:it"), Found("one", "acme.one")]
    watch = Watch(settings, [*installed, Found("two", "acme.two")])
    watch.close()

    assert watch.owner_of(module) == owner


def dies(settings: Settings, plugin: str, *, importing: bool) -> None:
    """Another process dies with the code of a plugin running, or while it is imported."""
    folder = settings.data.absolute() / "workers"
    if child := os.fork():
        os.waitpid(child, 0)
        return
    with Recorder(folder).during(f"import {plugin}" if importing else plugin):
        os._exit(1)


def faults_of(names: list[str], points: int = 3) -> Faults:
    def changed(name: str, _quarantine: object) -> None:
        names.append(name)

    return Faults(FaultRules(faults=points), lambda: datetime.now(UTC), changed)


def test_who_killed_the_process_before_is_known_before_anything_is_imported(
    settings: Settings,
) -> None:
    dies(settings, "killer", importing=True)

    watch = Watch(settings, [])
    blamed: list[str] = []
    watch.look(faults_of(blamed), 3)
    watch.close()

    assert watch.deadly == {"killer"}
    assert blamed == []  # it is left out: there is nothing to rest
    with watch.importing("killer"):  # who switches it on again wants it tried again
        pass


def test_who_has_just_killed_a_neighbour_is_not_imported_here_but_once_asked_again(
    settings: Settings,
) -> None:
    watch = Watch(settings, [])
    dies(settings, "killer", importing=True)
    watch.look(faults_of([]), 3)

    with pytest.raises(PluginError, match=DEADLY), watch.importing("killer"):
        pass
    with watch.importing("killer"):
        pass
    watch.close()


def test_whose_call_killed_a_neighbour_is_blamed(settings: Settings) -> None:
    watch = Watch(settings, [])
    dies(settings, "caller", importing=False)
    blamed: list[str] = []

    watch.look(faults_of(blamed), 3)
    watch.close()

    assert blamed == ["caller"]


def dies_beside(settings: Settings, plugin: str, other: str) -> None:
    """Another process dies with the code of both running; `plugin` is at its first call."""
    if child := os.fork():
        os.waitpid(child, 0)
        return
    recorder = Recorder(settings.data.absolute() / "workers")
    for _ in range(3):
        with recorder.during(other):
            pass
    with recorder.during(other), recorder.during(plugin):
        os._exit(1)


def test_where_it_may_have_been_another_the_second_death_is_enough(settings: Settings) -> None:
    """Points die with the worker that counted them, and it may be the next to be killed."""
    blamed: list[list[str]] = []
    for plugin in ("killer", "other", "killer"):
        dies_beside(settings, plugin, "busy")
        watch = Watch(settings, [])
        blamed.append([])
        watch.look(faults_of(blamed[-1], 5), 5)
        watch.close()

    assert blamed == [[], [], ["killer"]]


def starts(settings: Settings) -> dict[str, PluginState]:
    kernel = Kernel(settings, watch=Watch(settings))
    kernel.prepare()
    kernel.assembly.write_report()
    kernel.close()
    return {state.name: state for state in kernel.report}


def test_what_kills_who_imports_it_is_left_out_until_it_is_enabled_or_another(
    place: Path, settings: Settings
) -> None:
    install(place, "killers", "killer = killing_1", KILLING)
    dies(settings, "killer", importing=True)

    left_out = [starts(settings)["killer"] for _ in range(2)]
    info = place / "killers-1.0.dist-info"
    (place / "killing_1.py").write_text("")
    switched = Kernel(Settings(data=settings.data, safe=True))
    turn(switched, "killer", is_on=True)
    switched.close()
    tried_again = starts(settings)["killer"]

    assert [(state.state, state.reason) for state in left_out] == [("failed", DEADLY)] * 2
    assert "killing_1" in sys.modules
    assert tried_again.state == "enabled"
    assert info.exists()


def test_another_version_of_what_killed_is_tried(place: Path, settings: Settings) -> None:
    install(place, "killers", "killer = killing_2", KILLING)
    dies(settings, "killer", importing=True)
    left_out = starts(settings)["killer"]

    (place / "killing_2.py").write_text("")
    metadata = place / "killers-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))

    assert left_out.state == "failed"
    assert starts(settings)["killer"].state == "enabled"
