"""Undo rules, by which the owner of a table declares what an undo does to its rows.

A plugin gives them as notes of its `Tables`, and rules of tables that a required plugin declares
as records. It need not require `undo`: any plugin may import this module, and where `undo` is off
nobody reads the rules.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, Protocol

from sqlmodel import SQLModel

from landyard import Call, Host, Method, Record

Rows = Literal["undone", "never", "log", "refused"]
UNDONE: Final = "undone"
"""An undo takes back what a call did to the rows."""
NEVER: Final = "never"
"""The rows tell what has happened, or count: no change of them is noted or undone."""
LOG: Final = "log"
"""The rows list what was done: they stay, and the owner adds some for the undo.

Only the keys of new and changed rows are noted.
"""
REFUSED: Final = "refused"
"""The rows are rights or secrets: a call that changed them is not undone. Only keys are noted."""


class Undone(Protocol):
    """A row that an undo writes, before that (`now`) and after it (`then`); None for no row."""

    @property
    def table(self) -> str: ...
    @property
    def now(self) -> Mapping[str, Any] | None: ...
    @property
    def then(self) -> Mapping[str, Any] | None: ...


Row = Mapping[str, Any]
Allow = Callable[[Call, Sequence[Method], Row, Collection[str]], object]
Fits = Callable[[Call, Row, Collection[str], datetime], str | None]
Remove = Callable[[Call, Row], object]
Announce = Callable[[Call, str, Row], object]
Enter = Callable[[Call, Sequence[Undone], Mapping[int, bool]], Callable[[], object]]
Merge = Callable[[Call, Row, Any, Any, Any], Any]


class UndoRules(Record, frozen=True, kw_only=True):
    """The rules of one `table`. Raises `ValueError` for a table or column that is not declared.

    `rows` says whether an undo changes rows at all. `latest` are columns that say who changed a row
    last: where it was changed since, they stay. `merges` are functions by column, `(call, row,
    made, now, before)`: each answers the value that the column gets, or raises `ValueError` where
    the same place was changed since. `row` is the row as it is, `made` the value that the call
    wrote, `before` the one before that.

    `allow(call, methods, row, changed)` raises a `CallError` where the caller may not undo what
    `methods` did to a row. `fits(call, row, written, since)` is called once all rows are written.
    It answers in a sentence what stands in the way, which is `UNDO_CONFLICT`, or None. `written`
    are the columns of `row` that the undo wrote, none of a row that is removed; `since` is when the
    call was made. `remove(call, row)` is called in place of removing a new row.
    `announce(call, kind, row)` publishes an event of a row that is written. `kind` is "insert",
    "update", or "delete", which is called before the row goes.

    `enter(call, rows, keys)` is for a `LOG` with one number as its key. It is called before the
    undo writes `rows`, where the undone call has written rows of the log. `keys` says of each of
    them, by its key, whether the call has made the row; otherwise it has changed the row. The
    answer is called once all is written, and adds rows to the log.
    """

    table: str = ""
    rows: Rows = "undone"
    latest: tuple[str, ...] = ()
    merges: Mapping[str, Merge] = {}
    allow: Allow | None = None
    fits: Fits | None = None
    remove: Remove | None = None
    announce: Announce | None = None
    enter: Enter | None = None

    @property
    def key(self) -> str:
        return self.table

    def __post_init__(self) -> None:
        """Check the names; without a `table` the rules are those of tables that have none."""
        table = SQLModel.metadata.tables.get(self.table)
        if not self.table:
            return
        if table is None:
            raise ValueError(f"undo rules: there is no table {self.table!r} in SQLModel.metadata")
        if unknown := {*self.latest, *self.merges}.difference(table.columns.keys()):
            raise ValueError(f"undo rules: {self.table} has no column {min(unknown)!r}")


def never(*tables: str) -> list[UndoRules]:
    """Say of tables that no change of their rows is noted or undone; see `NEVER`."""
    return [UndoRules(table=each, rows="never") for each in tables]


def refused(*tables: str) -> list[UndoRules]:
    """Say of tables that a call which changed them is not undone; see `REFUSED`."""
    return [UndoRules(table=each, rows="refused") for each in tables]


def rules_of(host: Host) -> dict[str, UndoRules]:
    """Find the rules of the active plugins, by the name of the table."""
    notes = (note for branch in host.plugins.schema.branches for note in branch.notes)
    noted = {note.table: note for note in notes if isinstance(note, UndoRules)}
    return noted | dict(host.records(UndoRules))
