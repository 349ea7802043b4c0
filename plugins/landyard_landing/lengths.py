"""Lengths: how many characters the rows of a statement have, counted by the database."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Integer, Text, cast, func, literal_column

_ZERO: ColumnElement[int] = literal_column("0", Integer)


def total_length(columns: Iterable[ColumnElement[Any]]) -> ColumnElement[int]:
    """Add up the characters of these columns over all rows that a statement selects.

    A column of JSON counts as its text. NULL counts as nothing, and so does a statement without
    rows.
    """
    lengths = (
        func.coalesce(func.length(cast(column, Text), type_=Integer), _ZERO) for column in columns
    )
    return func.coalesce(func.sum(sum(lengths, _ZERO)), _ZERO)
