"""Loads pages with their draft and published blocks from a world file."""

import functools
from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import Table

from landyard import Loader
from landyard_content import files
from landyard_content.blocks import BlockType, catalogue, rules_for
from landyard_html.embeds import without_refused
from landyard_html.policy import POLICY_VERSION, clean_alike, clean_block
from landyard_sitekit.world.checks import (
    Row,
    live_folder,
    need_language,
    need_of_site,
    need_page_code,
    trashed_at,
)
from landyard_sitekit.world.items import BlockItem, PageItem
from landyard_sitekit.world.tables import BLOCKS, FOLDERS, MANIFESTS, PAGES, SITES

_STAMPS = ("created_at", "modified_at", "created_by", "modified_by")
_OWN = ("sort", "active", "anchor", "params")
_COLUMNS = set(PageItem.__struct_fields__) - {"id", "site", "folder", "blocks", "translation_of"}
_STEP = 500
_LARGE = 1 << 16  # characters


def page_rows(item: PageItem) -> Iterator[tuple[Table, Row]]:
    """Name the rows of a page and its blocks, and the page that has its address."""
    blocks = Loader.listed(item.blocks, [])
    if item.id is not UNSET:
        yield PAGES, {"id": item.id}
        if any(block.id is UNSET for block in blocks):
            yield BLOCKS, _drafts(item.id)
    if item.code is not UNSET:
        yield PAGES, _address(item)
    for block in blocks:
        for block_id in (block.id, block.published_id):
            if isinstance(block_id, int):
                yield BLOCKS, {"id": block_id}


def load_page(loader: Loader, item: PageItem, path: str) -> int:
    loader.once(PAGES, item.id, f"{path}.id")
    loader.need(SITES, item.site, f"{path}.site", "site")
    if isinstance(item.folder, int):
        need_of_site(loader, FOLDERS, item.folder, item.site, f"{path}.folder", "folder")
    if item.id is UNSET:
        item = _placed(loader, item, None)
    key = _address(item) if item.id is UNSET else {"id": item.id}
    stored = loader.find(PAGES, key)
    item = _placed(loader, item, stored)
    need_page_code(loader, item.code, f"{path}.code", required=stored is None)
    if stored is not None and stored["site_id"] != item.site:
        loader.refuse(path, f"page {stored['id']} is of site {stored['site_id']}; move it instead")
    values: dict[str, Any] = {name: getattr(item, name) for name in _COLUMNS}
    for name in ("sitemap", "folder_flag"):
        if values[name] is not UNSET:
            values[name] = "Y" if values[name] == "Y" else "N"
    values["language"] = need_language(loader, item.language, f"{path}.language")
    values["original_id"] = item.translation_of
    values["deleted_at"] = trashed_at(loader, item.deleted, item.deleted_at, stored)
    for name in ("created_at", "modified_at", "deleted_at", "date_public"):
        loader.need_moment(values[name], f"{path}.{name}")
    loader.reserve(PAGES, 0)
    page_id = loader.save(
        PAGES,
        key,
        {**values, "site_id": item.site, "folder_id": item.folder},
        {"created_at": loader.now, "modified_at": loader.now},
    )
    if _sharing(loader, page_id):  # another page has the address; a later item may move it
        loader.later(functools.partial(_need_own_address, loader, page_id, f"{path}.code"))
    if isinstance(item.translation_of, int):
        at = f"{path}.translation_of"
        loader.later(functools.partial(_need_original, loader, item.translation_of, at))
    _load_blocks(loader, item, page_id, path, new=stored is None)
    written = msgspec.json.encode(item)
    if b"/files/" in written:
        files.use_files(loader.connection, written.decode())
    return page_id


def _placed(loader: Loader, item: PageItem, stored: Row | None) -> PageItem:
    """Put a page that is not in the trash out of a folder that is."""
    deleted = Loader.listed(item.deleted, bool(stored and stored["deleted"]))
    at = stored["folder_id"] if stored else None
    folder = live_folder(loader, item.folder, deleted=deleted, stored=at)
    return item if folder is item.folder else msgspec.structs.replace(item, folder=folder)


def _address(item: PageItem) -> dict[str, Any]:
    folder, code = Loader.listed(item.folder, None), Loader.listed(item.code, None)
    return {"site_id": item.site, "folder_id": folder, "code": code}


def _sharing(loader: Loader, page_id: int) -> list[Any]:
    """List the ids of other pages with the same address; pages in the trash have none."""
    page = loader.find(PAGES, {"id": page_id})
    assert page is not None
    if page["deleted"]:
        return []
    address = {name: page[name] for name in ("site_id", "folder_id", "code")}
    found = loader.find_all(PAGES, address)
    return [row["id"] for row in found if row["id"] != page_id and not row["deleted"]]


def _need_own_address(loader: Loader, page_id: int, path: str) -> None:
    for other in _sharing(loader, page_id):
        loader.refuse(path, f"is taken by page {other}")


def _need_original(loader: Loader, original_id: int, path: str) -> None:
    """Refuse an original that is a translation itself, unless it names itself as its original.

    Translations of a page that does not exist stay linked: the first of them becomes the original
    that all of them name.
    """
    found = loader.find(PAGES, {"id": original_id})
    if found is None:
        together = loader.find_all(PAGES, {"original_id": original_id})
        loader.note(
            path, f"there is no page {original_id}: its translations stay linked without it"
        )
        for each in together:
            loader.save(PAGES, {"id": each["id"]}, {"original_id": together[0]["id"]})
    elif found["original_id"] not in {None, original_id}:
        loader.refuse(path, "must be a page that is no translation itself")


def _drafts(page_id: int) -> dict[str, Any]:
    return {"public": False, "page_id": page_id}


def _load_blocks(loader: Loader, item: PageItem, page_id: int, path: str, *, new: bool) -> None:
    """Load a page's blocks; a block without an id replaces a stored one, or becomes a new one.

    The nth block of a code and sort replaces the nth stored block of the same code and sort.
    """
    blocks = Loader.listed(item.blocks, [])
    alike: dict[tuple[str, int], deque[int]] = {}
    if any(block.id is UNSET for block in blocks):
        loader.reserve(BLOCKS, 0)
        listed = {block.id for block in blocks}
        for row in () if new else loader.find_all(BLOCKS, _drafts(page_id)):
            if row["id"] not in listed:
                alike.setdefault((row["code"], row["sort"]), deque()).append(row["id"])
    for index, block in enumerate(blocks):
        sort = Loader.listed(block.sort, (index + 1) * _STEP)
        block_id = block.id
        if block_id is UNSET:
            stored = alike.get((Loader.listed(block.code, ""), sort))
            block_id = stored.popleft() if stored else None
        at = f"{path}.blocks[{index}]"
        _load_block(loader, block, page_id, {"id": block_id}, sort, at)


def _load_block(  # noqa: PLR0917 - a block and where it stands
    loader: Loader, item: BlockItem, page_id: int, key: Row, sort: int, path: str
) -> None:
    for name in ("created_at", "modified_at", "published_created_at", "published_modified_at"):
        loader.need_moment(getattr(item, name), f"{path}.{name}")
    loader.once(BLOCKS, item.id, f"{path}.id")
    loader.once(BLOCKS, item.published_id, f"{path}.published_id")
    draft_id = None if item.id is None else _load_draft(loader, item, page_id, key, sort, path)
    if isinstance(item.published_id, int):
        _load_copy(loader, item, page_id, draft_id, path)
    elif draft_id is None:
        loader.refuse(f"{path}.published_id", "is needed where the draft block is gone")


def _load_draft(  # noqa: PLR0917 - see above
    loader: Loader, item: BlockItem, page_id: int, key: Row, sort: int, path: str
) -> int:
    stored = loader.find(BLOCKS, key)
    _need_own_block(loader, stored, page_id, f"{path}.id", public=False)
    defaults: dict[str, Any] = {"created_at": loader.now, "modified_at": loader.now, "sort": sort}
    if stored is None:
        if item.code is UNSET:
            loader.refuse(f"{path}.code", "is needed for a new block")
        if item.content is UNSET:
            defaults |= _cleaned(loader, _pristine(loader, Loader.listed(item.code, "")), None)
    values = {
        "page_id": page_id,
        "public": False,
        **{name: getattr(item, name) for name in (*_OWN, "code", "deleted", *_STAMPS)},
        **_cleaned(loader, item.content, stored),
    }
    return loader.save(BLOCKS, key, values, defaults)


def _load_copy(
    loader: Loader, item: BlockItem, page_id: int, draft_id: int | None, path: str
) -> None:
    assert isinstance(item.published_id, int)
    key = {"id": item.published_id}
    stored = loader.find(BLOCKS, key)
    _need_own_block(loader, stored, page_id, f"{path}.published_id", public=True)
    draft = loader.find(BLOCKS, {"id": draft_id}) if draft_id else None
    if draft is None and item.code is UNSET:
        loader.refuse(f"{path}.code", "is needed where the draft block is gone")
    content = item.content if item.published_content is UNSET else item.published_content
    values: dict[str, Any] = {
        **({} if draft is None else {name: draft[name] for name in (*_OWN, *_STAMPS)}),
        "page_id": page_id,
        "public": True,
        "draft_id": draft_id,
        "code": Loader.listed(item.code, draft["code"] if draft else ""),
    }
    for name in (*_OWN, *_STAMPS):
        # A copy whose draft was removed may list its values without the prefix `published_`.
        plain = UNSET if draft else getattr(item, name)
        value = Loader.listed(getattr(item, f"published_{name}"), plain)
        if value is not UNSET:
            values[name] = value
    if item.published_content is UNSET and draft is not None:
        values |= {"content": draft["content"], "policy": draft["policy"]}
    else:
        values |= _cleaned(loader, content, stored)
    loader.save(BLOCKS, key, values, {"created_at": loader.now, "modified_at": loader.now})


def _pristine(loader: Loader, code: str) -> str:
    """Find the initial HTML of a block type, as `find_types` does; "" without a type."""
    stored = loader.find(MANIFESTS, {"code": code})
    if stored is not None:
        return str(stored["content"])
    kind = loader.records(BlockType).get(code) or catalogue().get(code)
    return kind.content if kind else ""


def _cleaned(loader: Loader, content: str | UnsetType, stored: Row | None) -> dict[str, Any]:
    """Sanitise a block's HTML, unless it equals the stored one; {} where nothing changes."""
    if isinstance(content, UnsetType):
        return {}
    if stored and stored["content"] == content and stored["policy"] == POLICY_VERSION:
        return {}
    clean = clean_alike if len(content) < _LARGE else clean_block
    # Sites are loaded before pages, so all domains are known to the rules.
    rules = functools.partial(loader.kept, "landing.rules", lambda: rules_for(loader))
    html = without_refused(clean(content), rules)
    return {"content": html, "policy": POLICY_VERSION}


def _need_own_block(
    loader: Loader, stored: Row | None, page_id: int, path: str, *, public: bool
) -> None:
    """Refuse an id of a block of another page, or of the other kind: blocks share their ids."""
    if stored is not None and (stored["page_id"] != page_id or stored["public"] != public):
        kind = "published block" if stored["public"] else "draft block"
        loader.refuse(path, f"{stored['id']} is already a {kind} of page {stored['page_id']}")
