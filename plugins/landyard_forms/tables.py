"""The tables of submissions, of their files, and of the key that signs times."""

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, LargeBinary, String, Table

from landyard import METADATA, Moment

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


SUBMISSION = Table(
    "forms_submission",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("form_id", Integer, nullable=False),
    Column("page_id", Integer, nullable=False, index=True),
    Column("sent_at", Moment, nullable=False, index=True),
    Column("answers", JSON, nullable=False),
    Column("consent", String, nullable=False, default=""),
    Column("sender", String, nullable=False, default=""),
    Column("digest", String, nullable=False, default=""),
    Column("likeness", String, nullable=False, default=""),
    Column("size", Integer, nullable=False, default=0),
    Index("ix_forms_submission_form", "form_id", "sent_at"),
    sqlite_autoincrement=True,
).c
"""A submission to a form, which is a published block.

`answers` are objects with `name`, `label`, `value` and, for a file, `size`; `consent` is the text
consented to. `sender`, `digest` and `likeness` are irreversible digests of the address, of the
answers and of the long texts; `size` is in bytes, including files.
"""


FILE = Table(
    "forms_file",
    METADATA,
    Column("submission_id", BigInteger, primary_key=True, autoincrement=False),
    Column("field", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("content", LargeBinary, nullable=False),
).c
"""A file in a field of a submission; it has no public address, and is removed with it."""


KEY = Table(
    "forms_key",
    METADATA,
    Column("id", Integer, primary_key=True, default=1),
    Column("key", String, nullable=False),
).c
"""The key of this service's forms in a single row, created when first needed."""
