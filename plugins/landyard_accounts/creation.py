"""Making users, webhooks and tokens: a secret is shown once, and only its digest is kept."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, Table, select

from landyard import credentials, spelt


class Issued(Struct, frozen=True):
    """A credential just made. `secret` is not stored: this is the only time to show it."""

    row_id: int
    user_id: int
    secret: str
    expires_at: datetime | None = None


def free_name(connection: Connection, name: str, user_id: int | None = None) -> str:
    """Return a name that a user, or the one with this id, can have; raises `Refused`."""
    name, users = spelt(name).strip(), credentials.USER
    if not name:
        raise credentials.Refused("a user needs a name")
    taken = connection.scalar(
        select(users.c.id).where(users.c.name == name, users.c.id != (user_id or 0))
    )
    if taken:
        raise credentials.Refused(f"user {taken} is called {name} already; choose another name")
    return name


def add_user(connection: Connection, name: str, *, admin: bool = False) -> int:
    """Add a user and return the id; raises `Refused` where nobody would know who is meant."""
    name, users = free_name(connection, name), credentials.USER
    made = users.insert().values(name=name, admin=admin).returning(users.c.id)
    return int(connection.execute(made).scalar_one())


def issue(
    connection: Connection,
    table: Table,
    user_id: int,
    *,
    scopes: str = "",
    title: str = "",
    expires_at: datetime | None = None,
) -> Issued:
    """Make a webhook or token with a new secret, for a user that exists."""
    secret = credentials.new_secret("webhook" if table is credentials.WEBHOOK else "token")
    row = {"user_id": user_id, "digest": credentials.digest(secret), "scopes": scopes}
    row |= {"title": title, "expires_at": expires_at}
    made = connection.execute(table.insert().values(row).returning(table.c.id))
    return Issued(made.scalar_one(), user_id, secret, expires_at)


def webhook_address(base: str, made: Issued) -> str:
    """Return what the addresses of calls with a new webhook begin with; `base` is the service's."""
    return f"{base}/rest/{made.user_id}/{made.secret}/"
