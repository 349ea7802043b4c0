"""Records: data that one plugin registers for another, found by type while its plugin is on."""

from collections.abc import Mapping
from typing import Any

from kernel.switching import doing, reason, saying, states, turn_off

from landyard import Call, Plugin, PluginError, Record, hookimpl
from landyard.testing import Service


class Flag(Record, frozen=True):
    """A flag; it may be flown on another flag."""

    name: str
    below: str = ""

    @property
    def key(self) -> str:
        return self.name

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:
        if self.below and self.below not in records[Flag]:
            raise PluginError(f"flag '{self.name}' is below '{self.below}', which is not there")


def flying(name: str, *flags: Flag) -> Plugin:
    return saying(name, register_records=hookimpl(lambda: flags))


def test_a_call_and_the_kernel_find_records_while_their_plugin_is_on() -> None:
    found: list[list[str]] = []

    def look(call: Call) -> None:
        found.append([f"{each.plugin}: {key}" for key, each in call.records(Flag).items()])

    plugins = [flying("a", Flag("ensign")), flying("b", Flag("jack")), doing("looks", look)]
    with Service(plugins) as service:
        service.result("looks.do")
        turn_off(service.kernel, "a")
        service.result("looks.do")

        assert found == [["a: ensign", "b: jack"], ["b: jack"]]
        assert service.kernel.records(Flag) == {"jack": Flag("jack", plugin="b")}
        assert service.kernel.records(Record) == {}


def test_two_plugins_cannot_register_one_key() -> None:
    plugins = [flying("a", Flag("ensign")), flying("b", Flag("jack"), Flag("ensign"))]
    with Service(plugins, strict=False) as service:
        assert reason(service.kernel, "b") == "Flag 'ensign' is already brought by plugin 'a'"
        assert list(service.kernel.records(Flag)) == ["ensign"]


def test_an_unusable_record_fails_its_plugin_alone() -> None:
    plugins = [flying("a", Flag("jack", below="ensign"), Flag("ensign"))]
    plugins += [flying("b", Flag("pennant", below="burgee")), flying("c", Flag("burgee"))]
    with Service(plugins, strict=False) as service:
        assert states(service.kernel) == {"a": "enabled", "b": "failed", "c": "enabled"}
        assert reason(service.kernel, "b") == "flag 'pennant' is below 'burgee', which is not there"


def test_an_object_that_is_no_record_is_refused() -> None:
    plugin = saying("a", register_records=hookimpl(lambda: ["ensign"]))
    with Service([plugin], strict=False) as service:
        assert reason(service.kernel, "a") == "register_records answered what it does not take"
