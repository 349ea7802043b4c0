"""The contacts: their table, and how they are found."""

from datetime import date
from typing import TypeVar

from sqlalchemy import JSON
from sqlmodel import Field, Session, SQLModel, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

T = TypeVar("T")


class Contact(SQLModel, table=True):
    __tablename__ = "contacts_contact"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(index=True)
    email: str | None = None
    phones: list[str] = Field(sa_type=JSON)
    birthday: date | None = None
    company: str | None = Field(default=None, index=True)
    rating: int | None = None


def page_of(session: Session, name: str, company: str, start: int, most: int) -> list[Contact]:
    """Read at most `most` contacts that fit, by name, from the offset `start` on."""
    fitting = _fitting(select(Contact), name, company)
    in_order = fitting.order_by(col(Contact.name), col(Contact.id))
    return list(session.exec(in_order.offset(start).limit(most)))


def count(session: Session, name: str, company: str) -> int:
    return session.exec(_fitting(select(func.count(col(Contact.id))), name, company)).one()


def _fitting(query: SelectOfScalar[T], name: str, company: str) -> SelectOfScalar[T]:
    if name:
        query = query.where(col(Contact.name).icontains(name, autoescape=True))
    if company:
        query = query.where(col(Contact.company).icontains(company, autoescape=True))
    return query
