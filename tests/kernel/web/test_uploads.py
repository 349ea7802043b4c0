"""Methods with file parameters: files arrive as parts of a form or in JSON, one or a list."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from contract.documents import BASE
from kernel.sample import CALL, Brings
from msgspec import Meta, Struct
from openapi_spec_validator import validate

from landyard import Bounds, Call, FilePart, MethodGroup, MissingParams, Plugin, WrongType
from landyard.testing import Service
from landyard_describe.openapi import openapi


class Photos(Struct, frozen=True):
    """`cover`: the first picture; `photos`: the other pictures."""

    cover: FilePart
    title: str = ""
    photos: Annotated[list[FilePart], Meta(max_length=2)] = []
    spare: FilePart | None = None


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    group = MethodGroup(scope="sample", bounds=Bounds(size=50_000))

    @group.method("sample.keep", errors=[MissingParams, WrongType])
    def keep(call: Call, params: Photos) -> list[str]:
        """Answer the names and the lengths."""
        spare = [params.spare] if params.spare else []
        files = [params.cover, *params.photos, *spare]
        return [params.title, *[f"{each.name} {len(each.content)}" for each in files]]

    with Service([Plugin("sample", Brings(group))]) as service:
        yield service


COVER = ("cover", ("c.png", b"\x00\xff"))
ONE, TWO = ("one.png", b"1"), ("two.png", b"22")
COMPONENTS = "#/components/schemas/"
BOTH = ("one.png 1", "two.png 2")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"files": [COVER], "data": {"title": "Sea"}}, ["Sea", "c.png 2"]),
        ({"files": [("cover", ONE), COVER]}, ["", "c.png 2"]),
        ({"files": [COVER, ("photos", ONE)]}, ["", "c.png 2", "one.png 1"]),
        ({"files": [COVER, ("photos", ONE), ("photos", TWO)]}, ["", "c.png 2", *BOTH]),
        ({"files": [COVER, ("photos[]", ONE), ("photos[]", TWO)]}, ["", "c.png 2", *BOTH]),
        ({"files": [COVER], "data": {"photos": "", "spare": ""}}, ["", "c.png 2"]),
        ({"json": {"cover": ["c.png", "AP8="], "photos": [["d", "AA=="]]}}, ["", "c.png 2", "d 1"]),
    ],
)
def test_files_are_accepted(service: Service, sent: dict[str, Any], kept: list[str]) -> None:
    answer = service.request("POST", f"/rest{CALL}sample.keep", **sent).json()

    assert answer["result"] == kept


@pytest.mark.parametrize(
    ("sent", "code", "message"),
    [
        ({"data": {"title": "Sea"}, "files": [("spare", ONE)]}, "MISSING_PARAMS", "cover"),
        ({"json": {"cover": "c.png"}}, "TYPE_ERROR", "'cover' must be a file"),
        ({"json": {"cover": ["c.png", "no Base64"]}}, "TYPE_ERROR", "'cover' must be a file"),
        ({"files": [COVER, *[("photos", ONE)] * 3]}, "TYPE_ERROR", "at most 2 items"),
        ({"files": [COVER, ("title", ONE)]}, "INVALID_REQUEST", "'title'"),
        ({"files": [COVER, ("spare[]", ONE)]}, "INVALID_REQUEST", "'spare[]'"),
        ({"files": [("cover", ("c.png", b"x" * 50_000))]}, "INVALID_REQUEST", "larger"),
    ],
)
def test_invalid_too_many_or_oversized_files_are_refused_by_name(
    service: Service, sent: dict[str, Any], code: str, message: str
) -> None:
    answer = service.request("POST", f"/rest{CALL}sample.keep", **sent).json()

    assert (answer["error"], message in answer["error_description"]) == (code, True)


def test_the_form_is_described(service: Service) -> None:
    document = openapi(service.kernel.methods, base=BASE, version="1.0")
    validate(document)
    taken = document["paths"]["/sample.keep.json"]["post"]["requestBody"]["content"]
    form = document["components"]["schemas"]["SampleKeepForm"]
    binary = {"type": "string", "format": "binary"}

    assert taken == {"multipart/form-data": {"schema": {"$ref": f"{COMPONENTS}SampleKeepForm"}}}
    assert form["properties"]["cover"] == binary
    assert form["properties"]["photos"] == {"type": "array", "items": binary}
    assert form["properties"]["spare"] == binary
    assert form["required"] == ["cover"]
