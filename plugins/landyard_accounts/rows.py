"""Users and credentials as rows: listed and revoked, by the command line and by calls."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET
from sqlalchemy import Connection, Select, Table, select, update


def noun(table: Table) -> str:
    """Say what a table's rows are: a user, webhook or token."""
    return table.name.removeprefix("landyard_")


def all_rows(table: Table) -> Select[Any]:
    """Select all rows by their ids, also what is switched off, without digests."""
    columns = [column for column in table.columns if column.name != "digest"]
    return select(*columns).order_by(table.c.id)


def find(connection: Connection, table: Table, row_id: int, *, hold: bool = False) -> Any:
    """Return a row, or None; `hold` it, and others change it when this transaction has ended."""
    query = select(table).where(table.c.id == row_id)
    return connection.execute(query.with_for_update() if hold else query).first()


def change(connection: Connection, table: Table, row_id: int, values: Mapping[str, object]) -> None:
    """Write the columns of a row whose values are not `UNSET`."""
    said = {name: value for name, value in values.items() if value is not UNSET}
    if said:
        connection.execute(update(table).where(table.c.id == row_id).values(said))


def revoke(connection: Connection, table: Table, row_id: int) -> bool:
    """Switch one off; False where there is none of this id."""
    off = update(table).where(table.c.id == row_id).values(active=False).returning(table.c.id)
    return connection.execute(off).first() is not None
