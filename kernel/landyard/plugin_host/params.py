"""Reads a caller's parameters into the Struct of a method, by rules C5 to C10.

A Struct declares each field's wire name, its type with its constraints, and by its default whether
it may be left out. Besides `Id`, `Ids` and `Truthy` a field may be of any type that msgspec knows.
It is read leniently as far as rules C5 to C7 say so, also inside of lists and objects. The walk
over the types is made once, here: a reader carries the schema of its values.
"""

import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct

from landyard.core.methods import FilePart
from landyard.plugin_host.readers import PLAIN, Field, FieldsReader, Reader, read_object
from landyard.plugin_host.typed_readers import (
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
            reader = _reader(field.type, lenient, within)
            empty: tuple[Any, ...] = ([],) if reader.empty_is_missing else ()
            if reader.files == "several" or reader.type == "File":
                empty = ("",)  # browsers send it for a field without a file
            fields.append(Field(field.name, field.encode_name, reader, field.required, empty))
        super().__init__(struct, fields, lenient=lenient)


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
        elif _is_struct(meta):  # it documents an object that the method reads by itself
            reader = msgspec.structs.replace(reader, struct=reader.struct or meta)
    return reader


def _reader_of_type(hint: Any, lenient: bool, within: _Within) -> Reader:
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        several = [each for each in arguments if each not in _EMPTY] or [FilePart]
        readers = [_reader(each, lenient, within) for each in several]
        reader = readers[0] if len(several) == 1 else one_of(several, readers)
        if FilePart in arguments and not reader.files:
            reader = msgspec.structs.replace(reader, files="one")
        return reader
    if _is_struct(hint) and hint is not FilePart:
        return _reader_of_struct(hint, lenient, within)
    if origin in _LISTS and arguments and arguments[1:] in ((), (...,)) and arguments[0] is not Any:
        return list_of(_reader(arguments[0], lenient, within), hint)
    if origin is dict and arguments and arguments[1] is not Any:
        return dict_of(_reader(arguments[1], lenient, within), hint)
    return PLAIN.get(origin) or typed(hint)


def _reader_of_struct(struct: type[Struct], lenient: bool, within: _Within) -> Reader:
    nested = within.get(struct)
    needs: Any = {}  # a Struct that contains itself has these from its outer reader
    if nested is None:
        nested = ParamsReader(struct, lenient=lenient, within=within)
        needs = {"required": nested.required, "strict": nested.strict}
    return Reader(
        lambda value, name: nested(read_object(value, name), name),
        "AnyObject",
        schema=lambda refer_struct, _: refer_struct(struct),
        struct=struct,
        **needs,
    )


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)
