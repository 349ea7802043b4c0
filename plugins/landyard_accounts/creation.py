"""Creation of users, webhooks and tokens; only the digest of a secret is stored."""

from datetime import datetime

from msgspec import Struct
from sqlmodel import Session, col, select

from landyard import credentials, spelt
from landyard_accounts.rows import CredentialClass


class Issued(Struct, frozen=True):
    """A new credential. `secret` is not stored: this is the only time to show it."""

    row_id: int
    user_id: int
    secret: str
    expires_at: datetime | None = None


def free_name(session: Session, name: str, user_id: int = 0) -> str:
    """Return a name, trimmed, that a user (or the user with this id) can have; raises `Refused`."""
    name = spelt(name).strip()
    if not name:
        raise credentials.Refused("a user needs a name")
    of_the_name = col(credentials.User.name) == name, col(credentials.User.id) != user_id
    namesake = session.exec(select(credentials.User.id).where(*of_the_name)).first()
    if namesake:
        raise credentials.Refused(f"user {namesake} is called {name} already; choose another name")
    return name


def add_user(session: Session, name: str, *, admin: bool = False) -> int:
    """Add a user and return the id; raises `Refused` if the name is empty or not unique."""
    return _add(session, credentials.User(name=free_name(session, name), admin=admin))


def issue(
    session: Session,
    kind: CredentialClass,
    user_id: int,
    *,
    scopes: str = "",
    title: str = "",
    expires_at: datetime | None = None,
) -> Issued:
    """Add a webhook or token with a new secret, for an existing user."""
    secret = credentials.new_secret("webhook" if kind is credentials.Webhook else "token")
    row = kind(
        user_id=user_id,
        digest=credentials.digest(secret),
        scopes=scopes,
        title=title,
        expires_at=expires_at,
    )
    return Issued(_add(session, row), user_id, secret, expires_at)


def webhook_address(base: str, issued: Issued) -> str:
    """Return the address of a new webhook; `base` is the address of the service."""
    return f"{base}/rest/{issued.user_id}/{issued.secret}/"


def _add(session: Session, row: credentials.User | credentials.Webhook | credentials.Token) -> int:
    session.add(row)
    session.flush()
    assert row.id is not None
    return row.id
