"""Making users, webhooks and tokens: a secret is shown once, and only its digest is kept."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import select
from sqlmodel import Session

from landyard import credentials, table_of


class Issued(Struct, frozen=True):
    """A credential just made. `secret` is not stored: this is the only time to show it."""

    row_id: int
    user_id: int
    secret: str
    expires_at: datetime | None = None


def free_name(session: Session, name: str, user_id: int | None = None) -> str:
    """Return a name that a user, or the one with this id, can have; raises `Refused`."""
    name, users = name.strip(), table_of(credentials.User)
    if not name:
        raise credentials.Refused("a user needs a name")
    taken = session.scalar(
        select(users.c.id).where(users.c.name == name, users.c.id != (user_id or 0))
    )
    if taken:
        raise credentials.Refused(f"user {taken} is called {name} already; choose another name")
    return name


def add_user(session: Session, name: str, *, admin: bool = False) -> int:
    """Add a user and return the id; raises `Refused` where nobody would know who is meant."""
    name, users = free_name(session, name), table_of(credentials.User)
    made = users.insert().values(name=name, admin=admin).returning(users.c.id)
    return int(session.execute(made).scalar_one())


def issue(
    session: Session,
    model: credentials.Model,
    user_id: int,
    *,
    scopes: str = "",
    title: str = "",
    expires_at: datetime | None = None,
) -> Issued:
    """Make a webhook or token with a new secret, for a user that exists."""
    secret = credentials.new_secret("webhook" if model is credentials.Webhook else "token")
    made = model(
        user_id=user_id,
        digest=credentials.digest(secret),
        scopes=scopes,
        title=title,
        expires_at=expires_at,
    )
    session.add(made)
    session.flush()
    assert made.id is not None
    return Issued(made.id, user_id, secret, expires_at)


def webhook_address(base: str, made: Issued) -> str:
    """Return what the addresses of calls with a new webhook begin with; `base` is the service's."""
    return f"{base}/rest/{made.user_id}/{made.secret}/"
