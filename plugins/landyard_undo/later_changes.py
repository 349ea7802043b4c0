"""Finds what changed a row after the call to undo; calls that were undone since do not count.

A call that was undone since does not count, nor does the undo that took it back: both are left out,
as if they had never been.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from landyard_undo.excerpts import LOST, digest_of
from landyard_undo.journal import Later, calls_of, changes_of, kept_calls, undone_calls
from landyard_undo.steps import Noted, Row, is_same
from landyard_undo.values import DIGEST, Values
from landyard_undo.watching import UNDO

NOT_NOTED = 0
"""In place of a unit: of a change that nothing was noted of."""
PLANNED = -1
"""In place of a unit: of a change that is planned."""
ABSENT: Any = object()
"""In place of a value, where there is no row."""
UNKNOWN: Any = object()
"""In place of a value that is not kept."""


class Change(Struct, frozen=True):
    """A change of a column by a unit: the value before (`was`) and after it (`became`)."""

    unit: int
    was: Any
    became: Any


class Void(Struct, frozen=True):
    """Units of calls that were undone and of the undo; where the first changes are, by the row."""

    units: frozenset[int]
    begins: Mapping[Row, int]


Merge = Callable[[Any, Any, Any], Any]
"""Merges two edits of a value, which is given first; raises `ValueError`."""


def voids_of(connection: Connection, later: Iterable[Later]) -> list[Void]:
    """Find which calls count no more: each with the undo that took it back, the first undo first.

    A transaction that did anything else beside undoing counts.
    """
    found = []
    calls = calls_of(connection, {each.noted.unit for each in later})
    undone_by = {each.undone_by for made in calls.values() for each in made if each.undone_by}
    # An undo that has found nothing to do is not among them.
    undos = {each.unit for by in undone_by for each in kept_calls(connection, by)}
    calls |= calls_of(connection, undos)
    for unit, made in calls.items():
        if any(each.method != UNDO for each in made):
            continue
        pairs = [(undone, by) for by in made for undone in undone_calls(connection, by)]
        if not pairs or any(undone.undone_by != by.request_id for undone, by in pairs):
            continue
        undone = [each for each, _ in pairs]
        begins: dict[Row, int] = {}
        for each in changes_of(connection, undone):
            begins.setdefault(each.row, each.id)
        units = frozenset([unit, *(each.unit for each in undone)])
        found.append((made[-1].id, Void(units, begins)))
    return [void for _, void in sorted(found, key=lambda each: each[0])]


class LaterChanges(Struct, frozen=True):
    """The changes of a row after a step: `notes` are noted, `written` is what is planned.

    `now` is the row as it is, `voids` are units that do not count, in the order of their undos.
    """

    notes: Sequence[tuple[Noted, Values, Values]]
    now: Values | None
    written: Sequence[tuple[Values | None, Values | None]]
    voids: Sequence[Collection[int]]

    def changes(self, name: str, made: Any, digest: Callable[[str], str]) -> list[Change]:
        """List the changes of a column, of which the step has made this; `digest` that of now."""
        found: list[Change] = []
        became = made
        for noted, before, after in self.notes:
            if noted.kind == "update" and name not in before:
                continue
            was = ABSENT if noted.kind == "insert" else _known(before.get(name, UNKNOWN))
            self._join(found, became, was, is_it=_is(became, was))
            became = ABSENT if noted.kind == "delete" else after.get(name, UNKNOWN)
            found.append(Change(noted.unit, was, became))
        now = _of_row(self.now, name)
        is_kept = not _is_digest(became) or now is ABSENT
        is_it = _is(became, now) if is_kept else digest(name) == became[DIGEST]
        self._join(found, became, now, is_it=is_it)
        for sides in self.written:
            was, made = (_of_row(each, name) for each in sides)
            if not is_same(was, made):
                found.append(Change(PLANNED, was, made))
        return found

    def counts(self, changes: Iterable[Change]) -> bool:
        """Tell whether any of these changes counts."""
        return any(not self.is_void(each.unit) for each in changes)

    def is_void(self, unit: int) -> bool:
        """Tell whether changes of a unit count no more."""
        return any(unit in units for units in self.voids)

    def carry(self, changes: Sequence[Change], value: Any, merge: Merge) -> Any:
        """Do what the changes that count did to another value; raises `ValueError`."""
        for units in self.voids:
            changes = _without(changes, units, merge)
        for each in changes:
            value = merge(each.was, each.became, value)
        return value

    @staticmethod
    def _join(found: list[Change], became: Any, was: Any, *, is_it: bool) -> None:
        """Tell what the last change made, where only its digest is kept, or what came between."""
        if not is_it:
            found.append(Change(NOT_NOTED, _known(became), was))
        elif found:
            found[-1] = Change(found[-1].unit, found[-1].was, was)


def _without(changes: Sequence[Change], units: Collection[int], merge: Merge) -> Sequence[Change]:
    """Tell what the other changes would have been without those of units."""
    at = next((at for at, each in enumerate(changes) if each.unit in units), None)
    if at is None:
        return changes
    found, value = [*changes[:at]], changes[at].was
    for each in changes[at:]:
        if each.unit not in units:
            became = merge(each.was, each.became, value)
            found.append(Change(each.unit, value, became))
            value = became
    last = changes[-1].became
    return found if is_same(value, last) else [*found, Change(NOT_NOTED, value, last)]


def _is(became: Any, was: Any) -> bool:
    """Tell whether what a change has made is what the next one has found, as far as is known."""
    if UNKNOWN in (became, was):
        return True
    if _is_digest(became):
        return not isinstance(was, str) or digest_of(was) == became[DIGEST]
    return is_same(became, was)


def _of_row(row: Values | None, name: str) -> Any:
    return ABSENT if row is None else row.get(name, ABSENT)


def _known(value: Any) -> Any:
    return UNKNOWN if value == LOST or _is_digest(value) else value


def _is_digest(value: Any) -> bool:
    return isinstance(value, dict) and DIGEST in value
