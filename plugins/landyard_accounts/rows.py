"""Queries on the tables of users, webhooks and tokens, for commands and methods."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET
from sqlalchemy import Connection, Select, Table, select, update


def noun(table: Table) -> str:
    """Return the noun for a table's rows: user, webhook or token."""
    return table.name.removeprefix("landyard_")


def all_rows(table: Table) -> Select[Any]:
    """Return a query of all rows, also revoked ones, without digests, sorted by id."""
    columns = [column for column in table.columns if column.name != "digest"]
    return select(*columns).order_by(table.c.id)


def find(connection: Connection, table: Table, row_id: int, *, hold: bool = False) -> Any:
    """Return a row, or None; `hold` locks it until this transaction ends."""
    query = select(table).where(table.c.id == row_id)
    return connection.execute(query.with_for_update() if hold else query).first()


def change(connection: Connection, table: Table, row_id: int, values: Mapping[str, object]) -> None:
    """Write the columns of a row whose values are not `UNSET`."""
    sent_values = {name: value for name, value in values.items() if value is not UNSET}
    if sent_values:
        connection.execute(update(table).where(table.c.id == row_id).values(sent_values))


def revoke(connection: Connection, table: Table, row_id: int) -> bool:
    """Set a row inactive; False if there is none with this id."""
    update_query = (
        update(table).where(table.c.id == row_id).values(active=False).returning(table.c.id)
    )
    return connection.execute(update_query).first() is not None
