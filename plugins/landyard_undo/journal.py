"""The journal: which calls are kept, what each changed, and what was changed after it."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, String, bindparam, func, select, update

from landyard import Prepared, one_of
from landyard_undo.steps import Noted
from landyard_undo.tables import CALL, CHANGE

_AT_ONCE = 500  # rows that are asked for by their ids


class Kept(Struct, frozen=True):
    """A transaction of a call that is kept."""

    unit: int
    request_id: str
    at: datetime
    user_id: int
    credential: str
    methods: str
    subject: str
    undoes: str | None
    undone_by: str | None

    @property
    def names(self) -> list[str]:
        """The methods that took part, each once; the one that was called is the last."""
        names = [each for each in self.methods.split(",") if each]
        return list(dict.fromkeys(reversed(names)))[::-1]


class Later(Struct, frozen=True):
    """A change of a row after the call that is looked at, and the call that made it, if any."""

    noted: Noted
    call: Kept | None


KEPT = [CALL[name] for name in Kept.__struct_fields__]
_NOTED = [CHANGE[name] for name in Noted.__struct_fields__]
_OF_REQUEST = Prepared(
    select(*KEPT).where(CALL.request_id == bindparam("request_id")).order_by(CALL.at), Kept
)
_OF_UNITS = Prepared(select(*_NOTED).where(one_of(CHANGE.unit, "units")).order_by(CHANGE.id), Noted)
_BEHIND = select(CHANGE.id, CHANGE.of_table, CHANGE.of_row).where(CHANGE.id > bindparam("last"))
_THESE = (
    select(*_NOTED, *KEPT)
    .join(CALL.unit.table, CALL.unit == CHANGE.unit, isouter=True)
    .where(one_of(CHANGE.id, "ids"))
    .order_by(CHANGE.id)
)
_LATER = Prepared(_THESE, lambda *row: _later(row))
_MARK = Prepared(
    update(CALL.unit.table)
    .where(CALL.request_id == bindparam("of_request"))
    .values(undone_by=bindparam("by"))
)
_LINK = Prepared(
    update(CALL.unit.table)
    .where(CALL.unit == bindparam("of_unit"))
    .values(undoes=func.coalesce(CALL.undoes + ",", "") + bindparam("what", type_=String))
)


def kept_calls(connection: Connection, request_id: str) -> list[Kept]:
    """Find the transactions of a request, the first one first."""
    return _OF_REQUEST.all(connection, request_id=request_id)


def changes_of(connection: Connection, units: Iterable[int]) -> list[Noted]:
    """List what was changed in transactions, in its order."""
    return _OF_UNITS.all(connection, units=list(units))


def changes_behind(
    connection: Connection, last: int, rows: Collection[tuple[str, str]], units: Collection[int]
) -> dict[tuple[str, str], list[Later]]:
    """List what was changed of `rows` after the change `last` by other transactions than `units`."""
    found: dict[tuple[str, str], list[Later]] = {}
    ids = [
        number
        for number, table, row in connection.execute(_BEHIND, {"last": last})
        if (table, row) in rows
    ]
    for first in range(0, len(ids), _AT_ONCE):
        for each in _LATER.all(connection, ids=ids[first : first + _AT_ONCE]):
            if each.call is None or each.call.unit not in units:
                found.setdefault(each.noted.row, []).append(each)
    return found


def mark(connection: Connection, request_id: str, by: str | None) -> None:
    """Note that a call is taken back, or with None that it counts again, with all it took back."""
    _MARK.run(connection, of_request=request_id, by=by)
    for each in kept_calls(connection, request_id):
        for undone in (each.undoes or "").split(","):
            if undone:  # it counts again, or is taken back once more
                mark(connection, undone, None if by else request_id)


def link(connection: Connection, unit: int, undoes: str) -> None:
    """Note which request a transaction has taken back."""
    _LINK.run(connection, of_unit=unit, what=undoes)


def _later(row: Sequence[object]) -> Later:
    split = len(Noted.__struct_fields__)
    noted, call = Noted(*row[:split]), row[split:]  # type: ignore[arg-type]
    return Later(noted, None if call[0] is None else Kept(*call))  # type: ignore[arg-type]
