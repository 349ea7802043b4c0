"""Reads the journal: calls that can be undone, the changes of each, and later changes."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, String, bindparam, func, select, update

from landyard import Prepared, one_of
from landyard_undo.steps import Noted
from landyard_undo.tables import ENTRY, FIRST

_AT_ONCE = 500  # rows that are asked for by their ids


class Kept(Struct, frozen=True):
    """A call that is kept, or a part of one: a request may have several."""

    id: int
    request_id: str
    at: datetime
    user_id: int
    credential: str
    method: str
    subject: str
    unit: int
    first: int
    undoes: str | None
    undone_by: str | None

    @property
    def undone(self) -> list[tuple[str, str]]:
        """The requests that the call took back, each with its user; "" where no user is kept."""
        pairs = (each.partition(":") for each in (self.undoes or "").split(",") if each)
        return [(request_id, user) for request_id, _, user in pairs]


class Later(Struct, frozen=True):
    """A change of a row after the call that is looked at, and the call that made it, if any."""

    noted: Noted
    call: Kept | None


KEPT = [FIRST if name == "first" else ENTRY[name] for name in Kept.__struct_fields__]
_NOTED = [ENTRY[name] for name in Noted.__struct_fields__]
_OF_REQUEST = Prepared(
    select(*KEPT).where(ENTRY.request_id == bindparam("request_id")).order_by(ENTRY.id), Kept
)
_HOLD_REQUEST = Prepared(_OF_REQUEST.statement.with_for_update(), Kept)
_OF_UNIT = Prepared(
    select(*_NOTED)
    .where(
        ENTRY.id >= bindparam("first"),
        ENTRY.id < bindparam("call_id"),
        ENTRY.unit == bindparam("unit"),
        ENTRY.kind.is_not(None),
    )
    .order_by(ENTRY.id),
    Noted,
)
_NEWEST = Prepared(select(func.coalesce(func.max(ENTRY.id), 0)), int)
_OF_UNIT_SINCE = Prepared(
    select(*_NOTED)
    .where(ENTRY.id > bindparam("last"), ENTRY.unit == bindparam("unit"), ENTRY.kind.is_not(None))
    .order_by(ENTRY.id),
    Noted,
)
_OF_UNITS = Prepared(
    select(*KEPT)
    .where(one_of(ENTRY.unit, "units"), ENTRY.request_id.is_not(None))
    .order_by(ENTRY.id),
    Kept,
)
_BEHIND = select(ENTRY.id, ENTRY.of_table, ENTRY.of_row).where(
    ENTRY.id > bindparam("last"), ENTRY.kind.is_not(None)
)
_THESE = Prepared(select(*_NOTED).where(one_of(ENTRY.id, "ids")).order_by(ENTRY.id), Noted)
_MARK = Prepared(
    update(ENTRY.id.table).where(one_of(ENTRY.id, "ids")).values(undone_by=bindparam("by"))
)
_LINK = Prepared(
    update(ENTRY.id.table)
    .where(ENTRY.unit == bindparam("this_unit"), ENTRY.request_id.is_not(None))
    .values(undoes=func.coalesce(ENTRY.undoes + ",", "") + bindparam("what", type_=String))
)


def kept_calls(connection: Connection, request_id: str) -> list[Kept]:
    """Find what is kept of a request, the first call first."""
    return _OF_REQUEST.all(connection, request_id=request_id)


def hold_calls(connection: Connection, request_id: str) -> list[Kept]:
    """Find what is kept of a request, which nobody else takes back before this call ends."""
    return _HOLD_REQUEST.all(connection, request_id=request_id)


def undone_calls(connection: Connection, by: Kept) -> list[Kept]:
    """Find what is kept of the calls that a call has taken back.

    Others may have sent the same id: beside it there is who made the call.
    """
    found = []
    for request_id, user in by.undone:
        found += [
            each
            for each in kept_calls(connection, request_id)
            if each.id < by.id and user in ("", str(each.user_id))
        ]
    return found


def changes_of(connection: Connection, calls: Iterable[Kept]) -> list[Noted]:
    """List what was changed in the transactions of calls, in its order."""
    found: dict[int, Noted] = {}
    for each in calls:
        where = {"first": each.first, "call_id": each.id, "unit": each.unit}
        found |= {noted.id: noted for noted in _OF_UNIT.all(connection, **where)}
    return [found[number] for number in sorted(found)]


def newest_change(connection: Connection) -> int:
    """Return the id of the change that was noted last; 0 where there is none."""
    return _NEWEST.first(connection) or 0


def changes_since(connection: Connection, last: int, unit: int) -> list[Noted]:
    """List what a transaction has changed after the change `last`."""
    return _OF_UNIT_SINCE.all(connection, last=last, unit=unit)


def changes_behind(
    connection: Connection, last: int, rows: Collection[tuple[str, str]], units: Collection[int]
) -> dict[tuple[str, str], list[Later]]:
    """List what other transactions than `units` have changed of `rows` after the change `last`."""
    ids = [
        number
        for number, table, row in connection.execute(_BEHIND, {"last": last})
        if (table, row) in rows
    ]
    found: list[Noted] = []
    for first in range(0, len(ids), _AT_ONCE):
        found += _THESE.all(connection, ids=ids[first : first + _AT_ONCE])
    calls = calls_of(connection, {each.unit for each in found}.difference(units))
    later: dict[tuple[str, str], list[Later]] = {}
    for each in found:
        if each.unit not in units:
            made_by = calls.get(each.unit)
            later.setdefault(each.row, []).append(Later(each, made_by[-1] if made_by else None))
    return later


def calls_of(connection: Connection, units: Collection[int]) -> dict[int, list[Kept]]:
    """Find the calls of units, the first of each first."""
    calls: dict[int, list[Kept]] = {}
    for each in _OF_UNITS.all(connection, units=list(units)) if units else ():
        calls.setdefault(each.unit, []).append(each)
    return calls


def mark(connection: Connection, calls: Sequence[Kept], by: str | None) -> None:
    """Note that the request `by` took calls back, or with None that the calls count again.

    A call may have undone earlier calls. The earlier calls count again when the call is taken
    back, and are taken back once more when the call counts again.
    """
    _MARK.run(connection, ids=[each.id for each in calls], by=by)
    for each in calls:
        if undone := undone_calls(connection, each):
            mark(connection, undone, None if by else each.request_id)


def link(connection: Connection, unit: int, undone: Kept) -> None:
    """Note which request, of which user, the call of a unit has taken back."""
    _LINK.run(connection, this_unit=unit, what=f"{undone.request_id}:{undone.user_id}")
