"""The tables: what visitors have sent, also files, and the key that times are signed with."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Index, Integer, LargeBinary
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class SubmissionRow(SQLModel, table=True):
    """What a visitor has sent to a form, which is a published block.

    `answers` are objects with `name`, `label`, `value` and, of a file, `size`; `consent` is the
    text that was agreed to. `sender`, `digest` and `likeness` stand for the address, for the
    answers and for what is written in them at length, and nobody can read these from them; `size`
    is in bytes, with files.
    """

    __tablename__ = "forms_submission"
    __table_args__ = (
        Index("ix_forms_submission_form", "form_id", "sent_at"),
        {"sqlite_autoincrement": True, "info": {"undo": "never"}},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    form_id: int
    page_id: int = Field(index=True)
    sent_at: datetime = Field(sa_type=Moment, index=True)
    answers: list[Any] = Field(sa_type=JSON)
    consent: str = ""
    sender: str = ""
    digest: str = ""
    likeness: str = ""
    size: int = 0


class FileRow(SQLModel, table=True):
    """A file of a submission, for one of its fields; it has no address, and goes with it."""

    __tablename__ = "forms_file"
    __table_args__ = ({"info": {"undo": "never"}},)

    submission_id: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    field: str = Field(primary_key=True)
    name: str
    kind: str
    content: bytes = Field(sa_type=LargeBinary)


class KeyRow(SQLModel, table=True):
    """One row: the key of this service's forms, made when the first one is needed."""

    __tablename__ = "forms_key"
    __table_args__ = ({"info": {"undo": "never"}},)

    id: int = Field(default=1, primary_key=True)
    key: str


SUBMISSION = table_of(SubmissionRow).c
FILE = table_of(FileRow).c
KEY = table_of(KeyRow).c
