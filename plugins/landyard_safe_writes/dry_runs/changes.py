"""The changes of rows that a dry run reports, merged to one for each row."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

MOST = 1_000
"""The most changes that one dry run reports."""

Kind = Literal["insert", "update", "delete"]


class Change(Struct, frozen=True):
    """A change of a row: table, primary key, kind, and for an update the changed columns.

    `id` is the value of the primary key, or a list if it has several columns.
    """

    table: str
    id: Any
    kind: Kind
    columns: list[str]


class NotedChange(Struct, frozen=True):
    """A statement's change of a row, as noted by a trigger.

    `columns` are those that an update changed. `values` are digests of the values of an inserted or
    deleted row: equal digests mean equal values.
    """

    table: str
    id: Any
    kind: Kind
    columns: tuple[str, ...] = ()
    values: Mapping[str, str] = {}


def fold(noted: Iterable[NotedChange]) -> list[Change]:
    """Merge the noted changes of each row into one; changes that cancel out are left out."""
    rows: dict[tuple[str, str], list[NotedChange]] = {}
    for each in noted:
        rows.setdefault((each.table, repr(each.id)), []).append(each)
    return [change for steps in rows.values() if (change := _folded(steps))]


def _folded(steps: list[NotedChange]) -> Change | None:
    first, last = steps[0], steps[-1]
    inserted, deleted = first.kind == "insert", last.kind == "delete"
    if inserted and deleted:
        return None
    kind: Kind = "insert" if inserted else "delete" if deleted else "update"
    if kind != "update":
        return Change(first.table, first.id, kind, [])
    columns = {name for each in steps for name in each.columns}
    before: Mapping[str, str] = {}
    for each in steps:
        if each.kind == "delete":
            before = each.values
        elif each.kind == "insert":  # the row is inserted again
            columns |= {name for name, value in each.values.items() if value != before.get(name)}
    # A row written with its old values has no changed columns, so there is no change.
    return Change(first.table, first.id, kind, sorted(columns)) if columns else None
