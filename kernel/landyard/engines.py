"""Engines: how each kind of database is connected to, and what its connections refuse."""

from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

OPEN = "landyard_open"
"""Marks a connection, in its `info`, that a handler has in hands: it cannot be committed."""


def make_engine(url: str, connections: int, busy_timeout: float, *, durable: bool = True) -> Engine:
    """Make the engine of a URL; raises `ArgumentError` for one that cannot be used.

    `connections` are kept and as many more are made when they are needed; `busy_timeout` is in
    seconds, for SQLite, and so is `durable`.
    """
    options: dict[str, Any] = {
        "hide_parameters": True,  # bound values are pages and secrets: they stay out of errors
        "json_serializer": lambda value: msgspec.json.encode(value).decode(),
        "json_deserializer": msgspec.json.decode,
        "pool_size": connections,
        "max_overflow": connections,
    }
    if url.startswith(("postgresql://", "postgres://")):
        url = "postgresql+psycopg://" + url.partition("://")[2]
    if not url.startswith("sqlite"):
        engine = create_engine(url, pool_pre_ping=True, **options)
        event.listen(engine, "handle_error", _drop_details)
        return _guarded(engine)
    if not make_url(url).database:
        raise ArgumentError("an SQLite database needs a file")
    engine = create_engine(url, connect_args={"timeout": busy_timeout}, **options)
    event.listen(engine, "do_connect", _make_folder)
    event.listen(engine, "connect", _prepare_sqlite)
    if not durable:
        event.listen(engine, "connect", _never_wait_for_disk)
    event.listen(engine, "begin", _begin_sqlite)
    return _guarded(engine)


def _guarded(engine: Engine) -> Engine:
    """Refuse commits and rollbacks of a connection that a handler has in hands."""
    event.listen(engine, "commit", _refuse_while_open)
    event.listen(engine, "rollback", _refuse_while_open)
    return engine


def _refuse_while_open(connection: Connection) -> None:
    if connection.info.pop(OPEN, None):
        raise RuntimeError("a handler must not end its transaction: it commits when it returns")


def _drop_details(context: Any) -> None:
    """Keep the first line of a server's error: the lines below it quote the row's values."""
    for error in (context.original_exception, context.sqlalchemy_exception):
        if error is not None and error.args and isinstance(error.args[0], str):
            error.args = (error.args[0].partition("\n")[0], *error.args[1:])


def _make_folder(_dialect: Any, _record: Any, arguments: list[Any], _options: Any) -> None:
    # Only when a command connects: one that reads no data leaves no empty folder behind.
    # What is in it is nobody else's business on this machine.
    Path(arguments[0]).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # The driver's own transaction handling begins too late and only before writes: take over.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _never_wait_for_disk(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA synchronous=OFF").close()


def _begin_sqlite(connection: Any) -> None:
    if connection.get_execution_options().get("landyard_writes", True):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        # It waits for nobody and cannot fail: past SQLAlchemy, whose care costs more than it.
        connection.connection.execute("BEGIN").close()
