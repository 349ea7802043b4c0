"""The tables of submissions, of their files, and of the key that signs times."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Index, Integer
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class Submission(Base, table=True):
    """A submission to a form, which is a published block.

    `answers` are objects with `name`, `label`, `value` and, for a file, `size`; `consent` is the
    text consented to. `sender`, `digest` and `likeness` are irreversible digests of the address, of
    the answers and of the long texts; `size` is in bytes, including files.
    """

    __tablename__ = "forms_submission"
    __table_args__ = (
        Index("ix_forms_submission_form", "form_id", "sent_at"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    form_id: int
    page_id: int = Field(index=True)
    sent_at: datetime = Field(index=True, sa_type=Moment)
    answers: Any = Field(sa_type=JSON)
    consent: str = ""
    sender: str = ""
    digest: str = ""
    likeness: str = ""
    size: int = 0


SUBMISSION = table_of(Submission).c


class SubmittedFile(Base, table=True):
    """A file in a field of a submission; it has no public address, and is removed with it."""

    __tablename__ = "forms_file"

    submission_id: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    field: str = Field(primary_key=True)
    name: str
    kind: str
    content: bytes


FILE = table_of(SubmittedFile).c


class FormKey(Base, table=True):
    """The key of this service's forms in a single row, created when first needed."""

    __tablename__ = "forms_key"

    id: int = Field(default=1, primary_key=True)
    key: str


KEY = table_of(FormKey).c
