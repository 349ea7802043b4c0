"""Dumps rights, manifests, templates, sites, folders and pages into a world file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import Select, Table, select

from landyard_landing import tables
from landyard_sitekit.world.items import (
    BlockItem,
    FolderItem,
    ManifestItem,
    PageItem,
    SiteItem,
    TemplateItem,
    UserRightsItem,
)
from landyard_sitekit.world.right_names import right_names
from landyard_sitekit.world.tables import FOLDERS, MANIFESTS, RIGHTS, SITES, TEMPLATES, USER_ACCESS

if TYPE_CHECKING:
    from sqlmodel import Session

_PUBLISHED = (
    *("content", "params", "sort", "active", "anchor"),
    *("created_at", "modified_at", "created_by", "modified_by"),
)
_PAGES = select(*tables.PAGE).order_by(tables.PAGE.id).limit(500)
_BLOCKS = select(*tables.BLOCK).order_by(tables.BLOCK.sort, tables.BLOCK.id)
Row = Mapping[str, Any]
T = TypeVar("T", bound=msgspec.Struct)


def dump_user_rights(session: "Session") -> Iterable[UserRightsItem]:
    own: dict[int, dict[str, list[str]]] = {}
    for row in _rows(session, RIGHTS):
        own.setdefault(row["user_id"], {})[str(row["site_id"])] = right_names(row["rights"])
    for row in _rows(session, USER_ACCESS):
        default = {} if row["rights"] is None else {"*": right_names(row["rights"])}
        rights = default | own.get(row["id"], {})
        yield UserRightsItem(id=row["id"], sites_access=row["sites_access"], rights=rights)


def dump_manifests(session: "Session") -> Iterable[ManifestItem]:
    return (_item(ManifestItem, row) for row in _rows(session, MANIFESTS))


def dump_templates(session: "Session") -> Iterable[TemplateItem]:
    return (_item(TemplateItem, row) for row in _rows(session, TEMPLATES))


def dump_sites(session: "Session") -> Iterable[SiteItem]:
    names = {"main_page": "main_page_id", "page_404": "page_404_id", "page_503": "page_503_id"}
    for row in _rows(session, SITES):
        yield _item(SiteItem, row, **{key: row[column] for key, column in names.items()})


def dump_folders(session: "Session") -> Iterable[FolderItem]:
    """Dump folders, each after its parent."""
    waiting = {row["id"]: row for row in _rows(session, FOLDERS)}
    while waiting:
        for row in [row for row in waiting.values() if row["parent_id"] not in waiting]:
            del waiting[row["id"]]
            names = {"site": "site_id", "parent": "parent_id", "index_page": "index_page_id"}
            yield _item(FolderItem, row, **{key: row[column] for key, column in names.items()})


def dump_pages(session: "Session") -> Iterable[PageItem]:
    """Dump pages with their blocks in batches, since they may not fit in memory."""
    last = 0
    while rows := _mappings(session, _PAGES.where(tables.PAGE.id > last)):
        first, last = rows[0]["id"], rows[-1]["id"]
        blocks: dict[int, list[Row]] = {}
        for block in _mappings(session, _BLOCKS.where(tables.BLOCK.page_id.between(first, last))):
            blocks.setdefault(block["page_id"], []).append(block)
        for row in rows:
            own = list(_dump_blocks(blocks.get(row["id"], [])))
            names = {"site": "site_id", "folder": "folder_id", "translation_of": "original_id"}
            named = {key: row[column] for key, column in names.items()}
            yield _item(PageItem, row, **named, blocks=own)


def _dump_blocks(rows: Sequence[Row]) -> Iterable[BlockItem]:
    drafts = [row for row in rows if not row["public"]]
    copies = {row["draft_id"]: row for row in rows if row["public"]}
    for draft in drafts:
        copy = copies.get(draft["id"])
        yield _item(BlockItem, draft, **({} if copy is None else _published(copy, draft)))
    alive = {draft["id"] for draft in drafts}
    for copy in rows:
        if copy["public"] and copy["draft_id"] not in alive:
            yield _item(BlockItem, copy, id=None, published_id=copy["id"])


def _published(copy: Row, draft: Row) -> Row:
    """Return the values of a published copy that differ from its draft."""
    differing = {
        f"published_{name}": copy[name] for name in _PUBLISHED if copy[name] != draft[name]
    }
    return {"published_id": copy["id"], **differing}


def _rows(session: "Session", table: Table) -> Iterable[Row]:
    return _mappings(session, select(table).order_by(table.c.id))


def _mappings(session: "Session", query: Select[Any]) -> list[Row]:
    return [dict(row) for row in session.execute(query).mappings()]


def _item(struct: type[T], row: Row, **more: Any) -> T:
    values = {name: row[name] for name in struct.__struct_fields__ if name in row}
    return msgspec.convert({**values, **more}, struct)
