"""The table of guest-book entries, and its queries."""

from datetime import datetime

from landyard import Moment
from sqlalchemy import ColumnElement
from sqlalchemy.orm import registry
from sqlmodel import Field, Session, SQLModel, col, delete, func, select


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of the models; other plugins may have classes of the same names."""


class Entry(Base, table=True):
    """An entry: a guest's name and text, and the time of writing."""

    __tablename__ = "guestbook_entry"

    id: int | None = Field(default=None, primary_key=True)
    name: str
    text: str
    added_at: datetime = Field(sa_type=Moment, index=True)


def newest(session: Session, start: int, most: int) -> list[Entry]:
    """Return at most `most` entries from offset `start` on, the newest first."""
    query = select(Entry).order_by(col(Entry.id).desc()).offset(start).limit(most)
    return list(session.exec(query))


def count(session: Session) -> int:
    return session.exec(select(func.count()).select_from(Entry)).one()


def forget_before(session: Session, moment: datetime) -> None:
    """Remove the entries that are older than `moment`."""
    old: ColumnElement[bool] = col(Entry.added_at) < moment
    session.execute(delete(Entry).where(old))
