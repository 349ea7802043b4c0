"""Methods of third-party plugins are described correctly, whatever their names and types."""

from datetime import date
from typing import Any

import msgspec
import pytest
from contract.documents import BASE, Document, check
from kernel.sample import Brings
from msgspec import Struct
from openapi_spec_validator import validate

from landyard import (
    Alias,
    Call,
    Deprecation,
    Kernel,
    MethodGroup,
    Plugin,
    Settings,
)
from landyard_describe.commands import show_method
from landyard_describe.openapi import openapi


class Params(Struct, frozen=True):
    """`deep`: what is inside."""

    deep: bool = False


class Asked(Struct, frozen=True):
    """`inner`: an object; `again`: another of the same name."""

    inner: Params = Params()


class Answer(Struct, frozen=True):
    kept: int = 3


def described(group: MethodGroup) -> Document:
    """The document of a service that has only the methods of this group."""
    kernel = Kernel(Settings(), [Plugin("sample", Brings(group))])
    kernel.close()
    return openapi(kernel.methods, base=BASE, version="1.0")


def test_structs_named_like_built_in_ones_are_told_apart() -> None:
    group = MethodGroup()

    @group.method("a.b")
    def one(call: Call, params: Asked) -> Answer:
        """Answer what is kept."""
        return Answer()

    schemas = described(group)["components"]["schemas"]

    assert schemas["ABParams"]["properties"]["inner"]["anyOf"][0] == {
        "$ref": "#/components/schemas/ABParams2"
    }
    assert list(schemas["ABParams2"]["properties"]) == ["deep"]
    assert schemas["ABAnswer"]["required"] == ["kept"]
    assert schemas["ABAnswer2"]["required"] == ["result", "time"]


Kept = msgspec.defstruct("Params", [("kept", int)])


def test_a_struct_in_answers_is_told_apart_from_one_in_parameters() -> None:
    group = MethodGroup()

    def one(call: Call, params: Asked) -> Any:
        """Answer what is kept."""

    one.__annotations__["return"] = Kept
    group.method("a.b")(one)

    schemas = described(group)["components"]["schemas"]
    result = schemas["ABAnswer"]["properties"]["result"]["$ref"].rpartition("/")[2]

    assert list(schemas["ABParams"]["properties"]) == ["inner"]
    assert list(schemas[result]["properties"]) == ["kept"]


class Sparing(Struct, frozen=True, omit_defaults=True, tag="sparing"):
    number: int
    usual: bool = True


def test_a_key_that_an_answer_may_omit_is_not_required() -> None:
    group = MethodGroup()

    @group.method("a.b")
    def one(call: Call, params: Asked) -> Sparing:
        """Answer what is unusual."""
        return Sparing(1)

    document = described(group)

    assert document["components"]["schemas"]["ABSparing"]["required"] == ["type", "number"]
    check({"$ref": "#/components/schemas/ABSparing"}, msgspec.to_builtins(Sparing(1)), document)


def test_methods_whose_names_differ_only_in_dots_are_told_apart() -> None:
    group = MethodGroup()

    @group.method("a.bc")
    def one(call: Call, params: Asked) -> bool:
        """Answer the one thing."""
        return True

    @group.method("a.b.c")
    def other(call: Call, params: Params) -> bool:
        """Answer the other thing."""
        return True

    document = described(group)
    names = [path["post"]["operationId"] for path in document["paths"].values()]

    validate(document)
    assert len({name.lower() for name in names}) == 2


def test_a_deprecated_method_is_described_as_deprecated() -> None:
    group = MethodGroup()
    notice = Deprecation(since=date(2026, 1, 1), until=date(2027, 1, 1), instead="new.method")

    @group.method("old.method", deprecated=notice)
    def old(call: Call, params: Params) -> bool:
        """Answer as it always did."""
        return True

    operation = described(group)["paths"]["/old.method.json"]["post"]

    assert operation["deprecated"] is True
    assert "2027-01-01" in operation["description"]
    assert "new.method" in operation["description"]
    assert operation["x-landyard"]["deprecated"]["instead"] == "new.method"


def test_aliases_are_described(
    capsys: pytest.CaptureFixture[str],
) -> None:
    group = MethodGroup()
    notice = Deprecation(since=date(2026, 1, 1), until=date(2027, 1, 1))

    @group.method("crm.list", aliases=["crm.all", Alias("crm.old", notice)])
    def listed(call: Call, params: Params) -> bool:
        """List them."""
        return True

    kernel = Kernel(Settings(), [Plugin("crm", Brings(group))])
    kernel.close()
    document = openapi(kernel.methods, base=BASE, version="1.0")
    described = {path: each["post"] for path, each in document["paths"].items()}
    show_method(next(iter(kernel.methods)), base=BASE)
    shown = " ".join(capsys.readouterr().out.split())

    validate(document)
    assert [*described] == ["/crm.list.json", "/crm.all.json", "/crm.old.json"]
    assert [each.get("deprecated", False) for each in described.values()] == [False, False, True]
    assert described["/crm.old.json"]["summary"] == "The same as `crm.list`: List them."
    assert "also called crm.all; also called crm.old (deprecated since 2026-01-01" in shown
