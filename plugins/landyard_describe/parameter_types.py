"""The parameter types: the values each accepts, as JSON Schema and in words (C5 to C7).

The schemas are valid in drafts 7 and 2020-12 alike: OpenRPC uses the former, OpenAPI the latter.
"""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_ID = [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[1-9][0-9]*$"}]
_YES_OR_NO = "[Yy]([Ee][Ss])?|[Nn][Oo]?|[Oo][Nn]|[Oo][Ff][Ff]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"
_JSON_NUMBER = r"^\s*-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*$"


BINARY: Schema = {"type": "string", "format": "binary"}
"""The schema of bytes that client generators understand."""


def ref(name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


SCHEMAS: Mapping[str, Schema] = {
    "Id": {"description": "An id: a positive integer, or its decimal digits.", "anyOf": _ID},
    "Ids": {
        "description": "An id, or a list of ids.",
        "anyOf": [*_ID, {"type": "array", "items": ref("Id"), "minItems": 1}],
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
        "and the empty text. Upper and lower case are equal.",
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
        "items": {"type": "string"},  # the list is empty; generators need a type
        "maxItems": 0,
    },
    "AnyObject": {
        "description": "An object; an empty one may be written as `[]`.",
        "anyOf": [{"type": "object", "additionalProperties": True}, ref("EmptyList")],
    },
    "File": {
        "description": "A file, as an array of its name and its content in Base64.",
        "type": "array",
        "items": {"type": "string"},
        "minItems": 2,
        "maxItems": 2,
    },
    "AnyList": {"description": "A list of anything.", "type": "array", "items": {}},
}
"""The schemas by the names from `landyard.parameter_type`; each is a component."""

WORDS: Mapping[str, str] = {
    "": "anything",
    "Id": "id",
    "Ids": "id, or array of ids",
    "WholeNumber": "integer",
    "DecimalNumber": "number",
    "Flag": "boolean",
    "LooseFlag": "boolean, or any value that casts to true",
    "PlainText": "string",
    "AnyObject": "object",
    "AnyList": "array",
    "File": "file",
}
"""The types in words, by the same names."""
