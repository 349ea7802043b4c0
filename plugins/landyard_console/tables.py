"""The tables of sessions, of sign-in links, and of users' passwords."""

from datetime import datetime

from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class BrowserSession(Base, table=True):
    """A session: a browser in which a user is signed in; `digest` is the digest of its secret.

    `address` is the address at sign-in, `agent` the browser's `User-Agent`.
    """

    __tablename__ = "console_session"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", ondelete="CASCADE", index=True)
    digest: str = Field(unique=True, max_length=64)
    address: str = ""
    agent: str = ""
    created_at: datetime = Field(sa_type=Moment)
    expires_at: datetime = Field(index=True, sa_type=Moment)


SESSION = table_of(BrowserSession)


class SignInLink(Base, table=True):
    """A link that signs a user in once, and is removed when used."""

    __tablename__ = "console_link"

    digest: str = Field(primary_key=True, max_length=64)
    user_id: int = Field(foreign_key="landyard_user.id", ondelete="CASCADE", index=True)
    expires_at: datetime = Field(index=True, sa_type=Moment)


LINK = table_of(SignInLink)


class Password(Base, table=True):
    """A user's password as an Argon2id hash."""

    __tablename__ = "console_password"

    user_id: int = Field(primary_key=True, foreign_key="landyard_user.id", ondelete="CASCADE")
    hashed: str


PASSWORD = table_of(Password)
