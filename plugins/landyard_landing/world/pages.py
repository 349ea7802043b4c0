"""Loading pages and their blocks from a world file."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec import UNSET, UnsetType

from landyard import Loader, given
from landyard_landing.blocktypes import find_type
from landyard_landing.policy import POLICY_VERSION, clean_block
from landyard_landing.tables import Block, Folder, Page, Site
from landyard_landing.world.checks import need_of_site, need_zone, own_code
from landyard_landing.world.items import BlockItem, PageItem

_STAMPS = ("created_at", "modified_at", "created_by", "modified_by")
_STEP = 500


def load_page(loader: Loader, item: PageItem, path: str) -> int:
    loader.need(Site, item.site, f"{path}.site", "site")
    if isinstance(item.folder, int):
        need_of_site(loader, Folder, item.folder, item.site, f"{path}.folder", "folder")
    new = item.id is UNSET or loader.find(Page, {"id": item.id}) is None
    code = own_code(loader, item.code, f"{path}.code", required=new)
    columns = [
        name
        for name in PageItem.__struct_fields__
        if name not in ("id", "site", "folder", "blocks")
    ]
    values: dict[str, Any] = {name: getattr(item, name) for name in columns}
    for name in ("created_at", "modified_at", "deleted_at", "date_public"):
        need_zone(loader, values[name], f"{path}.{name}")
    natural = {"site_id": item.site, "folder_id": given(item.folder, None), "code": code}
    page_id = loader.save(
        Page,
        natural if item.id is UNSET else {"id": item.id},
        {**values, "site_id": item.site, "folder_id": item.folder},
        {"created_at": loader.now, "modified_at": loader.now},
    )
    for index, block in enumerate(given(item.blocks, [])):
        load = partial(_load_block, loader, block, page_id, index, f"{path}.blocks[{index}]")
        if block.id is UNSET:
            loader.later(load)  # so that it cannot take an id that another page's block is given
        else:
            load()
    return page_id


def _load_block(loader: Loader, item: BlockItem, page_id: int, index: int, path: str) -> None:
    for name in ("created_at", "modified_at"):
        need_zone(loader, getattr(item, name), f"{path}.{name}")
    draft_id = None if item.id is None else _load_draft(loader, item, page_id, index, path)
    if isinstance(item.published_id, int):
        _load_copy(loader, item, page_id, draft_id, path)
    elif draft_id is None:
        loader.refuse(f"{path}.published_id", "is needed where the draft block is gone")


def _load_draft(loader: Loader, item: BlockItem, page_id: int, index: int, path: str) -> int:
    sort = item.sort
    if item.id is UNSET:
        # Its place in the list finds it again at a second load.
        sort = given(sort, (index + 1) * _STEP)
        key: Mapping[str, Any] = {"page_id": page_id, "public": False, "sort": sort}
    else:
        key = {"id": item.id}
    stored = loader.find(Block, key)
    _need_own_block(loader, stored, page_id, f"{path}.id", public=False)
    defaults: dict[str, Any] = {"created_at": loader.now, "modified_at": loader.now}
    if stored is None:
        if item.code is UNSET:
            loader.refuse(f"{path}.code", "is needed for a new block")
        if item.content is UNSET:
            content = find_type(loader.session.connection(), given(item.code, "")).content
            defaults |= {"content": clean_block(content), "policy": POLICY_VERSION}
        defaults["sort"] = (index + 1) * _STEP
    values = {
        "page_id": page_id,
        "public": False,
        "sort": sort,
        **{name: getattr(item, name) for name in ("code", "active", "deleted", "anchor", "params")},
        **_cleaned(item.content),
        **{name: getattr(item, name) for name in _STAMPS},
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
    own = {
        "sort": item.published_sort if draft else given(item.published_sort, item.sort),
        "active": item.published_active if draft else given(item.published_active, item.active),
        "anchor": item.published_anchor if draft else given(item.published_anchor, item.anchor),
        "params": item.published_params if draft else given(item.published_params, item.params),
    }
    inherited = {} if draft is None else {name: draft[name] for name in (*own, "code", *_STAMPS)}
    values = {
        **inherited,
        **{name: value for name, value in own.items() if value is not UNSET},
        "page_id": page_id,
        "public": True,
        "draft_id": draft_id,
        "code": given(item.code, draft["code"] if draft else ""),
    }
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
    loader: Loader, stored: Mapping[str, Any] | None, page_id: int, path: str, *, public: bool
) -> None:
    """Blocks share one id space: an id must not be another page's, nor the other kind's."""
    if stored is not None and (stored["page_id"] != page_id or stored["public"] != public):
        kind = "published block" if stored["public"] else "draft block"
        loader.refuse(path, f"{stored['id']} is already a {kind} of page {stored['page_id']}")
