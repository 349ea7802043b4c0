"""Writes an SQL expression that counts the characters in all rows of a statement."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Integer, Text, cast, func, literal_column

_ZERO: ColumnElement[int] = literal_column("0", Integer)


def total_length(columns: Iterable[ColumnElement[Any]]) -> ColumnElement[int]:
    """Return the sum of the characters of columns over all rows of a statement, as SQL.

    A column of JSON counts by its text. NULL counts as 0; so does a statement without rows.
    """
    lengths = (
        func.coalesce(func.length(cast(column, Text), type_=Integer), _ZERO) for column in columns
    )
    return func.coalesce(func.sum(sum(lengths, _ZERO)), _ZERO)
