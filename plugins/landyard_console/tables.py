"""The tables: sessions of signed-in browsers, links that sign in once, and users' passwords."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from landyard import Moment


class SignedIn(SQLModel, table=True):
    """A session: a browser in which a user is signed in; `digest` is that of its secret.

    `address` is where it signed in from, `agent` how the browser named itself.
    """

    __tablename__ = "console_session"
    # The audit names sessions by their ids: one that is gone must not be another's.
    __table_args__ = ({"sqlite_autoincrement": True, "info": {"undo": "refused"}},)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    digest: str = Field(unique=True, max_length=64)
    address: str = ""
    agent: str = ""
    created_at: datetime = Field(sa_type=Moment)
    expires_at: datetime = Field(sa_type=Moment, index=True)


class Link(SQLModel, table=True):
    """A link that signs a user in once. It is removed when it is used."""

    __tablename__ = "console_link"
    __table_args__ = ({"info": {"undo": "refused"}},)

    digest: str = Field(primary_key=True, max_length=64)
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    expires_at: datetime = Field(sa_type=Moment, index=True)


class Password(SQLModel, table=True):
    """A user's password, as Argon2id hashed it."""

    __tablename__ = "console_password"
    __table_args__ = ({"info": {"undo": "refused"}},)

    user_id: int = Field(primary_key=True, foreign_key="landyard_user.id", ondelete="CASCADE")
    hashed: str
