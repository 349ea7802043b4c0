"""The database's schema: all tables, in an Alembic branch of the kernel and one of each plugin.

Each branch has a version table and is upgraded by itself. A branch that cannot be upgraded does
not hold up the others; the tables of a plugin that is not installed stay as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import Connection, Table, inspect, text
from sqlalchemy.orm import DeclarativeBase, Mapper, registry
from sqlmodel import SQLModel

if TYPE_CHECKING:
    from alembic.config import Config

    from landyard.storage.store import Store

_HERE = Path(__file__).parent / "migrations"


class Tables(Struct, frozen=True):
    """A plugin's tables: the label of its Alembic branch and the folder with its revisions.

    The names of the tables and of the revisions begin with the label and an underscore. The
    revisions follow each other in the order of their names; a revision has the name of its file. No
    revision depends on a revision of another branch. The tables are classes of SQLModel; the plugin
    has imported them when it registers them. `notes` are for other plugins, which find them in
    `kernel.schema.branches` by their types.
    """

    branch: str
    migrations: Path
    notes: Sequence[object] = ()

    @property
    def version_table(self) -> str:
        """The table that says which revision the database has."""
        return f"alembic_{self.branch}"

    def revisions(self) -> list[str]:
        """List the branch's revisions, without importing any."""
        return sorted(file.stem for file in self.migrations.glob(f"{self.branch}_*.py"))


KERNEL = Tables("landyard", _HERE / "versions")
Model = Table | type[SQLModel]
METADATA = SQLModel.metadata
"""All tables of the kernel and of all plugins: an alias of `SQLModel.metadata`."""


class Base(SQLModel, registry=registry(metadata=METADATA)):
    """The base of the kernel's tables. Each plugin has a base with a registry of its own."""


def table_of(model: Model) -> Table:
    """Return the table of a class of SQLModel, which does not declare it; a table is its own."""
    return model if isinstance(model, Table) else model.__table__  # type: ignore[attr-defined]


def upsert(table: Table, on: Connection, *, keep: Sequence[str] = ()) -> Any:
    """Insert a row, or write over the one with its primary key, all but the columns in `keep`."""
    made = import_module(f"sqlalchemy.dialects.{on.dialect.name}").insert(table)
    kept = {*table.primary_key.columns.keys(), *keep}
    changed = {name: column for name, column in made.excluded.items() if name not in kept}
    return made.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)


class SchemaError(Exception):
    """The database's schema is not the one this version needs; the text says what to do."""


class Behind(SchemaError):
    """The database lacks the newest revisions of a branch."""


class Schema:
    """The branches of the kernel and of all plugins, compared with a database."""

    def __init__(self, branches: Sequence[Tables]) -> None:
        self.branches = [KERNEL, *branches]

    def upgrade(self, store: "Store") -> None:
        """Bring every branch up to date, each whole or not at all.

        Raises `SchemaError` when a branch failed, after the others were upgraded.
        """
        failed, made = [], revisions_made(self.branches, store)
        for branch in self.branches:
            try:
                if lacking(branch, made):
                    _upgrade(branch, store)
            except SchemaError as error:
                failed.append(str(error))
                if branch is KERNEL:
                    break  # plugins' tables may refer to the kernel's
        if failed:
            raise SchemaError("; ".join(failed))

    def behind(self, store: "Store") -> list[str]:
        """List the revisions that the database lacks, as `lacking` does for one branch."""
        made = revisions_made(self.branches, store)
        return [name for branch in self.branches for name in lacking(branch, made)]

    def prepare(self, store: "Store") -> None:
        made = revisions_made(self.branches, store)
        for branch in self.branches:
            if missing := lacking(branch, made):
                prepare(branch, missing, store)


def not_made(package: str, store: "Store") -> list[str]:
    """Name the tables of a package's classes that the database lacks."""
    models = classes_of(package)
    if not models:
        return []
    with store.unit(writes=False) as unit:
        there = inspect(unit.connection).get_table_names()
    return sorted({table_of(each).name for each in models}.difference(there))


def classes_of(package: str) -> list[type[Any]]:
    """List the classes with a table that the modules of a package define."""
    return [kind for kind in classes() if is_in(kind.__module__, package)]


def classes() -> list[type[Any]]:
    """List all classes with a table that is in its `MetaData`, of SQLModel and of SQLAlchemy."""
    kinds = dict.fromkeys([*_subclasses(SQLModel), *_subclasses(DeclarativeBase)])
    return [kind for kind in kinds if _has_table(kind)]


def is_in(module: str, package: str) -> bool:
    """Tell whether a module is a package, or in it."""
    return f"{module}.".startswith(f"{package}.")


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    each: type[Any]
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def _has_table(kind: type[Any]) -> bool:
    mapper: Mapper[Any] | None = inspect(kind, raiseerr=False)
    table = None if mapper is None else mapper.local_table
    return isinstance(table, Table) and table.metadata.tables.get(table.key) is table


def prepare(branch: Tables, missing: Sequence[str], store: "Store") -> None:
    """Make a branch's tables; raises `SchemaError` if only some of its revisions are missing."""
    if missing != branch.revisions():
        lacks = ", ".join(missing)
        raise Behind(f"the database lacks {lacks}: run `landyard db upgrade` first")
    _upgrade(branch, store)


def revisions_made(branches: Sequence[Tables], store: "Store") -> dict[str, str]:
    """Look up the revision that the database has of each branch, where it has one."""
    with store.unit(writes=False) as unit:
        there = inspect(unit.connection).get_table_names()
        query = " UNION ALL ".join(
            f"SELECT '{each.branch}', version_num FROM {each.version_table}"  # noqa: S608 - our names
            for each in branches
            if each.version_table in there
        )
        return dict(map(tuple, unit.connection.execute(text(query)))) if query else {}


def lacking(branch: Tables, made: Mapping[str, str]) -> list[str]:
    """List the revisions of a branch that a database lacks with those that were `made`.

    Raises `SchemaError` where the database is newer than the branch.
    """
    revisions, current = branch.revisions(), made.get(branch.branch)
    if current is None:  # none was ever made, or all were taken back
        return revisions
    if current not in revisions:
        raise SchemaError(
            f"the database holds {current}, made by a newer version:"
            " install that, or restore the backup made before the upgrade"
        )
    return revisions[revisions.index(current) + 1 :]


def _upgrade(branch: Tables, store: "Store") -> None:
    from alembic import command  # slow to import, and only needed here

    try:
        with store.rebuilding() as connection:
            if not store.sqlite:
                # Two services that start at once upgrade one after the other.
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(4807526976)")
            command.upgrade(alembic_config(branch, connection), "heads")
    except (Exception, SystemExit) as error:  # a plugin's revision may raise anything
        told = str(error).partition("\n")[0]
        raise SchemaError(
            f"the tables of '{branch.branch}' cannot be upgraded: {type(error).__name__}: {told}"
        ) from error


def alembic_config(branch: Tables, connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config(attributes={"connection": connection, "version_table": branch.version_table})
    config.set_main_option("script_location", str(_HERE))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(branch.migrations))
    return config
