"""Writes a method's parameters as one JSON Schema without references.

They are for programs that compose calls, such as assistants. Of a type's spellings on the wire only
the plain one is described: `true` and not `Y` for a flag.
"""

from collections.abc import Mapping
from typing import Any

from landyard import Method
from landyard_describe.json_schema import Components
from landyard_describe.parameter_types import SCHEMAS, Schema
from landyard_describe.texts import component

_REFERENCE = "#/components/schemas/"
_EMPTY = {"$ref": f"{_REFERENCE}EmptyList"}
_SEVERAL: Schema = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}


def parameters_schema(method: Method) -> Schema:
    """Return the schema of a method's parameters as one object."""
    components = Components()
    reference = components.params(method.params, component(method.name))
    return dict(_whole(reference, components.schemas))


def _whole(schema: Any, named: Mapping[str, Schema]) -> Any:
    """Return a schema whose references are replaced by the schemas referred to."""
    if isinstance(schema, list):
        return [_whole(each, named) for each in schema]
    if not isinstance(schema, dict):
        return schema
    match schema.get("anyOf"):
        case [only, last] if last == _EMPTY:
            schema = only | {key: each for key, each in schema.items() if key != "anyOf"}
    inner = {key: _whole(each, named) for key, each in schema.items() if key != "$ref"}
    name = schema.get("$ref", "").removeprefix(_REFERENCE)
    if not name:
        return inner
    definition = {key: each for key, each in named[name].items() if key != "title"}
    whole = _plain(name) if name in SCHEMAS else _whole(definition, named)
    return whole | inner


def _plain(name: str) -> Schema:
    """Return the schema of a type's first spelling."""
    if name == "Ids":
        return _SEVERAL
    schema = SCHEMAS[name]
    return dict(schema["anyOf"][0] if "anyOf" in schema else schema)
