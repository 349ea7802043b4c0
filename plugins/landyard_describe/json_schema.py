"""The JSON Schemas of methods' parameters and results.

Parameters are described in the spellings that the wire accepts (C5 to C7): every value that fits
the schema can be read. Null is left out, because it counts as not sent.
"""

import types
import typing
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from landyard import Download, Method, NoContent, Paged
from landyard_describe.parameter_types import BINARY, SCHEMAS, Schema, ref
from landyard_describe.parameters import Parameter, parameters


def is_paged(method: Method) -> bool:
    """Tell whether a method answers in pages: its envelope may have `next` and `total`."""
    return (typing.get_origin(method.result) or method.result) is Paged


class Components:
    """Builds schemas, and collects those that others refer to by name.

    A name begins with that of its owner, a method, so it does not depend on other methods.
    """

    def __init__(self) -> None:
        """Start without schemas."""
        self._schemas: dict[str, Schema] = {}
        self._objects: dict[tuple[str, type[Struct]], str] = {}

    @property
    def schemas(self) -> dict[str, Schema]:
        """The schemas by name, sorted."""
        return {name: _with_items(schema) for name, schema in sorted(self._schemas.items())}

    def add(self, name: str, schema: Schema) -> Schema:
        """Add `schema` under this name, numbered if it is taken; returns a reference to it."""
        key = self._free(name)
        self._schemas[key] = {"title": key, **schema}
        return ref(key)

    def params(self, struct: type[Struct], owner: str, name: str = "Params") -> Schema:
        """Add the schema of the object that `struct` is read from; returns a reference to it."""
        key = self._objects.get((owner, struct))
        if key is None:
            key = self._objects[owner, struct] = self._free(owner + name)
            self._schemas[key] = {}  # reserves the name, also for a Struct that contains itself
            fields = parameters(struct)
            required = [each.name for each in fields if each.required]
            self._schemas[key] = {
                "title": key,
                "type": "object",
                "properties": {each.name: self.parameter(each, owner) for each in fields},
                **({"required": required} if required else {}),
            }
        return ref(key)

    def form(self, struct: type[Struct], owner: str) -> Schema | None:
        """Add the schema of the form for `struct`, if a parameter is a file; else None.

        The fields of a form are flat, so optional objects are left out.
        """
        parameters_of_form = [
            each for each in parameters(struct) if each.required or not each.struct
        ]
        if not any(each.file for each in parameters_of_form):
            return None
        fields = {
            each.name: each.file or self.parameter(each, owner) for each in parameters_of_form
        }
        required = [each.name for each in parameters_of_form if each.required]
        needed = {"required": required} if required else {}
        return self.add(f"{owner}Form", {"type": "object", "properties": fields, **needed})

    def parameter(self, parameter: Parameter, owner: str) -> Schema:
        """Return the schema of a parameter: its value, description and default."""
        schema = self._value(parameter, owner)
        if parameter.text:
            schema = {**schema, "description": parameter.text}
        if parameter.default is not UNSET:
            schema = {**schema, "default": parameter.default}
        return schema

    def result(self, annotation: Any, owner: str) -> Schema:
        """Return the schema of a result's annotation; `{}` if there is none for it.

        For a `Paged` result this is the list, because the envelope has the numbers. For a file it
        is binary.
        """
        if annotation in (Download, NoContent):
            return BINARY if annotation is Download else {"type": "null"}
        if typing.get_origin(annotation) is Paged:
            annotation = types.GenericAlias(list, typing.get_args(annotation))
        try:
            schema, definitions = _schema_of(annotation, owner)
            if any(owner + name in self._schemas for name in definitions):
                owner += "Result"  # a Struct of the parameters has the same name
                schema, definitions = _schema_of(annotation, owner)
        except (TypeError, ValueError):
            return {}
        structs = {each.__name__: each for each in _structs(annotation)}
        for name, component in definitions.items():
            answered = _as_sent(component, structs[name]) if name in structs else component
            self._schemas[owner + name] = {**answered, "title": owner + name}
        return schema

    def _value(self, parameter: Parameter, owner: str) -> Schema:
        if parameter.schema is not None:
            return parameter.schema
        if parameter.typed is not None:
            return parameter.typed.described(
                lambda struct: self.params(struct, owner, struct.__name__), self._type
            )
        if parameter.struct is not None:
            nested = self.params(parameter.struct, owner, parameter.struct.__name__)
            return {"anyOf": [nested, self._type("EmptyList")]}
        return self._type(parameter.kind) if parameter.kind else {}

    def _type(self, name: str) -> Schema:
        """Add the schema of a parameter type, and of the types that it refers to."""
        self._schemas[name] = {"title": name, **SCHEMAS[name]}
        for other in {"Ids": ["Id"], "AnyObject": ["EmptyList"]}.get(name, ()):
            self._type(other)
        return ref(name)

    def _free(self, name: str) -> str:
        key, count = name, 1
        while key in self._schemas:
            count += 1
            key = f"{name}{count}"
        return key


def _schema_of(annotation: Any, owner: str) -> tuple[Schema, dict[str, Schema]]:
    template = f"#/components/schemas/{owner}{{name}}"
    [schema], definitions = msgspec.json.schema_components([annotation], ref_template=template)
    return schema, definitions


def _with_items(schema: Any) -> Any:
    """Give every array schema `items`, because client generators refuse arrays without them."""
    if isinstance(schema, list):
        return [_with_items(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    whole = {key: _with_items(each) for key, each in schema.items()}
    kind = whole.get("type", "")
    if isinstance(kind, str | list) and "array" in kind and "prefixItems" not in whole:
        whole.setdefault("items", {})
    return whole


def _structs(annotation: Any) -> Iterator[type[Struct]]:
    """Yield the Structs in an annotation, each once."""
    waiting, visited = [annotation], set()
    while waiting:
        each = waiting.pop()
        waiting += typing.get_args(each)
        if isinstance(each, type) and issubclass(each, Struct) and each not in visited:
            visited.add(each)
            waiting += typing.get_type_hints(each).values()
            yield each


def _as_sent(component: Schema, struct: type[Struct]) -> Schema:
    """Mark the fields that an answer always has, including those with a default."""
    if component.get("type") != "object":
        return component
    hints = typing.get_type_hints(struct)
    always = set(component.get("required", ()))
    if not struct.__struct_config__.omit_defaults:
        always |= {
            field.encode_name
            for field in msgspec.structs.fields(struct)
            if UnsetType not in typing.get_args(hints[field.name])
        }
    properties = {
        name: {word: value for word, value in schema.items() if word != "default"}
        for name, schema in component["properties"].items()
    }
    required = [name for name in properties if name in always]
    return {**component, "properties": properties, "required": required}
