"""Readers: how what a caller sent is read as a plain type (C5 to C10)."""

import contextlib
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Struct

from landyard.core.errors import WrongType
from landyard.core.methods import FilePart

BIGGEST = 2**63 - 1
BIGGEST_ID = 2**31 - 1  # what a column of ids holds
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_INTEGER_KEY = re.compile(r"0|-?[1-9][0-9]{0,17}")
_MOST_CHARACTERS = 21  # enough to be beyond 64 bits, and few enough for int()
_SPELLINGS = dict.fromkeys(("y", "yes", "on", "true", "1"), True)
_SPELLINGS |= dict.fromkeys(("n", "no", "off", "false", "0", ""), False)

Read = Callable[[Any, str], Any]


class Reader(Struct, frozen=True):
    """How values of one type are read: `read(value, name)` answers the value or raises `WrongType`.

    `type` names it for descriptions; "" is any value. `empty_is_missing`: an empty list counts as
    not sent at all (C7, `lid: []`). `required` are the parameters of a nested Struct that must be
    sent with it. `refuses`: there are wrong types. `otherwise`: what an unusable required value
    counts as where the method has no `TYPE_ERROR` (C9); None counts as missing. `strict`: the
    method must have `TYPE_ERROR`, for the author has said more than the contract does.
    """

    read: Read
    type: str = ""
    empty_is_missing: bool = False
    required: tuple[str, ...] = ()
    refuses: bool = True
    otherwise: Any = UNSET
    strict: bool = False

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
    FilePart: Reader(read_file, "File", strict=True),
    Any: Reader(lambda value, _: value, refuses=False),
}
