"""The roster: which plugins are to be on, what goes off with them, and why it says so."""

from pathlib import Path
from typing import Any

import pytest
from kernel.switching import reason, saying, states, turn
from kernel.test_plugins_installed import install, place
from kernel.test_sections import Walls

from landyard import Kernel, Plugin, PluginError, Settings, SettingsError, hookimpl
from landyard.discovery import Found, found
from landyard.testing import Service

__all__ = ["place"]


def needing(name: str, *requires: str, **brought: Any) -> Plugin:
    return saying(name, requires=requires, **brought)


def chain() -> list[Plugin]:
    return [needing("roof", "walls"), needing("walls", "ground"), saying("ground")]


def test_what_is_off_takes_along_all_that_is_built_on_it_and_back() -> None:
    with Service(chain()) as service:
        turn(service.kernel, "ground", is_on=False)
        service.kernel.refresh()
        off = {name: reason(service.kernel, name) for name in states(service.kernel)}
        turn(service.kernel, "ground", is_on=True)
        service.kernel.refresh()

        assert off == {
            "ground": "switched off",
            "walls": "it requires 'ground', which is disabled",
            "roof": "it requires 'walls', which is disabled",
        }
        assert set(states(service.kernel).values()) == {"enabled"}
        assert service.call("roof.say").error is None


def test_what_is_pinned_on_is_off_without_what_it_requires() -> None:
    with Service(chain(), plugins={"on": ["roof"], "off": ["ground"]}) as service:
        assert states(service.kernel)["roof"] == "disabled"


def test_who_requires_what_failed_has_failed() -> None:
    broken = saying("ground", register_world=hookimpl(lambda: 42))
    with Service([*chain()[:2], broken], strict=False) as service:
        assert set(states(service.kernel).values()) == {"failed"}
        assert "'walls', which is failed" in reason(service.kernel, "roof")


@pytest.mark.parametrize("how", ["switch", "pin", "safe"])
def test_what_is_off_is_no_failure_whatever_is_wrong_with_it(
    place: Path, tmp_path: Path, how: str
) -> None:
    """So an operator gets a strict service going: by switching off what cannot be used."""
    install(place, "far", "far = far_away", "", "Requires-Dist: landyard>=99")
    options: dict[str, Any] = {"data": tmp_path / "data", "safe": how == "safe"}
    if how == "pin":
        options["plugins"] = {"plugins": {"off": ["far"]}}
    first = Kernel(Settings(data=tmp_path / "data"))
    first.prepare()
    if how == "switch":
        turn(first, "far", is_on=False)
    first.close()

    kernel = Kernel(Settings(strict=True, **options))
    kernel.close()

    assert states(kernel)["far"] == "disabled"


def test_a_strict_service_refuses_what_it_cannot_use(place: Path, tmp_path: Path) -> None:
    install(place, "far", "far = far_away", "", "Requires-Dist: landyard>=99")

    with pytest.raises(PluginError, match=r"'far' \(far 1.0\): it requires landyard >=99"):
        Kernel(Settings(data=tmp_path / "data", strict=True))


NO_NAMES = ["requires = 5", "requires = 'landing'", "requires = (1,)", "requires: object = None"]


@pytest.mark.parametrize("body", NO_NAMES)
def test_requirements_that_are_no_names_are_told(place: Path, tmp_path: Path, body: str) -> None:
    install(place, "odd", "odd = odd_one", f"{body}\nraise SystemExit")

    kernel = Kernel(Settings(data=tmp_path / "data"))
    kernel.close()

    assert states(kernel)["odd"] == "failed"
    assert "`requires` must be a tuple" in reason(kernel, "odd")


@pytest.mark.parametrize(
    "body", ["requires = tuple(['landing'])", "requires = ()\nrequires += ('landing',)"]
)
def test_requirements_that_the_source_does_not_show_are_told(
    place: Path, tmp_path: Path, body: str
) -> None:
    install(place, "odd", f"odd = hidden_{len(body)}", body)

    kernel = Kernel(Settings(data=tmp_path / "data"))
    kernel.close()

    assert states(kernel)["odd"] == "failed"
    assert "requires 'landing', which its source does not show" in reason(kernel, "odd")


ENTRIES = {
    "no module": b"[landyard]\nodd = far-away\n",
    "nothing": b"[landyard]\nodd =\n",
    "no line": b"[landyard]\nodd\n",
    "no text": b"[landyard]\nodd\xff = x\n",
}


@pytest.mark.parametrize("what", ENTRIES)
def test_a_distribution_that_cannot_be_read_hides_no_other(place: Path, what: str) -> None:
    install(place, "odd", "odd = odd_one")
    (place / "odd-1.0.dist-info" / "entry_points.txt").write_bytes(ENTRIES[what])
    install(place, "sound", "sound = sound_one")

    listed = {plugin.name: plugin for plugin in found()}

    assert {"landing", "blocks", "sound"} <= set(listed)
    assert "odd" not in listed or "names no module" in listed["odd"].unfit


@pytest.mark.parametrize("metadata", ["", "Metadata-Version: 2.1\n", b"Name: \xff\n"])
def test_a_distribution_without_a_name_is_unknown(place: Path, metadata: str | bytes) -> None:
    for number in range(2):
        name = f"odd{number}"
        install(place, name, f"{name} = {name}")
        raw = metadata.encode() if isinstance(metadata, str) else metadata
        (place / f"{name}-1.0.dist-info" / "METADATA").write_bytes(raw)

    listed: list[Found] = [plugin for plugin in found() if plugin.name.startswith("odd")]

    assert [plugin.distribution for plugin in listed] == ["unknown distribution"] * 2


def house(**brought: Any) -> list[Plugin]:
    return [saying("house", register_settings=hookimpl(lambda: Walls), **brought), saying("shed")]


def test_a_section_of_who_is_off_is_tolerated(tmp_path: Path) -> None:
    sections: dict[str, Any] = {"house": {"height": 3}, "plugins": {"off": ["house"]}}

    Kernel(Settings(data=tmp_path, plugins=sections), house()).close()


def test_a_section_of_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'hose'"):
        Kernel(Settings(data=tmp_path, plugins={"hose": {"height": 3}}), house())


@pytest.mark.parametrize("strict", [True, False])
def test_a_bad_setting_is_the_operators_at_the_start(tmp_path: Path, strict: bool) -> None:
    settings = Settings(data=tmp_path, strict=strict, plugins={"house": {"height": "tall"}})

    with pytest.raises(SettingsError, match=r"house\.height"):
        Kernel(settings, house())
