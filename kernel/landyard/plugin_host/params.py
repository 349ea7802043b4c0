"""Parameters: what a caller sent becomes the Struct a method asked for, by rules C5 to C10.

The Struct says everything: a field's wire name, its type with its constraints, and by its default
whether it may be left out. Besides `Id`, `Ids` and `Truthy` a field may be of any type that msgspec
knows, which is read leniently where rules C5 to C7 say so, also inside of lists and objects.
"""

import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct

from landyard.core.errors import InvalidRequest, MissingParams, WrongType
from landyard.core.methods import FilePart
from landyard.core.readers import PLAIN, Reader, read_object
from landyard.plugin_host.typed_values import constrained, dict_of, list_of, one_of, typed

P = TypeVar("P", bound=Struct)
_EMPTY = (type(None), type(UNSET), FilePart)
_LISTS = (list, tuple, set, frozenset)


class ParamsReader(Generic[P]):
    """Reads a Struct of one type, compiled once from its fields.

    `lenient`: an unusable optional parameter counts as absent, as in the methods whose contract
    knows no `TYPE_ERROR` (C9).
    """

    def __init__(self, struct: type[P], *, lenient: bool = False) -> None:
        """Compile; raises `TypeError` for a field of a type that has no reader."""
        self._struct = struct
        self._lenient = lenient
        hints = typing.get_type_hints(struct, include_extras=True)
        self._fields = [
            (field.name, field.encode_name, _reader(hints[field.name], lenient), _required(field))
            for field in msgspec.structs.fields(struct)
        ]
        self._names = {wire for _, wire, _, _ in self._fields}
        plain = typing.get_type_hints(struct)
        self._files = {w for f, w, _, _ in self._fields if FilePart in typing.get_args(plain[f])}

    @property
    def required(self) -> tuple[str, ...]:
        """The wire names of the parameters that must be sent, nested ones among them."""
        return tuple(
            name
            for _, wire, reader, required in self._fields
            for name in ((wire,) if required else ())
            + tuple(f"{wire}.{n}" for n in reader.required)
        )

    @property
    def strict(self) -> bool:
        """Whether a parameter has values that are refused, be it required or not."""
        return any(reader.strict for _, _, reader, _ in self._fields)

    @property
    def refuses(self) -> bool:
        """Whether a parameter can have a wrong type that only `TYPE_ERROR` tells."""
        return self.strict or any(
            reader.refuses and reader.otherwise is UNSET
            for _, _, reader, required in self._fields
            if required
        )

    def unknown(self, sent: Mapping[str, Any]) -> list[str]:
        """Name what was sent and is no parameter."""
        return [] if sent.keys() <= self._names else [*(sent.keys() - self._names)]

    def __call__(self, sent: Mapping[str, Any], name: str = "") -> P:
        """Read `sent`; refuses untaken files, then all that is missing, then wrong types."""
        self._refuse_files(sent)
        values: dict[str, Any] = {}
        missing: list[str] = []
        prefix = f"{name}." if name else ""
        present: list[tuple[str, str, Any, Reader, bool]] = []
        for field, wire, reader, required in self._fields:
            value = sent.get(wire)
            if reader.empty_is_missing and value == []:
                value = None
            if required and self._lenient and value is not None:
                value = reader.usable(value, wire)
            if value is None:
                if required:
                    missing.append(prefix + wire)
            else:
                present.append((field, prefix + wire, value, reader, required))
        if missing:
            raise MissingParams.named(missing)
        for field, wire, value, reader, required in present:
            try:
                values[field] = value if isinstance(value, FilePart) else reader.read(value, wire)
            except WrongType:
                if required or not self._lenient:
                    raise
        return self._struct(**values)

    def _refuse_files(self, sent: Mapping[str, Any]) -> None:
        for name, value in sent.items():
            if isinstance(value, FilePart) and name not in self._files:
                raise InvalidRequest(f"No parameter of the method takes the file '{name}'.")


def parameter_type(annotation: Any) -> str:
    """Name the type that a parameter is read as by its annotation: `Id` for `Id | None`.

    The names are Id, Ids, WholeNumber, DecimalNumber, Flag, LooseFlag, PlainText, AnyObject and
    AnyList; "" is for any value, and for types with more to them. A Struct is an AnyObject.
    """
    return _reader(annotation, lenient=False).type


def _required(field: msgspec.structs.FieldInfo) -> bool:
    return field.default is NODEFAULT and field.default_factory is NODEFAULT


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
        several = [each for each in arguments if each not in _EMPTY]
        if len(several) == 1:
            return _reader(several[0], lenient)
        return one_of(several, [_reader(each, lenient) for each in several])
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _struct_reader(ParamsReader(hint, lenient=lenient))
    if origin in _LISTS and arguments and arguments[1:] in ((), (...,)) and arguments[0] is not Any:
        return list_of(_reader(arguments[0], lenient), hint)
    if origin is dict and arguments and arguments[1] is not Any:
        return dict_of(_reader(arguments[1], lenient), hint)
    return PLAIN.get(origin) or typed(hint)


def _struct_reader(nested: ParamsReader[Any]) -> Reader:
    return Reader(
        lambda value, name: nested(read_object(value, name), name),
        "AnyObject",
        required=nested.required,
        strict=nested.strict,
    )
