"""Builds a `Reader` for each annotation beyond plain types: dates, limits, lists, unions."""

import contextlib
import enum
import math
import operator
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct

from landyard.core.errors import WrongType
from landyard.plugin_host.readers import Nested, Reader, Refer, Schema, read_list, read_object

_UNION: Any = typing.Union
_WORDS: dict[Any, str] = {
    datetime: "a date and time such as 2026-01-31T12:00:00Z",
    date: "a date such as 2026-01-31",
    time: "a time such as 12:00:00",
    timedelta: "a duration such as PT30S",
    Decimal: "a decimal number",
    UUID: "a UUID",
    bytes: "text in Base64",
    int: "an integer",
    bool: "a boolean",
    str: "a string",
    float: "a number",
    **dict.fromkeys((list, tuple, set, frozenset), "an array"),
}
_LIMITS = {
    "ge": "at least {}",
    "gt": "more than {}",
    "le": "at most {}",
    "lt": "less than {}",
    "multiple_of": "a multiple of {}",
    "min_length": "of at least {} {}",
    "max_length": "of at most {} {}",
    "pattern": "text of the form {}",
}
_NUMBERS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}
_JSON_TYPES = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
    "multiple_of": lambda value, unit: value % unit == 0,
}


def typed(hint: Any) -> Reader:
    """Return a reader of values of `hint`, a type that msgspec converts, such as `datetime`.

    Raises `TypeError` for a type that msgspec does not know.
    """
    with known_names():
        _require_known(msgspec.inspect.type_info(hint))
    return Reader(_converter(hint, _words(hint)), strict=True, schema=lambda *_: _schema_of(hint))


def constrained(reader: Reader, hint: Any, meta: Meta) -> Reader:
    """Return a reader that reads as `reader` does, and refuses values beyond the limits of `meta`.

    `hint` is the annotated type without `meta`. Raises `TypeError` for a limit that a value of this
    type cannot have, such as the length of a number.
    """
    unit = {str: "characters", dict: "keys"}.get(typing.get_origin(hint) or hint, "items")
    told = [
        words.format(limit, unit)
        for name, words in _LIMITS.items()
        if (limit := getattr(meta, name)) is not None
    ]
    if meta.tz is not None:
        told.append("a moment with a time zone" if meta.tz else "a moment without one")
    if not told:
        return reader
    expected = " and ".join(told)
    if _is_decimal(hint):
        fits = _decimal_limits(hint, meta, expected)
    else:
        narrow = Annotated[hint, meta]
        msgspec.inspect.type_info(narrow)  # which raises where a constraint does not suit the type
        fits = _converter(narrow, expected)

    def read(value: Any, name: str) -> Any:
        return fits(reader.read(value, name), name, came=value)

    def schema(nested: Nested, refer: Refer) -> Schema:
        found = reader.described(nested, refer)
        kind = found.get("type") or _JSON_TYPES.get(typing.get_origin(hint) or hint, "")
        limits = _schema_of_limits(meta, kind)
        return {**({"type": kind} if limits and "$ref" in found else found), **limits}

    more: Any = {"refuses": True, "strict": True, "schema": schema}
    return msgspec.structs.replace(reader, read=read, type="", **more)


def _schema_of(hint: Any) -> Schema:
    if hint is datetime:  # msgspec names the format of one with a time zone alone
        return {"type": "string", "format": "date-time"}
    [schema], found = msgspec.json.schema_components([hint])
    [schema] = found.values() or [schema]
    return {name: value for name, value in schema.items() if name != "title"}


def _schema_of_limits(meta: Meta, kind: str) -> Schema:
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


@contextlib.contextmanager
def known_names() -> Iterator[None]:
    """Turn a `NameError` from an annotation, in this context, into a `TypeError` with advice."""
    try:
        yield
    except NameError as error:
        raise TypeError(
            f"the name {error.name} is not known where its annotation is read: define it at the top"
            " of the module, or leave out `from __future__ import annotations`"
        ) from error


def require_written(hint: Any) -> None:
    """Raise `TypeError` for a type of results that is not written as JSON."""
    with known_names():
        try:
            found = msgspec.inspect.type_info(hint)
        except TypeError:  # a limit, or a union that could not be read again
            return
    _require_known(found)


def _require_known(found: msgspec.inspect.Type) -> None:
    for kind in _kinds(found, set()):
        # An `object` stands for anything, as `Any` does.
        if isinstance(kind, msgspec.inspect.CustomType) and kind.cls is not object:
            name = getattr(kind.cls, "__name__", kind.cls)
            raise TypeError(
                f"{name} is no type that JSON is read as or written from: describe it as a msgspec"
                " Struct. A row of SQLModel, or a model of pydantic, stays inside: take and answer"
                " a Struct of its fields, such as Told(**row.model_dump())"
            )


def _kinds(value: Any, seen: set[int]) -> Iterator[Any]:
    """Walk a type as msgspec describes it; one may contain itself."""
    if isinstance(value, tuple):
        for each in value:
            yield from _kinds(each, seen)
    elif isinstance(value, msgspec.inspect.Type | msgspec.inspect.Field) and id(value) not in seen:
        seen.add(id(value))
        yield value
        for name in value.__struct_fields__:
            yield from _kinds(getattr(value, name), seen)


def _is_decimal(hint: Any) -> bool:
    """Tell whether an annotation is a decimal, which msgspec takes no limits of."""
    several = [each for each in typing.get_args(hint) if each is not type(None)]
    return hint is Decimal or several == [Decimal]


def _decimal_limits(hint: Any, meta: Meta, expected: str) -> Callable[..., Any]:
    if {meta.min_length, meta.max_length, meta.pattern, meta.tz} != {None}:
        raise TypeError(f"a decimal number has no length and no form: `{hint}` with {meta}")
    holds: list[tuple[Callable[[Any, Any], bool], Any]] = [
        (holds, limit)
        for name, holds in _HOLDS.items()
        if (limit := getattr(meta, name)) is not None
    ]

    def fits(value: Any, name: str, came: Any = UNSET) -> Any:
        try:
            if value is None or all(test(value, Decimal(str(limit))) for test, limit in holds):
                return value
        except ArithmeticError:  # there is no rest of a number that is far larger
            pass
        raise WrongType.of(name, expected, value if came is UNSET else came)

    return fits


def list_of(item: Reader, hint: Any) -> Reader:
    """Return a reader of `hint`, a list, set or tuple type; `item` reads each of the items."""
    gather = typing.get_origin(hint)
    assert gather is not None

    def read(value: Any, name: str) -> Any:
        found = enumerate(read_list(value, name))
        return gather(item.read(each, f"{name}[{i}]") for i, each in found)

    def schema(nested: Nested, refer: Refer) -> Schema:
        unique = {"uniqueItems": True} if gather in (set, frozenset) else {}
        return {"type": "array", "items": item.described(nested, refer), **unique}

    more: Any = {"files": "several"} if item.type == "File" else {}
    return Reader(read, required=_inside(item), strict=True, schema=schema, **more)


def dict_of(item: Reader, hint: Any) -> Reader:
    """Return a reader of `hint`, a dict type; `item` reads the values, msgspec the keys."""
    keys = typing.get_args(hint)[0]
    msgspec.json.schema(keys)
    key = _converter(keys, f"keyed by {_words(keys)}")

    def read(value: Any, name: str) -> Any:
        found = read_object(value, name)
        return {key(k, name): item.read(each, f"{name}.{k}") for k, each in found.items()}

    def schema(nested: Nested, refer: Refer) -> Schema:
        return {"type": "object", "additionalProperties": item.described(nested, refer)}

    return Reader(read, required=_inside(item), strict=True, schema=schema)


def one_of(types: Sequence[Any], readers: Sequence[Reader]) -> Reader:
    """Return a reader of a union of `types`, whose own readers are `readers`.

    The reader keeps a value that already has one of the types. Otherwise the first of `readers`
    that accepts the value reads it. The tag in an object names its Struct. Raises `TypeError` for
    types that msgspec could not tell apart.
    """
    msgspec.inspect.type_info(_UNION[tuple(types)])  # raises where values could not be told apart
    pairs = [*zip(types, readers, strict=True)]
    tagged = {each.__struct_config__.tag: reader for each, reader in pairs if _is_struct(each)}
    field = next((each.__struct_config__.tag_field for each in types if _is_struct(each)), None)
    plain = [each for each in types if not _is_struct(each)]
    attempts = [_converter(_UNION[tuple(plain)], "", strict=True)] if plain else []
    attempts += [reader.read for each, reader in pairs if not _is_struct(each)]
    expected = " or ".join(dict.fromkeys(map(_words, types)))

    def read(value: Any, name: str) -> Any:
        if tagged and isinstance(value, dict):
            sent = value.get(field)
            reader = tagged.get(sent) if isinstance(sent, str | int | None) else None
            if reader is None:
                known = " or ".join(f"'{each}'" for each in tagged)
                raise WrongType.of(f"{name}.{field}", known, sent)
            return reader.read(value, name)
        for attempt in attempts:
            with contextlib.suppress(WrongType):
                return attempt(value, name)
        raise WrongType.of(name, expected, value)

    def schema(nested: Nested, refer: Refer) -> Schema:
        return {"anyOf": [_tagged(each, it.described(nested, refer)) for each, it in pairs]}

    needed = tuple(name for each in readers for name in _inside(each))
    struct = next((each.struct for each in readers if each.struct), None)
    return Reader(read, required=needed, strict=True, schema=schema, struct=struct)


def _tagged(hint: Any, schema: Schema) -> Schema:
    """Add to the schema of a Struct the tag that tells it from the others."""
    if not _is_struct(hint) or hint.__struct_config__.tag_field is None:
        return schema
    field, tag = hint.__struct_config__.tag_field, hint.__struct_config__.tag
    tagged: Schema = {"type": "object", "properties": {field: {"const": tag}}}
    return {"allOf": [schema, {**tagged, "required": [field]}]}


def _converter(hint: Any, expected: str, *, strict: bool = False) -> Callable[..., Any]:
    def convert(value: Any, name: str, came: Any = UNSET) -> Any:
        with contextlib.suppress(msgspec.ValidationError, OverflowError):
            found = msgspec.convert(value, hint, strict=strict)
            if _is_finite(found):
                return found
        raise WrongType.of(name, expected, value if came is UNSET else came)

    return convert


def _is_finite(value: Any) -> bool:
    """Tell whether all numbers in a value are: NaN is nothing that can be compared."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Decimal):
        return value.is_finite()
    if isinstance(value, str | bytes | int | enum.Enum | None):
        return True
    if isinstance(value, dict):
        return all(map(_is_finite, [*value, *value.values()]))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_finite, value))
    # Those of a Struct, or else of a dataclass, or a class of attrs.
    annotated = getattr(type(value), "__annotations__", ())
    fields: Iterable[str] = getattr(value, "__struct_fields__", annotated)
    return all(_is_finite(getattr(value, name, None)) for name in fields)


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def _words(hint: Any) -> str:
    origin = typing.get_origin(hint) or hint
    if origin is Annotated:
        return _words(typing.get_args(hint)[0])
    if origin is Literal:
        return " or ".join(f"'{each}'" for each in typing.get_args(hint))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return " or ".join(f"'{each.value}'" for each in hint)
    return _WORDS.get(origin, "an object")


def _inside(item: Reader) -> tuple[str, ...]:
    return tuple(f"[].{name}" for name in item.required)
