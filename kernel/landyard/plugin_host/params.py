"""Parameters: what a caller sent becomes the Struct a method asked for, by rules C5 to C10.

The Struct says everything: a field's wire name, its type with its constraints, and by its default
whether it may be left out. Besides `Id`, `Ids` and `Truthy` a field may be of any type that msgspec
knows, which is read leniently where rules C5 to C7 say so, also inside of lists and objects.
"""

import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct

from landyard.core.errors import InvalidRequest, MissingParams, WrongType
from landyard.core.methods import FilePart
from landyard.plugin_host.readers import PLAIN, Reader, read_object
from landyard.plugin_host.typed_values import constrained, dict_of, list_of, one_of, typed

P = TypeVar("P", bound=Struct)
_EMPTY = (type(None), type(UNSET), FilePart)
_LISTS = (list, tuple, set, frozenset)


class _Field(Struct, frozen=True):
    """A field of a parameters Struct: its own name, the wire's, and how it is read.

    `files`: whether it takes a file or several. `empty` is what counts as not sent.
    """

    name: str
    wire: str
    reader: Reader
    required: bool
    files: Literal["", "one", "several"]
    empty: tuple[Any, ...]


class ParamsReader(Generic[P]):
    """Reads a Struct of one type, compiled once from its annotations.

    `lenient`: an unusable optional parameter counts as absent, as in the methods whose contract
    knows no `TYPE_ERROR` (C9).
    """

    def __init__(self, struct: type[P], *, lenient: bool = False) -> None:
        """Compile; raises `TypeError` for a field of a type that has no reader."""
        self._struct = struct
        self._lenient = lenient
        self._fields = []
        for field in msgspec.structs.fields(struct):
            reader, files = _reader(field.type, lenient), _files(field.type)
            empty: tuple[Any, ...] = ([],) if reader.empty_is_missing else ()
            if files == "several" or reader.type == "File":
                empty = ("",)  # browsers send it for a field without a file
            name, wire = field.name, field.encode_name
            self._fields.append(_Field(name, wire, reader, field.required, files, empty))
        several = {f"{each.wire}[]" for each in self._fields if each.files == "several"}
        self._names = {each.wire for each in self._fields} | several
        self._files = {each.wire for each in self._fields if each.files} | several

    @property
    def required(self) -> tuple[str, ...]:
        """The wire names of the parameters that must be sent, nested ones among them."""
        return tuple(
            name
            for each in self._fields
            for name in (each.wire,) * each.required
            + tuple(f"{each.wire}.{inner}" for inner in each.reader.required)
        )

    @property
    def strict(self) -> bool:
        """Whether a parameter has values that are refused, be it required or not."""
        return any(each.reader.strict for each in self._fields)

    @property
    def refuses(self) -> bool:
        """Whether a parameter can have a wrong type that only `TYPE_ERROR` tells."""
        return self.strict or any(
            each.reader.refuses and each.reader.otherwise is UNSET
            for each in self._fields
            if each.required
        )

    def unknown(self, sent: Mapping[str, Any]) -> list[str]:
        """Name what was sent and is no parameter."""
        return [] if sent.keys() <= self._names else [*(sent.keys() - self._names)]

    def __call__(self, sent: Mapping[str, Any], name: str = "") -> P:
        """Read `sent`; refuses untaken files, then all that is missing, then wrong types."""
        for taken, value in sent.items():
            if isinstance(value, tuple) and taken not in self._files:
                raise InvalidRequest(f"No parameter of the method takes the file '{taken}'.")
        prefix = f"{name}." if name else ""
        values: dict[str, Any] = {}
        for field, value in self._present(sent, prefix):
            reader, wire = field.reader, prefix + field.wire
            try:
                read = value if isinstance(value, FilePart) else reader.read(value, wire)
            except WrongType as error:
                if field.required or not self._lenient:
                    raise error if reader.strict else error.plain() from None
            else:
                values[field.name] = read
        return self._struct(**values)

    def _present(self, sent: Mapping[str, Any], prefix: str) -> list[tuple[_Field, Any]]:
        missing: list[str] = []
        present: list[tuple[_Field, Any]] = []
        for field in self._fields:
            reader = field.reader
            value = sent.get(field.wire)
            if value is None and field.files == "several":
                value = sent.get(f"{field.wire}[]")
            if isinstance(value, tuple):  # the files of a form
                value = list(value) if field.files == "several" else value[-1]
            if value in field.empty:
                value = None
            if field.required and self._lenient and value is not None:
                value = reader.usable(value, field.wire)
            if value is not None:
                present.append((field, value))
            elif field.required:
                missing.append(prefix + field.wire)
        if missing:
            raise MissingParams.named(missing)
        return present


def parameter_type(annotation: Any) -> str:
    """Name the type that a parameter is read as by its annotation: `Id` for `Id | None`.

    The names are Id, Ids, WholeNumber, DecimalNumber, Flag, LooseFlag, PlainText, AnyObject,
    AnyList and File; "" is for any value, and for types with more to them. Of a Struct it is
    AnyObject.
    """
    return _reader(annotation, lenient=False).type


def _files(hint: Any) -> Literal["", "one", "several"]:
    inside = (_bare(hint), *map(_bare, typing.get_args(_bare(hint))))
    lists = (each for each in inside if typing.get_origin(each) in _LISTS)
    if any(FilePart in map(_bare, typing.get_args(each)) for each in lists):
        return "several"
    return "one" if FilePart in inside else ""


def _bare(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _reader(hint: Any, lenient: bool) -> Reader:
    """Find the reader of an annotation; `X | None` and `X | UnsetType` read as X."""
    bare, *extras = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    reader = next((each for each in extras if isinstance(each, Reader)), None)
    reader = reader or _reader_of_type(bare, lenient)
    for meta in extras:
        if isinstance(meta, Meta):
            reader = constrained(reader, bare, meta)
    return reader


def _reader_of_type(hint: Any, lenient: bool) -> Reader:
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        several = [each for each in arguments if each not in _EMPTY] or [FilePart]
        if len(several) == 1:
            return _reader(several[0], lenient)
        return one_of(several, [_reader(each, lenient) for each in several])
    if isinstance(hint, type) and issubclass(hint, Struct) and hint is not FilePart:
        nested = ParamsReader(hint, lenient=lenient)
        needs: Any = {"required": nested.required, "strict": nested.strict}
        return Reader(
            lambda value, name: nested(read_object(value, name), name), "AnyObject", **needs
        )
    if origin in _LISTS and arguments and arguments[1:] in ((), (...,)) and arguments[0] is not Any:
        return list_of(_reader(arguments[0], lenient), hint)
    if origin is dict and arguments and arguments[1] is not Any:
        return dict_of(_reader(arguments[1], lenient), hint)
    return PLAIN.get(origin) or typed(hint)
