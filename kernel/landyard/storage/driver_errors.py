"""Converts errors of the database's driver to the exceptions of SQLAlchemy."""

from typing import Any, NoReturn

from sqlalchemy import Connection, Dialect
from sqlalchemy.exc import DBAPIError


def raise_wrapped(
    connection: Connection, error: Exception, statement: str | None = None, values: Any = None
) -> NoReturn:
    """Raise a driver's error as SQLAlchemy's; a connection that is lost is invalidated."""
    driver: Any = connection.connection
    lost = connection.dialect.is_disconnect(error, driver, None)  # type: ignore[arg-type]
    raised = wrapped(connection.dialect, error, statement, values, lost=lost)
    if lost:
        connection.invalidate(error)
    raise raised from error


def wrapped(
    dialect: Dialect,
    error: Exception,
    statement: str | None = None,
    values: Any = None,
    *,
    lost: bool = False,
) -> BaseException:
    """Return SQLAlchemy's error for one of the driver, without the values of the row."""
    keep_first_line(error)
    return DBAPIError.instance(
        statement,
        values,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=lost,
        dialect=dialect,
    )


def keep_first_line(error: BaseException | None) -> None:
    """Keep the first line of an error's text: the lines below PostgreSQL's quote values."""
    if error is not None and error.args and isinstance(error.args[0], str):
        error.args = (error.args[0].partition("\n")[0], *error.args[1:])
