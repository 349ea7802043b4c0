"""The tables: apps, what users have let them do, and the digests of codes and tokens."""

from datetime import datetime

from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import METADATA, Moment


class Base(SQLModel, registry=registry(metadata=METADATA)):
    """The base of the models; other plugins may have classes of the same names."""


class App(Base, table=True):
    """An application of its own, which users let call methods for them.

    `redirect_uris` and `scopes` are separated by spaces; `digest` is that of the client secret. The
    `application_token` goes with each event that the app is told, and is kept as it is for that.
    """

    __tablename__ = "oauth_app"
    # What was given to one that is gone must not be another's.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    client_id: str = Field(unique=True)
    digest: str
    title: str
    redirect_uris: str
    scopes: str
    application_token: str
    active: bool = True
    created_at: datetime = Field(sa_type=Moment)


class Grant(Base, table=True):
    """What a user has let an app do, until `ends_at`: the family of one code and its tokens.

    Without the row none of them is good. `credential` is what the user was signed in with, such as
    `webhook:7`: what is let ends with it. `redirect_uri` and `challenge` (PKCE, S256) are those of
    the request for the code, empty where it had none.
    """

    __tablename__ = "oauth_grant"

    id: int | None = Field(default=None, primary_key=True)
    app_id: int = Field(foreign_key="oauth_app.id", index=True, ondelete="CASCADE")
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    scopes: str
    redirect_uri: str = ""
    challenge: str = ""
    credential: str = ""
    created_at: datetime = Field(sa_type=Moment)
    ends_at: datetime = Field(sa_type=Moment, index=True)


class Secret(Base, table=True):
    """A secret of a grant, of which the digest alone is kept: `code`, `access` or `refresh`.

    Codes and refresh tokens are good once: `used_at` is when that was.
    """

    __tablename__ = "oauth_secret"

    id: int | None = Field(default=None, primary_key=True)
    grant_id: int = Field(foreign_key="oauth_grant.id", index=True, ondelete="CASCADE")
    kind: str
    digest: str = Field(unique=True, max_length=64)
    expires_at: datetime = Field(sa_type=Moment)
    used_at: datetime | None = Field(default=None, sa_type=Moment)
