"""Undoing: a call is taken back row by row, in its caller's transaction, or not at all."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy.exc import IntegrityError

from landyard import ADMIN, Call, CallError, Method, UserAccessError
from landyard_undo import treatment
from landyard_undo.errors import CallNotKept, UndoConflict, UndoNotPossible
from landyard_undo.fitting import require_fit
from landyard_undo.journal import (
    Kept,
    Later,
    changes_behind,
    changes_of,
    changes_since,
    kept_calls,
    link,
    mark,
    newest_change,
    undone_calls,
)
from landyard_undo.planning import Blocked, Planned, plan
from landyard_undo.steps import Noted, Step, steps_of
from landyard_undo.treatment import Values
from landyard_undo.watching import UNDO, Watch

_Row = tuple[str, str]
_ID = attrgetter("id")
MOST_TOLD = 20
"""The most rows that a refusal names."""


class Undone(Struct, frozen=True):
    """A row that was written to take a call back: its table, its key, and what was done with it."""

    table: str
    id: Any
    kind: str


def undo(call: Call, request_id: str) -> list[Undone]:
    """Take a call of the caller's back; raises what refuses that, and has then changed nothing."""
    watch, connection = call.kept(Watch), call.connection
    calls = _find(call, request_id)
    methods = _methods(call, calls)
    planned = _plan(call, calls, methods, watch.database)
    began = newest_change(connection)
    try:
        for each in planned:
            _write(call, watch.database, each)
        _tidy(call, watch, planned, began)
        require_fit(call, planned, calls[0].at)
    except IntegrityError as error:
        raise UndoConflict(
            "Something refers to what the call has made, or is in the place of what it has removed."
        ) from error
    if planned and call.request.id and (unit := watch.unit_of(connection)):
        for prepared, values in watch.note(call, UNDO):
            prepared.run(call.connection, **values)
        link(connection, unit, calls[0])
        mark(connection, calls, call.request.id)
    return [Undone(each.step.table, each.step.told, each.step.kind) for each in planned]


def _plan(
    call: Call, calls: Sequence[Kept], methods: Sequence[Method], database: Any
) -> list[Planned]:
    """Plan what is written; raises `UndoConflict`, `UndoNotPossible` and what owners refuse by."""
    changes = changes_of(call.connection, calls)
    if any(treatment.of_table(each.of_table) == treatment.REFUSED for each in changes):
        raise UndoNotPossible("The call changed rights, roles or credentials: set them anew.")
    if any(each.kind != "update" and each.before is each.after is None for each in changes):
        raise UndoNotPossible("When the call was made, its method could not be undone.")
    rows = {each.row for each in changes}
    units = {each.unit for each in calls}
    later = changes_behind(call.connection, changes[0].id, rows, units) if rows else {}
    now = {row: database.find(call.connection, row[0], msgspec.json.decode(row[1])) for row in rows}
    changes, later = _complete(changes, later, now, database)
    found = []
    for step in steps_of(changes, database.values):
        is_now = now[step.id] or {}
        for row in ({**step.before, **is_now}, {**is_now, **step.before}):
            _require(call, methods, step, row)
        found.append(plan(call, step, is_now or None, later.get(step.id, ()), database))
    if blocked := [each for each in found if isinstance(each, Blocked)]:
        raise _conflict(blocked)
    return [each for each in found if isinstance(each, Planned)]


def _complete(
    changes: Sequence[Noted],
    others: Mapping[_Row, Sequence[Later]],
    now: Mapping[_Row, Values | None],
    database: Any,
) -> tuple[list[Noted], dict[_Row, list[Later]]]:
    """Find the whole values of a call's changes, and of those that `others` have made after all."""
    rows: dict[_Row, list[Noted]] = {}
    for each in (*changes, *(one.noted for several in others.values() for one in several)):
        rows.setdefault(each.row, []).append(each)
    whole = {
        each.id: each
        for row, notes in rows.items()
        for each in database.complete(sorted(notes, key=_ID), now[row], database)
    }
    later = {
        row: [
            Later(whole[each.noted.id], each.call)
            for each in several
            if each.noted.id > changes[-1].id
        ]
        for row, several in others.items()
    }
    return [whole[each.id] for each in changes], later


def _require(call: Call, methods: Sequence[Method], step: Step, row: Values) -> None:
    """Need the rights that the owner of a row's table says; raises `UserAccessError`."""
    if may := treatment.asked(step.table, "undo_may"):
        try:
            may(call, methods, row, step.before)
        except CallError as error:
            raise UserAccessError(error.description) from error


def _find(call: Call, request_id: str) -> list[Kept]:
    """Find a call that the caller may take back; raises `CallNotKept`, `UndoNotPossible`.

    Others may have sent the same id: it is the caller's own that is meant.
    """
    calls = kept_calls(call.connection, request_id)
    own = [each for each in calls if each.user_id == call.actor.user_id]
    if own or not call.actor.admin:
        calls = own
    if not calls:
        raise CallNotKept
    if len({each.user_id for each in calls}) > 1:
        raise UndoNotPossible("Several users have sent this id: each can undo their own calls.")
    if by := next((each.undone_by for each in calls if each.undone_by), None):
        raise UndoNotPossible(f"The call is undone already, by the request {by}: undo that.")
    return calls


def _methods(call: Call, calls: Sequence[Kept]) -> list[Method]:
    """Find the methods that took part; the caller must be free to call each of them now."""
    found = []
    for name in dict.fromkeys(each.method for each in _behind(call, calls)):
        method = call.listing.find(name)
        if method is None:
            raise UndoNotPossible(f"{name} is switched off.")
        if not method.undo:
            raise UndoNotPossible(f"{name} does what cannot be undone.")
        if method.scope and method.scope not in call.actor.scopes:
            raise UserAccessError(
                f"To undo {name} needs the scope `{method.scope}`, as to call it."
            )
        if method.scope == ADMIN and not call.actor.admin:
            raise UserAccessError
        found.append(method)
    return found


def _behind(call: Call, calls: Sequence[Kept]) -> Iterator[Kept]:
    """Find the calls whose changes calls have made, or taken back: of an undo those it undid."""
    for each in calls:
        if each.request_id == call.request.id:
            raise UndoNotPossible("An undo needs an X-Request-Id of its own.")
        if each.method != UNDO:
            yield each
            continue
        undone = undone_calls(call.connection, each)
        if not undone:
            raise UndoNotPossible("The call that it has undone is forgotten, and what it needs.")
        yield from _behind(call, undone)


def _write(call: Call, database: Any, planned: Planned) -> None:
    step, connection = planned.step, call.connection
    if step.made:
        _tell(call, planned)
        instead = treatment.asked(step.table, "undo_made")
        if instead is None:
            database.remove(connection, step.table, step.key)
        else:
            instead(call, planned.now)
    elif step.gone:
        database.add(connection, step.table, planned.values)
    else:
        database.change(connection, step.table, step.key, planned.values)
    if not step.made:
        _tell(call, planned)


def _tell(call: Call, planned: Planned) -> None:
    """Have the owner of the table publish what is done, while the row is there."""
    if tell := treatment.asked(planned.step.table, "undo_told"):
        tell(call, planned.step.kind, {**(planned.now or {}), **planned.values})


def _tidy(call: Call, watch: Watch, planned: Sequence[Planned], began: int) -> None:
    """Take out what triggers have added meanwhile; raises `UndoConflict` where rows went along."""
    unit = watch.unit_of(call.connection)
    database: Any = watch.database
    wanted = {each.step.id for each in planned}
    done = steps_of(changes_since(call.connection, began, unit), database.values)
    beside = [each for each in done if each.id not in wanted]
    if lost := [each for each in beside if each.gone]:
        later = changes_behind(call.connection, 0, {each.id for each in lost}, [unit])
        raise _conflict([Blocked(each, [], later.get(each.id, ())) for each in lost])
    for each in beside:
        if each.made and treatment.asked(each.table, "undo_made") is None:
            database.remove(call.connection, each.table, each.key)


def _conflict(blocked: Sequence[Blocked]) -> UndoConflict:
    told = [_told(each) for each in blocked[:MOST_TOLD]]
    first = told[0]
    what = f"{first['table']} {first['id']}"
    if first["columns"]:
        what += f" ({', '.join(first['columns'])})"
    by = ", ".join(f"{each['method']} ({each['id']})" for each in first["calls"])
    more = f", and {len(blocked) - 1} more" if len(blocked) > 1 else ""
    error = UndoConflict(
        f"Changed since, by {by or 'what was no call'}: {what}{more}. Nothing was done."
    )
    error.data = msgspec.json.encode({"rows": told})
    return error


def _told(blocked: Blocked) -> dict[str, Any]:
    calls = {each.call.request_id: each.call for each in blocked.later if each.call is not None}
    return {
        "table": blocked.step.table,
        "id": blocked.step.told,
        "columns": blocked.columns,
        "calls": [
            {"id": each.request_id, "method": each.method, "user": each.user_id, "at": each.at}
            for each in calls.values()
        ],
    }
