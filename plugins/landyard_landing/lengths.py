"""Lengths of stored texts: counted in SQL over all rows of a statement, and held to a limit."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Integer, Text, cast, func, literal_column

from landyard_landing.errors import TooLarge

_ZERO: ColumnElement[int] = literal_column("0", Integer)


def total_length(columns: Iterable[ColumnElement[Any]]) -> ColumnElement[int]:
    """Return the sum of the characters of columns over all rows of a statement, as SQL.

    A column of JSON counts by its text. NULL counts as 0; so does a statement without rows.
    """
    lengths = (
        func.coalesce(func.length(cast(column, Text), type_=Integer), _ZERO) for column in columns
    )
    return func.coalesce(func.sum(sum(lengths, _ZERO)), _ZERO)


def require_length(length: int, most: int, what: str = "The block's HTML") -> None:
    """Raise `TooLarge` for more than `most` characters; `what` names the text in the error."""
    if length > most:
        raise TooLarge(f"{what} would have more than {most} characters.")
