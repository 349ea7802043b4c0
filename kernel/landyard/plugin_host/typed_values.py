"""Typed values: readers for what msgspec's types and constraints say beyond plain types."""

import contextlib
import enum
import typing
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct

from landyard.core.errors import WrongType
from landyard.plugin_host.readers import Reader, read_list, read_object

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


def typed(hint: Any) -> Reader:
    """Read a value of a type that msgspec knows; raises `TypeError` for others."""
    msgspec.json.schema(hint)  # which raises for a type that msgspec does not know
    return Reader(_converter(hint, _words(hint)), strict=True)


def constrained(reader: Reader, hint: Any, meta: Meta) -> Reader:
    """Read as `reader` does, and refuse what `meta` excludes; raises `TypeError`."""
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
    narrow = Annotated[hint, meta]
    msgspec.inspect.type_info(narrow)  # which raises where a constraint does not suit the type
    fits = _converter(narrow, " and ".join(told))

    def read(value: Any, name: str) -> Any:
        return fits(reader.read(value, name), name, came=value)

    return msgspec.structs.replace(reader, read=read, type="", refuses=True, strict=True)


def list_of(item: Reader, hint: Any) -> Reader:
    """Read a list, a set or a tuple, each item by its reader."""
    gather = typing.get_origin(hint)
    assert gather is not None

    def read(value: Any, name: str) -> Any:
        found = enumerate(read_list(value, name))
        return gather(item.read(each, f"{name}[{i}]") for i, each in found)

    return Reader(read, required=_inside(item), strict=True)


def dict_of(item: Reader, hint: Any) -> Reader:
    """Read an object, each value by its reader and the keys by msgspec."""
    keys = typing.get_args(hint)[0]
    msgspec.json.schema(keys)
    key = _converter(keys, f"keyed by {_words(keys)}")

    def read(value: Any, name: str) -> Any:
        found = read_object(value, name)
        return {key(k, name): item.read(each, f"{name}.{k}") for k, each in found.items()}

    return Reader(read, required=_inside(item), strict=True)


def one_of(types: Sequence[Any], readers: Sequence[Reader]) -> Reader:
    """Read a value as what it is, or else as the first of these types that takes it.

    Of several Structs the one whose tag is sent is meant.
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

    needed = tuple(name for each in readers for name in _inside(each))
    return Reader(read, required=needed, strict=True)


def _converter(hint: Any, expected: str, *, strict: bool = False) -> Callable[..., Any]:
    def convert(value: Any, name: str, came: Any = UNSET) -> Any:
        try:
            return msgspec.convert(value, hint, strict=strict)
        except (msgspec.ValidationError, OverflowError):
            raise WrongType.of(name, expected, value if came is UNSET else came) from None

    return convert


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
