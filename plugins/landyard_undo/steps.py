"""Steps: what a call came to for each row, of all the changes that were noted of it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from landyard_undo.treatment import Values


class Noted(Struct, frozen=True):
    """A change as it was noted, in the order of their ids."""

    id: int
    unit: int
    of_table: str
    of_row: str
    kind: str
    before: str | None
    after: str | None

    @property
    def row(self) -> tuple[str, str]:
        return self.of_table, self.of_row


Read = Callable[[Noted], tuple[Values, Values]]
"""Reads what a row was before a change, and what it was after it, as the database has noted it."""


class Step(Struct, frozen=True):
    """What became of a row: it is new (`made`), it went (`gone`), or it has other values.

    `before` and `after` are values of columns; of a new row those of long texts may be missing. A
    step is taken back before those of a lower `place`.
    """

    table: str
    row: str
    made: bool
    gone: bool
    before: Values
    after: Values
    place: int

    @property
    def id(self) -> tuple[str, str]:
        """The table and the row."""
        return self.table, self.row

    @property
    def key(self) -> list[Any]:
        """The values of the primary key."""
        found: list[Any] = msgspec.json.decode(self.row)
        return found

    @property
    def told(self) -> Any:
        """The key as callers are told: one value, or several."""
        return self.key[0] if len(self.key) == 1 else self.key

    @property
    def kind(self) -> str:
        """What is done to take it back."""
        return "delete" if self.made else "insert" if self.gone else "update"


def steps_of(noted: Iterable[Noted], read: Read) -> list[Step]:
    """Make one step of all changes of a row, and none where they come to none; the last first."""
    rows: dict[tuple[str, str], list[Noted]] = {}
    for each in noted:
        rows.setdefault(each.row, []).append(each)
    steps = [step for changes in rows.values() if (step := _step(changes, read))]
    return sorted(steps, key=lambda step: -step.place)


def _step(changes: Sequence[Noted], read: Read) -> Step | None:
    first, last = changes[0], changes[-1]
    made, gone = first.kind == "insert", last.kind == "delete"
    if made and gone:
        return None
    values = list(map(read, changes))
    before: Values = {}
    for was, _ in reversed(values):
        before |= was
    after: Values = {}
    for _, became in values:
        after |= became
    if not made and not gone:
        same = {name for name in before if name in after and after[name] == before[name]}
        before = {name: value for name, value in before.items() if name not in same}
        if not before:
            return None
    place = last.id if gone else first.id
    return Step(first.of_table, first.of_row, made, gone, before, after, place)
