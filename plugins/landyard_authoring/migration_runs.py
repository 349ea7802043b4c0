"""Checks of a plugin's tables and migrations, on SQLite: up, down, up again; do they match?"""

import ast
from collections import Counter
from collections.abc import Iterator

from sqlalchemy import DateTime, inspect
from sqlmodel import SQLModel

from landyard import Tables
from landyard.testing import Service
from landyard_authoring.database import drift
from landyard_authoring.findings import Finding, failure, warning
from landyard_authoring.subject import Subject


def tables(subject: Subject) -> Iterator[Finding]:
    """Migrate an empty database up, down and up again."""
    place = subject.source.of_text
    brought = subject.contribution.tables
    yield from _moments(subject)
    if brought is None:
        for name in sorted(subject.tables):
            yield failure(f"nothing makes {name}: answer register_tables", place(name))
        return
    for name in sorted(subject.tables):
        if not name.startswith(f"{brought.branch}_"):
            yield failure(f"begin the name of {name} with '{brought.branch}_'", place(name))
    if wrong := list(_revisions(brought)):
        yield from wrong
        return
    yield from _up_and_down(subject, brought)


def _moments(subject: Subject) -> Iterator[Finding]:
    for name in sorted(subject.tables):
        for column in SQLModel.metadata.tables[name].columns:
            if type(column.type) is DateTime:  # a Moment is none
                yield warning(
                    f"{name}.{column.name} loses its time zone:"
                    f" {column.name}: datetime = Field(sa_type=Moment)",
                    subject.source.of_text(name),
                )


def _revisions(brought: Tables) -> Iterator[Finding]:
    """Check that the revisions come one after the other, each named as its file is."""
    files = sorted(brought.migrations.glob("*.py"))
    if not files:
        yield failure(
            f"there is no migration: write {brought.branch}_0001.py into it, and ship the folder",
            f"{brought.migrations.name}:1",
        )
    below: Counter[str] = Counter()
    for path in files:
        said = {
            target.id: (getattr(node.value, "value", None), f"{path.name}:{node.lineno}")
            for node in ast.parse(path.read_bytes()).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        name, place = said.get("revision", (None, f"{path.name}:1"))
        if name != path.stem or not path.stem.startswith(f"{brought.branch}_"):
            told = f"name file and revision alike, beginning with '{brought.branch}_'"
            yield failure(f"the revision is called {name!r}: {told}", place)
        after, place = said.get("down_revision", (None, f"{path.name}:1"))
        below[str(after)] += 1
        if below[str(after)] > 1:
            told = "let it come after the newest one: there is one line of them"
            yield failure(f"two revisions come after {after!r}: {told}", place)


def _up_and_down(subject: Subject, brought: Tables) -> Iterator[Finding]:
    """Run them; tables may refer to those of the plugins that are required."""
    where = f"{brought.migrations.name}:1"
    if files := brought.revisions():
        where = f"{files[-1]}.py:1"
    url = f"sqlite:///{subject.folder / 'migrated.db'}"
    below = [each.plugin for each in subject.others]
    with Service(below, world={}, database_url=url) as service:
        before = set(inspect(service.kernel.store.engine).get_table_names())
    every = [*below, subject.contribution.plugin]
    with Service(every, world={}, strict=False, database_url=url) as service:
        store, schema = service.kernel.store, service.kernel.plugins.schema
        for state in service.kernel.plugins.states:
            if state.state == "failed":
                yield failure(state.reason, subject.source.of_text(state.reason) or where)
                return
        for difference in drift(service.kernel):
            if f"{brought.branch}_" in difference:
                told = "the migrations make other tables than the models; write one that changes it"
                yield failure(f"{told}: {difference}", where)
        service.downgrade(brought)
        left = set(inspect(store.engine).get_table_names()) - before - {brought.version_table}
        if left:
            names = ", ".join(sorted(left))
            yield failure(f"its downgrades leave {names} behind: drop them there", where)
            return
        schema.prepare(store)
