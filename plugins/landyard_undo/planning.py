"""Planning: what has to be written to take a call back, and what stands in the way."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from landyard import Call
from landyard_undo import treatment
from landyard_undo.excerpts import LOST
from landyard_undo.journal import Later
from landyard_undo.steps import Step
from landyard_undo.treatment import DIGEST, LATEST, Values

_MISSING = object()


class Blocked(Struct, frozen=True):
    """A row that was changed since: its columns, none where the row came or went."""

    step: Step
    columns: list[str]
    later: Sequence[Later]


class Planned(Struct, frozen=True):
    """What is to be written of a row: `values` of columns, or a whole row that comes back."""

    step: Step
    now: Values | None
    values: Values
    merged: bool = False


def plan(
    call: Call, step: Step, now: Values | None, later: Sequence[Later], database: Any
) -> Planned | Blocked | None:
    """Plan to take back what became of a row; None where nothing is to be done."""
    if now is None and not step.gone:
        return None if step.made else Blocked(step, [], later)
    if lost := [name for name, value in step.before.items() if value == LOST]:
        return Blocked(step, lost, later)
    if now is None:
        return Planned(step, None, step.before)
    if step.gone:
        return Blocked(step, [], later)
    if step.made:
        changed = _changed(call, step, now, database)
        return Blocked(step, changed, later) if changed else Planned(step, now, {})
    return _plan_values(call, step, now, later, database)


def _plan_values(
    call: Call, step: Step, now: Values, later: Sequence[Later], database: Any
) -> Planned | Blocked | None:
    """Plan to give columns of a row their values back."""
    after = step.after
    values: Values = {}
    changed, merged = [], False
    for name, before in step.before.items():
        if now.get(name, before) == before:
            continue
        if _is(call, step, now, name, database):
            values[name] = before
        elif treatment.of_column(step.table, name) != LATEST:
            try:
                made = _made(after.get(name), name, later, database)
                values[name] = _merge(call, step, name, now, made)
                merged = True
            except ValueError:
                changed.append(name)
    if changed:
        return Blocked(step, changed, later)
    return Planned(step, now, values, merged) if values else None


def _changed(call: Call, step: Step, now: Values, database: Any) -> list[str]:
    """List the columns of a new row that are not as the call has left them."""
    return [
        name
        for name in now
        if treatment.of_column(step.table, name) != LATEST
        and not _is(call, step, now, name, database)
    ]


def _is(call: Call, step: Step, now: Values, name: str, database: Any) -> bool:
    """Tell whether a column is as the call has left it."""
    made = step.after.get(name, now[name])
    if isinstance(made, dict) and DIGEST in made:
        found = database.digest(call.connection, step.table, step.key, name)
        return bool(found == made[DIGEST])
    return bool(now[name] == made)


def _made(made: Any, name: str, later: Sequence[Later], database: Any) -> Any:
    """Find the value that the call has left behind: the next change has found it there."""
    if not (isinstance(made, dict) and DIGEST in made):
        return made
    for each in later:
        before, _ = database.values(each.noted)
        is_unknown = each.noted.kind == "delete" and name not in before  # its values are not kept
        if is_unknown or before.get(name) == LOST:
            break
        if name in before:
            return before[name]
    raise ValueError(name)  # it was changed by what is not noted


def _merge(call: Call, step: Step, name: str, now: Values, made: Any) -> Any:
    """Merge what was changed since with taking back; raises `ValueError`."""
    before, merge = step.before[name], treatment.of_column(step.table, name)
    if callable(merge):
        return merge(call, now, made, now[name], before)
    if not treatment.holds_json(step.table, name):
        raise ValueError(name)
    sides = (made, now[name], before)
    if all(isinstance(each, str) for each in sides):  # SQLite's
        merged = _merge_maps(*map(msgspec.json.decode, sides))
        return msgspec.json.encode(merged).decode()
    return _merge_maps(*sides)


def _merge_maps(base: Any, theirs: Any, yours: Any) -> Any:
    """Merge objects by their keys; raises `ValueError` where both changed one."""
    if theirs in (base, yours):
        return yours
    if yours == base:
        return theirs
    if not all(isinstance(each, Mapping) for each in (base, theirs, yours)):
        raise ValueError
    merged = {}
    for key in {**theirs, **base, **yours}:
        value = _merge_maps(*(each.get(key, _MISSING) for each in (base, theirs, yours)))
        if value is not _MISSING:
            merged[key] = value
    return merged
