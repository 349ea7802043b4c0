"""Loading checks everything that a plugin declares, and the message names the plugin."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kernel.sample import Brings, Needs, Nothing, refusal, sample_group, sample_plugin, started
from kernel.switching import saying
from msgspec import Struct

from landyard import (
    Call,
    CallError,
    Credential,
    MethodGroup,
    MissingParams,
    Plugin,
    WrongType,
    hookimpl,
)
from landyard.testing import Service


async def register_world() -> AsyncIterator[int]:
    yield 1


async def authenticate(credential: Credential) -> None:
    """Accept no credential."""


def before_call() -> Iterator[None]:
    yield


def map_error(error: Exception, request: object) -> None:
    """Ask for an argument that the hook does not have."""


def register_method() -> MethodGroup:
    return MethodGroup()


@pytest.mark.parametrize(
    ("hook", "options", "message"),
    [
        (authenticate, {}, "authenticate is `async def`"),
        (register_world, {}, "register_world is `async def`"),
        (before_call, {"wrapper": True}, "before_call is a wrapper"),
        (register_method, {}, "register_method"),
        (map_error, {}, "map_error"),
    ],
)
def test_a_hook_that_cannot_be_called_is_refused(
    tmp_path: Path, hook: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    plugin = saying("careless", **{hook.__name__: hookimpl(**options)(hook)})

    for each in ("'careless'", message):
        assert each in refusal(tmp_path, plugin)


def test_a_method_declared_twice_names_both_plugins(tmp_path: Path) -> None:
    shouting = MethodGroup()

    @shouting.method("SAMPLE.Given")
    def given(call: Call, params: Nothing) -> None:
        """Have a name that differs only in case (C2)."""

    message = refusal(tmp_path, sample_plugin(), Plugin("second", Brings(shouting)))
    assert "'sample'" in message
    assert "'second'" in message


class Requiring(Brings):
    def __init__(self, *requires: str) -> None:
        super().__init__(MethodGroup())
        self.requires = requires


def test_a_missing_requirement_is_named(tmp_path: Path) -> None:
    message = refusal(tmp_path, Plugin("careless", Requiring("sample", "absent")), sample_plugin())
    assert "'careless'" in message
    assert "absent" in message
    assert "sample," not in message


def test_circular_requirements_are_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, Plugin("one", Requiring("two")), Plugin("two", Requiring("one")))
    assert "'one'" in message
    assert "two" in message


def test_two_plugins_of_one_name_are_refused(tmp_path: Path) -> None:
    assert "'sample'" in refusal(tmp_path, sample_plugin(), sample_plugin())


def test_the_order_of_plugins_does_not_depend_on_the_order_of_installation(tmp_path: Path) -> None:
    plugins = [
        Plugin("a", Requiring("d")),
        Plugin("b", Requiring()),
        Plugin("c", Requiring("a")),
        Plugin("d", Requiring()),
    ]

    orders = {
        tuple(each.plugin.name for each in started(tmp_path, *given).resolution.contributions)
        for given in itertools.permutations(plugins)
    }

    assert orders == {("b", "d", "a", "c")}


class Answering(Brings):
    """Answers hooks with a value that they do not accept."""

    def __init__(self, hook: str, answer: Any) -> None:
        super().__init__(MethodGroup())

        @hookimpl
        def answered() -> Any:
            return answer

        setattr(self, hook, answered)


@pytest.mark.parametrize("answer", ["methods", MethodGroup])
@pytest.mark.parametrize(
    "hook",
    ["register_jobs", "register_methods", "register_settings", "register_tables", "register_world"],
)
def test_a_hook_with_a_wrong_answer_is_named(tmp_path: Path, hook: str, answer: Any) -> None:
    assert "'careless'" in refusal(tmp_path, Plugin("careless", Answering(hook, answer)))


@pytest.mark.parametrize("error", [ZeroDivisionError(), SystemExit(3)])
@pytest.mark.parametrize("hook", ["register_world", "register_hooks"])
def test_a_hook_that_raises_during_loading_is_named(
    tmp_path: Path, hook: str, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    message = refusal(tmp_path, saying("careless", **{hook: hookimpl(fail)}))
    assert f"plugin 'careless' (sayings 1.0): {hook} failed: {type(error).__name__}" in message


@pytest.mark.parametrize("meter", ["a word", object()])
def test_a_meter_without_spend_is_refused(tmp_path: Path, meter: object) -> None:
    class Bringing:
        @hookimpl
        def register_meter(self) -> object:
            return meter

    plugin = saying("careless", register_hooks=hookimpl(lambda: Bringing()))  # noqa: PLW0108

    assert "register_meter" in refusal(tmp_path, plugin)


def test_hooks_of_an_object_are_checked_like_those_of_a_module(tmp_path: Path) -> None:
    keeper = SimpleNamespace(authenticate=hookimpl(authenticate))
    plugin = saying("careless", register_hooks=hookimpl(lambda: keeper))

    assert "authenticate is `async def`" in refusal(tmp_path, plugin)


def bringing(params: type[Struct], *errors: type[CallError]) -> Plugin:
    def handler(call: Call, params: Any) -> None:
        """Do nothing."""

    handler.__annotations__["params"] = params
    group = MethodGroup()
    group.method("some.method", errors=errors)(handler)
    return Plugin("careless", Brings(group))


class Inner(Struct, frozen=True):
    width: int


class WithInner(Struct, frozen=True):
    params: Inner | None = None


class Unreadable(Struct, frozen=True):
    value: Brings | None = None


@pytest.mark.rule("C11")
@pytest.mark.parametrize(
    ("params", "errors"),
    [
        (Needs, []),
        (Needs, [WrongType]),
        (WithInner, [WrongType]),  # `params: {}` lacks `params.width`
        (Unreadable, [WrongType]),
    ],
)
def test_C11_errors_of_parameters_must_be_declared(
    tmp_path: Path, params: type[Struct], errors: list[type[CallError]]
) -> None:
    message = refusal(tmp_path, bringing(params, *errors))
    assert "some.method" in message
    assert "'careless'" in message


class Nameless(CallError):
    pass


def test_an_error_without_a_code_is_refused_at_start_up(tmp_path: Path) -> None:
    assert "some.method" in refusal(tmp_path, bringing(Nothing, Nameless))


def test_C9_a_method_may_require_parameters_without_a_type_error(tmp_path: Path) -> None:
    class Picture(Struct, frozen=True):
        picture: Any

    assert len([*started(tmp_path, bringing(Picture, MissingParams)).methods]) == 1


def test_two_kernels_share_no_state() -> None:
    with Service([sample_plugin()]) as one, Service([Plugin("b", Brings(MethodGroup()))]) as other:
        assert one.call("sample.given").status == 200
        assert other.call("sample.given").error == "ERROR_METHOD_NOT_FOUND"


@pytest.mark.rule("C13")
def test_C13_a_missing_plugin_has_no_methods() -> None:
    names = [method.name for method in sample_group().methods]
    with Service([Plugin("none", Brings(MethodGroup()))]) as service:
        codes = {service.call(name).error for name in [*names, "sample.never"]}

    assert codes == {"ERROR_METHOD_NOT_FOUND"}
