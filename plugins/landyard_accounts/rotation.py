"""Rotation: a webhook or token is replaced by another one, and both work for a while."""

from datetime import datetime, timedelta

from msgspec import structs
from sqlalchemy import Connection, Table

from landyard import credentials
from landyard_accounts import making
from landyard_accounts.rows import change, find, noun


class Successor(making.Issued, frozen=True, kw_only=True):
    """A credential just made; the one that it `replaces` works until `replaced_until`."""

    replaces: int
    replaced_until: datetime


def rotate(
    connection: Connection, table: Table, row_id: int, *, now: datetime, overlap: timedelta
) -> Successor | None:
    """Replace a credential by a new row with the same user, scopes, title and end.

    The old one works for `overlap` more, but not beyond its own end; without an overlap it is
    revoked. None if no working credential has this id. Raises `Refused` for one that was rotated
    before: its end is agreed, and it must have one successor only.
    """
    old = find(connection, table, row_id, hold=True)
    if old is not None and old.replaced_by is not None:
        kind = noun(table)
        raise credentials.Refused(
            f"{kind} {row_id} is replaced by {kind} {old.replaced_by}:"
            " rotate that one, or revoke this one"
        )
    if old is None or not old.active or (old.expires_at is not None and old.expires_at <= now):
        return None
    kept = {"scopes": old.scopes, "title": old.title, "expires_at": old.expires_at}
    made = making.issue(connection, table, old.user_id, **kept)
    ends = now + overlap
    until = ends if old.expires_at is None else min(ends, old.expires_at)
    # The clocks of several hosts never quite agree; a switch needs none.
    left = {"expires_at": until, "active": overlap > timedelta(), "replaced_by": made.row_id}
    change(connection, table, row_id, left)
    return Successor(**structs.asdict(made), replaces=row_id, replaced_until=until)
