"""Asks the owners of tables whether the rows that an undo wrote still fit in."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from landyard import Call
from landyard_undo.errors import UndoConflict
from landyard_undo.planning import Planned
from landyard_undo.rules_in_force import RulesInForce
from landyard_undo.steps import Row


def require_fit(
    call: Call, rules: RulesInForce, planned: Sequence[Planned], since: datetime
) -> None:
    """Ask the owner of each table; raises `UndoConflict` for the first row that fits in no more.

    `since` is when the call was made that is undone.
    """
    written: dict[Row, set[str]] = {}
    for each in planned:
        written.setdefault(each.step.id, set()).update(each.values)
    # A row may be written several times, the last time as it stays.
    for each in {each.step.id: each for each in planned}.values():
        step = each.step
        fits = rules.of(step.table).fits
        if fits is None:
            continue
        columns = set() if step.made else written[step.id]
        if in_the_way := fits(call, {**(each.now or {}), **each.values}, columns, since):
            what = f"{step.table} {step.shown_key}: {in_the_way}"
            error = UndoConflict(f"It does not fit in any more: {what} Nothing was done.")
            row = {
                "table": step.table,
                "id": step.shown_key,
                "columns": sorted(columns),
                "calls": [],
            }
            error.data = msgspec.json.encode({"rows": [row]})
            raise error
