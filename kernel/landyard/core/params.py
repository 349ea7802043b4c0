"""Parameters: what a caller sent becomes the Struct a method asked for, by rules C5 to C10.

The Struct says everything: a field's wire name, its type, and by its default whether it may be
left out. Besides the plain types (`int`, `bool`, `str`, `float`, `dict[str, Any]`, `list[Any]`,
`Any`, nested Structs, each with or without `| None`) a field may be an `Id`, `Ids` or `Truthy`.
"""

import contextlib
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, Struct

from landyard.core.errors import InvalidRequest, MissingParams, WrongType
from landyard.core.methods import FilePart

BIGGEST = 2**63 - 1
BIGGEST_ID = 2**31 - 1  # what a column of ids holds
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_INTEGER_KEY = re.compile(r"0|-?[1-9][0-9]{0,17}")
_MOST_CHARACTERS = 21  # enough to be beyond 64 bits, and few enough for int()
_SAID_NO = frozenset({"n", "no", "off", "false", "0", ""})
_SAID_YES = frozenset({"y", "yes", "on", "true", "1"})

P = TypeVar("P", bound=Struct)
Read = Callable[[Any, str], Any]


class Reader(Struct, frozen=True):
    """How values of one type are read: `read(value, name)` answers the value or raises `WrongType`.

    `type` names it for descriptions; "" is any value. `empty_is_missing`: an empty list counts as
    not sent at all (C7, `lid: []`). `required` are the parameters of a nested Struct that must be
    sent with it. `refuses`: there are wrong types. `otherwise`: what an unusable required value
    counts as where the method has no `TYPE_ERROR` (C9); None counts as missing.
    """

    read: Read
    type: str = ""
    empty_is_missing: bool = False
    required: tuple[str, ...] = ()
    refuses: bool = True
    otherwise: Any = UNSET

    def usable(self, value: Any, name: str) -> Any:
        """Return `value`, or `otherwise` for one that cannot be read."""
        try:
            self.read(value, name)
        except WrongType:
            return value if self.otherwise is UNSET else self.otherwise
        return value


def read_integer(value: Any, name: str) -> int:
    """Read an integer (C5); beyond 64 bits it is the largest or smallest there is."""
    match value:
        case bool():
            pass
        case int():
            return max(-BIGGEST, min(BIGGEST, value))
        case float() if value.is_integer():
            return max(-BIGGEST, min(BIGGEST, int(value)))
        case str() if _CANONICAL_INTEGER.fullmatch(value):
            return max(-BIGGEST, min(BIGGEST, int(value[:_MOST_CHARACTERS])))
    raise WrongType.of(name, "an integer")


def read_id(value: Any, name: str) -> int:
    """Read an id; what cannot be one is 0, which names nothing (C5)."""
    number = read_integer(value, name)
    return number if 0 < number <= BIGGEST_ID else 0


def read_ids(value: Any, name: str) -> tuple[int, ...]:
    """Read one id or a list of ids, each once, in the order given (B3)."""
    value = as_list(value)
    if not isinstance(value, list):
        try:
            return (read_id(value, name),)
        except WrongType:
            raise WrongType.of(name, "an integer or an array of integers") from None
    return tuple(dict.fromkeys(read_id(item, f"{name}[{i}]") for i, item in enumerate(value)))


def read_boolean(value: Any, name: str) -> bool:
    """Read a boolean in any of the spellings of C6; everything else is a wrong type."""
    said = _spelled(value)
    if said is None:
        raise WrongType.of(name, "a boolean")
    return said


def read_truthy(value: Any, name: str) -> bool:  # noqa: ARG001 - every reader is given the name
    """Read a boolean; a value without a spelling in C6 is true when it is not empty."""
    said = _spelled(value)
    return bool(value) if said is None else said


def read_text(value: Any, name: str) -> str:
    """Read a string; numbers and booleans are taken as text, as forms send them (P5)."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return msgspec.json.encode(value).decode()
    raise WrongType.of(name, "a string")


def read_object(value: Any, name: str) -> dict[str, Any]:
    """Read an object; PHP clients write the empty one as `[]` (C7)."""
    if isinstance(value, dict):
        return value
    if value == []:
        return {}
    raise WrongType.of(name, "an object")


def read_number(value: Any, name: str) -> float:
    """Read a number, or text that is a JSON number."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.MsgspecError, RecursionError):
            value = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):
            return float(value)
    raise WrongType.of(name, "a number")


def read_list(value: Any, name: str) -> list[Any]:
    """Read an array of anything."""
    value = as_list(value)
    if isinstance(value, list):
        return value
    raise WrongType.of(name, "an array")


def as_list(value: Any) -> Any:
    """Return an object whose keys are all integers as the list that PHP clients mean (C7)."""
    if isinstance(value, Mapping) and value and all(map(_INTEGER_KEY.fullmatch, value)):
        return [value[key] for key in sorted(value, key=int)]
    return value


Id = Annotated[int, Reader(read_id, "Id", otherwise=0)]
NeededId = Annotated[int, Reader(read_id, "Id", empty_is_missing=True, otherwise=0)]
"""An `Id` that an empty array leaves out, as PHP clients write it: `lid` (C7)."""

Ids = Annotated[tuple[int, ...], Reader(read_ids, "Ids", empty_is_missing=True)]
Truthy = Annotated[bool, Reader(read_truthy, "LooseFlag")]

_PLAIN: dict[Any, Reader] = {
    int: Reader(read_integer, "WholeNumber"),
    bool: Reader(read_boolean, "Flag"),
    str: Reader(read_text, "PlainText"),
    float: Reader(read_number, "DecimalNumber"),
    dict: Reader(read_object, "AnyObject", otherwise=None),
    list: Reader(read_list, "AnyList"),
    Any: Reader(lambda value, _: value, refuses=False),
}


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
    def refuses(self) -> bool:
        """Whether a required parameter can have a wrong type that only `TYPE_ERROR` tells."""
        return any(
            reader.refuses and reader.otherwise is UNSET
            for _, _, reader, required in self._fields
            if required
        )

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
    AnyList; "" is for one that takes any value. A Struct is an AnyObject.
    """
    return _reader(annotation, lenient=False).type


def _required(field: msgspec.structs.FieldInfo) -> bool:
    return field.default is NODEFAULT and field.default_factory is NODEFAULT


def _reader(hint: Any, lenient: bool) -> Reader:
    """Find the reader of an annotation; `X | None` and `X | UnsetType` read as X."""
    if typing.get_origin(hint) is Annotated:
        for extra in typing.get_args(hint)[1:]:
            if isinstance(extra, Reader):
                return extra
        return _reader(typing.get_args(hint)[0], lenient)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        empty = (type(None), type(UNSET), FilePart)
        alternatives = [each for each in typing.get_args(hint) if each not in empty]
        if len(alternatives) == 1:
            return _reader(alternatives[0], lenient)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _struct_reader(ParamsReader(hint, lenient=lenient))
    plain = _PLAIN.get(typing.get_origin(hint) or hint)
    if plain is None:
        raise TypeError(f"a parameter of type {hint} cannot be read")
    return plain


def _struct_reader(nested: ParamsReader[Any]) -> Reader:
    return Reader(
        lambda value, name: nested(read_object(value, name), name),
        "AnyObject",
        required=nested.required,
    )


def _spelled(value: Any) -> bool | None:
    """Answer what a C6 spelling says, or None for a value that is none of them."""
    match value:
        case bool():
            return value
        case int() | float() if value in (0, 1):
            return bool(value)
        case str():
            lowered = value.lower()
            if lowered in _SAID_YES:
                return True
            if lowered in _SAID_NO:
                return False
    return None
