"""Sums up all changes that a call made to a row as one step."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from landyard_undo.values import Values

Row = tuple[str, str]
"""The name of a table, and the primary key of a row as a JSON array."""
_NOBODY: Mapping[Row, Iterable[int]] = {}


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
    """The changes of a row in one: it is new (`made`), removed (`gone`), or has other values.

    `before` and `after` are values of columns; of a new row they may be missing. A step is taken
    back before those of a lower `place`; `last` is its last change.
    """

    table: str
    row: str
    made: bool
    gone: bool
    before: Values
    after: Values
    place: int
    last: int

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
    def shown_key(self) -> Any:
        """The key as answers show it: one value, or several."""
        return self.key[0] if len(self.key) == 1 else self.key

    @property
    def did(self) -> str:
        """What was done."""
        return "insert" if self.made else "delete" if self.gone else "update"

    @property
    def kind(self) -> str:
        """The opposite of `did`, which takes the step back."""
        return "delete" if self.made else "insert" if self.gone else "update"


def sides(noted: Noted) -> tuple[Values, Values]:
    """Read what is noted of a row from before a change and from after it, as JSON has it."""
    before, after = (msgspec.json.decode(each or "{}") for each in (noted.before, noted.after))
    if noted.kind == "update" and noted.after is None:
        was, became = ({name: pair[at] for name, pair in before.items()} for at in (0, 1))
        return was, became
    return before, after


def steps_of(
    noted: Iterable[Noted], read: Read, others: Mapping[Row, Iterable[int]] = _NOBODY
) -> list[Step]:
    """Make a step of all changes of a row, and none where they come to none; the last first.

    `others` are ids of changes by others: where one lies between, there are two steps.
    """
    rows: dict[tuple[Row, int], list[Noted]] = {}
    for each in noted:
        passed = sum(other < each.id for other in others.get(each.row, ()))
        rows.setdefault((each.row, passed), []).append(each)
    steps = [step for changes in rows.values() if (step := _step(changes, read))]
    return sorted(steps, key=lambda step: -step.place)


def is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are written the same: 1 is not true, though Python says so."""
    return repr(one) == repr(other)


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
    for each, (_, became) in zip(changes, values, strict=True):
        after = after | became if each.kind == "update" else became
    if not made and not gone:
        same = {name for name in before if name in after and is_same(after[name], before[name])}
        before = {name: value for name, value in before.items() if name not in same}
        if not before:
            return None
    place = last.id if gone else first.id
    return Step(first.of_table, first.of_row, made, gone, before, after, place, last.id)
