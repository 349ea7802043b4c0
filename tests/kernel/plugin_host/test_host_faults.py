"""Faults of the host: errors of the database and the machine are not blamed on plugins."""

import errno
import re
import sqlite3
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from sqlalchemy import exc

from landyard.core.errors import Busy
from landyard.plugin_host.host_faults import is_host_fault
from landyard.storage.group_commit import Again


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("as the driver words it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("name", ["BUSY", "FULL", "IOERR_WRITE", "CANTOPEN", "READONLY", "NOMEM"])
def test_an_error_of_the_sqlite_file_is_the_hosts(name: str) -> None:
    error = sqlite_error(getattr(sqlite3, f"SQLITE_{name}"))

    assert is_host_fault(error)
    assert is_host_fault(exc.OperationalError("SELECT 1", {}, error))


@pytest.mark.parametrize(
    "error",
    [
        Busy(),
        Again(),
        MemoryError(),
        exc.TimeoutError("QueuePool limit of size 5 overflow 5 reached"),
        exc.DBAPIError("SELECT 1", {}, Exception("gone"), connection_invalidated=True),
        *(OSError(getattr(errno, name), name) for name in
          ("ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM")),
    ],
    ids=repr,
)  # fmt: skip
def test_an_error_of_the_machine_is_the_hosts(error: Exception) -> None:
    assert is_host_fault(error)


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError(),
        FileNotFoundError(errno.ENOENT, "no such file"),
        ConnectionRefusedError(errno.ECONNREFUSED, "refused"),
        TimeoutError("timed out"),
        exc.InvalidRequestError("a session in a wrong state"),
        exc.NoResultFound(),
        sqlite_error(sqlite3.SQLITE_ERROR),
        exc.OperationalError("SELECT 1", {}, sqlite_error(sqlite3.SQLITE_ERROR)),
    ],
    ids=repr,
)
def test_a_mistake_of_a_plugin_is_the_plugins(error: Exception) -> None:
    assert not is_host_fault(error)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM no_such_table",
        "SELEKT 1",
        "INSERT INTO landyard_user (id) SELECT id FROM landyard_user",
    ],
)
def test_bad_sql_is_the_plugins_on_every_database(
    make_service: MakeService, statement: str
) -> None:
    service = make_service([])

    with pytest.raises(exc.DBAPIError) as raised, service.kernel.store.session(writes=True) as own:
        own.execute(sa.text(statement))

    assert not is_host_fault(raised.value)


def test_a_locked_file_is_the_hosts(tmp_path: Any) -> None:
    file = tmp_path / "locked.db"
    engine = sa.create_engine(f"sqlite:///{file}", connect_args={"timeout": 0})
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("CREATE TABLE t (n)")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(exc.OperationalError) as locked, engine.connect() as connection:
        connection.execute(sa.text("SELECT * FROM t"))
    holder.close()
    engine.dispose()

    assert is_host_fault(locked.value)


@pytest.mark.postgres
def test_a_database_server_that_is_gone_is_the_hosts(postgres_url: str) -> None:
    engine = sa.create_engine(postgres_url)
    with pytest.raises(exc.OperationalError) as ended, engine.connect() as connection:
        connection.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))
    engine.dispose()
    nowhere = sa.create_engine(re.sub(r":\d+/", ":1/", postgres_url))
    with pytest.raises(exc.OperationalError) as absent:
        nowhere.connect()

    assert is_host_fault(ended.value)
    assert is_host_fault(absent.value)
