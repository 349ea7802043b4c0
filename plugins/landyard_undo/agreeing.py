"""Agreeing: owners of tables that tell what was done see to their rows when others are undone."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import func, select
from sqlmodel import SQLModel

from landyard import Call
from landyard_undo.journal import rename, rows_told
from landyard_undo.planning import AGREE, Planned


def agreements(
    call: Call, planned: Sequence[Planned], database: Any
) -> Iterator[Callable[[], None]]:
    """Tell the owners what is planned; what they return is called when all the rest is written."""
    for table in SQLModel.metadata.tables.values():
        if agree := table.info.get(AGREE):
            yield partial(agree(call, planned), partial(_write, call, database))


def _write(call: Call, database: Any, rows: Iterable[Planned]) -> None:
    """Write rows of such a table; where a key is taken, all that come back have new ones."""
    rows, connection = [*rows], call.connection
    back = sorted((each for each in rows if each.step.gone), key=lambda each: each.step.key)
    for each in rows:
        step = each.step
        if step.made:
            database.remove(connection, step.table, step.key)
        elif not step.gone:
            database.change(connection, step.table, step.key, each.values)
    if any(database.find(connection, each.table, each.step.key) for each in back):
        _add_anew(call, database, back)
        return
    for each in back:
        database.add(connection, each.table, each.values)


def _add_anew(call: Call, database: Any, rows: Sequence[Planned]) -> None:
    table = SQLModel.metadata.tables[rows[0].table]
    (key,) = table.primary_key
    taken = call.connection.execute(select(func.max(key))).scalar() or 0
    told = rows_told(call.connection, table.name)
    taken = max(taken, *(msgspec.json.decode(each)[0] for each in told))
    for number, each in enumerate(rows, taken + 1):
        database.add(call.connection, table.name, {**each.values, key.name: number})
        rename(call.connection, each.step.id, f"[{number}]", each.step.last)
