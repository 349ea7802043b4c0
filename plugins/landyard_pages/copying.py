"""Copies a page's fields and draft blocks to another place, and locks the files of the copy."""

from datetime import datetime

from sqlalchemy import (
    Connection,
    Text,
    bindparam,
    cast,
    insert,
    select,
    union_all,
)

from landyard import Moment, Prepared
from landyard_content import files
from landyard_landing import rights, sites, tables

_PAGE_COPIED = (
    *("title", "description", "rule", "sitemap", "xml_id", "additional_fields"),
    *("folder_flag", "view_template", "template_code", "template_fields", "language"),
)
_BLOCK_COPIED = ("code", "content", "policy", "sort", "active", "anchor", "params")
_SIGNED = {
    **{name: bindparam("now", type_=Moment) for name in ("created_at", "modified_at")},
    **{name: bindparam("user_id") for name in ("created_by", "modified_by")},
}
_READ = Prepared(
    select(tables.PAGE.code, *(tables.PAGE[name] for name in _PAGE_COPIED)).where(
        tables.PAGE.id == bindparam("page_id")
    )
)
_ADD_PAGE = Prepared(insert(tables.PAGE.id.table).returning(tables.PAGE.id), int)
# One statement copies all blocks, so the copy is the draft of a single moment.
_ADD_BLOCKS = Prepared(
    insert(tables.BLOCK.id.table).from_select(
        ["page_id", "public", "draft_id", "deleted", *_SIGNED, *_BLOCK_COPIED],
        select(
            bindparam("new_id", type_=tables.BLOCK.page_id.type),
            tables.BLOCK.public,
            tables.BLOCK.draft_id,
            tables.BLOCK.deleted,
            *_SIGNED.values(),
            *(tables.BLOCK[name] for name in _BLOCK_COPIED),
        )
        .where(
            tables.BLOCK.page_id == bindparam("page_id"),
            ~tables.BLOCK.public,
            ~tables.BLOCK.deleted,
        )
        .order_by(tables.BLOCK.sort, tables.BLOCK.id),
        include_defaults=False,
    )
)
_TEXTS = Prepared(
    union_all(
        select(tables.BLOCK.content + cast(tables.BLOCK.params, Text)).where(
            tables.BLOCK.page_id == bindparam("page_id")
        ),
        select(cast(tables.PAGE.additional_fields, Text)).where(
            tables.PAGE.id == bindparam("page_id")
        ),
    ),
    str,
)
"""All texts of a page that may mention files."""


def copy_page(
    connection: Connection, page_id: int, place: rights.Place, now: datetime, user_id: int
) -> int:
    """Copy a page's fields and draft to `place`; return the id of the copy.

    The copy is inactive and unlocked, has nothing published and no history. Its code gets a suffix
    where another page has it (P3). The caller locks the files of the copy by `use_files_of`.
    """
    found = _READ.first(connection, page_id=page_id)
    assert found is not None
    code, *copied = found
    new_id = _ADD_PAGE.first(
        connection,
        site_id=place.site_id,
        folder_id=place.folder_id,
        code=sites.free_code(connection, place.site_id, place.folder_id, code),
        **dict(zip(_PAGE_COPIED, copied, strict=True)),
        created_at=now,
        modified_at=now,
        created_by=user_id,
        modified_by=user_id,
    )
    assert new_id is not None
    _ADD_BLOCKS.run(connection, page_id=page_id, new_id=new_id, now=now, user_id=user_id)
    return new_id


def use_files_of(connection: Connection, page_id: int) -> None:
    """Lock the files that a page mentions; see `files.use_files`."""
    if connection.dialect.name != "sqlite":  # SQLite has one writer at a time
        files.use_files(connection, "".join(_TEXTS.all(connection, page_id=page_id)))
