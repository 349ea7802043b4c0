"""Checks of a plugin's migrations, on SQLite: up, down, up again; do they match the models?"""

from collections.abc import Iterator

from sqlalchemy import inspect

from landyard.authoring.checks.findings import Finding, failure
from landyard.authoring.checks.subject import Subject
from landyard.storage.schema import Schema, Tables, alembic_config, prepare
from landyard.storage.store import Store


def tables(subject: Subject) -> Iterator[Finding]:
    """Migrate an empty database up, down and up again."""
    brought = subject.brought.tables
    if brought is None:
        for name in sorted(subject.tables):
            yield failure(f"nothing makes {name}: answer register_tables")
        return
    for name in sorted(subject.tables):
        if not name.startswith(f"{brought.branch}_"):
            yield failure(f"begin the name of {name} with '{brought.branch}_'")
    # Its tables may refer to those of the plugins that it requires.
    below = [other.tables for other in subject.others if other.tables is not None]
    store = Store(f"sqlite:///{subject.folder / 'migrated.db'}")
    try:
        Schema(below).prepare(store)
        yield from _up_and_down(brought, below, store)
    finally:
        store.close()


def _up_and_down(brought: Tables, below: list[Tables], store: Store) -> Iterator[Finding]:
    before = set(inspect(store.engine).get_table_names())
    prepare(brought, store)
    for difference in Schema([*below, brought]).drift(store):
        if f"{brought.branch}_" in difference:
            yield failure(f"the migrations make other tables than the models: {difference}")
    _down(brought, store)
    left = set(inspect(store.engine).get_table_names()) - before - {brought.version_table}
    if left:
        yield failure(f"its downgrades leave {', '.join(sorted(left))} behind")
        return
    prepare(brought, store)


def _down(brought: Tables, store: Store) -> None:
    from alembic import command  # slow to import

    with store.rebuilding() as connection:
        command.downgrade(alembic_config(brought, connection), "base")
