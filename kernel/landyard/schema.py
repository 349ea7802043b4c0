"""The database's schema: one Alembic branch for the kernel and one for each plugin with tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import Connection, inspect
from sqlmodel import SQLModel

if TYPE_CHECKING:
    from alembic.config import Config

    from landyard.store import Store

_HERE = Path(__file__).parent / "migrations"


class Tables(Struct, frozen=True):
    """A plugin's tables: its Alembic branch label and the folder of its revisions.

    The tables themselves are SQLModel classes that the plugin has imported by then. Their names
    and those of the revisions begin with the branch's name and an underscore.
    """

    branch: str
    migrations: Path


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
        """Bring the database up to date, all branches or none."""
        from alembic import command  # slow to import, and only needed here
        from alembic.util import CommandError

        self.behind(store)  # refuses what a newer version has made

        with store.rebuilding() as connection:
            if not store.sqlite:
                # Two services that start at once upgrade one after the other.
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(4807526976)")
            try:
                command.upgrade(self._config(connection), "heads")
            except CommandError as error:
                raise SchemaError(f"the database cannot be upgraded: {error}") from error

    def behind(self, store: "Store") -> list[str]:
        """List the revisions that the database still lacks; empty when it is up to date.

        Raises `SchemaError` for a database that a newer version has upgraded.
        """
        from alembic.runtime.migration import MigrationContext
        from alembic.script import ScriptDirectory

        with store.engine.connect() as connection:
            current = set(MigrationContext.configure(connection).get_current_heads())
            scripts = ScriptDirectory.from_config(self._config(connection))
            heads = scripts.get_heads()
            known = {script.revision for script in scripts.walk_revisions()}
        ours = tuple(f"{branch.branch}_" for branch in self.branches)
        if newer := sorted(name for name in current - known if name.startswith(ours)):
            raise SchemaError(
                f"the database holds {', '.join(newer)}, made by a newer version:"
                " install that, or restore the backup made before the upgrade"
            )
        return sorted(set(heads) - current)

    def drift(self, store: "Store") -> list[str]:
        """List where the database differs from the models; empty when it does not."""
        from alembic.autogenerate import compare_metadata
        from alembic.runtime.migration import MigrationContext

        with store.engine.connect() as connection:
            options = {"include_object": self._include, "compare_type": True}
            context = MigrationContext.configure(connection, opts=options)
            return [str(difference) for difference in compare_metadata(context, SQLModel.metadata)]

    def prepare(self, store: "Store") -> None:
        """Fill an empty database; raises `SchemaError` for one that is behind."""
        if self.empty(store):
            self.upgrade(store)
        elif missing := self.behind(store):
            raise SchemaError(
                f"the database lacks {', '.join(missing)}: run `landyard db upgrade` first"
            )

    def _ours(self, table: str) -> bool:
        return table.startswith(tuple(f"{branch.branch}_" for branch in self.branches))

    def _include(self, _item: Any, name: str | None, kind: str, *_: Any) -> bool:
        return kind != "table" or (name is not None and self._ours(name))

    def _config(self, connection: Connection) -> "Config":
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(_HERE))
        config.set_main_option("path_separator", "newline")
        folders = "\n".join(str(branch.migrations) for branch in self.branches)
        config.set_main_option("version_locations", folders)
        config.attributes["connection"] = connection
        return config
