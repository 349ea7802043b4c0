"""The tables of apps, of users' grants to them, and of digests of codes and tokens."""

from datetime import datetime

from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of the models; other plugins may have classes of the same names."""


class App(Base, table=True):
    """A registered application, which users may authorize to call methods for them.

    `redirect_uris` and `scopes` are separated by spaces; `digest` is that of the client secret. The
    `application_token` is sent with each event to the app, so it is stored in plain text.
    """

    __tablename__ = "oauth_app"
    # An id is never reused: grants and bindings of a removed app must not pass to a new one.
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
    """A user's authorization of an app until `ends_at`, with one code and its tokens.

    Without the row the code and tokens are invalid. `credential` is the one with which the user was
    signed in, such as `webhook:7`: the grant ends with it. `redirect_uri` and `challenge` (PKCE,
    S256) are copied from the request for the code, and empty if it had none.
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
    """The digest of a grant's secret; `kind` is `code`, `access` or `refresh`.

    Codes and refresh tokens work once; `used_at` is the time of that use.
    """

    __tablename__ = "oauth_secret"

    id: int | None = Field(default=None, primary_key=True)
    grant_id: int = Field(foreign_key="oauth_grant.id", index=True, ondelete="CASCADE")
    kind: str
    digest: str = Field(unique=True, max_length=64)
    expires_at: datetime = Field(sa_type=Moment)
    used_at: datetime | None = Field(default=None, sa_type=Moment)
