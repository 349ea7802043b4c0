"""Replaces a webhook or token by a new one; for a while both work."""

from datetime import datetime, timedelta
from typing import Any

from msgspec import structs
from sqlmodel import Session

from landyard import credentials
from landyard_accounts import creation
from landyard_accounts.rows import CredentialClass, noun


class Successor(creation.Issued, frozen=True, kw_only=True):
    """A new credential; the old one, `replaces`, works until `replaced_until`."""

    replaces: int
    replaced_until: datetime


def rotate(
    session: Session, kind: CredentialClass, row_id: int, *, now: datetime, overlap: timedelta
) -> Successor | None:
    """Replace a credential by a new row with the same user, scopes, title and end.

    The old one works for another `overlap`, but not beyond its own end; without an overlap it is
    revoked. None if no working credential has this id. Raises `Refused` if it was rotated before: a
    credential has one successor only.
    """
    old = session.get(kind, row_id, with_for_update=True)
    if old is not None and old.replaced_by is not None:
        raise credentials.Refused(
            f"{noun(kind)} {row_id} is replaced by {noun(kind)} {old.replaced_by}:"
            " rotate that one, or revoke this one"
        )
    if old is None or not old.active or (old.expires_at is not None and old.expires_at <= now):
        return None
    copied: Any = {"scopes": old.scopes, "title": old.title, "expires_at": old.expires_at}
    issued = creation.issue(session, kind, old.user_id, **copied)
    ends = now + overlap
    until = ends if old.expires_at is None else min(ends, old.expires_at)
    # Clocks of hosts differ slightly, so without an overlap it is switched off, not just expired.
    old.expires_at, old.active, old.replaced_by = until, overlap > timedelta(), issued.row_id
    return Successor(**structs.asdict(issued), replaces=row_id, replaced_until=until)
