"""Creation of users, webhooks and tokens; only the digest of a secret is stored."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, Table, select

from landyard import credentials, spelt


class Issued(Struct, frozen=True):
    """A new credential. `secret` is not stored: this is the only time to show it."""

    row_id: int
    user_id: int
    secret: str
    expires_at: datetime | None = None


def free_name(connection: Connection, name: str, user_id: int | None = None) -> str:
    """Return a name, trimmed, that a user (or the user with this id) can have; raises `Refused`."""
    name, users = spelt(name).strip(), credentials.USER
    if not name:
        raise credentials.Refused("a user needs a name")
    namesake = connection.scalar(
        select(users.c.id).where(users.c.name == name, users.c.id != (user_id or 0))
    )
    if namesake:
        raise credentials.Refused(f"user {namesake} is called {name} already; choose another name")
    return name


def add_user(connection: Connection, name: str, *, admin: bool = False) -> int:
    """Add a user and return the id; raises `Refused` if the name is empty or not unique."""
    name, users = free_name(connection, name), credentials.USER
    inserted = users.insert().values(name=name, admin=admin).returning(users.c.id)
    return int(connection.execute(inserted).scalar_one())


def issue(
    connection: Connection,
    table: Table,
    user_id: int,
    *,
    scopes: str = "",
    title: str = "",
    expires_at: datetime | None = None,
) -> Issued:
    """Add a webhook or token with a new secret, for an existing user."""
    secret = credentials.new_secret("webhook" if table is credentials.WEBHOOK else "token")
    row = {"user_id": user_id, "digest": credentials.digest(secret), "scopes": scopes}
    row |= {"title": title, "expires_at": expires_at}
    inserted = connection.execute(table.insert().values(row).returning(table.c.id))
    return Issued(inserted.scalar_one(), user_id, secret, expires_at)


def webhook_address(base: str, issued: Issued) -> str:
    """Return the address of a new webhook; `base` is the address of the service."""
    return f"{base}/rest/{issued.user_id}/{issued.secret}/"
