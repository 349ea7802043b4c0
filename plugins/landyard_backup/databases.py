"""Copies databases at one moment while others write, and restores them."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy import inspect, text

from landyard import Store
from landyard_backup.archive import BackupError


def heads(store: Store) -> dict[str, str]:
    """Return the revision of each schema branch, by its version table."""
    with store.unit(writes=False) as unit:
        tables = inspect(unit.connection).get_table_names()
        versions = [name for name in tables if name.startswith("alembic_")]
        return {
            name: unit.connection.execute(text(f"SELECT version_num FROM {name}")).scalar() or ""  # noqa: S608 - a name of a table
            for name in versions
        }


def main_file(store: Store) -> Path | None:
    """Return the path of the service's SQLite database; None for PostgreSQL."""
    return Path(store.engine.url.database or "").resolve() if store.sqlite else None


def is_empty(store: Store) -> bool:
    """Tell whether the database has no tables yet; creates no file."""
    file = main_file(store)
    return (file is not None and not file.exists()) or not inspect(store.engine).get_table_names()


def copy_sqlite(file: Path, to: Path) -> None:
    """Copy an SQLite database as of one moment, without blocking writers."""
    to.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)


def copy_database(store: Store, to: Path) -> None:
    """Copy the service's database into a file; raises `BackupError`."""
    file = main_file(store)
    if file is not None:
        copy_sqlite(file, to)
    else:
        _run(store, "pg_dump", "--format=custom", "--no-owner", "--file", str(to))


def restore_database(store: Store, copy: Path) -> None:
    """Restore the service's database from a copy, in one piece; raises `BackupError`."""
    file = main_file(store)
    if file is None:
        name = store.engine.url.database or ""
        # In one transaction, so that a failure leaves the database empty.
        _run(store, "pg_restore", "--no-owner", "--single-transaction", "--dbname", name, str(copy))
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.move(copy, file)


def _run(store: Store, program: str, *words: str) -> None:
    """Run a PostgreSQL program; the password is passed by environment, not as an argument."""
    url = store.engine.url
    connection = {
        "PGHOST": url.host,
        "PGPORT": url.port and str(url.port),
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
    }
    query = {f"PG{name.upper()}": str(value) for name, value in url.query.items()}
    environment = {
        **os.environ,
        **query,
        **{name: value for name, value in connection.items() if value},
    }
    try:
        ran = subprocess.run(  # noqa: S603 - constant words
            [program, *words], env=environment, capture_output=True, check=False, text=True
        )
    except FileNotFoundError:
        raise BackupError(
            f"there is no {program} here: install PostgreSQL's client, as new as the server"
        ) from None
    if ran.returncode:
        raise BackupError(f"{program} failed: {' '.join(ran.stderr.split())}")
