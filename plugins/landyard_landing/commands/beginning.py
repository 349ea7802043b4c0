"""The administrator and the webhook that a new service begins with."""

from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from landyard import credentials, table_of


def add_administrator(session: Session, name: str) -> int:
    """Add a user who may do everything and return the id; raises `Refused` for a name in use."""
    name, users = name.strip(), table_of(credentials.User)
    if not name:
        raise credentials.Refused("a user needs a name")
    if session.scalar(select(users.c.id).where(users.c.name == name)):
        raise credentials.Refused(f"there is a user called {name} already; choose another name")
    made = users.insert().values(name=name, admin=True).returning(users.c.id)
    return int(session.execute(made).scalar_one())


def add_webhook(
    base: str, session: Session, user_id: int, *, scopes: tuple[str, ...], title: str
) -> str:
    """Add a webhook and return its address, which nobody can look up later."""
    secret = credentials.new_secret("webhook")
    known: dict[str, Any] = {
        "digest": credentials.digest(secret),
        "scopes": " ".join(scopes),
        "title": title,
    }
    session.add(credentials.Webhook(user_id=user_id, **known))
    session.flush()
    return f"{base}/rest/{user_id}/{secret}/"
