"""Shapes: what a method takes and what it answers, as JSON Schema.

What is taken is said as the wire takes it (C5 to C7): a value that fits is a value that can be
read. Null, which counts as not sent, is left out.
"""

import re
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct, UnsetType

from landyard.calls import Paged
from landyard.kinds import KINDS, WORDS, Schema, alternatives, kind_of, ref
from landyard.methods import Method


class Parameter(Struct, frozen=True):
    """One parameter of a method: its wire name, what it is, and its schema.

    `hint` is its annotation; `inner` is the Struct of its own parameters, where it has one.
    `default` is UNSET where there is none to write down; those inside `inner` are said there.
    """

    name: str
    required: bool
    text: str
    hint: Any
    default: Any = UNSET
    inner: type[Struct] | None = None


def parameters(struct: type[Struct]) -> list[Parameter]:
    """List the parameters that a Struct asks for, in its order."""
    hints = typing.get_type_hints(struct, include_extras=True)
    texts = told(struct)
    return [
        Parameter(
            name=field.encode_name,
            required=field.required,
            text=texts.get(field.encode_name, ""),
            hint=hints[field.name],
            default=UNSET if nested else _default(field),
            inner=nested,
        )
        for field in msgspec.structs.fields(struct)
        for nested in [inner(hints[field.name])]
    ]


def said(parameter: Parameter) -> str:
    """Say in words of which type a parameter is; `Meta(description=…)` says it of an `Any`."""
    own = _meta(parameter.hint).description
    if own:
        return own
    kind = "AnyObject" if parameter.inner else kind_of(parameter.hint)
    return "anything" if kind is None else WORDS[kind]


_TOLD = re.compile(r"((?:`[^`]+`(?:, | and )?)+): (.+?)[;.]?", re.DOTALL)


def told(struct: type[Struct]) -> dict[str, str]:
    """Find what a Struct's docstring says of its parameters: `` `lid`, `block`: ids of … ``."""
    found = {}
    for part in re.split(r"(?<=[;.])\s+", struct.__doc__ or ""):
        match = _TOLD.fullmatch(" ".join(part.split()))
        if match:
            found.update(dict.fromkeys(re.findall("`([^`]+)`", match[1]), match[2]))
    return found


def inner(hint: Any) -> type[Struct] | None:
    """Return the Struct that an annotation names: as its type, or beside it in `Annotated`."""
    if typing.get_origin(hint) is Annotated:
        kind, *extras = typing.get_args(hint)
        named = [extra for extra in extras if isinstance(extra, type)]
        return next((found for found in map(inner, [kind, *named]) if found), None)
    possible = alternatives(hint)
    if len(possible) == 1 and possible[0] is not hint:
        return inner(possible[0])
    return hint if isinstance(hint, type) and issubclass(hint, Struct) else None


def paged(method: Method) -> bool:
    """Tell whether a method answers page by page: its envelope may have `next` and `total`."""
    return (typing.get_origin(method.result) or method.result) is Paged


class Shapes:
    """Builds schemas, and keeps the components that they refer to.

    The names of components begin with an owner's, a method's: they depend on that method alone,
    and not on which others are on.
    """

    def __init__(self) -> None:
        """Start without components."""
        self.components: dict[str, Schema] = {}
        self._taken: dict[tuple[str, type[Struct]], str] = {}

    def taken(self, struct: type[Struct], owner: str, name: str = "Params") -> Schema:
        """Describe the object that `struct` is read from; answers a reference to it."""
        key = self._taken.get((owner, struct))
        if key is None:
            key = self._taken[owner, struct] = self._free(owner + name)
            self.components[key] = {}  # an end to what holds itself
            self.components[key] = self._object(struct, owner, key)
        return ref(key)

    def add(self, name: str, schema: Schema) -> str:
        """Keep `schema` as a component; answers its name, another where that one is taken."""
        key = self._free(name)
        self.components[key] = {"title": key, **schema}
        return key

    def parameter(self, parameter: Parameter, owner: str) -> Schema:
        """Describe one parameter: its value, what it is for, and its default."""
        schema = self._value(parameter.hint, owner)
        if parameter.text:
            schema = {**schema, "description": parameter.text}
        if parameter.default is not UNSET:
            schema = {**schema, "default": parameter.default}
        return schema

    def answered(self, result: Any, owner: str) -> Schema:
        """Describe a result by its annotation; an annotation that says nothing is `{}`.

        Of a `Paged` result it is the list: its numbers stand in the envelope.
        """
        if typing.get_origin(result) is Paged:
            result = types.GenericAlias(list, typing.get_args(result))
        try:
            [schema], found = _schema_of(result, owner)
            if any(owner + name in self.components for name in found):
                owner += "Result"  # it answers what is named as something that it takes
                [schema], found = _schema_of(result, owner)
        except (TypeError, ValueError):
            return {}
        always = {each.__name__: _always_sent(each) for each in _structs(result)}
        for name, component in found.items():
            self.components[owner + name] = _answered(component, owner + name, always.get(name))
        return schema

    def _value(self, hint: Any, owner: str) -> Schema:
        meta = _meta(hint)
        if meta.extra_json_schema:
            return dict(meta.extra_json_schema)
        nested = inner(hint)
        if nested is not None:
            self._kind("EmptyList")
            taken = self.taken(nested, owner, nested.__name__)
            return {"anyOf": [taken, ref("EmptyList")]}
        kind = kind_of(hint)
        if kind is None:
            return {"description": meta.description} if meta.description else {}
        return self._kind(kind)

    def _object(self, struct: type[Struct], owner: str, key: str) -> Schema:
        asked = parameters(struct)
        properties = {each.name: self.parameter(each, owner) for each in asked}
        required = [each.name for each in asked if each.required]
        return {
            "title": key,
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
        }

    def _free(self, name: str) -> str:
        key, count = name, 1
        while key in self.components:
            count += 1
            key = f"{name}{count}"
        return key

    def _kind(self, name: str) -> Schema:
        if name not in self.components:
            self.components[name] = {}
            self.components[name] = {"title": name, **KINDS[name]}
            for other in re.findall(r"#/components/schemas/(\w+)", str(KINDS[name])):
                self._kind(other)
        return ref(name)


def _schema_of(result: Any, owner: str) -> tuple[tuple[Schema, ...], dict[str, Schema]]:
    template = f"#/components/schemas/{owner}{{name}}"
    return msgspec.json.schema_components([result], ref_template=template)


def _meta(hint: Any) -> Meta:
    extras = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    return next((extra for extra in extras if isinstance(extra, Meta)), Meta())


def _default(field: msgspec.structs.FieldInfo) -> Any:
    """Write a default as JSON; UNSET where there is none, or it says only `not sent`."""
    default = field.default
    if field.default_factory is not NODEFAULT:
        default = field.default_factory()
    if default is NODEFAULT or default is None or default is UNSET:
        return UNSET
    try:
        return msgspec.to_builtins(default)
    except (TypeError, ValueError):
        return UNSET


def _structs(hint: Any) -> Iterator[type[Struct]]:
    """Go through the Structs that an annotation is made of, each once."""
    waiting, seen = [hint], set()
    while waiting:
        each = waiting.pop()
        waiting += typing.get_args(each)
        if isinstance(each, type) and issubclass(each, Struct) and each not in seen:
            seen.add(each)
            waiting += typing.get_type_hints(each).values()
            yield each


def _always_sent(struct: type[Struct]) -> list[str]:
    """Name the fields that an answer always has; what has a default is written as well."""
    hints = typing.get_type_hints(struct)
    config = struct.__struct_config__
    return [
        field.encode_name
        for field in msgspec.structs.fields(struct)
        if UnsetType not in typing.get_args(hints[field.name])
        and (field.required or not config.omit_defaults)
    ]


def _answered(component: Schema, name: str, always: list[str] | None) -> Schema:
    """Give a component its own title; in an answer nothing is left to a default."""
    done = {**component, "title": name}
    if always is None or component.get("type") != "object":
        return done
    done["properties"] = {
        key: {word: each for word, each in schema.items() if word != "default"}
        for key, schema in component["properties"].items()
    }
    needed = {*component.get("required", ()), *always}
    done["required"] = [key for key in done["properties"] if key in needed]
    return done
