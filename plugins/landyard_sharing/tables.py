"""The table of links to drafts: digest of the secret, page and expiry."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table

from landyard import METADATA, Moment

LINK = Table(
    "sharing_link",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column(
        "page_id",
        Integer,
        ForeignKey("landing_page.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("user_id", Integer, nullable=False),
    Column("expires_at", Moment, nullable=False, index=True),
    sqlite_autoincrement=True,
).c
"""A link to the draft of a page, made by a user."""
