"""Changes: what a call would do to the rows of tables, each row once."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

MOST = 1_000
"""The most changes that are told of one dry run."""

Kind = Literal["insert", "update", "delete"]


class Change(Struct, frozen=True):
    """A row that would be changed: its table, its key, and of an update the columns.

    `id` is the value of the primary key, or a list of several.
    """

    table: str
    id: Any
    kind: Kind
    columns: list[str]


class Seen(Struct, frozen=True):
    """One statement's change of a row, as the database has noted it.

    `columns` are those that an update has changed. `values` are what stands for each value of a row
    that came or went: two that are alike are the same value.
    """

    table: str
    id: Any
    kind: Kind
    columns: tuple[str, ...] = ()
    values: Mapping[str, str] = {}


def fold(seen: Iterable[Seen]) -> list[Change]:
    """Make one change of all those of a row, in their order; none where they come to none."""
    rows: dict[tuple[str, str], list[Seen]] = {}
    for each in seen:
        rows.setdefault((each.table, repr(each.id)), []).append(each)
    return [change for steps in rows.values() if (change := _folded(steps))]


def _folded(steps: list[Seen]) -> Change | None:
    first, last = steps[0], steps[-1]
    made, gone = first.kind == "insert", last.kind == "delete"
    if made and gone:
        return None
    kind: Kind = "insert" if made else "delete" if gone else "update"
    if kind != "update":
        return Change(first.table, first.id, kind, [])
    columns = {name for each in steps for name in each.columns}
    before: Mapping[str, str] = {}
    for each in steps:
        if each.kind == "delete":
            before = each.values
        elif each.kind == "insert":  # it is made anew
            columns |= {name for name, value in each.values.items() if value != before.get(name)}
    # Nothing, where it was written as it is.
    return Change(first.table, first.id, kind, sorted(columns)) if columns else None
