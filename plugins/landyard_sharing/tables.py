"""The table of links to drafts: digest of the secret, page and expiry."""

from datetime import datetime

from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class DraftLink(Base, table=True):
    """A link to the draft of a page, made by a user."""

    __tablename__ = "sharing_link"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True, max_length=64)
    page_id: int = Field(foreign_key="landing_page.id", ondelete="CASCADE", index=True)
    user_id: int
    expires_at: datetime = Field(index=True, sa_type=Moment)


LINK = table_of(DraftLink).c
