"""Statements that are compiled once and run on the driver's connection; also types of columns.

SQLAlchemy's care for each execution costs more than the database takes to find a row by its id.
Values are converted here, so the types of moments and of JSON are here, too.
"""

import functools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import starmap
from typing import Any, Generic, TypeVar, overload

import msgspec
from msgspec import Struct
from sqlalchemy import ARRAY, JSON, ColumnElement, Connection, DateTime, Dialect, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine

from landyard.core.timing import CLOCKS_DIFFER
from landyard.storage.driver_errors import raise_wrapped

Row = TypeVar("Row")
_Convert = Callable[[Any], Any]


class Prepared(Generic[Row]):
    """A statement that is compiled once for each kind of database, and run again and again.

    Values are given by the names of its `bindparam`s; those of an INSERT or UPDATE that names no
    columns are its columns, the same at every run. Each row is given to `row` by position: a Struct
    with as many fields, or a function. Values and columns are converted as their types say. Errors
    are SQLAlchemy's; listeners to executions hear of these. A `text` needs `columns` for types.
    """

    @overload
    def __init__(self: "Prepared[Any]", statement: Any) -> None: ...
    @overload
    def __init__(self, statement: Any, row: Callable[..., Row]) -> None: ...
    def __init__(self, statement: Any, row: Callable[..., Any] = lambda *columns: columns) -> None:
        self.statement = statement
        self._row = row
        self._compiled: dict[str, _Compiled] = {}

    def all(self, connection: Connection, /, **values: Any) -> list[Row]:
        """Run it and return all rows."""
        return list(starmap(self._row, self._run(connection, values)[0]))

    def first(self, connection: Connection, /, **values: Any) -> Row | None:
        """Run it and return the first row, or None."""
        rows = self._run(connection, values)[0]
        return self._row(*rows[0]) if rows else None

    def run(self, connection: Connection, /, **values: Any) -> int:
        """Run what writes; returns how many rows it has changed."""
        return self._run(connection, values)[1]

    def run_each(self, connection: Connection, rows: Sequence[dict[str, Any]], /) -> None:
        """Run what writes once for each of `rows`, which all give the same names."""
        if rows:
            self._run(connection, rows[0], rows)

    @staticmethod
    def run_together(connection: Connection, writes: "Sequence[Write]") -> None:
        """Run statements that write and need nothing of each other; names of their values differ.

        PostgreSQL is sent them as one.
        """
        if len(writes) > 1 and connection.dialect.name != "sqlite" and not _is_heard(connection):
            joined: Prepared[Any] = _joined(tuple(prepared for prepared, _ in writes))
            values = {name: each for _, values in writes for name, each in values.items()}
            writes = [(joined, values)]
        for prepared, values in writes:
            prepared.run(connection, **values)

    def _columns(self, values: dict[str, Any]) -> list[str]:
        return list(values)

    def _run(
        self,
        connection: Connection,
        values: dict[str, Any],
        several: Sequence[dict[str, Any]] | None = None,
    ) -> tuple[list[Any], int]:
        if _is_heard(connection):
            done = connection.execute(self.statement, several or values)
            return (list(done) if done.returns_rows else []), done.rowcount
        dialect = connection.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = _compile(self.statement, dialect, self._columns(values))
            self._compiled[dialect.name] = compiled
        given = [compiled.bind(row) for row in several] if several else compiled.bind(values)
        driver: Any = connection.connection.driver_connection
        try:
            cursor = driver.cursor()
            (cursor.executemany if several else cursor.execute)(compiled.text, given)
            reads = cursor.description if compiled.reads is None else compiled.reads
            rows = cursor.fetchall() if reads else []
        except dialect.loaded_dbapi.Error as error:
            raise_wrapped(connection, error, compiled.text, given)
        return compiled.convert(rows) if rows else [], cursor.rowcount


Write = tuple[Prepared[Any], dict[str, Any]]
"""A statement that writes, and names all the columns that it writes; and its values."""


def _is_heard(connection: Connection) -> bool:
    heard = connection.engine.dispatch
    return bool(heard.before_cursor_execute or heard.after_cursor_execute)


@functools.cache
def _joined(writes: tuple[Prepared[Any], ...]) -> "_Joined":
    first, *others = [each.statement for each in writes]  # the first is also run first
    return _Joined(first.add_cte(*(each.cte(f"w{n}") for n, each in enumerate(others))))


class _Joined(Prepared[Any]):
    """Several statements as one; each names its columns, or would take every value as its own."""

    def _columns(self, values: dict[str, Any]) -> list[str]:  # noqa: ARG002 - as its base has it
        return []


class _Compiled(Struct, frozen=True):
    """A statement's text for a kind of database; what has no converter goes as it is."""

    text: str
    positional: bool
    names: list[tuple[str, _Convert | None]]
    usual: dict[str, Any]  # values that the statement, or a column, gives itself
    reads: bool | None  # None of a text; the driver's `description` is made anew at each look
    columns: list[tuple[int, _Convert]]

    def bind(self, values: dict[str, Any]) -> Any:
        if self.usual:
            values = {**self.usual, **values}
        try:
            given = [
                values[name] if convert is None else convert(values[name])
                for name, convert in self.names
            ]
        except KeyError as missing:
            raise TypeError(f"the statement needs a value for {missing}") from None
        if unknown := len(values) > len(self.names) and values.keys() - dict(self.names).keys():
            raise TypeError(f"the statement has no parameter of the name {min(unknown)!r}")
        if self.positional:
            return given
        return {name: value for (name, _), value in zip(self.names, given, strict=True)}

    def convert(self, rows: list[Any]) -> list[Any]:
        if not self.columns:
            return rows
        converted = list(map(list, rows))
        for row in converted:
            for index, convert in self.columns:
                row[index] = convert(row[index])
        return converted


def _compile(statement: Any, dialect: Dialect, columns: list[str]) -> _Compiled:
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    bound = {name: each for each, name in compiled.bind_names.items()}
    order = compiled.positiontup or list(bound)
    usual = {name: compiled.params[name] for name, each in bound.items() if not each.required}
    if statement.is_dml:
        for column in (*compiled.insert_prefetch, *compiled.update_prefetch):
            del usual[column.key]
            if column.default is not None and column.default.is_scalar:
                usual[column.key] = column.default.arg
    exported = getattr(statement, "exported_columns", None)
    read = [each.type for each in exported or ()]
    return _Compiled(
        text=compiled.string,
        positional=compiled.positional,
        names=[
            (name, bound[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in order
        ],
        usual=usual,
        reads=None if exported is None else bool(read),
        columns=[
            (index, convert)
            for index, kind in enumerate(read)
            # 1700 is PostgreSQL's NUMERIC: what holds numbers asks of which type they come.
            if (convert := kind.dialect_impl(dialect).result_processor(dialect, 1700))
        ],
    )


class one_of(FunctionElement[bool]):  # noqa: N801 - it stands in statements, as functions do
    """Whether a column is one of the values of a list, which is one parameter of this `name`.

    A statement with SQLAlchemy's `in_` has another text for every length of its list.
    """

    # Without the type of booleans: of those SQLite is asked `… = 1`, for which it reads all rows.
    inherit_cache = True

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        super().__init__(column, bindparam(name, type_=_Values(column.type), required=True))


@compiles(one_of)
def _in_array(element: one_of, compiler: Any, **_: Any) -> str:
    column, values = map(compiler.process, element.clauses)
    return f"{column} = ANY({values})"


@compiles(one_of, "sqlite")
def _in_json(element: one_of, compiler: Any, **_: Any) -> str:
    column, values = map(compiler.process, element.clauses)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - of the compiler


class _Values(TypeDecorator[list[Any]]):
    """A list of values of a type: an array, or JSON where a database has none."""

    impl = JSON
    cache_ok = True

    def __init__(self, of: TypeEngine[Any]) -> None:
        super().__init__()
        self.of = of

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(ARRAY(self.of) if dialect.name == "postgresql" else JSON())

    def process_bind_param(self, value: list[Any] | None, dialect: Dialect) -> list[Any] | None:
        """Write the values as the column holds them; an array does that by itself."""
        write = self.of.dialect_impl(dialect).bind_processor(dialect)
        if value is None or write is None or dialect.name == "postgresql":
            return value
        return [write(each) for each in value]


class Moment(TypeDecorator[datetime]):
    """A column that holds a moment: an aware datetime, kept in UTC on every database.

    The clocks of hosts may differ by `clocks_differ`. A stored moment that is further ahead of now
    than it can be was written by a clock that was wrong.
    """

    clocks_differ = CLOCKS_DIFFER
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
