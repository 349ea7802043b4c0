"""Fitting: once an undo has written all its rows, the owners of tables say whether they fit in."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from landyard import Call
from landyard_undo import treatment
from landyard_undo.errors import UndoConflict
from landyard_undo.planning import Planned


def require_fit(call: Call, planned: Iterable[Planned], since: datetime) -> None:
    """Ask the owner of each table; raises `UndoConflict` for the first row that fits in no more.

    `since` is when the call was made that is undone.
    """
    for each in planned:
        step = each.step
        fits = treatment.asked(step.table, "undo_fits")
        if fits is None:
            continue
        row = {**(each.now or {}), **each.values}
        written = frozenset() if step.made else frozenset(each.values)
        if in_the_way := fits(call, row, written, since):
            what = f"{step.table} {step.told}: {in_the_way}"
            error = UndoConflict(f"It does not fit in any more: {what} Nothing was done.")
            told = {"table": step.table, "id": step.told, "columns": sorted(written), "calls": []}
            error.data = msgspec.json.encode({"rows": [told]})
            raise error
