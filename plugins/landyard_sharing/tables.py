"""The table of links: of each the digest of its secret, the page, and until when it is good."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class DraftLink(SQLModel, table=True):
    """A link to the draft of a page, made by a user."""

    __tablename__ = "sharing_link"
    __table_args__ = ({"sqlite_autoincrement": True, "info": {"undo": "refused"}},)

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True, max_length=64)
    page_id: int = Field(foreign_key="landing_page.id", index=True, ondelete="CASCADE")
    user_id: int
    expires_at: datetime = Field(sa_type=Moment, index=True)


LINK = table_of(DraftLink).c
