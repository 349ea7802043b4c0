"""The trash: pages are trashed, restored, and erased (P7 to P10)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

from msgspec import Meta, Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    literal_column,
    or_,
    select,
    union_all,
    update,
)

from landyard import Call, Prepared, UnitOfWork, one_of
from landyard_landing.files.records import erase_files
from landyard_landing.files.store import FileStore
from landyard_landing.sites.areas import IN_FRAMES, leave_areas
from landyard_landing.sites.codes import free_code
from landyard_landing.sites.places import HeldPage
from landyard_landing.tables import BLOCK, FILE, FOLDER, PAGE, SITE

_PAGE = update(PAGE.id.table).where(PAGE.id == bindparam("page_id"))
_OTHER = PAGE.id.table.alias().c
_IS_NEEDED_MAIN = exists().where(
    SITE.id == PAGE.site_id,
    SITE.main_page_id == PAGE.id,
    exists().where(
        _OTHER.site_id == SITE.id, _OTHER.id != SITE.main_page_id, _OTHER.deleted.is_(False)
    ),
)
_NOT_IN_TRASH = _PAGE.where(PAGE.deleted.is_(False))
_TRASH = Prepared(_NOT_IN_TRASH)
_TRASH_UNNEEDED = Prepared(_NOT_IN_TRASH.where(~_IS_NEEDED_MAIN))
_RESTORE = Prepared(_PAGE)
_LOCK_TRASHED = Prepared(
    select(PAGE.site_id, PAGE.folder_id, PAGE.code)
    .where(PAGE.id == bindparam("page_id"), PAGE.deleted.is_(True))
    .with_for_update(key_share=True)
)


_NAMED = ("main_page_id", "page_404_id", "page_503_id")
_SITES = or_(*(one_of(SITE[name], "page_ids") for name in _NAMED))
_FOLDERS = one_of(FOLDER.index_page_id, "page_ids")


# What is found of pages: a word for what it is, and a text.
_NO_TEXT: ColumnElement[str] = literal_column("''", Text)
_BLOCK_TEXT = BLOCK.content + cast(BLOCK.params, Text)
_FIELDS = cast(PAGE.additional_fields, Text)
_THESE, _OF_THESE = one_of(PAGE.id, "page_ids"), one_of(BLOCK.page_id, "page_ids")


def _found(what: str, text: ColumnElement[Any], where: ColumnElement[bool]) -> Select[Any]:
    return select(literal_column(f"'{what}'", Text), text).where(where)


def _locked(
    what: str,
    row: ColumnElement[int],
    where: ColumnElement[bool],
    text: ColumnElement[Any] = _NO_TEXT,
    *,
    key_share: bool = True,
) -> Select[Any]:
    rows = select(text.label("text")).where(where).order_by(row)
    found = rows.with_for_update(key_share=key_share).subquery()
    return select(literal_column(f"'{what}'", Text), found.c.text)


def _if_mentioning(text: ColumnElement[str], find: Any) -> ColumnElement[Any]:
    return case((find(text, "/files/") > 0, text))


_BOUND = _found("file", FILE.key, one_of(FILE.page_id, "page_ids"))
# Everything is locked before anything is written, pages first, then what refers to them, then
# blocks: in the order in which other calls come by (a new page locks its site, then the block of
# a menu). A page's key is not needed yet, since an edit under way has locked its block and needs
# the page to enter its history. What is locked is read as it is then.
_LOCK = Prepared(
    union_all(
        _locked("text", PAGE.id, _THESE, _FIELDS),
        _locked("site", SITE.id, _SITES),
        _locked("folder", FOLDER.id, _FOLDERS),
        _locked(
            "text", BLOCK.id, _OF_THESE, _if_mentioning(_BLOCK_TEXT, func.strpos), key_share=False
        ),
    )
)
# An upload locks its block: what is bound is looked for when that is ours.
_FIND_MORE = Prepared(union_all(_BOUND, _found("area", _NO_TEXT, IN_FRAMES)))
_FIND_ALL = Prepared(
    union_all(
        _found("text", _FIELDS, _THESE),
        _found("site", _NO_TEXT, exists().where(_SITES)),
        _found("folder", _NO_TEXT, exists().where(_FOLDERS)),
        _found("area", _NO_TEXT, exists().where(IN_FRAMES)),
        _found("text", _BLOCK_TEXT, and_(_OF_THESE, func.instr(_BLOCK_TEXT, "/files/") > 0)),
        _BOUND,
    )
)
_LEAVE_SITES = Prepared(
    update(SITE.id.table)
    .where(_SITES)
    .values(
        {name: case((one_of(SITE[name], "page_ids"), None), else_=SITE[name]) for name in _NAMED}
    )
)
_LEAVE_FOLDERS = Prepared(update(FOLDER.id.table).where(_FOLDERS).values(index_page_id=None))
_ERASE = Prepared(delete(PAGE.id.table).where(one_of(PAGE.id, "page_ids")))
# As the trash's index has it, word for word: SQLite would read all pages otherwise.
_IN_TRASH: ColumnElement[bool] = literal_column("landing_page.deleted")
# A world file may say that a page is in the trash, and not since when.
_TRASHED_AT = func.coalesce(PAGE.deleted_at, PAGE.modified_at, type_=PAGE.deleted_at.type)
_LIST = (
    select(PAGE.id, PAGE.site_id, PAGE.title, _TRASHED_AT.label("trashed_at"))
    .where(_IN_TRASH)
    .order_by(_TRASHED_AT, PAGE.id)
)
# In the index's order, of which all who purge lock alike.
DUE = (
    select(PAGE.id)
    .where(_IN_TRASH, bindparam("before", type_=PAGE.deleted_at.type) >= _TRASHED_AT)
    .order_by(PAGE.deleted_at, PAGE.id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(key_share=True)
)
"""Pages whose time in the trash is over, locked: one that is restored meanwhile is kept."""


class TrashSettings(Struct, frozen=True):
    """`retention_days`: how long a page, folder or site stays in the trash; 0 is for ever (P9)."""

    retention_days: Annotated[int, Meta(ge=0, le=36500)] = 30

    def goes_at(self, trashed_at: datetime) -> datetime | None:
        """Return when a page goes that was trashed then; None for never."""
        return trashed_at + timedelta(days=self.retention_days) if self.retention_days else None


class TrashedPage(Struct, frozen=True):
    """A page in the trash, and since when it is there."""

    id: int
    site_id: int
    title: str
    trashed_at: datetime


def trash_page(
    connection: Connection,
    page_id: int,
    now: datetime,
    user_id: int,
    *,
    unless_needed: bool = False,
) -> bool:
    """Put a page into the trash, inactive; its published blocks stay (B17). Answer if it went.

    One that is in the trash already stays there since it came (P8). `unless_needed` keeps the main
    page of a site that has others outside the trash (P7).
    """
    values = {"deleted": True, "deleted_at": now, "active": False}
    values |= {"modified_at": now, "modified_by": user_id}
    trash = _TRASH_UNNEEDED if unless_needed else _TRASH
    return trash.run(connection, page_id=page_id, **values) > 0


def restore_page(
    connection: Connection, page_id: int, now: datetime, user_id: int, held: HeldPage | None = None
) -> None:
    """Take a page out of the trash: inactive, and under another code if its own was taken (P8, P3).

    One that is not in the trash stays as it is. One that is `held` is not asked for again.
    """
    if held is None:
        page = _LOCK_TRASHED.first(connection, page_id=page_id)
    else:
        page = (held.site_id, held.folder_id, held.code) if held.deleted else None
    if page is None:
        return
    site_id, folder_id, old_code = page
    code = free_code(connection, site_id, folder_id, old_code, page_id)
    values = {"deleted": False, "deleted_at": None, "active": False, "code": code}
    _RESTORE.run(connection, page_id=page_id, **values, modified_at=now, modified_by=user_id)


def erase_pages(unit: Call | UnitOfWork, store: FileStore, page_ids: Sequence[int]) -> None:
    """Remove pages for good, with their blocks, history and the files that nothing else uses.

    A site whose main page is among them is left without one, as without its page for what is not
    there; a folder is without its index page. The caller has locked the pages.
    """
    connection, these = unit.connection, list(page_ids)
    # SQLite has one writer at a time, and no locks of rows.
    queries = (_FIND_ALL,) if connection.dialect.name == "sqlite" else (_LOCK, _FIND_MORE)
    found: dict[str, set[str]] = {}
    for query in queries:
        for what, text in query.all(connection, page_ids=these):
            found.setdefault(what, set()).add(text or "")
    erase_files(unit, store, these, found.get("file", ()), found.get("text", ()))
    if "area" in found:
        leave_areas(connection, these)
    if "site" in found:
        _LEAVE_SITES.run(connection, page_ids=these)
    if "folder" in found:
        _LEAVE_FOLDERS.run(connection, page_ids=these)
    _ERASE.run(connection, page_ids=these)


def list_trash(connection: Connection) -> list[TrashedPage]:
    """List the pages in the trash, those that are there longest first."""
    return [TrashedPage(*row) for row in connection.execute(_LIST)]
