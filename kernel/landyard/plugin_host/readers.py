"""Readers of the values that callers send, as plain types or Structs (C5 to C10)."""

import contextlib
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct

from landyard.core.errors import InvalidRequest, MissingParams, WrongType
from landyard.core.methods import FilePart

BIGGEST = 2**63 - 1
BIGGEST_ID = 2**31 - 1  # the biggest number in a column of ids
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_INTEGER_KEY = re.compile(r"0|-?[1-9][0-9]{0,17}")
_MOST_CHARACTERS = 21  # enough to be beyond 64 bits, and few enough for int()
_SPELLINGS = dict.fromkeys(("y", "yes", "on", "true", "1"), True)
_SPELLINGS |= dict.fromkeys(("n", "no", "off", "false", "0", ""), False)

P = TypeVar("P", bound=Struct)
Read = Callable[[Any, str], Any]
Schema = dict[str, Any]
"""JSON Schema."""
StructType = type[Struct]
Nested = Callable[[StructType], Schema]
"""Refers to the schema of a Struct."""
Refer = Callable[[str], Schema]
"""Refers to the schema of a plain type by its name, such as `Id`."""


class Reader(Struct, frozen=True):
    """How values of one type are read: `read(value, name)` returns the value or raises `WrongType`.

    `type` names a plain type: Id, Ids, WholeNumber, DecimalNumber, Flag, LooseFlag, PlainText,
    AnyObject, AnyList or File. It is "" for any value, and for types with more to them; these have
    a `schema`. `struct` is the Struct that an object is read as, or documented by. `files` says
    whether a form's file is taken, or several.

    `empty_is_missing`: an empty list counts as not sent at all (C7, `lid: []`). `required` are the
    parameters of a nested Struct that must be sent with it. `refuses`: there are values of a wrong
    type. `otherwise`: the value that stands for an unusable required one when the method has no
    `TYPE_ERROR` (C9); None counts as missing. `strict`: the method must have `TYPE_ERROR`, because
    its author refuses more than the contract does.
    """

    read: Read
    type: str = ""
    empty_is_missing: bool = False
    required: tuple[str, ...] = ()
    refuses: bool = True
    otherwise: Any = UNSET
    strict: bool = False
    schema: Callable[[Nested, Refer], Schema] | None = None
    struct: StructType | None = None
    files: Literal["", "one", "several"] = ""

    @property
    def takes_anything(self) -> bool:
        """Whether every value can be read."""
        return not self.refuses and not self.type

    def described(self, nested: Nested, refer: Refer) -> Schema:
        """Describe the values that can be read.

        A value that fits the schema can be read. Not every lenient spelling has a place in it.
        """
        if self.schema is not None:
            return self.schema(nested, refer)
        return refer(self.type) if self.type else {}

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
    raise WrongType.of(name, "an integer", value)


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
            raise WrongType.of(name, "an integer or an array of integers", value) from None
    return tuple(dict.fromkeys(read_id(item, f"{name}[{i}]") for i, item in enumerate(value)))


def read_boolean(value: Any, name: str) -> bool:
    """Read a boolean in any of the spellings of C6; everything else is a wrong type."""
    said = spelled(value)
    if said is None:
        raise WrongType.of(name, "a boolean", value)
    return said


def read_truthy(value: Any, name: str) -> bool:  # noqa: ARG001 - every reader is given the name
    """Read a boolean; a value without a spelling in C6 is true when it is not empty."""
    said = spelled(value)
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
    raise WrongType.of(name, "a string", value)


def read_object(value: Any, name: str) -> dict[str, Any]:
    """Read an object; PHP clients write the empty one as `[]` (C7)."""
    if isinstance(value, dict):
        return value
    if value == []:
        return {}
    raise WrongType.of(name, "an object", value)


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
    raise WrongType.of(name, "a number", value)


def read_list(value: Any, name: str) -> list[Any]:
    value = as_list(value)
    if isinstance(value, list):
        return value
    raise WrongType.of(name, "an array", value)


def read_file(value: Any, name: str) -> FilePart:
    """Read a file: a part of a form, or its name and its content in Base64."""
    if isinstance(value, FilePart):
        return value
    match as_list(value):
        case [str() as file, str() as text]:
            with contextlib.suppress(ValueError):
                return FilePart(file, b64decode(text, validate=True))
    raise WrongType.of(
        name, "a file, in JSON an array of its name and its content in Base64", value
    )


def as_list(value: Any) -> Any:
    """Return an object whose keys are all integers as the list that PHP clients mean (C7)."""
    if isinstance(value, Mapping) and value and all(map(_INTEGER_KEY.fullmatch, value)):
        return [value[key] for key in sorted(value, key=int)]
    return value


def spelled(value: Any) -> bool | None:
    """Answer what a C6 spelling says, or None for a value that is none of them."""
    match value:
        case bool():
            return value
        case int() | float() if value in (0, 1):
            return bool(value)
        case str():
            return _SPELLINGS.get(value.lower())
    return None


Id = Annotated[int, Reader(read_id, "Id", otherwise=0)]
"""An id, or its decimal digits; a number that can be no id is 0, which no row has (C5)."""
NeededId = Annotated[int, Reader(read_id, "Id", empty_is_missing=True, otherwise=0)]
"""An `Id` that an empty array leaves out, as PHP clients write it: `lid` (C7)."""

Ids = Annotated[tuple[int, ...], Reader(read_ids, "Ids", empty_is_missing=True)]
"""One id or a list of ids, each once and in the order given (B3)."""
Truthy = Annotated[bool, Reader(read_truthy, "LooseFlag")]
"""A boolean in any spelling of C6; any other value is true where it is not empty."""

PLAIN: dict[Any, Reader] = {
    int: Reader(read_integer, "WholeNumber"),
    bool: Reader(read_boolean, "Flag"),
    str: Reader(read_text, "PlainText"),
    float: Reader(read_number, "DecimalNumber"),
    dict: Reader(read_object, "AnyObject", otherwise=None),
    list: Reader(read_list, "AnyList"),
    FilePart: Reader(read_file, "File", strict=True, files="one"),
    Any: Reader(lambda value, _: value, refuses=False),
}


class Field(Struct, frozen=True):
    """A field of a parameters Struct: its own name, the wire's, and its reader.

    A value of `empty` counts as not sent.
    """

    name: str
    wire: str
    reader: Reader
    required: bool
    empty: tuple[Any, ...]


class FieldsReader(Generic[P]):
    """Reads a Struct, each of its `fields` by its reader.

    `lenient`: an unusable optional parameter counts as absent, as in the methods whose contract
    has no `TYPE_ERROR` (C9).
    """

    def __init__(self, struct: type[P], fields: Sequence[Field], *, lenient: bool) -> None:
        self._struct = struct
        self.fields = fields
        self._lenient = lenient
        several = {f"{each.wire}[]" for each in fields if each.reader.files == "several"}
        self._names = {each.wire for each in fields} | several
        self._files = {each.wire for each in fields if each.reader.files} | several

    @property
    def required(self) -> tuple[str, ...]:
        """The wire names of the parameters that must be sent, nested ones among them."""
        return tuple(
            name
            for each in self.fields
            for name in (each.wire,) * each.required
            + tuple(f"{each.wire}.{inner}" for inner in each.reader.required)
        )

    @property
    def strict(self) -> bool:
        """Whether a parameter has values that are refused, be it required or not."""
        return any(each.reader.strict for each in self.fields)

    @property
    def refuses(self) -> bool:
        """Whether a parameter can have a wrong type that only `TYPE_ERROR` tells."""
        return self.strict or any(
            each.reader.refuses and each.reader.otherwise is UNSET
            for each in self.fields
            if each.required
        )

    def unknown(self, sent: Mapping[str, Any]) -> list[str]:
        """Name what was sent and is no parameter."""
        return [] if sent.keys() <= self._names else [*(sent.keys() - self._names)]

    def __call__(self, sent: Mapping[str, Any], name: str = "") -> P:
        """Read `sent`; refuses untaken files, then all that is missing, then wrong types."""
        self._refuse_files(sent)
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

    def _present(self, sent: Mapping[str, Any], prefix: str) -> list[tuple[Field, Any]]:
        missing: list[str] = []
        present: list[tuple[Field, Any]] = []
        for field in self.fields:
            reader = field.reader
            value = sent.get(field.wire)
            if value is None and reader.files == "several":
                value = sent.get(f"{field.wire}[]")
            if isinstance(value, tuple):  # the files of a form
                value = list(value) if reader.files == "several" else value[-1]
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

    def _refuse_files(self, sent: Mapping[str, Any]) -> None:
        for name, value in sent.items():
            if isinstance(value, tuple) and name not in self._files:
                raise InvalidRequest(f"No parameter of the method takes the file '{name}'.")
