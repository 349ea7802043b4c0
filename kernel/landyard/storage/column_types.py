"""Types of columns: a moment, kept in UTC on every database, and values kept as JSON."""

import functools
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import DateTime, Dialect
from sqlalchemy.types import TypeDecorator


class Moment(TypeDecorator[datetime]):
    """A column that holds a moment: an aware datetime, kept in UTC on every database."""

    impl = DateTime
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Write a text for SQLite; the rows of a list, or a call, have the same few."""
        return _text_of if dialect.name == "sqlite" else super().bind_processor(dialect)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ARG002 - SQLAlchemy's signature
        """Read what `bind_processor` writes."""
        return _moment if dialect.name == "sqlite" else _aware


def _aware(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


@functools.lru_cache(maxsize=4096)
def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


@functools.lru_cache(maxsize=4096)
def _text_of(moment: datetime | None) -> Any:
    return moment and moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")


def json_text(value: Any) -> str:
    """Write a value for a column of JSON."""
    return msgspec.json.encode(value).decode()
