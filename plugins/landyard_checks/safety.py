"""Checks of safe writes: a dry run changes nothing, and an undo restores every row."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import inspect

from landyard import Irreversible, Method
from landyard.testing import Service
from landyard_checks.findings import Finding, failure
from landyard_checks.subject import Subject
from landyard_undo.rules import LOG, NEVER, UndoRules, rules_of

_BESIDE = ("dry_runs", "undo")
_LIMIT = 30.0  # seconds that a call may take, unless its method says otherwise
_OURS = ("alembic_", "landyard_", "undo_", "audit_", "limits_")
Rows = dict[str, list[str]]


def safe_writes(subject: Subject) -> Iterator[Finding]:
    """Call each method that writes with its example, as a dry run and then to undo it."""
    writing = [each for each in subject.methods if each.writes and each.example is not None]
    if not writing or not {each.name for each in subject.every}.issuperset(_BESIDE):
        return
    database = subject.folder / "safe.db"
    with subject.service(database, beside=_BESIDE):
        pass  # makes the tables, once
    for number, method in enumerate(writing):
        fresh = Path(shutil.copy(database, subject.folder / f"safe{number}.db"))
        subject.doing(f"{method.name}, tried and undone", method.seconds or _LIMIT)
        place = subject.source.of_function(method.handler)
        with subject.service(fresh, beside=_BESIDE) as service:
            for reason in (_tried(method, service), _undone(method, service)):
                if reason:
                    yield failure(f"{method.name}: {reason}", place)


def _tried(method: Method, service: Service) -> str:
    before = _rows(service), _files(service)
    answer = service.call(method.name, _params(method), dry_run=True)
    if answer.error == "DRY_RUN_NOT_POSSIBLE":
        return ""
    changed = _different(before[0], _rows(service)) + sorted(_files(service) ^ before[1])
    return (
        f"its dry run changes {', '.join(changed)}: if `call.dry_run`, leave out what"
        " no transaction rolls back, or do it in `call.on_commit`"
        if changed
        else ""
    )


def _undone(method: Method, service: Service) -> str:
    before = _rows(service)
    answer = service.call(method.name, _params(method))
    if answer.error or not method.undo or not _different(before, _rows(service)):
        return ""  # another check reports failing examples
    undo = service.call("landyard.call.undo", {"id": answer.request_id})
    if undo.error:
        why = undo.body["error_description"]
        return f"it cannot be undone ({undo.error}: {why}): declare it with undo=False, or mend it"
    # Some tables have their own rule for undoing a new row: a file's row is removed later.
    if changed := [
        name for name in _different(before, _rows(service)) if not _says(name, "undo_made")
    ]:
        return (
            f"undone, it leaves changes in {', '.join(changed)}: say in that table's `info` that it"
            " records events, or declare the method with undo=False"
        )
    return ""


def _params(method: Method) -> Any:
    return method.example.params if method.example else {}


def _rows(service: Service) -> Rows:
    """Return all rows by table, except tables that record events."""
    with service.kernel.store.unit(writes=False) as unit:
        rows_by_table: Rows = {}
        for name in inspect(unit.connection).get_table_names():
            is_undone = name not in rules or rules[name].rows not in (NEVER, LOG)
            if is_undone and not name.startswith(_OURS):
                query = f'SELECT * FROM "{name}"'  # noqa: S608 - of the database
                rows = unit.connection.exec_driver_sql(query)
                rows_by_table[name] = sorted(map(repr, rows))
        return rows_by_table


def _says(table: str, key: str) -> Any:
    model = METADATA.tables.get(table)
    return None if model is None else model.info.get(key)


def _files(service: Service) -> set[str]:
    folder = service.kernel.settings.data
    files = (each for each in folder.rglob("*") if each.is_file() and ".db" not in each.name)
    return {str(each.relative_to(folder)) for each in files}


def _different(before: Rows, after: Rows) -> list[str]:
    return [name for name in before if before[name] != after.get(name)]
