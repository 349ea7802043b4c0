"""Call options that plugins bring: how they are sent, what they add, and what is refused."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from kernel.switching import saying

from landyard import Call, CallOption, Irreversible, MethodGroup, Plugin, Result, hookimpl
from landyard.testing import WEBHOOK, Service


def plugin(
    name: str, *options: CallOption, named: tuple[str, ...] | None = None, value: object = 1
) -> Plugin:
    """Make a plugin that brings `options`, and adds their answers with a `value`."""

    def begin_call(call: Call) -> dict[str, Callable[[Result], Result]]:
        more = {key: value for option in options for key in option.answers}
        sent = [each.name for each in options if each.name in call.request.options]
        return {name: lambda result: msgspec.structs.replace(result, more=more) for name in sent}

    brought: dict[str, Any] = {"begin_call": hookimpl(begin_call)}
    brought["register_call_options"] = hookimpl(lambda: list(options))
    made = saying(name, **brought)
    made.module.call_options = tuple(each.name for each in options) if named is None else named
    return made


def say(service: Service, **headers: str) -> Any:
    path = f"/rest/1/{WEBHOOK}/one.say"
    return service.request("POST", path, json={}, headers=headers).json()


TRACE = CallOption("trace_level", flag=True, answers=("traced",))


def test_an_option_is_a_parameter_or_a_header_and_adds_keys_behind_the_others() -> None:
    with Service([plugin("one", TRACE)]) as service:
        plain, asked = say(service), say(service, **{"Trace-Level": "yes"})
        sent = service.call("one.say", trace_level=True).body

    assert [*plain] == ["result", "time"]
    assert [*asked] == [*sent] == ["result", "time", "traced"]
    assert asked["traced"] == 1


def test_a_flag_that_is_off_is_as_if_it_were_not_sent() -> None:
    with Service([plugin("one", TRACE)]) as service:
        assert "traced" not in service.call("one.say", trace_level="0").body
        assert "traced" in service.call("one.say", trace_level="").body


@pytest.mark.parametrize("sent", ["1", "0"])
def test_an_option_of_a_plugin_that_is_off_has_the_call_refused(sent: str) -> None:
    plugins = [saying("one"), plugin("tracing", TRACE)]
    with Service(plugins, plugins={"off": ["tracing"]}) as service:
        assert service.call("one.say").error is None
        assert service.call("one.say", trace_level=sent).error == "INVALID_REQUEST"


@pytest.mark.parametrize(
    ("option", "named", "reason"),
    [
        (TRACE, (), "names in `call_options`"),
        (TRACE, ("trace_level", "another"), "names in `call_options`"),
        (CallOption("timed", answers=("time",)), ("timed",), "each answer has 'time' already"),
    ],
)
def test_an_option_of_no_use_fails_its_plugin(
    option: CallOption, named: tuple[str, ...], reason: str
) -> None:
    with Service([plugin("one", option, named=named)], strict=False) as service:
        (state,) = service.kernel.resolution.states

    assert (state.state, reason in state.reason) == ("failed", True)


@pytest.mark.parametrize(
    "second",
    [
        CallOption("trace_level"),
        CallOption("another", header=b"trace-level"),
        CallOption("another", answers=("traced",)),
    ],
)
def test_the_first_plugin_has_an_option_its_header_and_its_keys(second: CallOption) -> None:
    with Service([plugin("one", TRACE), plugin("two", second)], strict=False) as service:
        states = {each.name: each.state for each in service.kernel.resolution.states}

    assert states == {"one": "enabled", "two": "failed"}


def test_a_method_has_one_note_of_a_type() -> None:
    group = MethodGroup()
    with pytest.raises(TypeError, match="two of its notes are of one type"):
        group.method("one.do", notes=[Irreversible(), Irreversible()])
