"""Reads arguments for methods that answer `ERROR_ARGUMENT`, not `TYPE_ERROR`, for a wrong type.

Some methods of the platform have always answered this error, and clients rely on it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from landyard import CallError, WrongType, read_text

Read = TypeVar("Read")

AnyText = Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]
"""A text that `need_argument` reads."""
AnyMap = Annotated[
    Any,
    Meta(description="object", extra_json_schema={"type": ["object", "array"], "items": {}}),
]
"""An object that `need_argument` reads; PHP clients write the empty one as `[]`."""


class ErrorArgument(CallError):
    """An argument has an invalid value; the answer has the argument's name as `argument`."""

    code = "ERROR_ARGUMENT"
    text = "The value of an argument has an invalid type."

    def __init__(self, argument: str, text: str | None = None) -> None:
        super().__init__(text)
        self.argument = re.split(r"[.\[]", argument)[0]


@contextmanager
def as_arguments() -> Iterator[None]:
    """Raise `ErrorArgument` in place of a `WrongType` from the body of the `with`."""
    try:
        yield
    except WrongType as error:
        raise ErrorArgument(error.parameter, error.description) from None


def need_argument(value: Any, name: str, read: Callable[[Any, str], Read]) -> Read:
    """Read an argument by the function `read(value, name)`; raises `ErrorArgument`."""
    with as_arguments():
        return read(value, name)


def text_argument(value: Any, name: str) -> str:
    """Read an `AnyText`; raises `ErrorArgument`."""
    return need_argument(value, name, read_text)


def map_argument(value: Any, name: str) -> dict[str, Any]:
    """Read an `AnyMap`; raises `ErrorArgument`."""
    if isinstance(value, dict):
        return value
    if value in (None, []):
        return {}
    raise ErrorArgument(name, WrongType.of(name, "an object", value).description)
