"""Standalone schemas: what a method takes as one JSON Schema that refers to nothing."""

from collections.abc import Mapping
from typing import Any

from landyard import Method
from landyard_describe.json_schema import Components
from landyard_describe.parameter_types import Schema
from landyard_describe.texts import component

_REFERENCE = "#/components/schemas/"


def parameters_schema(method: Method) -> Schema:
    """Describe a method's parameters as the schema of one object, for readers of plain schemas.

    An object that may hold itself is `{}` inside of itself.
    """
    components = Components()
    reference = components.params(method.params, component(method.name))
    return dict(_whole(reference, components.schemas, ()))


def _whole(schema: Any, named: Mapping[str, Schema], above: tuple[str, ...]) -> Any:
    """Put what a schema refers to in the place of the reference."""
    if isinstance(schema, list):
        return [_whole(each, named, above) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _whole(each, named, above) for key, each in schema.items() if key != "$ref"}
    name = schema.get("$ref", "").removeprefix(_REFERENCE)
    if not name or name in above:
        return inner
    found = {key: each for key, each in named[name].items() if key != "title"}
    return _whole(found, named, (*above, name)) | inner
