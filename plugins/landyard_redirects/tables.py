"""The table of former domains, codes and paths, by which old addresses are resolved."""

from typing import Any

from sqlalchemy import BigInteger, Index, Integer
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")

DOMAIN, SITE_CODE, FOLDER_CODE, PAGE_CODE, PATH = "domain", "site", "folder", "page", "path"
"""The kinds of old addresses: triggers write the first four, callers the last."""


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class OldAddress(Base, table=True):
    """A step of an old address: `code` was the code of the target in a folder of a site.

    `parent_id` is 0 at the site's root. For the kind `domain`, `code` is the domain; for `path` it
    is the whole path below the site's address, percent-encoded, and the target is a page. A renamed
    folder therefore has one row, whatever it contains, and a page that moves often needs no chain
    of redirects. The latest row wins. A former domain or code of a site has no `site_id`.
    """

    __tablename__ = "redirects_old"
    __table_args__ = (
        Index("ix_redirects_old_address", "code", "kind", "site_id", "parent_id", "id"),
        Index("ix_redirects_old_target", "kind", "target_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    kind: str
    site_id: int = 0
    parent_id: int = 0
    code: str
    target_id: int


OLD = table_of(OldAddress).c
