"""Mistakes in the declaration of a method are reported when it is declared."""

from typing import Any

import pytest
from kernel.sample import Nothing

from landyard import Bounds, Call, MethodGroup


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


@pytest.mark.parametrize("name", ["", "1st", "two words", "trailing.", "ünder.score"])
def test_an_invalid_name_is_refused(name: str) -> None:
    def handler(call: Call, params: Nothing) -> None:
        """Do nothing."""

    with pytest.raises(ValueError, match="a name is letters"):
        MethodGroup().method(name)(handler)


def test_an_invalid_scope_is_refused() -> None:
    with pytest.raises(ValueError, match="'two words'"):
        MethodGroup("two words")


@pytest.mark.parametrize("bound", [0, -1, True, "9", None])
def test_an_invalid_bound_is_refused(bound: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="depth must be"):
        Bounds(depth=bound)
