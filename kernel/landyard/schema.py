"""The database's schema: one Alembic branch for the kernel and one for each plugin with tables.

Each branch has a version table of its own and is upgraded by itself: one that cannot be does not
hold up the others, and one whose plugin is away is left as it is.
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import Connection, inspect, text
from sqlmodel import SQLModel

if TYPE_CHECKING:
    from alembic.config import Config

    from landyard.store import Store

_HERE = Path(__file__).parent / "migrations"
_SHARED = "alembic_version"  # where earlier versions of Landyard kept all branches
_LOCK = "SELECT pg_advisory_xact_lock(4807526976)"


class Tables(Struct, frozen=True):
    """A plugin's tables: its Alembic branch label and the folder of its revisions.

    The tables themselves are SQLModel classes that the plugin has imported by then. Their names
    and those of the revisions begin with the branch's name and an underscore; no revision depends
    on one of another branch.
    """

    branch: str
    migrations: Path

    @property
    def version_table(self) -> str:
        """Where the database keeps which revision it has."""
        return f"alembic_{self.branch}"


KERNEL = Tables("landyard", _HERE / "versions")


class SchemaError(Exception):
    """The database's schema is not the one this version needs; the text says what to do."""


class Schema:
    """Every branch together, held against one database."""

    def __init__(self, branches: Sequence[Tables]) -> None:
        """Take the kernel's branch along."""
        self.branches = [KERNEL, *branches]

    def empty(self, store: "Store") -> bool:
        """Tell whether the database holds no table of ours yet."""
        return not any(self._ours(name) for name in inspect(store.engine).get_table_names())

    def upgrade(self, store: "Store") -> None:
        """Bring every branch up to date, each whole or not at all.

        Raises `SchemaError` for those that cannot be, once the others are.
        """
        failed = []
        for branch in self.branches:
            try:
                upgrade(branch, store)
            except SchemaError as error:
                failed.append(str(error))
                if branch is KERNEL:
                    break  # the others may build on it
        if failed:
            raise SchemaError("; ".join(failed))

    def behind(self, store: "Store") -> list[str]:
        """List the revisions that the database still lacks; empty when it is up to date.

        Raises `SchemaError` for a database that a newer version has upgraded.
        """
        return sorted(name for branch in self.branches for name in lacking(branch, store))

    def drift(self, store: "Store") -> list[str]:
        """List where the database differs from the models; empty when it does not."""
        from alembic.autogenerate import compare_metadata  # slow to import
        from alembic.runtime.migration import MigrationContext

        with store.engine.connect() as connection:
            options = {"include_object": self._include, "compare_type": True}
            context = MigrationContext.configure(connection, opts=options)
            return [str(difference) for difference in compare_metadata(context, SQLModel.metadata)]

    def prepare(self, store: "Store") -> None:
        """Make the tables of each branch that has none; raises `SchemaError` for one behind."""
        for branch in self.branches:
            prepare(branch, store)

    def _ours(self, table: str) -> bool:
        return table.startswith(tuple(f"{branch.branch}_" for branch in self.branches))

    def _include(self, _item: Any, name: str | None, kind: str, *_: Any) -> bool:
        return kind != "table" or (name is not None and self._ours(name))


def prepare(branch: Tables, store: "Store") -> None:
    """Make a branch's tables where it has none; raises `SchemaError` where it is behind."""
    missing = lacking(branch, store)
    if not missing:
        return
    with store.unit(writes=False) as unit:
        begun = _current(branch, unit.connection)
    if begun:
        raise SchemaError(
            f"the database lacks {', '.join(missing)}: run `landyard db upgrade` first"
        )
    upgrade(branch, store)


def upgrade(branch: Tables, store: "Store") -> None:
    """Bring a branch up to date, all of it or nothing; raises `SchemaError`."""
    if not lacking(branch, store):  # refuses what a newer version has made
        return
    from alembic import command  # slow to import, and only needed here

    try:
        with store.rebuilding() as connection:
            if not store.sqlite:
                # Two services that start at once upgrade one after the other.
                connection.exec_driver_sql(_LOCK)
            _adopt(branch, connection)
            command.upgrade(alembic_config(branch, connection), "heads")
    except KeyboardInterrupt:  # an operator's, who waits for it no longer
        raise
    except BaseException as error:
        told = str(error).partition("\n")[0]
        raise SchemaError(
            f"the tables of '{branch.branch}' cannot be upgraded: {type(error).__name__}: {told}"
        ) from error


def lacking(branch: Tables, store: "Store") -> list[str]:
    """List the newest revisions of a branch that the database lacks, without running Alembic.

    Raises `SchemaError` where the database is newer than the branch, or the branch cannot be read.
    """
    revisions = dict(_revisions(branch))
    with store.unit(writes=False) as unit:
        current = _current(branch, unit.connection)
    if newer := sorted(current - revisions.keys()):
        raise SchemaError(
            f"the database holds {', '.join(newer)}, made by a newer version:"
            " install that, or restore the backup made before the upgrade"
        )
    heads = revisions.keys() - {old for before in revisions.values() for old in before}
    return sorted(heads - current)


def alembic_config(branch: Tables, connection: Connection) -> "Config":
    """Configure Alembic for one branch, on a connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_HERE))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(branch.migrations))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = branch.version_table
    return config


def _revisions(branch: Tables) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Read each revision of a branch, and those it stands on, without running it."""
    try:
        files = sorted(branch.migrations.glob("*.py"))
        for file in files:
            said = dict(_literals(file))
            if isinstance(name := said.get("revision"), str):
                before = said.get("down_revision") or ()
                yield name, (before,) if isinstance(before, str) else tuple(before)
    except (OSError, SyntaxError, ValueError, TypeError) as error:
        raise SchemaError(f"the migrations of '{branch.branch}' cannot be read: {error}") from error


def _literals(file: Path) -> Iterator[tuple[str, Any]]:
    for statement in ast.parse(file.read_bytes()).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(name)], value=value)
                | ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value)
            ) if name in {"revision", "down_revision"}:
                yield name, ast.literal_eval(value)


def _current(branch: Tables, connection: Connection) -> set[str]:
    """Read which revisions the database has of a branch."""
    tables = inspect(connection).get_table_names()
    if branch.version_table in tables:
        return _rows(branch.version_table, connection)
    if _SHARED in tables:
        shared = _rows(_SHARED, connection)
        return {name for name in shared if name.startswith(f"{branch.branch}_")}
    return set()


def _rows(table: str, connection: Connection) -> set[str]:
    found = connection.execute(text(f"SELECT version_num FROM {table}"))  # noqa: S608 - our names
    return set(found.scalars())


def _adopt(branch: Tables, connection: Connection) -> None:
    """Move a branch's revision from the table that all branches once shared into its own."""
    tables = inspect(connection).get_table_names()
    if _SHARED not in tables or branch.version_table in tables:
        return
    moved = _current(branch, connection)
    name = "version_num VARCHAR(32) NOT NULL PRIMARY KEY"
    connection.execute(text(f"CREATE TABLE {branch.version_table} ({name})"))
    for revision in moved:
        which = {"revision": revision}
        into = f"INSERT INTO {branch.version_table} VALUES (:revision)"  # noqa: S608 - our names
        connection.execute(text(into), which)
        connection.execute(text(f"DELETE FROM {_SHARED} WHERE version_num = :revision"), which)  # noqa: S608 - our names
    if not _rows(_SHARED, connection):
        connection.execute(text(f"DROP TABLE {_SHARED}"))
