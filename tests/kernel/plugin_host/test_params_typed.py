"""Parameters of all types that msgspec knows, with their constraints: read, refused, named."""

import enum
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
import pytest
from kernel.sample import Brings
from msgspec import Meta, Struct

from landyard import Call, Id, Method, MethodGroup, MissingParams, Plugin, PluginError, WrongType
from landyard.plugin_host.params import ParamsReader
from landyard_checks.testing import WEBHOOK, Service


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
def test_what_fits_is_read(name: str, sent: Any, read: Any) -> None:
    found = getattr(READ({name: sent}), name)

    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(
    ("name", "sent", "told"),
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
def test_what_does_not_fit_is_refused_with_path_and_what_came(
    name: str, sent: Any, told: str
) -> None:
    with pytest.raises(WrongType) as refused:
        READ({name: sent})

    assert told in refused.value.description


def test_what_is_missing_inside_is_named() -> None:
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
def test_what_cannot_be_honoured_is_refused_at_start_up(hint: Any) -> None:
    with pytest.raises(TypeError):
        ParamsReader(msgspec.defstruct("Params", [("one", hint)]))


class Limited(Struct, frozen=True):
    count: Annotated[int, Meta(ge=1)] = 1


def group(*errors: type[Any], unknown: Any = "ignore") -> MethodGroup:
    group = MethodGroup()

    @group.method("sample.limited", errors=errors, unknown=unknown)
    def limited(call: Call, params: Limited) -> int:
        """Answer what was read."""
        return params.count

    return group


def test_a_method_with_limits_declares_TYPE_ERROR() -> None:
    with pytest.raises(PluginError, match="must declare WrongType"), Service([_plugin(group())]):
        pass


@pytest.fixture(params=["ignore", "refuse"])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    with Service([_plugin(group(WrongType, unknown=request.param))]) as service:
        yield service


def test_what_is_unknown_is_told_or_refused(service: Service) -> None:
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
