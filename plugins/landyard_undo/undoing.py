"""Undoes a call row by row, in its caller's transaction, or not at all."""

from collections.abc import Callable, Collection, Iterator, Sequence
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy.exc import IntegrityError

from landyard import ADMIN, Call, CallError, Irreversible, Method, UserAccessError
from landyard_undo.errors import CallNotKept, UndoConflict, UndoNotPossible
from landyard_undo.fitting import require_fit
from landyard_undo.journal import (
    Kept,
    changes_behind,
    changes_of,
    changes_since,
    hold_calls,
    kept_calls,
    link,
    mark,
    newest_change,
    undone_calls,
)
from landyard_undo.neighbours import in_place_of, referring
from landyard_undo.planning import Blocked, Planned, Planner, Watched
from landyard_undo.rules import LOG, REFUSED
from landyard_undo.steps import Noted, Row, Step, steps_of
from landyard_undo.values import Values
from landyard_undo.watching import UNDO, Watch

_ID = attrgetter("id")
MOST_NAMED = 20
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
    changes = changes_of(connection, calls)
    undone = [each for each in changes if watch.rules.are_undone(each.of_table)]
    planned = _plan(call, watch, calls, methods, undone)
    began = newest_change(connection)
    enter = [*_log_entries(call, watch, planned, changes)]
    try:
        _write_all(call, watch, planned, min(each.first for each in calls))
        for each in enter:
            each()
        _tidy(call, watch, planned, began)
        require_fit(call, watch.rules, planned, calls[0].at)
    except IntegrityError as error:
        raise UndoConflict(
            "Something refers to what the call has made, or is in the place of what it has removed."
        ) from error
    written = changes_since(connection, began, watch.unit_of(connection))
    if call.request.id:
        if planned and (unit := watch.unit_of(connection)):
            for prepared, values in watch.note(call, UNDO):
                prepared.run(call.connection, **values)
            link(connection, unit, calls[0])
        mark(connection, calls, call.request.id)
    steps = reversed(steps_of(written, watch.database.values))
    return [Undone(each.table, each.shown_key, each.did) for each in steps]


def _plan(
    call: Call,
    watch: Watch,
    calls: Sequence[Kept],
    methods: Sequence[Method],
    changes: Sequence[Noted],
) -> list[Planned]:
    """Plan what is written; raises `UndoConflict`, `UndoNotPossible` and what owners refuse by."""
    database: Any = watch.database
    if any(watch.rules.rows_of(each.of_table) == REFUSED for each in changes):
        raise UndoNotPossible("The call changed rights, roles or credentials: set them anew.")
    if any(each.kind != "update" and each.before is each.after is None for each in changes):
        raise UndoNotPossible("When the call was made, its method could not be undone.")
    for each in {each.of_table: each for each in changes}.values():
        keys = database.keys_of(call.connection, each.of_table)
        if len(keys) != len(msgspec.json.decode(each.of_row)):
            raise UndoNotPossible(f"The table {each.of_table} is gone, or has another key now.")
    units = {each.unit for each in calls}
    rows = _watched(call, changes, units, database)
    own = sorted(
        (each for row in rows.values() for each in row.notes if each.unit in units), key=_ID
    )
    others = {name: [each.noted.id for each in row.others] for name, row in rows.items()}
    planner = Planner(call, database, watch.rules, rows, units)
    found = []
    for step in steps_of(own, database.values, others):
        is_now = planner.now(step) or {}
        for row in ({**step.before, **is_now}, {**is_now, **step.before}):
            _require(call, watch, methods, step, row)
        found.append(planner.plan(step))
    if blocked := [each for each in found if isinstance(each, Blocked)]:
        raise _conflict(blocked)
    return [each for each in found if isinstance(each, Planned)]


def _log_entries(
    call: Call, watch: Watch, planned: Sequence[Planned], changes: Sequence[Noted]
) -> Iterator[Callable[[], object]]:
    """Show the owner of each log what is planned, and which rows of the log the calls wrote.

    The owners' answers are to be called once all is written.
    """
    keys: dict[str, dict[int, bool]] = {}
    for each in changes:
        if watch.rules.rows_of(each.of_table) == LOG:
            if each.kind == "delete":  # no version does so any more
                raise UndoNotPossible("The call was undone by an earlier version of Landyard.")
            (key,) = msgspec.json.decode(each.of_row)
            made = keys.setdefault(each.of_table, {})
            made[key] = made.get(key, False) or each.kind == "insert"
    for table, made in keys.items():
        if enter := watch.rules.of(table).enter:
            yield enter(call, planned, made)


def _watched(
    call: Call, changes: Sequence[Noted], units: Collection[int], database: Any
) -> dict[Row, Watched]:
    """Find the rows that calls have changed, with the whole values of all changes since."""
    notes: dict[Row, list[Noted]] = {}
    for each in changes:
        notes.setdefault(each.row, []).append(each)
    others = changes_behind(call.connection, changes[0].id, notes, units) if notes else {}
    found = {}
    for (table, row), own in notes.items():
        later = others.get((table, row), [])
        now = database.find(call.connection, table, msgspec.json.decode(row))
        every = sorted((*own, *(each.noted for each in later)), key=_ID)
        found[table, row] = Watched(now, database.complete(every, now, database), later)
    return found


def _require(call: Call, watch: Watch, methods: Sequence[Method], step: Step, row: Values) -> None:
    """Need the rights that the owner of a row's table says; raises `UserAccessError`."""
    if allow := watch.rules.of(step.table).allow:
        try:
            allow(call, methods, row, step.before)
        except CallError as error:
            raise UserAccessError(error.description) from error


def _find(call: Call, request_id: str) -> list[Kept]:
    """Find a call that the caller may take back; raises `CallNotKept`, `UndoNotPossible`.

    Others may have sent the same id: it is the caller's own that is meant.
    """
    calls = hold_calls(call.connection, request_id)
    own = [each for each in calls if each.user_id == call.actor.user_id]
    if own or not call.actor.admin:
        calls = own
    if not calls:
        raise CallNotKept
    if len({each.user_id for each in calls}) > 1:
        raise UndoNotPossible("Several users have sent this id: each can undo their own calls.")
    if by := next((each.undone_by for each in calls if each.undone_by), None):
        if not kept_calls(call.connection, by):
            raise UndoNotPossible("The call is undone already: nothing was left to take back.")
        raise UndoNotPossible(f"The call is undone already, by the request {by}: undo that.")
    return calls


def _methods(call: Call, calls: Sequence[Kept]) -> list[Method]:
    """Find the methods that took part; the caller must be free to call each of them now."""
    found = []
    for name in dict.fromkeys(each.method for each in _behind(call, calls)):
        method = call.listing.find(name)
        if method is None:
            raise UndoNotPossible(f"{name} is switched off.")
        if Irreversible in method.notes:
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


def _write_all(call: Call, watch: Watch, planned: Sequence[Planned], first: int) -> None:
    """Write rows in their order; a row that refers to a later one is tried again behind it.

    PostgreSQL notes what went along with a row behind that.
    """
    while planned:
        behind: list[Planned] = []
        for each in planned:
            point = call.connection.begin_nested()
            try:
                _write(call, watch, each)
            except IntegrityError:
                point.rollback()
                behind.append(each)
                if each.step.made or len(behind) == len(planned):
                    raise _in_use(call, each, first) from None
            else:
                point.commit()
        planned = behind


def _write(call: Call, watch: Watch, planned: Planned) -> None:
    step, connection, database = planned.step, call.connection, watch.database
    if step.made:
        _announce(call, watch, planned)
        if remove := watch.rules.of(step.table).remove:
            remove(call, planned.now or {})
        else:
            database.remove(connection, step.table, step.key)
    elif step.gone:
        database.add(connection, step.table, planned.values)
    else:
        database.change(connection, step.table, step.key, planned.values)
    if not step.made:
        _announce(call, watch, planned)


def _announce(call: Call, watch: Watch, planned: Planned) -> None:
    """Have the owner of the table publish what is done, while the row is there."""
    if announce := watch.rules.of(planned.table).announce:
        announce(call, planned.step.kind, {**(planned.now or {}), **planned.values})


def _tidy(call: Call, watch: Watch, planned: Sequence[Planned], began: int) -> None:
    """Take out what triggers have added meanwhile; raises `UndoConflict` where rows went along."""
    unit = watch.unit_of(call.connection)
    database: Any = watch.database
    wanted = {each.step.id for each in planned}
    done = steps_of(changes_since(call.connection, began, unit), database.values)
    beside = [each for each in done if each.id not in wanted and watch.rules.are_undone(each.table)]
    if lost := [each for each in beside if each.gone]:
        later = changes_behind(call.connection, 0, {each.id for each in lost}, [unit])
        raise _conflict([Blocked(each, [], later.get(each.id, ())) for each in lost])
    for each in beside:
        if each.made and not watch.rules.of(each.table).remove:
            database.remove(call.connection, each.table, each.key)


def _in_use(call: Call, planned: Planned, first: int) -> UndoConflict:
    """Name a row that cannot be written, and those that refer to it, or are in its place.

    The calls are those that have changed these after the change `first`.
    """
    step = planned.step
    ways = referring(call.connection, step) if step.made else in_place_of(call.connection, planned)
    others = {
        each: changes_behind(call.connection, first, [each], ()).get(each, []) for each in ways
    }
    later = [each for changes in others.values() for each in changes]
    rows = [
        Blocked(msgspec.structs.replace(step, table=table, row=row), [], changes)
        for (table, row), changes in others.items()
    ]
    return _conflict([Blocked(step, [], later), *rows])


def _conflict(blocked: Sequence[Blocked]) -> UndoConflict:
    rows = [_named_row(each) for each in blocked[:MOST_NAMED]]
    first = rows[0]
    what = f"{first['table']} {first['id']}"
    if first["columns"]:
        what += f" ({', '.join(first['columns'])})"
    by = ", ".join(f"{each['method']} ({each['id']})" for each in first["calls"])
    more = f", and {len(blocked) - 1} more" if len(blocked) > 1 else ""
    error = UndoConflict(
        f"Changed since, by {by or 'what was no call'}: {what}{more}. Nothing was done."
    )
    error.data = msgspec.json.encode({"rows": rows})
    return error


def _named_row(blocked: Blocked) -> dict[str, Any]:
    calls = {each.call.request_id: each.call for each in blocked.later if each.call is not None}
    return {
        "table": blocked.step.table,
        "id": blocked.step.shown_key,
        "columns": blocked.columns,
        "calls": [
            {"id": each.request_id, "method": each.method, "user": each.user_id, "at": each.at}
            for each in calls.values()
        ],
    }
