"""Kinds: what a value of a parameter may be on the wire, as JSON Schema and in words (C5 to C7).

The schemas use what drafts 7 and 2020-12 have in common, for OpenRPC is read with the one and
OpenAPI with the other.
"""

import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UnsetType

from landyard.params import (
    Reader,
    read_boolean,
    read_id,
    read_ids,
    read_integer,
    read_list,
    read_number,
    read_object,
    read_text,
    read_truthy,
)

Schema = dict[str, Any]

_ID = [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[1-9][0-9]*$"}]
_YES_OR_NO = "[Yy]([Ee][Ss])?|[Nn][Oo]?|[Oo][Nn]|[Oo][Ff][Ff]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"
_JSON_NUMBER = r"^\s*-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*$"

KINDS: Mapping[str, Schema] = {
    "Id": {"description": "An id: a positive integer, or its decimal digits.", "anyOf": _ID},
    "Ids": {
        "description": "An id, or a list of ids.",
        "anyOf": [
            *_ID,
            {"type": "array", "items": {"$ref": "#/components/schemas/Id"}, "minItems": 1},
        ],
    },
    "WholeNumber": {
        "description": "An integer, or its decimal digits.",
        "anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^(0|-?[1-9][0-9]*)$"}],
    },
    "DecimalNumber": {
        "description": "A number, or text that is a JSON number.",
        "anyOf": [{"type": "number"}, {"type": "string", "pattern": _JSON_NUMBER}],
    },
    "Flag": {
        "description": "A boolean: `true`, 1, `Y`, `yes`, `on`; or `false`, 0, `N`, `no`, `off`, "
        "and the empty text. Upper and lower case are one.",
        "anyOf": [
            {"type": "boolean"},
            {"type": "integer", "minimum": 0, "maximum": 1},
            {"type": "string", "pattern": f"^({_YES_OR_NO}|[01]?)$"},
        ],
    },
    "LooseFlag": {
        "description": "A boolean, in any spelling; every other value is true unless it is empty.",
        "anyOf": [{"type": "boolean"}, {"type": "number"}, {"type": "string"}],
    },
    "PlainText": {
        "description": "Text; a number or a boolean is taken as text.",
        "anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}],
    },
    "EmptyList": {
        "description": "What PHP clients write for an object without keys.",
        "type": "array",
        "items": {"type": "string"},  # none of them, and a type for generators that need one
        "maxItems": 0,
    },
    "AnyObject": {
        "description": "An object; an empty one may be written as `[]`.",
        "anyOf": [
            {"type": "object", "additionalProperties": True},
            {"$ref": "#/components/schemas/EmptyList"},
        ],
    },
    "AnyList": {"description": "A list of anything.", "type": "array", "items": {}},
}

_READ_BY: Mapping[Any, str] = {
    read_id: "Id",
    read_ids: "Ids",
    read_integer: "WholeNumber",
    read_number: "DecimalNumber",
    read_boolean: "Flag",
    read_truthy: "LooseFlag",
    read_text: "PlainText",
    read_object: "AnyObject",
    read_list: "AnyList",
}
_PLAIN: Mapping[Any, str] = {
    int: "WholeNumber",
    float: "DecimalNumber",
    bool: "Flag",
    str: "PlainText",
    dict: "AnyObject",
    list: "AnyList",
}

WORDS: Mapping[str, str] = {
    "Id": "id",
    "Ids": "id, or array of ids",
    "WholeNumber": "integer",
    "DecimalNumber": "number",
    "Flag": "boolean",
    "LooseFlag": "boolean, or any value that casts to true",
    "PlainText": "string",
    "AnyObject": "object",
    "AnyList": "array",
}


def kind_of(hint: Any) -> str | None:
    """Name the kind of value that is read, or None where any value is."""
    if typing.get_origin(hint) is Annotated:
        kind, *extras = typing.get_args(hint)
        readers = [extra.read for extra in extras if isinstance(extra, Reader)]
        return _READ_BY.get(readers[0]) if readers else kind_of(kind)
    possible = alternatives(hint)
    if len(possible) == 1 and possible[0] is not hint:
        return kind_of(possible[0])
    return _PLAIN.get(typing.get_origin(hint) or hint)


def alternatives(hint: Any) -> list[Any]:
    """List what an annotation may be, besides not being there."""
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return [hint]
    return [each for each in typing.get_args(hint) if each not in (type(None), UnsetType)]


def ref(name: str) -> Schema:
    """Refer to a component."""
    return {"$ref": f"#/components/schemas/{name}"}
