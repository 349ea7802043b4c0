"""Plugins are found, checked and put in order at start-up; the message names the plugin."""

import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from kernel.sample import Brings, Needs, Nothing, sample_group, sample_plugin
from msgspec import Struct

from landyard import (
    Call,
    CallError,
    Credential,
    Kernel,
    MethodGroup,
    MissingParams,
    Plugin,
    PluginError,
    Settings,
    WrongType,
    hookimpl,
)
from landyard.testing import Service


def start(tmp_path: Path, *plugins: Plugin) -> Kernel:
    kernel = Kernel(Settings(data=tmp_path, strict=True), list(plugins))
    kernel.close()
    return kernel


def refusal(tmp_path: Path, *plugins: Plugin) -> str:
    with pytest.raises(PluginError) as caught:
        start(tmp_path, *plugins)
    return str(caught.value)


class AsyncGate:
    @hookimpl
    async def authenticate(self, credential: Credential) -> None:
        return None


class AsyncStream:
    @hookimpl
    async def register_world(self) -> AsyncIterator[int]:
        yield 1


def async_module() -> ModuleType:
    module = ModuleType("landyard_careless")

    @hookimpl
    async def authenticate(credential: Credential) -> None:
        return None

    vars(module)["authenticate"] = authenticate
    return module


@pytest.mark.parametrize("module", [AsyncGate(), AsyncStream(), async_module()])
def test_an_async_hook_is_refused(tmp_path: Path, module: Any) -> None:
    assert "'careless'" in refusal(tmp_path, Plugin("careless", module))


def test_an_unknown_hook_is_refused(tmp_path: Path) -> None:
    class Misspelt:
        @hookimpl
        def register_method(self) -> MethodGroup:
            return MethodGroup()

    told = refusal(tmp_path, Plugin("careless", Misspelt()))
    assert "'careless'" in told
    assert "register_method" in told


def test_a_hook_with_an_unknown_argument_is_refused(tmp_path: Path) -> None:
    class Greedy:
        @hookimpl
        def map_error(self, error: Exception, request: object) -> None:
            return None

    assert "'careless'" in refusal(tmp_path, Plugin("careless", Greedy()))


def test_a_method_brought_twice_names_both_plugins(tmp_path: Path) -> None:
    shouting = MethodGroup()

    @shouting.method("SAMPLE.Given")
    def given(call: Call, params: Nothing) -> None:
        """Take a name that differs in case alone (C2)."""

    told = refusal(tmp_path, sample_plugin(), Plugin("second", Brings(shouting)))
    assert "'sample'" in told
    assert "'second'" in told


class Requiring(Brings):
    def __init__(self, *requires: str) -> None:
        super().__init__(MethodGroup())
        self.requires = requires


def test_a_missing_requirement_is_named(tmp_path: Path) -> None:
    told = refusal(tmp_path, Plugin("careless", Requiring("sample", "absent")), sample_plugin())
    assert "'careless'" in told
    assert "absent" in told
    assert "sample," not in told


def test_a_circle_of_requirements_is_refused(tmp_path: Path) -> None:
    told = refusal(tmp_path, Plugin("one", Requiring("two")), Plugin("two", Requiring("one")))
    assert "'one'" in told
    assert "two" in told


def test_two_plugins_of_one_name_are_refused(tmp_path: Path) -> None:
    assert "'sample'" in refusal(tmp_path, sample_plugin(), sample_plugin())


def test_a_plugin_called_kernel_is_refused(tmp_path: Path) -> None:
    assert "'kernel'" in refusal(tmp_path, Plugin("kernel", Brings(MethodGroup())))


def test_order_does_not_depend_on_the_order_of_installs(tmp_path: Path) -> None:
    plugins = [
        Plugin("a", Requiring("d")),
        Plugin("b", Requiring()),
        Plugin("c", Requiring("a")),
        Plugin("d", Requiring()),
    ]

    orders = {
        tuple(plugin.name for plugin in start(tmp_path, *given).plugins)
        for given in itertools.permutations(plugins)
    }

    assert orders == {("kernel", "b", "d", "a", "c")}


class Answering(Brings):
    """Answers hooks with something they do not take."""

    def __init__(self, hook: str, answer: Any) -> None:
        super().__init__(MethodGroup())

        @hookimpl
        def answered() -> Any:
            return answer

        setattr(self, hook, answered)


@pytest.mark.parametrize("answer", ["methods", MethodGroup])
@pytest.mark.parametrize(
    "hook", ["register_methods", "register_settings", "register_tables", "register_world"]
)
def test_a_hook_that_answers_nonsense_is_named(tmp_path: Path, hook: str, answer: Any) -> None:
    assert "'careless'" in refusal(tmp_path, Plugin("careless", Answering(hook, answer)))


def test_a_hook_that_raises_is_named(tmp_path: Path) -> None:
    class Raising:
        @hookimpl
        def register_world(self) -> None:
            raise ZeroDivisionError

    assert "'careless'" in refusal(tmp_path, Plugin("careless", Raising()))


def test_a_method_without_a_docstring_is_refused() -> None:
    def silent(call: Call, params: Nothing) -> None:
        pass

    with pytest.raises(TypeError, match=r"sample\.silent"):
        MethodGroup().method("sample.silent")(silent)


def test_an_async_handler_is_refused() -> None:
    async def waiting(call: Call, params: Nothing) -> None:
        """Wait."""

    with pytest.raises(TypeError, match=r"sample\.waiting"):
        MethodGroup().method("sample.waiting")(waiting)


def test_a_handler_without_a_parameters_struct_is_refused() -> None:
    def loose(call: Call, params: dict[str, Any]) -> None:
        """Take anything."""

    with pytest.raises(TypeError, match=r"sample\.loose"):
        MethodGroup().method("sample.loose")(loose)  # type: ignore[type-var]


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
    value: set[int] | None = None


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
def test_C11_what_parameters_can_get_wrong_must_be_declared(
    tmp_path: Path, params: type[Struct], errors: list[type[CallError]]
) -> None:
    told = refusal(tmp_path, bringing(params, *errors))
    assert "some.method" in told
    assert "'careless'" in told


class Nameless(CallError):
    pass


def test_an_error_without_a_code_is_refused_at_start_up(tmp_path: Path) -> None:
    assert "some.method" in refusal(tmp_path, bringing(Nothing, Nameless))


def test_C9_a_method_may_require_parameters_and_know_no_type_error(tmp_path: Path) -> None:
    class Picture(Struct, frozen=True):
        picture: Any

    assert len(start(tmp_path, bringing(Picture, MissingParams)).methods) == 1


def test_two_kernels_do_not_know_each_other() -> None:
    with Service([sample_plugin()]) as one, Service([Plugin("b", Brings(MethodGroup()))]) as other:
        assert one.call("sample.given").status == 200
        assert other.call("sample.given").error == "ERROR_METHOD_NOT_FOUND"


@pytest.mark.rule("C13")
def test_C13_a_plugin_that_is_not_there_has_no_methods() -> None:
    names = [method.name for method in sample_group().methods]
    with Service([Plugin("none", Brings(MethodGroup()))]) as service:
        told = {service.call(name).error for name in [*names, "sample.never"]}

    assert told == {"ERROR_METHOD_NOT_FOUND"}
