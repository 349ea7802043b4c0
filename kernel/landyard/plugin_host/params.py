"""Parameters: what a caller sent becomes the Struct a method asked for, by rules C5 to C10.

The Struct says everything: a field's wire name, its type with its constraints, and by its default
whether it may be left out. Besides `Id`, `Ids` and `Truthy` a field may be of any type that msgspec
knows, which is read leniently where rules C5 to C7 say so, also inside of lists and objects.
"""

import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct

from landyard.core.methods import FilePart
from landyard.plugin_host.readers import PLAIN, Field, FieldsReader, Reader, read_object
from landyard.plugin_host.typed_values import (
    constrained,
    dict_of,
    known_names,
    list_of,
    one_of,
    typed,
)

P = TypeVar("P", bound=Struct)
_EMPTY = (type(None), type(UNSET), FilePart)
_LISTS = (list, tuple, set, frozenset)
_FOREIGN_LIMITS = ("annotated_types", "pydantic", "sqlmodel")  # msgspec passes them over
_Within = Mapping[Any, "ParamsReader[Any]"]


class ParamsReader(FieldsReader[P]):
    """Reads a Struct of one type, compiled once from its annotations."""

    def __init__(
        self, struct: type[P], *, lenient: bool = False, within: "_Within | None" = None
    ) -> None:
        """Compile; raises `TypeError` for a field of a type that has no reader.

        `within` are the readers of the Structs that this one stands in: one may contain itself.
        """
        fields = []
        within = {**(within or {}), struct: self}
        with known_names():
            annotated = msgspec.structs.fields(struct)
        for field in annotated:
            reader, files = _reader(field.type, lenient, within), _files(field.type)
            empty: tuple[Any, ...] = ([],) if reader.empty_is_missing else ()
            if files == "several" or reader.type == "File":
                empty = ("",)  # browsers send it for a field without a file
            name, wire = field.name, field.encode_name
            fields.append(Field(name, wire, reader, field.required, files, empty))
        super().__init__(struct, fields, lenient=lenient)


def parameter_type(annotation: Any) -> str:
    """Name the type that a parameter is read as by its annotation: `Id` for `Id | None`.

    The names are Id, Ids, WholeNumber, DecimalNumber, Flag, LooseFlag, PlainText, AnyObject,
    AnyList and File; "" is for any value, and for types with more to them. Of a Struct it is
    AnyObject.
    """
    return _reader(annotation, lenient=False, within={}).type


def _files(hint: Any) -> Literal["", "one", "several"]:
    inside = (_bare(hint), *map(_bare, typing.get_args(_bare(hint))))
    lists = (each for each in inside if typing.get_origin(each) in _LISTS)
    if any(FilePart in map(_bare, typing.get_args(each)) for each in lists):
        return "several"
    return "one" if FilePart in inside else ""


def _bare(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _reader(hint: Any, lenient: bool, within: _Within) -> Reader:
    """Find the reader of an annotation; `X | None` and `X | UnsetType` read as X."""
    bare, *extras = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    reader = next((each for each in extras if isinstance(each, Reader)), None)
    reader = reader or _reader_of_type(bare, lenient, within)
    for meta in extras:
        if isinstance(meta, Meta):
            reader = constrained(reader, bare, meta)
        elif type(meta).__module__.partition(".")[0] in _FOREIGN_LIMITS:
            raise TypeError(
                f"{meta!r} would not be kept: say it with msgspec's Meta, as in Meta(ge=1)"
            )
    return reader


def _reader_of_type(hint: Any, lenient: bool, within: _Within) -> Reader:
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        several = [each for each in arguments if each not in _EMPTY] or [FilePart]
        if len(several) == 1:
            return _reader(several[0], lenient, within)
        return one_of(several, [_reader(each, lenient, within) for each in several])
    if isinstance(hint, type) and issubclass(hint, Struct) and hint is not FilePart:
        nested = within.get(hint)
        needs: Any = {}  # the Struct that contains itself has said by itself what it needs
        if nested is None:
            nested = ParamsReader(hint, lenient=lenient, within=within)
            needs = {"required": nested.required, "strict": nested.strict}
        return Reader(
            lambda value, name: nested(read_object(value, name), name), "AnyObject", **needs
        )
    if origin in _LISTS and arguments and arguments[1:] in ((), (...,)) and arguments[0] is not Any:
        return list_of(_reader(arguments[0], lenient, within), hint)
    if origin is dict and arguments and arguments[1] is not Any:
        return dict_of(_reader(arguments[1], lenient, within), hint)
    return PLAIN.get(origin) or typed(hint)
