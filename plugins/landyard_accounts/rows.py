"""Users and credentials as rows: listed and revoked, by the command line and by calls."""

from typing import Any

from sqlalchemy import Connection, Select, select, update

from landyard import credentials, table_of

Model = credentials.Model | type[credentials.User]


def all_rows(model: Model) -> Select[Any]:
    """Select all rows by their ids, also what is switched off, without digests."""
    table = table_of(model)
    columns = [column for column in table.columns if column.name != "digest"]
    return select(*columns).order_by(table.c.id)


def revoke(connection: Connection, model: Model, row_id: int) -> bool:
    """Switch one off; False where there is none of this id."""
    table = table_of(model)
    off = update(table).where(table.c.id == row_id).values(active=False).returning(table.c.id)
    return connection.execute(off).first() is not None
