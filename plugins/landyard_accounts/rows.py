"""Rows of users, webhooks and tokens, for commands and methods."""

from typing import Any

from sqlalchemy import Select, select
from sqlmodel import Session

from landyard import credentials, table_of

CredentialClass = type[credentials.Webhook] | type[credentials.Token]
RowClass = type[credentials.User] | CredentialClass


def noun(kind: RowClass) -> str:
    """Return the noun for the rows of a class: user, webhook or token."""
    return kind.__name__.lower()


def all_rows(kind: RowClass) -> Select[Any]:
    """Return a query of all rows, also revoked ones, without digests, sorted by id."""
    columns = table_of(kind).columns
    return select(*(each for each in columns if each.name != "digest")).order_by(columns.id)


def revoke(session: Session, kind: RowClass, row_id: int) -> bool:
    """Set a row inactive; False if there is none with this id."""
    row = session.get(kind, row_id)
    if row is None:
        return False
    row.active = False
    return True
