"""Checks of a plugin's migrations on SQLite: up, down, up again, and compared with its models."""

import ast
from collections import Counter
from collections.abc import Iterator

from sqlalchemy import DateTime, inspect

from landyard import METADATA, Tables
from landyard.testing import Service
from landyard_checks.database import drift
from landyard_checks.findings import Finding, failure, warning
from landyard_checks.subject import Subject


def tables(subject: Subject) -> Iterator[Finding]:
    """Migrate an empty database up, down and up again."""
    place = subject.source.of_text
    declared = subject.contribution.tables
    yield from _moments(subject)
    if declared is None:
        for name in sorted(subject.tables):
            yield failure(f"nothing makes {name}: implement register_tables", place(name))
        return
    for name in sorted(subject.tables):
        if not name.startswith(f"{declared.branch}_"):
            yield failure(f"begin the name of {name} with '{declared.branch}_'", place(name))
    if wrong := list(_revisions(declared)):
        yield from wrong
        return
    yield from _up_and_down(subject, declared)


def _moments(subject: Subject) -> Iterator[Finding]:
    for name in sorted(subject.tables):
        for column in METADATA.tables[name].columns:
            if type(column.type) is DateTime:  # a Moment is a type of its own
                yield warning(
                    f"{name}.{column.name} loses its time zone:"
                    f" {column.name}: datetime = Field(sa_type=Moment)",
                    subject.source.of_text(name),
                )


def _revisions(branch: Tables) -> Iterator[Finding]:
    """Check that the revisions form one line, each named like its file."""
    files = sorted(branch.migrations.glob("*.py"))
    if not files:
        yield failure(
            f"there is no migration: write {branch.branch}_0001.py into it, and ship the folder",
            f"{branch.migrations.name}:1",
        )
    below: Counter[str] = Counter()
    for path in files:
        assigned = {
            target.id: (getattr(node.value, "value", None), f"{path.name}:{node.lineno}")
            for node in ast.parse(path.read_bytes()).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        name, place = assigned.get("revision", (None, f"{path.name}:1"))
        if name != path.stem or not path.stem.startswith(f"{branch.branch}_"):
            advice = f"name file and revision alike, beginning with '{branch.branch}_'"
            yield failure(f"the revision is called {name!r}: {advice}", place)
        after, place = assigned.get("down_revision", (None, f"{path.name}:1"))
        below[str(after)] += 1
        if below[str(after)] > 1:
            advice = "let it come after the newest one: there is one line of them"
            yield failure(f"two revisions come after {after!r}: {advice}", place)


def _up_and_down(subject: Subject, branch: Tables) -> Iterator[Finding]:
    """Run the migrations, after those of required plugins, to whose tables they may refer."""
    where = f"{branch.migrations.name}:1"
    if files := branch.revisions():
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
            if f"{branch.branch}_" in difference:
                reason = (
                    "the migrations make other tables than the models; write one that changes it"
                )
                yield failure(f"{reason}: {difference}", where)
        downgrade(branch, store)
        remaining = set(inspect(store.engine).get_table_names()) - before - {branch.version_table}
        if remaining:
            names = ", ".join(sorted(remaining))
            yield failure(f"its downgrades leave {names} behind: drop them there", where)
            return
        schema.prepare(store)
