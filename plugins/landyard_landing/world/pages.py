"""Loads pages and their blocks from a world file."""

from collections import Counter
from datetime import datetime
from functools import partial
from typing import Any

from msgspec import UNSET, UnsetType
from sqlalchemy import Select, select

from landyard import Loader, given
from landyard_landing.blocks.blocktypes import find_types
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
    loader.later(partial(_refuse_a_taken_address, loader, page_id, path))
    _load_blocks(loader, given(item.blocks, []), page_id, f"{path}.blocks")
    loader.later(partial(use_files_of, loader.session.connection(), page_id))
    return page_id


def _refuse_a_taken_address(loader: Loader, page_id: int, path: str) -> None:
    """Refuse a second page with the address of another; the trash holds no addresses."""
    own = loader.find(Page, {"id": page_id})
    assert own is not None
    place = [
        PAGE[name].is_not_distinct_from(own[name]) for name in ("site_id", "folder_id", "code")
    ]
    query = select(PAGE.id).where(*place, PAGE.deleted.is_(False), PAGE.id != page_id)
    taken = None if own["deleted"] else loader.session.execute(query).scalars().first()
    if taken is not None:
        loader.refuse(f"{path}.code", f"is taken by page {taken}")


def _load_blocks(loader: Loader, items: list[BlockItem], page_id: int, path: str) -> None:
    """Load blocks that are given ids at once, the others when all ids of the file are known."""
    listed = {item.id for item in items if isinstance(item.id, int)}
    drafts = (
        select(BLOCK.id)
        .where(BLOCK.page_id == page_id, BLOCK.public.is_(False), BLOCK.id.not_in(listed))
        .order_by(BLOCK.id)
    )
    met: Counter[tuple[str, int]] = Counter()
    for index, item in enumerate(items):
        at = f"{path}[{index}]"
        sort = given(item.sort, (index + 1) * _STEP)
        if item.id is UNSET:
            code = given(item.code, "")
            # A block without an id is the same as the nth stored one with its code and sort.
            alike = drafts.where(BLOCK.code == code, BLOCK.sort == sort).offset(met[code, sort])
            met[code, sort] += 1
            loader.reserve(Block, given(item.published_id, 0))
            loader.later(partial(_load_unnamed, loader, item, page_id, alike, sort, at))
        else:
            _load_block(loader, item, page_id, {"id": item.id}, sort, at)


def _load_unnamed(  # noqa: PLR0917 - see `_load_block`
    loader: Loader, item: BlockItem, page_id: int, alike: Select[Any], sort: int, path: str
) -> None:
    """Load a block without an id into the one it is `alike`, else as a new one."""
    found = loader.session.execute(alike).scalars().first()
    _load_block(loader, item, page_id, {"id": found}, sort, path)


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
            content = find_types(loader.session.connection(), [code])[code].content
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
