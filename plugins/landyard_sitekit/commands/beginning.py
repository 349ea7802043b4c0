"""Adds the first administrator and the first webhook of a new service."""

from typing import Any

from sqlalchemy import Connection, select

from landyard import credentials, spelt


def add_administrator(connection: Connection, name: str) -> int:
    """Add an administrator and return the id; raises `Refused` for an empty or used name."""
    name, users = spelt(name).strip(), credentials.USER
    if not name:
        raise credentials.Refused("a user needs a name")
    if connection.scalar(select(users.c.id).where(users.c.name == name)):
        raise credentials.Refused(f"there is a user called {name} already; choose another name")
    made = users.insert().values(name=name, admin=True).returning(users.c.id)
    return int(connection.execute(made).scalar_one())


def add_webhook(
    base: str, connection: Connection, user_id: int, *, scopes: tuple[str, ...], title: str
) -> str:
    """Add a webhook and return its address; only the digest of its secret is stored."""
    secret = credentials.new_secret("webhook")
    row: dict[str, Any] = {
        "user_id": user_id,
        "digest": credentials.digest(secret),
        "scopes": " ".join(scopes),
        "title": title,
    }
    connection.execute(credentials.WEBHOOK.insert().values(row))
    return f"{base}/rest/{user_id}/{secret}/"
