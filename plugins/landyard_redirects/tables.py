"""The table of old addresses: where a site, a folder or a page was before it went elsewhere."""

from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table

from landyard import METADATA

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")

DOMAIN, SITE_CODE, FOLDER_CODE, PAGE_CODE, PATH = "domain", "site", "folder", "page", "path"
"""The kinds of old addresses: triggers write the first four, callers the last."""


OLD = Table(
    "redirects_old",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("kind", String, nullable=False),
    Column("site_id", Integer, nullable=False, default=0),
    Column("parent_id", Integer, nullable=False, default=0),
    Column("code", String, nullable=False),
    Column("target_id", Integer, nullable=False),
    Index("ix_redirects_old_address", "code", "kind", "site_id", "parent_id", "id"),
    Index("ix_redirects_old_target", "kind", "target_id", "id"),
    sqlite_autoincrement=True,
).c
"""One step of an old address: what was called `code` in a folder of a site, by its id.

`parent_id` is 0 at the site's root. `code` of a `domain` is that, of a `path` the whole path
below the site's address, percent-encoded; the target of a path is a page. So a folder that is
renamed has one row, whatever is in it, and a page that goes on has no chain to follow. The
latest row wins. A former domain or code of a site has no `site_id`.
"""
