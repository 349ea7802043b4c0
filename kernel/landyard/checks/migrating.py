"""A plugin's tables: made, taken back, made again, and held against its models. On SQLite."""

import ast
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import inspect

from landyard.checks.findings import Finding, failure
from landyard.checks.subject import Subject
from landyard.schema import Schema, Tables, alembic_config, prepare
from landyard.store import Store

_LONGEST = 32  # characters of a revision that the database keeps


def tables(subject: Subject) -> Iterator[Finding]:
    """Migrate an empty database up, down and up again."""
    brought = subject.brought.tables
    if brought is None:
        for name in sorted(subject.tables):
            yield failure("tables", f"nothing makes {name}: answer register_tables")
        return
    yield from _names(subject, brought)
    yield from _revisions(brought)
    # The tables of those it is built on are there first, for it may refer to them.
    below = [other.tables for other in subject.others if other.tables is not None]
    store = Store(f"sqlite:///{subject.folder / 'migrated.db'}")
    try:
        Schema(below).prepare(store)
        yield from _up_and_down(brought, below, store)
    finally:
        store.close()


def _names(subject: Subject, brought: Tables) -> Iterator[Finding]:
    for name in sorted(subject.tables):
        if not name.startswith(f"{brought.branch}_"):
            yield failure("tables", f"begin the name of {name} with '{brought.branch}_'")


def _revisions(brought: Tables) -> Iterator[Finding]:
    for file in sorted(brought.migrations.glob("*.py")):
        for revision in _revision(file):
            if not revision.startswith(f"{brought.branch}_"):
                reason = f"begin the revision {revision} with '{brought.branch}_'"
                yield failure("tables", f"{file.name}: {reason}")
            if len(revision) > _LONGEST:
                reason = f"the revision {revision} has more than {_LONGEST} characters"
                yield failure("tables", f"{file.name}: {reason}")


def _revision(file: Path) -> Iterator[str]:
    for statement in ast.parse(file.read_bytes()).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name("revision")], value=ast.Constant(str(name)))
                | ast.AnnAssign(target=ast.Name("revision"), value=ast.Constant(str(name)))
            ):
                yield name


def _up_and_down(brought: Tables, below: list[Tables], store: Store) -> Iterator[Finding]:
    before = set(inspect(store.engine).get_table_names())
    prepare(brought, store)
    for difference in Schema([*below, brought]).drift(store):
        if f"{brought.branch}_" in difference:
            yield failure(
                "tables", f"the migrations make other tables than the models: {difference}"
            )
    _down(brought, store)
    left = set(inspect(store.engine).get_table_names()) - before - {brought.version_table}
    if left:
        yield failure("tables", f"its downgrades leave {', '.join(sorted(left))} behind")
        return
    prepare(brought, store)


def _down(brought: Tables, store: Store) -> None:
    from alembic import command  # slow to import

    with store.rebuilding() as connection:
        command.downgrade(alembic_config(brought, connection), "base")
