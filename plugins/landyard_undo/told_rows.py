"""Tables that tell what was done, such as a history: their owner says what an undo does to them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import func, select

from landyard import METADATA, Call
from landyard_undo.journal import rename, rows_told
from landyard_undo.planning import AGREE, Planned


def agreements(
    call: Call, planned: Sequence[Planned], first: int, database: Any
) -> Iterator[Callable[[], None]]:
    """Tell the owners what is planned; what they return is called when all the rest is written.

    They are told too which of their rows were changed from the change `first` on.
    """
    for table in METADATA.tables.values():
        if agree := table.info.get(AGREE):
            told = rows_told(call.connection, table.name, first)
            keys = [msgspec.json.decode(each)[0] for each in told]
            yield partial(agree(call, planned, keys), partial(_write, call, database))


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
    if back:
        _add(call, database, back)


def _add(call: Call, database: Any, rows: Sequence[Planned]) -> None:
    table, connection = METADATA.tables[rows[0].table], call.connection
    (key,) = table.primary_key
    # What was noted of a row that had another key before has that.
    numbers = [each.step.key[0] for each in rows]
    if any(database.find(connection, table.name, [number]) for number in numbers):
        taken = connection.execute(select(func.max(key))).scalar() or 0
        told = rows_told(connection, table.name, 0)
        first = 1 + max(taken, *(msgspec.json.decode(each)[0] for each in told))
        numbers = [*range(first, first + len(rows))]
    for each, number in zip(rows, numbers, strict=True):
        database.add(connection, table.name, {**each.values, key.name: number})
        if number != each.step.key[0]:
            rename(connection, each.step.id, f"[{number}]", each.step.last)
