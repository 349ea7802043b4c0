"""Parameters of all types that msgspec knows, with their constraints, are read or refused by
name.
"""

import dataclasses
import enum
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

import msgspec
import pydantic
import pytest
from kernel.sample import Brings
from msgspec import Meta, Struct
from pydantic import BaseModel
from sqlmodel import Field, SQLModel
from tables import for_each

import landyard_describe
from landyard import (
    Call,
    Id,
    Method,
    MethodGroup,
    MissingParams,
    Paged,
    Plugin,
    PluginError,
    WrongType,
)
from landyard.plugin_host.params import ParamsReader
from landyard.plugin_host.typed_readers import require_written
from landyard.testing import WEBHOOK, Service


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Circle(Struct, tag="circle", tag_field="shape", frozen=True):
    radius: Annotated[int, Meta(ge=1)]


class Label(Struct, tag="label", tag_field="shape", frozen=True):
    words: list[str] = []


class Kinds(Struct, frozen=True):
    """One parameter of every kind."""

    few: Annotated[int, Meta(ge=1, le=5)] = 1
    even: Annotated[int, Meta(multiple_of=2)] | None = None
    share: Annotated[float, Meta(gt=0, lt=1)] | None = None
    code: Annotated[str, Meta(min_length=3, max_length=5, pattern="^[a-z]+$")] | None = None
    own: Annotated[Id, Meta(le=100)] | None = None
    numbers: list[int] = []
    names: set[str] = set()
    pair: Annotated[list[int], Meta(min_length=2, max_length=2)] | None = None
    counts: dict[str, list[int]] = {}
    choice: Literal["a", "b"] = "a"
    size: Literal[1, 2] = 1
    colour: Colour = Colour.RED
    at: datetime | None = None
    aware: Annotated[datetime, Meta(tz=True)] | None = None
    day: date | None = None
    lasts: timedelta | None = None
    price: Decimal | None = None
    key: UUID | None = None
    mixed: bool | list[int] | None = None
    either: int | str | None = None
    shape: Circle | Label | None = None
    shapes: list[Circle] = []


READ = ParamsReader(Kinds)


@pytest.mark.parametrize(
    ("name", "sent", "read"),
    [
        ("few", "3", 3),
        ("few", 5.0, 5),
        ("even", -2, -2),
        ("share", "0.5", 0.5),
        ("code", "abc", "abc"),
        ("own", "100", 100),
        ("numbers", ["1", 2], [1, 2]),
        ("numbers", {"0": "1", "1": 2}, [1, 2]),
        ("names", ["a", "a", 1], {"a", "1"}),
        ("pair", [1, "2"], [1, 2]),
        ("counts", {"x": ["1"]}, {"x": [1]}),
        ("counts", [], {}),
        ("choice", "b", "b"),
        ("size", "2", 2),
        ("colour", "blue", Colour.BLUE),
        ("at", "2026-01-31T12:00:00", datetime(2026, 1, 31, 12)),  # noqa: DTZ001 - as it came
        ("aware", "2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("day", "2026-01-31", date(2026, 1, 31)),
        ("lasts", "PT30S", timedelta(seconds=30)),
        ("price", "1.50", Decimal("1.50")),
        ("key", "12345678-1234-5678-1234-567812345678", UUID("12345678" * 4)),
        ("mixed", "Y", True),
        ("mixed", ["3"], [3]),
        ("either", "5", "5"),
        ("either", 5, 5),
        ("shape", {"shape": "circle", "radius": "7"}, Circle(7)),
        ("shape", {"shape": "label", "words": [1]}, Label(["1"])),
        ("shapes", [{"radius": 1}], [Circle(1)]),
    ],
)
def test_matching_values_are_read(name: str, sent: Any, read: Any) -> None:
    found = getattr(READ({name: sent}), name)

    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(
    ("name", "sent", "message"),
    [
        ("few", -5, "'few' must be at least 1 and at most 5. It was -5."),
        ("few", "x", "'few' must be an integer. It was 'x'."),
        ("even", 3, "'even' must be a multiple of 2. It was 3."),
        ("share", 1, "'share' must be more than 0 and less than 1. It was 1."),
        ("own", 101, "'own' must be at most 100. It was 101."),
        ("numbers", ["a", {}], "'numbers[0]' must be an integer. It was 'a'."),
        ("numbers", [1, {}], "'numbers[1]' must be an integer. It was an object."),
        ("numbers", 1, "'numbers' must be an array. It was 1."),
        ("pair", [1], "'pair' must be of at least 2 items and of at most 2 items."),
        ("counts", {"x": ["q"]}, "'counts.x[0]' must be an integer. It was 'q'."),
        ("choice", "c", "'choice' must be 'a' or 'b'. It was 'c'."),
        ("colour", [], "'colour' must be 'red' or 'blue'. It was an array."),
        ("at", "soon", "'at' must be a date and time such as 2026-01-31T12:00:00Z."),
        ("aware", "2026-01-31T12:00:00", "'aware' must be a moment with a time zone."),
        ("day", "2026-02-30", "'day' must be a date such as 2026-01-31. It was '2026-02-30'."),
        ("lasts", True, "'lasts' must be a duration such as PT30S. It was true."),
        ("price", "much", "'price' must be a decimal number. It was 'much'."),
        ("key", 1, "'key' must be a UUID. It was 1."),
        ("mixed", "q", "'mixed' must be a boolean or an array. It was 'q'."),
        ("either", {}, "'either' must be an integer or a string. It was an object."),
        ("shape", {"shape": "circle", "radius": 0}, "'shape.radius' must be at least 1. It was 0."),
        ("shape", {"shape": []}, "'shape.shape' must be 'circle' or 'label'. It was an array."),
        ("shape", {}, "'shape.shape' must be 'circle' or 'label'. It was null."),
        ("shape", 1, "'shape' must be an object. It was 1."),
        ("shapes", [{"radius": 1}, {"radius": 0}], "'shapes[1].radius' must be at least 1."),
        ("code", "y" * 50, f"It was '{'y' * 40}…'."),
    ],
)
def test_other_values_are_refused_with_path_and_received_type(
    name: str, sent: Any, message: str
) -> None:
    with pytest.raises(WrongType) as refused:
        READ({name: sent})

    assert message in refused.value.description


def test_a_missing_member_is_named() -> None:
    with pytest.raises(MissingParams, match=r"shapes\[0\]\.radius"):
        READ({"shapes": [{}]})


class Stranger:
    pass


@pytest.mark.parametrize(
    "hint",
    [
        Stranger,
        list[Stranger],
        dict[Stranger, int],
        int | Stranger,
        Annotated[str, Meta(ge=1)],
        list[Annotated[int, Meta(min_length=1)]],
        Circle | Kinds,
    ],
)
def test_unsupported_types_are_refused_at_start_up(hint: Any) -> None:
    with pytest.raises(TypeError):
        ParamsReader(msgspec.defstruct("Params", [("one", hint)]))


class Limited(Struct, frozen=True):
    count: Annotated[int, Meta(ge=1)] = 1


def group(*errors: type[Any], unknown: Any = "ignore") -> MethodGroup:
    group = MethodGroup()

    @group.method("sample.limited", errors=errors, unknown=unknown)
    def limited(call: Call, params: Limited) -> int:
        """Answer the parameters as they were read."""
        return params.count

    return group


def test_a_method_with_limits_declares_TYPE_ERROR() -> None:
    with pytest.raises(PluginError, match="must declare WrongType"), Service([_plugin(group())]):
        pass


@pytest.fixture(params=["ignore", "refuse"])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    with Service([_plugin(group(WrongType, unknown=request.param))]) as service:
        yield service


def test_unknown_members_are_reported_or_refused(service: Service) -> None:
    path = f"/rest/1/{WEBHOOK}/sample.limited"
    answer = service.request("POST", path, json={"count": 2, "cuont": 3})
    usual = service.request("POST", path, json={"count": 2})

    method = service.kernel.methods.find("sample.limited")
    assert isinstance(method, Method)
    if method.unknown == "refuse":
        assert answer.json()["error"] == "INVALID_REQUEST"
        assert "'cuont'" in answer.json()["error_description"]
    else:
        assert answer.json()["result"] == 2
        assert "'cuont'" in answer.headers["landyard-warning"]
    assert "landyard-warning" not in usual.headers


def _plugin(group: MethodGroup) -> Plugin:
    return Plugin("sample", Brings(group))


@dataclasses.dataclass
class Bill:
    sum: Decimal
    rate: float = 0.0


class Offer(TypedDict):
    sum: Decimal


DECIMALS: list[tuple[Any, list[Any], list[Any]]] = [
    (Decimal, ["1.5", 1, -1, "1e400", "0"], ["NaN", "sNaN", "-nan", "Infinity", "-inf", "x"]),
    (Decimal | None, ["1.5"], ["NaN", "Infinity"]),
    (Decimal | int, ["1.5", 7], ["NaN", "Infinity"]),
    (list[Decimal], [["1.5"]], [["NaN"], ["1", "Infinity"]]),
    (dict[str, Decimal], [{"a": "1"}], [{"a": "NaN"}]),
    (Annotated[Decimal, Meta(ge=0)], [0, "0.00", "2"], ["-0.01", -1, "NaN", "-Infinity"]),
    (Annotated[Decimal, Meta(gt=0, lt=1)], ["0.5"], [0, 1, "1.0", "NaN"]),
    (Annotated[Decimal | None, Meta(le=9.5)], ["9.5", -1], ["9.51", 10]),
    (Annotated[Decimal, Meta(multiple_of=0.25)], ["1.75", 3], ["1.8", "1e400"]),
    (list[Annotated[Decimal, Meta(ge=1)]], [["1"]], [["1", "0"]]),
    (float, ["1.5", 1], ["NaN", "Infinity", "-Infinity", "1e999"]),
    (tuple[int, float], [[1, 2.5]], [[1, "NaN"], [1, "inf"]]),
    (Bill, [{"sum": "1.5", "rate": 2}], [{"sum": "NaN"}, {"sum": 1, "rate": "NaN"}, {"sum": "x"}]),
    (list[Bill], [[{"sum": "1.5"}]], [[{"sum": "Infinity"}]]),
    (Offer, [{"sum": "1.5"}], [{"sum": "NaN"}]),
]


@for_each("kind, right, wrong", DECIMALS)
def test_numbers_are_finite_and_keep_their_limits(
    kind: Any, right: list[Any], wrong: list[Any]
) -> None:
    read = ParamsReader(msgspec.defstruct("Params", [("one", kind)]))

    for each in right:
        read({"one": each})
    for each in wrong:
        with pytest.raises(WrongType, match="one"):
            read({"one": each})


@pytest.mark.parametrize(
    "limited",
    [Annotated[int, pydantic.Field(ge=1)], Annotated[int, Field(ge=1)], pydantic.PositiveInt],
)
def test_a_limit_that_would_be_ignored_is_refused_at_registration(limited: Any) -> None:
    for hint in (limited, list[limited], limited | None):
        with pytest.raises(TypeError, match="msgspec's Meta"):
            ParamsReader(msgspec.defstruct("Params", [("one", hint)]))


class Branch(Struct, frozen=True):
    name: str
    size: Annotated[int, Meta(ge=1)] = 1
    branches: list["Branch"] = []
    best: "Branch | None" = None


def test_a_struct_may_contain_itself() -> None:
    read = ParamsReader(msgspec.defstruct("Params", [("one", Branch)]))

    found = read({"one": {"name": "a", "branches": [{"name": "b", "best": {"name": 1}}]}})

    assert found.one == Branch("a", branches=[Branch("b", best=Branch("1"))])  # type: ignore[attr-defined]
    assert read.required == ("one", "one.name")
    with pytest.raises(WrongType, match=r"one\.branches\[0\]\.size"):
        read({"one": {"name": "a", "branches": [{"name": "b", "size": 0}]}})
    with pytest.raises(MissingParams, match=r"one\.best\.name"):
        read({"one": {"name": "a", "best": {}}})


def test_a_method_with_a_recursive_struct_is_described() -> None:
    taking = MethodGroup()

    @taking.method("sample.grow", errors=[WrongType, MissingParams])
    def grow(call: Call, params: Branch) -> str:
        """Answer a name."""
        return params.name

    with Service([landyard_describe, _plugin(taking)]) as service:
        assert service.result("sample.grow", name="a", branches=[{"name": "b"}]) == "a"
        assert "/sample.grow" in str(service.get("/openapi.json").json()["paths"])


class Model(BaseModel):
    name: str = ""


class RowModel(SQLModel):
    name: str = ""


@pytest.mark.parametrize("model", [Model, RowModel, complex, Stranger])
def test_a_foreign_model_is_refused_with_advice(model: Any) -> None:
    for shape in (model, list[model], model | None):
        with pytest.raises(TypeError, match=f"{model.__name__} is no type .* msgspec Struct"):
            ParamsReader(msgspec.defstruct("Params", [("one", shape)]))


@pytest.mark.parametrize(
    ("result", "name"),
    [
        (Model, "Model"),
        (RowModel, "RowModel"),
        (list[RowModel], "RowModel"),
        (Paged[RowModel], "RowModel"),
        (dict[str, Model], "Model"),
        (RowModel | None, "RowModel"),
    ],
)
def test_a_result_that_cannot_be_encoded_is_refused_at_registration(result: Any, name: str) -> None:
    def answer(call: Call, params: Limited) -> Any:
        """Answer."""

    answer.__annotations__["return"] = result
    method = MethodGroup()
    method.method("sample.row", errors=[WrongType])(answer)

    with (
        pytest.raises(PluginError, match=rf"sample\.row: {name} is no type"),
        Service([Plugin("sample", Brings(method))]),
    ):
        pass


@pytest.mark.parametrize(
    "result", [Bill, Offer, list[Bill], Colour, datetime, Decimal, Circle | Label, Any, None]
)
def test_a_result_that_msgspec_encodes_is_accepted(result: Any) -> None:
    require_written(result)


def test_an_unresolvable_annotation_is_refused_with_advice() -> None:
    known: dict[str, Any] = {}
    exec(LATE, known)

    with pytest.raises(TypeError, match=r"the name Inner is not known .* top of the module"):
        ParamsReader(known["made"]())
    with pytest.raises(TypeError, match=r"sample\.late: the name Params is not known"):
        known["register"]()
    with pytest.raises(TypeError, match="the name Inner is not known"):
        require_written(known["made"]())


LATE = """
from __future__ import annotations
from msgspec import Struct
from landyard import Call, MethodGroup

def made():
    class Inner(Struct):
        a: int = 1
    class Params(Struct):
        inner: Inner
    return Params

def register():
    class Params(Struct):
        a: int = 1
    group = MethodGroup()
    @group.method("sample.late")
    def late(call: Call, params: Params) -> bool:
        "Answer."
        return True
"""
