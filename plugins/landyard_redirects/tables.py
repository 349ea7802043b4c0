"""The table of old addresses of sites, folders and pages."""

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
"""A step of an old address: `code` was the code of the target in a folder of a site.

`parent_id` is 0 at the site's root. For the kind `domain`, `code` is the domain; for `path` it is
the whole path below the site's address, percent-encoded, and the target is a page. A renamed folder
therefore has one row, whatever it contains, and a page that moves often needs no chain of
redirects. The latest row wins. A former domain or code of a site has no `site_id`.
"""
