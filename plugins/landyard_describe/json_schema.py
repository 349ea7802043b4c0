"""JSON Schema of what methods take and answer.

What is taken is described as the wire takes it (C5 to C7): a value that fits is a value that can be
read. Null, which counts as not sent, is left out.
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
    """Tell whether a method answers page by page: its envelope may have `next` and `total`."""
    return (typing.get_origin(method.result) or method.result) is Paged


class Components:
    """Builds schemas, and keeps those that are referred to by a name.

    The names begin with an owner's, a method's: they depend on that method alone, and not on which
    others are on.
    """

    def __init__(self) -> None:
        """Start without any."""
        self._schemas: dict[str, Schema] = {}
        self._objects: dict[tuple[str, type[Struct]], str] = {}

    @property
    def schemas(self) -> dict[str, Schema]:
        """The schemas by name, sorted."""
        return {name: _with_items(schema) for name, schema in sorted(self._schemas.items())}

    def add(self, name: str, schema: Schema) -> Schema:
        """Keep `schema` under this name, or one like it; returns a reference to it."""
        key = self._free(name)
        self._schemas[key] = {"title": key, **schema}
        return ref(key)

    def params(self, struct: type[Struct], owner: str, name: str = "Params") -> Schema:
        """Describe the object that `struct` is read from; returns a reference to it."""
        key = self._objects.get((owner, struct))
        if key is None:
            key = self._objects[owner, struct] = self._free(owner + name)
            self._schemas[key] = {}  # the name is taken, also inside of a Struct that holds itself
            asked = parameters(struct)
            required = [each.name for each in asked if each.required]
            self._schemas[key] = {
                "title": key,
                "type": "object",
                "properties": {each.name: self.parameter(each, owner) for each in asked},
                **({"required": required} if required else {}),
            }
        return ref(key)

    def form(self, struct: type[Struct], owner: str) -> Schema | None:
        """Describe the form that `struct` is read from, where a parameter is a file.

        Its fields are flat: optional objects are left out.
        """
        asked = [each for each in parameters(struct) if each.required or not each.struct]
        if not any(each.file for each in asked):
            return None
        fields = {each.name: each.file or self.parameter(each, owner) for each in asked}
        required = [each.name for each in asked if each.required]
        needed = {"required": required} if required else {}
        return self.add(f"{owner}Form", {"type": "object", "properties": fields, **needed})

    def parameter(self, parameter: Parameter, owner: str) -> Schema:
        """Describe one parameter: its value, what it is for, and its default."""
        schema = self._value(parameter, owner)
        if parameter.text:
            schema = {**schema, "description": parameter.text}
        if parameter.default is not UNSET:
            schema = {**schema, "default": parameter.default}
        return schema

    def result(self, annotation: Any, owner: str) -> Schema:
        """Describe a result by its annotation; one that says nothing is `{}`.

        For a `Paged` result it is the list: the envelope has the numbers. For a file it is bytes.
        """
        if annotation in (Download, NoContent):
            return BINARY if annotation is Download else {"type": "null"}
        if typing.get_origin(annotation) is Paged:
            annotation = types.GenericAlias(list, typing.get_args(annotation))
        try:
            schema, found = _schema_of(annotation, owner)
            if any(owner + name in self._schemas for name in found):
                owner += "Result"  # a Struct among the parameters has the same name
                schema, found = _schema_of(annotation, owner)
        except (TypeError, ValueError):
            return {}
        structs = {each.__name__: each for each in _structs(annotation)}
        for name, component in found.items():
            sent = _as_sent(component, structs[name]) if name in structs else component
            self._schemas[owner + name] = {**sent, "title": owner + name}
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
        """Describe a type of parameters, and the types that its schema refers to."""
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
    [schema], found = msgspec.json.schema_components([annotation], ref_template=template)
    return schema, found


def _with_items(schema: Any) -> Any:
    """Say of an array of anything that it is one: generators of clients refuse it otherwise."""
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
    """Go through the Structs that an annotation is made of, each once."""
    waiting, seen = [annotation], set()
    while waiting:
        each = waiting.pop()
        waiting += typing.get_args(each)
        if isinstance(each, type) and issubclass(each, Struct) and each not in seen:
            seen.add(each)
            waiting += typing.get_type_hints(each).values()
            yield each


def _as_sent(component: Schema, struct: type[Struct]) -> Schema:
    """Say of an answer what it always has: fields with a default are written as well."""
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
