"""Schemas of parameters that say more than a plain type: lists, choices, limits.

A value that fits is a value that can be read; of the lenient spellings not each has a place here.
"""

import types
import typing
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct

from landyard import FilePart, parameter_type
from landyard_describe.parameter_types import WORDS, Schema, ref

Nested = Callable[[type[Struct]], Schema]
Refer = Callable[[str], Schema]

_EMPTY = (type(None), type(UNSET), FilePart)
_NUMBERS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}
_JSON_TYPES = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
_FORMATS = {
    "date-time": "date and time",
    "date": "date",
    "time": "time",
    "duration": "duration",
    "decimal": "decimal number",
    "uuid": "UUID",
}


def is_any(hint: Any) -> bool:
    """Tell whether an annotation takes any value."""
    bare, _ = _parts(hint)
    several = _alternatives(bare)
    return is_any(several[0]) if len(several) == 1 else bare is Any


def typed_schema(hint: Any, nested: Nested, refer: Refer = ref) -> Schema:
    """Describe the values of an annotation; `nested` describes a Struct, `refer` a plain type."""
    bare, metas = _parts(hint)
    several = _alternatives(bare)
    if len(several) == 1:
        return typed_schema(Annotated[(several[0], *metas)] if metas else several[0], nested, refer)
    schema = _of_type(bare, hint, nested, refer)
    kind = schema.get("type") or _JSON_TYPES.get(typing.get_origin(bare) or bare, "")
    limits = {word: limit for meta in metas for word, limit in _limits(meta, kind).items()}
    return {**({"type": kind} if limits and "$ref" in schema else schema), **limits}


def words_of(schema: Schema) -> str:
    """Say in words what a schema takes."""
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(words_of, schema["anyOf"])))
    if "$ref" in schema:
        return WORDS.get(schema["$ref"].rpartition("/")[2], "object")
    name = _FORMATS.get(schema.get("format", ""), "") or str(schema.get("type", "object"))
    if inner := schema.get("items") or schema.get("additionalProperties"):
        name = f"{name} of {words_of(inner)}"
    return ", ".join([name, *_limits_in_words(schema)])


def _of_type(bare: Any, hint: Any, nested: Nested, refer: Refer) -> Schema:
    if several := _alternatives(bare):
        return {"anyOf": [_tagged(each, typed_schema(each, nested, refer)) for each in several]}
    if isinstance(bare, type) and issubclass(bare, Struct) and bare is not FilePart:
        return nested(bare)
    kind = "" if bare is Any else parameter_type(_unlimited(hint))
    return refer(kind) if kind else _container(bare, nested, refer) or _of_msgspec(bare)


def _container(bare: Any, nested: Nested, refer: Refer) -> Schema | None:
    origin, arguments = typing.get_origin(bare), typing.get_args(bare)
    if origin in (list, set, frozenset, tuple) and arguments[1:] in ((), (...,)):
        unique = {"uniqueItems": True} if origin in (set, frozenset) else {}
        return {"type": "array", "items": typed_schema(arguments[0], nested, refer), **unique}
    if origin is dict:
        return {"type": "object", "additionalProperties": typed_schema(arguments[1], nested, refer)}
    return None


def _of_msgspec(bare: Any) -> Schema:
    if bare is Any:
        return {}
    if bare is datetime:  # msgspec names the format of one with a time zone alone
        return {"type": "string", "format": "date-time"}
    [schema], found = msgspec.json.schema_components([bare])
    [schema] = found.values() or [schema]
    return {name: value for name, value in schema.items() if name != "title"}


def _parts(hint: Any) -> tuple[Any, list[Meta]]:
    if typing.get_origin(hint) is not Annotated:
        return hint, []
    bare, *extras = typing.get_args(hint)
    return bare, [each for each in extras if isinstance(each, Meta)]


def _unlimited(hint: Any) -> Any:
    """Leave the constraints out of an annotation, and keep how it is read."""
    if typing.get_origin(hint) is not Annotated:
        return hint
    bare, *extras = typing.get_args(hint)
    kept = [each for each in extras if not isinstance(each, Meta)]
    return Annotated[(bare, *kept)] if kept else bare


def _alternatives(bare: Any) -> list[Any]:
    if typing.get_origin(bare) not in (typing.Union, types.UnionType):
        return []
    return [each for each in typing.get_args(bare) if each not in _EMPTY]


def _tagged(hint: Any, schema: Schema) -> Schema:
    if not isinstance(hint, type) or not issubclass(hint, Struct):
        return schema
    config = hint.__struct_config__
    if config.tag_field is None:
        return schema
    tag: Schema = {"type": "object", "properties": {config.tag_field: {"const": config.tag}}}
    return {"allOf": [schema, {**tag, "required": [config.tag_field]}]}


def _limits(meta: Meta, kind: str) -> Schema:
    unit = _LENGTHS.get(kind, "Length")
    names = {
        **_NUMBERS,
        "multiple_of": "multipleOf",
        "min_length": f"min{unit}",
        "max_length": f"max{unit}",
        "pattern": "pattern",
    }
    return {
        word: value for name, word in names.items() if (value := getattr(meta, name)) is not None
    }


def _limits_in_words(schema: Schema) -> Iterable[str]:
    told = {
        "minimum": "at least {}",
        "exclusiveMinimum": "more than {}",
        "maximum": "at most {}",
        "exclusiveMaximum": "less than {}",
        "multipleOf": "a multiple of {}",
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "minItems": "at least {} items",
        "maxItems": "at most {} items",
        "minProperties": "at least {} keys",
        "maxProperties": "at most {} keys",
        "pattern": "matching `{}`",
    }
    return [words.format(schema[name]) for name, words in told.items() if name in schema]
