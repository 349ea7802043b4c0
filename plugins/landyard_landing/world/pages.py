"""Loads pages and their blocks from a world file."""

from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import func, select

from landyard import Loader, given
from landyard_landing.blocks.blocktypes import BlockType, find_types
from landyard_landing.files.records import use_files_of
from landyard_landing.html.policy import POLICY_VERSION, clean_block
from landyard_landing.tables import BLOCK, PAGE, Block, Folder, Page, Site
from landyard_landing.world.checks import Row, need_of_site, need_page_code
from landyard_landing.world.items import BlockItem, PageItem

_STAMPS = ("created_at", "modified_at", "created_by", "modified_by")
_OWN = ("sort", "active", "anchor", "params")
_STEP = 500


def load_page(loader: Loader, item: PageItem, path: str) -> int:
    loader.once(Page, item.id, f"{path}.id")
    loader.need(Site, item.site, f"{path}.site", "site")
    if isinstance(item.folder, int):
        need_of_site(loader, Folder, item.folder, item.site, f"{path}.folder", "folder")
    place = {"site_id": item.site, "folder_id": given(item.folder, None)}
    key = {"id": item.id} if item.id is not UNSET else {**place, "code": given(item.code, None)}
    stored = loader.find(Page, key)
    need_page_code(loader, item.code, f"{path}.code", required=stored is None)
    if stored is not None and stored["site_id"] != item.site:
        loader.refuse(path, f"page {stored['id']} is of site {stored['site_id']}; move it instead")
    values: dict[str, Any] = {
        name: getattr(item, name)
        for name in PageItem.__struct_fields__
        if name not in ("id", "site", "folder", "blocks")
    }
    for name in ("sitemap", "folder_flag"):
        if values[name] is not UNSET:
            values[name] = "Y" if values[name] == "Y" else "N"
    if item.deleted is True and not isinstance(item.deleted_at, datetime):
        # The moment of trashing, as far as it is known (P9).
        since = stored["deleted_at"] if stored is not None and stored["deleted"] else None
        values["deleted_at"] = since or loader.now
    if item.deleted is False and item.deleted_at is UNSET:
        values["deleted_at"] = None
    for name in ("created_at", "modified_at", "deleted_at", "date_public"):
        loader.need_moment(values[name], f"{path}.{name}")
    page_id = loader.save(
        Page,
        key,
        {**values, "site_id": item.site, "folder_id": item.folder},
        {"created_at": loader.now, "modified_at": loader.now},
    )
    for block, sort, at in _blocks(item, path):
        if block.id is UNSET:  # later, when all ids of the file are known
            loader.reserve(Block, given(block.published_id, 0))
        else:
            _load_block(loader, block, page_id, {"id": block.id}, sort, at)
    return page_id


def finish_pages(loader: Loader, pages: Iterable[tuple[PageItem, str, int]]) -> None:
    """Load the blocks without an id, when all ids of the file are known; check the addresses."""
    taken = _taken_addresses(loader)
    for item, path, page_id in pages:
        if page_id in taken:
            loader.refuse(f"{path}.code", f"is taken by page {taken[page_id]}")
        _load_unnamed(loader, item, path, page_id)
        if b"/files/" in msgspec.json.encode(item):
            use_files_of(loader.session.connection(), page_id)


def _taken_addresses(loader: Loader) -> dict[int, int]:
    """Find pages with the address of another, which is the value; the trash holds no addresses."""
    place: Any = {"partition_by": (PAGE.site_id, PAGE.folder_id, PAGE.code)}
    lowest, highest = func.min(PAGE.id).over(**place), func.max(PAGE.id).over(**place)
    alike = select(PAGE.id, lowest.label("lowest"), highest.label("highest"))
    shared = alike.where(PAGE.deleted.is_(False)).subquery()
    query = select(shared).where(shared.c.lowest != shared.c.highest)
    rows = loader.session.execute(query)
    return {row.id: row.highest if row.id == row.lowest else row.lowest for row in rows}


def _blocks(item: PageItem, path: str) -> Iterator[tuple[BlockItem, int, str]]:
    """List a page's blocks, each with its sort and where it stands in the file."""
    for index, block in enumerate(given(item.blocks, [])):
        yield block, given(block.sort, (index + 1) * _STEP), f"{path}.blocks[{index}]"


def _load_unnamed(loader: Loader, item: PageItem, path: str, page_id: int) -> None:
    """Load a page's blocks without an id: each into the one it is like, else as a new one.

    That is the nth stored one with its code and sort.
    """
    blocks = list(_blocks(item, path))
    if all(block.id is not UNSET for block, _, _ in blocks):
        return
    alike: dict[tuple[str, int], deque[int]] = {}
    if not loader.is_new(Page, page_id):
        listed = [block.id for block, _, _ in blocks if isinstance(block.id, int)]
        drafts = (
            select(BLOCK.id, BLOCK.code, BLOCK.sort)
            .where(BLOCK.page_id == page_id, BLOCK.public.is_(False), BLOCK.id.not_in(listed))
            .order_by(BLOCK.id)
        )
        for row in loader.session.execute(drafts):
            alike.setdefault((row.code, row.sort), deque()).append(row.id)
    for block, sort, at in blocks:
        if block.id is UNSET:
            stored = alike.get((given(block.code, ""), sort))
            found = stored.popleft() if stored else None
            _load_block(loader, block, page_id, {"id": found}, sort, at)


def _load_block(  # noqa: PLR0917 - a block and where it stands
    loader: Loader, item: BlockItem, page_id: int, key: Row, sort: int, path: str
) -> None:
    for name in ("created_at", "modified_at", "published_created_at", "published_modified_at"):
        loader.need_moment(getattr(item, name), f"{path}.{name}")
    loader.once(Block, item.id, f"{path}.id")
    loader.once(Block, item.published_id, f"{path}.published_id")
    draft_id = None if item.id is None else _load_draft(loader, item, page_id, key, sort, path)
    if isinstance(item.published_id, int):
        _load_copy(loader, item, page_id, draft_id, path)
    elif draft_id is None:
        loader.refuse(f"{path}.published_id", "is needed where the draft block is gone")


def _load_draft(  # noqa: PLR0917 - see above
    loader: Loader, item: BlockItem, page_id: int, key: Row, sort: int, path: str
) -> int:
    stored = loader.find(Block, key)
    _need_own_block(loader, stored, page_id, f"{path}.id", public=False)
    defaults: dict[str, Any] = {"created_at": loader.now, "modified_at": loader.now, "sort": sort}
    if stored is None:
        if item.code is UNSET:
            loader.refuse(f"{path}.code", "is needed for a new block")
        if item.content is UNSET:
            code = given(item.code, "")
            brought = loader.records(BlockType)
            content = find_types(loader.session.connection(), [code], brought)[code].content
            defaults |= {"content": clean_block(content), "policy": POLICY_VERSION}
    values = {
        "page_id": page_id,
        "public": False,
        **{name: getattr(item, name) for name in (*_OWN, "code", "deleted", *_STAMPS)},
        **_cleaned(item.content),
    }
    return loader.save(Block, key, values, defaults)


def _load_copy(
    loader: Loader, item: BlockItem, page_id: int, draft_id: int | None, path: str
) -> None:
    assert isinstance(item.published_id, int)
    key = {"id": item.published_id}
    _need_own_block(loader, loader.find(Block, key), page_id, f"{path}.published_id", public=True)
    draft = loader.find(Block, {"id": draft_id}) if draft_id else None
    if draft is None and item.code is UNSET:
        loader.refuse(f"{path}.code", "is needed where the draft block is gone")
    content = item.content if item.published_content is UNSET else item.published_content
    values: dict[str, Any] = {
        **({} if draft is None else {name: draft[name] for name in (*_OWN, *_STAMPS)}),
        "page_id": page_id,
        "public": True,
        "draft_id": draft_id,
        "code": given(item.code, draft["code"] if draft else ""),
    }
    for name in (*_OWN, *_STAMPS):
        # A copy whose draft is gone may say its own values without `published_`.
        plain = UNSET if draft else getattr(item, name)
        value = given(getattr(item, f"published_{name}"), plain)
        if value is not UNSET:
            values[name] = value
    if item.published_content is UNSET and draft is not None:
        values |= {"content": draft["content"], "policy": draft["policy"]}
    else:
        values |= _cleaned(content)
    loader.save(Block, key, values, {"created_at": loader.now, "modified_at": loader.now})


def _cleaned(content: str | UnsetType) -> dict[str, Any]:
    if isinstance(content, UnsetType):
        return {}
    return {"content": clean_block(content), "policy": POLICY_VERSION}


def _need_own_block(
    loader: Loader, stored: Row | None, page_id: int, path: str, *, public: bool
) -> None:
    """Blocks share one id space: an id must not be another page's, nor the other kind's."""
    if stored is not None and (stored["page_id"] != page_id or stored["public"] != public):
        kind = "published block" if stored["public"] else "draft block"
        loader.refuse(path, f"{stored['id']} is already a {kind} of page {stored['page_id']}")
