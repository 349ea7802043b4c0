"""The published schemas contain the limits and the nested types of parameters."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct, defstruct

from landyard import Id, ParamsReader
from landyard_describe.json_schema import Components
from landyard_describe.parameter_types import ref
from landyard_describe.schema_words import words_of

SHORT = Meta(min_length=1)


class Inner(Struct, frozen=True):
    count: int


class Params(Struct, frozen=True):
    inner: list[Inner] = []


def nested(struct: type[Struct]) -> dict[str, Any]:
    return {"$ref": struct.__name__}


@pytest.mark.parametrize(
    ("hint", "schema", "words"),
    [
        (
            Annotated[int, Meta(ge=1, le=5)],
            {"type": "integer", "minimum": 1, "maximum": 5},
            "integer, at least 1, at most 5",
        ),
        (
            Annotated[int, Meta(ge=1)] | None,
            {"type": "integer", "minimum": 1},
            "integer, at least 1",
        ),
        (Annotated[Id, Meta(le=9)], {"type": "integer", "maximum": 9}, "integer, at most 9"),
        (
            Annotated[str, Meta(min_length=1, pattern="^a")] | None,
            {"type": "string", "minLength": 1, "pattern": "^a"},
            "string, at least 1 characters, matching `^a`",
        ),
        (
            Annotated[list[Any], SHORT],
            {"type": "array", "minItems": 1},
            "array, at least 1 items",
        ),
        (
            Annotated[set[Literal["a"]], SHORT],
            {"type": "array", "items": {"enum": ["a"]}, "uniqueItems": True, "minItems": 1},
            "array of `a`, at least 1 items",
        ),
        (
            Annotated[dict[str, Inner], SHORT],
            {"type": "object", "additionalProperties": {"$ref": "Inner"}, "minProperties": 1},
            "object of object, at least 1 keys",
        ),
    ],
)
def test_limits_are_published(hint: Any, schema: dict[str, Any], words: str) -> None:
    [field] = ParamsReader(defstruct("Params", [("one", hint)])).fields
    found = field.reader.described(nested, ref)

    assert (found, words_of(found)) == (schema, words)


def test_a_nested_struct_is_a_component() -> None:
    components = Components()
    components.params(Params, "Own")

    assert components.schemas.keys() == {"OwnParams", "OwnInner", "WholeNumber"}
