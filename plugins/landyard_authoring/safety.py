"""Checks of safe writes: a dry run keeps nothing, and undo restores every row."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import inspect

from landyard import Irreversible, Method
from landyard.testing import Service
from landyard_authoring.findings import Finding, failure
from landyard_authoring.subject import Subject
from landyard_undo.rules import LOG, NEVER, UndoRules, rules_of

_BESIDE = ("safe_writes", "undo")
_LIMIT = 30.0  # seconds that a call may take, unless its method says otherwise
_OURS = ("alembic_", "landyard_", "undo_", "audit_", "limits_")
Rows = dict[str, list[str]]


def safe_writes(subject: Subject) -> Iterator[Finding]:
    """Call each writing method with its example: first as a dry run, then for real, and undo it."""
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
            for told in (_tried(method, service), _undone(method, service)):
                if told:
                    yield failure(f"{method.name}: {told}", place)


def _tried(method: Method, service: Service) -> str:
    before = _rows(service), _files(service)
    answer = service.call(method.name, _params(method), dry_run=True)
    if answer.error == "DRY_RUN_NOT_POSSIBLE":
        return ""
    left = _different(before[0], _rows(service)) + sorted(_files(service) ^ before[1])
    return (
        f"its dry run leaves something in {', '.join(left)}: where `call.rolls_back`, leave alone"
        " what no transaction takes back, or do it in `call.on_commit`"
        if left
        else ""
    )


def _undone(method: Method, service: Service) -> str:
    before = _rows(service)
    answer = service.call(method.name, _params(method))
    if answer.error or Irreversible in method.notes or not _different(before, _rows(service)):
        return ""  # that its example fails, another check tells
    undo = service.call("landyard.call.undo", {"id": answer.request_id})
    if undo.error:
        why = undo.body["error_description"]
        return (
            f"it cannot be undone ({undo.error}: {why}): declare it with"
            " notes=[Irreversible()], or mend it"
        )
    # Some tables say themselves what an undo does with a new row: a file's goes later.
    rules = _undo_rules(service)
    if left := [
        name
        for name in _different(before, _rows(service))
        if name not in rules or not rules[name].remove
    ]:
        return (
            f"undone, it leaves something in {', '.join(left)}: note with the `Tables` that the"
            " table is `never` undone, or declare the method with notes=[Irreversible()]"
        )
    return ""


def _params(method: Method) -> Any:
    return method.example.params if method.example else {}


def _rows(service: Service) -> Rows:
    """All rows, but for those of tables whose rows no undo takes back."""
    rules = _undo_rules(service)
    with service.kernel.store.unit(writes=False) as unit:
        found: Rows = {}
        for name in inspect(unit.connection).get_table_names():
            is_undone = name not in rules or rules[name].rows not in (NEVER, LOG)
            if is_undone and not name.startswith(_OURS):
                query = f'SELECT * FROM "{name}"'  # noqa: S608 - of the database
                rows = unit.connection.exec_driver_sql(query)
                found[name] = sorted(map(repr, rows))
        return found


def _undo_rules(service: Service) -> dict[str, UndoRules]:
    return rules_of(service.kernel)


def _files(service: Service) -> set[str]:
    folder = service.kernel.settings.data
    found = (each for each in folder.rglob("*") if each.is_file() and ".db" not in each.name)
    return {str(each.relative_to(folder)) for each in found}


def _different(before: Rows, after: Rows) -> list[str]:
    return [name for name in before if before[name] != after.get(name)]
