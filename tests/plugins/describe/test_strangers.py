"""Methods that nobody here has thought of are described as well, whatever they are called."""

from datetime import date
from typing import Any

import msgspec
from contract.documents import BASE, Document, check
from kernel.sample import Brings
from msgspec import Struct
from openapi_spec_validator import validate

from landyard import Call, Deprecation, Kernel, MethodGroup, Plugin, Settings
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
    """The document of a service that has the methods of this group alone."""
    kernel = Kernel(Settings(), [Plugin("sample", Brings(group))])
    kernel.close()
    return openapi(kernel.methods, base=BASE, version="1.0")


def test_structs_named_as_something_of_ours_are_told_apart() -> None:
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


def test_a_struct_that_is_answered_is_not_taken_for_one_that_is_sent() -> None:
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


def test_what_an_answer_may_leave_out_is_not_required() -> None:
    group = MethodGroup()

    @group.method("a.b")
    def one(call: Call, params: Asked) -> Sparing:
        """Answer what is unusual."""
        return Sparing(1)

    document = described(group)

    assert document["components"]["schemas"]["ABSparing"]["required"] == ["type", "number"]
    check({"$ref": "#/components/schemas/ABSparing"}, msgspec.to_builtins(Sparing(1)), document)


def test_methods_whose_names_differ_in_their_dots_alone_are_told_apart() -> None:
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


def test_a_deprecated_method_is_described_as_one() -> None:
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
