"""The tables of sessions, of sign-in links, and of users' passwords."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table

from landyard import METADATA, Moment

SESSION = Table(
    "console_session",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column(
        "user_id",
        Integer,
        ForeignKey("landyard_user.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("digest", String(64), nullable=False, unique=True),
    Column("address", String, nullable=False, default=""),
    Column("agent", String, nullable=False, default=""),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False, index=True),
    sqlite_autoincrement=True,
)
"""A session: a browser in which a user is signed in; `digest` is the digest of its secret.

`address` is the address at sign-in, `agent` the browser's `User-Agent`.
"""


LINK = Table(
    "console_link",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column(
        "user_id",
        Integer,
        ForeignKey("landyard_user.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("expires_at", Moment, nullable=False, index=True),
)
"""A link that signs a user in once, and is removed when used."""


PASSWORD = Table(
    "console_password",
    METADATA,
    Column(
        "user_id", Integer, ForeignKey("landyard_user.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("hashed", String, nullable=False),
)
"""A user's password as an Argon2id hash."""
