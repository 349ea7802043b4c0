"""Removes pages for good, with their blocks, history, files and all references to them (P10)."""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    literal_column,
    or_,
    select,
    union_all,
    update,
)

from landyard import Call, Prepared, UnitOfWork, one_of
from landyard_content.files.records import erase_files
from landyard_content.files.store import FileStore
from landyard_content.pages.translations import leave_translations
from landyard_landing.site_tables import AREA
from landyard_landing.sites import leave_areas
from landyard_landing.tables import BLOCK, FILE, FOLDER, MENTIONS_FILES, PAGE, SITE

_TRANSLATION = PAGE.id.table.alias().c
_Is = Callable[[ColumnElement[Any]], ColumnElement[bool]]
_NAMED = ("main_page_id", "page_404_id", "page_503_id")
_NO_TEXT: ColumnElement[str] = literal_column("''", Text)
_TEXT_OF_BLOCK = BLOCK.content + cast(BLOCK.params, Text)
_FIELDS = cast(PAGE.additional_fields, Text)
# A page is mostly named by its own site and folders. But an undo may restore a reference from the
# site that the page has left.
_NAMES = (
    ("site", exists().where(or_(*(SITE[name] == PAGE.id for name in _NAMED)))),
    ("folder", exists().where(FOLDER.index_page_id == PAGE.id)),
    ("original", exists().where(_TRANSLATION.original_id == PAGE.id, _TRANSLATION.id != PAGE.id)),
    ("area", exists().where(or_(AREA.page_id == PAGE.id, AREA.framed_id == PAGE.id))),
)
_WORDS = functools.reduce(
    operator.add,
    (case((holds, literal_column(f"' {what}'", Text)), else_=_NO_TEXT) for what, holds in _NAMES),
)
_LEAVE_SITES = Prepared(
    update(SITE.id.table)
    .where(or_(*(one_of(SITE[name], "page_ids") for name in _NAMED)))
    .values(
        {name: case((one_of(SITE[name], "page_ids"), None), else_=SITE[name]) for name in _NAMED}
    )
)
_LEAVE_FOLDERS = Prepared(
    update(FOLDER.id.table)
    .where(one_of(FOLDER.index_page_id, "page_ids"))
    .values(index_page_id=None)
)


class _Erasing(Struct, frozen=True):
    """Two statements: `find` reads words for the references to pages, and texts; `erase` deletes.

    On PostgreSQL `find` also locks the rows, and `erase` returns the keys of the pages' files.
    """

    find: Prepared[Any]
    erase: Prepared[Any]


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


def _on_sqlite(these: _Is) -> _Erasing:
    """Prepare the statements for SQLite, which has one writer at a time and no row locks."""
    # Few blocks mention files, and an index has them: no other block is read.
    mentions: ColumnElement[bool] = literal_column(f"({MENTIONS_FILES['sqlite']})")
    find: CompoundSelect[Any] = union_all(
        select(literal_column("'text'", Text) + _WORDS, _FIELDS).where(these(PAGE.id)),
        _found("text", _TEXT_OF_BLOCK, and_(these(BLOCK.page_id), mentions)),
        _found("file", FILE.key, these(FILE.page_id)),
    )
    return _Erasing(Prepared(find), Prepared(delete(PAGE.id.table).where(these(PAGE.id))))


def _on_postgres(these: _Is) -> _Erasing:
    # All rows are locked before anything is written: pages, then sites and folders that refer to
    # them, then blocks. Other calls lock in the same order (a new page locks its site, then the
    # block of a menu). The pages' keys are not locked yet: an edit under way has locked its block
    # and needs the page's key to enter its history. Rows are read after they are locked.
    mentions: ColumnElement[bool] = literal_column(MENTIONS_FILES["postgresql"])
    mentioning = case((mentions, _TEXT_OF_BLOCK))
    find: CompoundSelect[Any] = union_all(
        _locked("text", PAGE.id, these(PAGE.id), _FIELDS),
        _locked("site", SITE.id, or_(*(these(SITE[name]) for name in _NAMED))),
        _locked("folder", FOLDER.id, these(FOLDER.index_page_id)),
        _locked("text", BLOCK.id, these(BLOCK.page_id), mentioning, key_share=False),
        _found("original", _NO_TEXT, these(PAGE.original_id)),
        _found("area", _NO_TEXT, or_(these(AREA.page_id), these(AREA.framed_id))),
    )
    # An upload locks its block, so the files of pages are read after the blocks are locked.
    erased = delete(PAGE.id.table).where(these(PAGE.id)).cte("erased")
    erase = select(FILE.key).where(these(FILE.page_id)).add_cte(erased)
    return _Erasing(Prepared(find), Prepared(erase, str))


# A statement for a single id is faster than one for a list: PostgreSQL plans anew for each list,
# and SQLite unpacks the list at each place in the statement.
_ONE: dict[str, _Erasing] = {}
_SEVERAL: dict[str, _Erasing] = {}
for _dialect, _make in (("sqlite", _on_sqlite), ("postgresql", _on_postgres)):
    _ONE[_dialect] = _make(lambda column: column == bindparam("page_id"))
    _SEVERAL[_dialect] = _make(lambda column: one_of(column, "page_ids"))


def erase_pages(unit: Call | UnitOfWork, store: FileStore, page_ids: Sequence[int]) -> None:
    """Remove pages for good, with their blocks, history and the files that nothing else uses.

    References to the pages are cleared: a site's main page and its pages for errors 404 and 503,
    and a folder's index page. Translations of a removed page stay linked to each other. The caller
    has locked the pages.
    """
    connection, these = unit.connection, list(page_ids)
    is_one = len(these) == 1
    erasing = (_ONE if is_one else _SEVERAL)[connection.dialect.name]
    values: dict[str, Any] = {"page_id": these[0]} if is_one else {"page_ids": these}
    found: dict[str, set[str]] = {}
    for words, text in erasing.find.all(connection, **values):
        for what in words.split():
            found.setdefault(what, set()).add(text or "")
    if "area" in found:
        leave_areas(connection, these)
    if "original" in found:
        leave_translations(connection, these)
    if "site" in found:
        _LEAVE_SITES.run(connection, page_ids=these)
    if "folder" in found:
        _LEAVE_FOLDERS.run(connection, page_ids=these)
    bound = {*found.get("file", ()), *erasing.erase.all(connection, **values)}
    erase_files(unit, store, these, bound, found.get("text", ()))
