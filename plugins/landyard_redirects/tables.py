"""The table of old addresses: where a site, a folder or a page was before it went elsewhere."""

from typing import Any

from sqlalchemy import BigInteger, Index, Integer
from sqlmodel import Field, SQLModel

from landyard import table_of
from landyard_landing import may_undo

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")

DOMAIN, SITE_CODE, FOLDER_CODE, PAGE_CODE, PATH = "domain", "site", "folder", "page", "path"
"""The kinds of old addresses: triggers write the first four, callers the last."""


class OldAddress(SQLModel, table=True):
    """One step of an old address: what was called `code` in a folder of a site, by its id.

    `parent_id` is 0 at the site's root. `code` of a `domain` is that, of a `path` the whole path
    below the site's address, percent-encoded; the target of a path is a page. So a folder that is
    renamed has one row, whatever is in it, and a page that goes on has no chain to follow. The
    latest row wins. A former domain or code of a site has no `site_id`.
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
OLD.id.table.info["undo_may"] = may_undo
