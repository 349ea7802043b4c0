"""Treatment: what the owner of a table says of undoing in SQLAlchemy's `info`, under `undo`.

Of a table it is `NEVER`, `LOG` or `REFUSED`, of a column `LATEST` or a function that merges.
"""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import JSON

from landyard import METADATA, Call

NEVER: Final = "never"
"""Of a table that tells what has happened: nothing in it is noted, or undone."""
LOG: Final = "log"
"""Of a table that lists what was done: its rows stay, and the owner adds some for the undo.

The keys alone of its rows are noted.
"""
REFUSED: Final = "refused"
"""Of a table of rights and secrets: a call that changed it is not undone. Values are not kept."""
KEYS_ALONE: Final = (LOG, REFUSED)
"""Of rows of such tables no values are kept."""
LATEST: Final = "latest"
"""Of a column that says who changed the row last: where it was changed since, it stays."""

DIGEST: Final = "landyard_sha256"
SHORT: Final = 200
"""Characters: of a longer value it is its digest that is kept of what a call has made."""
Values = dict[str, Any]
"""The values of a row, by its columns; one that is an object with a `DIGEST` stands for another."""
Merge = Callable[[Call, Values, Any, Any, Any], Any]
"""Of a column: is given the row as it is, then what the call made, what there is now, and what
there was before the call; answers what shall be there, or raises `ValueError`."""
INFO: Final = "undo"
_OURS = ("undo_", "alembic_", "sqlite_")
# The kernel knows no undo.
_OF_KERNEL = {
    **dict.fromkeys(("landyard_user", "landyard_webhook", "landyard_token"), REFUSED),
    **dict.fromkeys(("landyard_job", "landyard_usage", "landyard_plugin"), NEVER),
    **dict.fromkeys(("landyard_switch", "landyard_breaker"), REFUSED),
}


def of_table(name: str) -> str:
    """Tell how a table is treated: `NEVER`, `LOG`, `REFUSED`, or "" as any other."""
    if name.startswith(_OURS):
        return NEVER
    table = METADATA.tables.get(name)
    said = _OF_KERNEL.get(name, "")
    return said if table is None else str(table.info.get(INFO, said))


def noted_kinds(how: str) -> tuple[str, ...]:
    """Tell which changes of rows are noted in a table that is treated like that."""
    kinds = ("insert", "update", "delete")
    return () if how == NEVER else kinds[:2] if how == LOG else kinds


def is_undone(name: str) -> bool:
    """Tell whether an undo changes rows of a table."""
    return of_table(name) not in (NEVER, LOG)


def of_column(table: str, name: str) -> Any:
    """Tell how a column is treated: `LATEST`, a `Merge`, or None."""
    known = METADATA.tables.get(table)
    column = None if known is None else known.columns.get(name)
    return None if column is None else column.info.get(INFO)


def holds_json(table: str, name: str) -> bool:
    """Tell whether a column holds JSON: whatever an object in it says is a caller's."""
    known = METADATA.tables.get(table)
    return known is not None and name in known.c and isinstance(known.c[name].type, JSON)


def asked(table: str, what: str) -> Callable[..., Any] | None:
    """Return a function of the owner of a table, such as `undo_may`."""
    known = METADATA.tables.get(table)
    return None if known is None else known.info.get(what)
