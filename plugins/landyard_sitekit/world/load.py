"""Loads users' rights, manifests, templates, sites and folders from a world file."""

import re
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import delete

from landyard import Loader
from landyard_content import files
from landyard_content.blocks import manifest_digest
from landyard_landing import tables
from landyard_landing.sites import RESERVED, OwnHost, OwnHosts, is_host
from landyard_sitekit.world.block_html import clean_html
from landyard_sitekit.world.checks import (
    Row,
    live_folder,
    need_language,
    need_of_site,
    need_pages_later,
    need_segment,
    need_site_type,
    need_unique,
    trashed_at,
)
from landyard_sitekit.world.items import (
    FolderItem,
    ManifestItem,
    SiteItem,
    TemplateItem,
    UserRightsItem,
)
from landyard_sitekit.world.right_names import right_set
from landyard_sitekit.world.site_themes import theme_columns
from landyard_sitekit.world.tables import FOLDERS, MANIFESTS, RIGHTS, SITES, TEMPLATES, USER_ACCESS

_STAMPS = ("created_at", "modified_at", "created_by", "modified_by")


def load_user_rights(loader: Loader, item: UserRightsItem, path: str) -> None:
    """Load a user's access and rights; rights on sites are saved once the sites are loaded."""
    assert isinstance(item.id, int)
    user_id = item.id
    try:
        rights = {site: right_set(names) for site, names in Loader.listed(item.rights, {}).items()}
    except KeyError as error:
        loader.refuse(f"{path}.rights", f"there is no right {error}")
    values: dict[str, Any] = {"sites_access": item.sites_access}
    if item.rights is not UNSET:
        values["rights"] = int(rights["*"]) if "*" in rights else None
    loader.save(USER_ACCESS, {"id": user_id}, values)
    if item.rights is UNSET:
        return

    def save_site_rights() -> None:
        sites: list[int] = []
        for site, held in rights.items():
            if site == "*":
                continue
            if not re.fullmatch("[1-9][0-9]{0,9}", site) or int(site) >= 2**31:
                loader.refuse(f"{path}.rights.{site}", "must be a site's id, or *")
            loader.need(SITES, int(site), f"{path}.rights.{site}", "site")
            sites.append(int(site))
            key = {"user_id": user_id, "site_id": int(site)}
            loader.save(RIGHTS, key, {"rights": int(held)})
        loader.connection.execute(
            delete(RIGHTS).where(
                tables.RIGHT.user_id == user_id, tables.RIGHT.site_id.not_in(sites)
            )
        )

    loader.later(save_site_rights)


# The values of a new manifest's fields that are not listed.
_NO_MANIFEST = {"name": "", "manifest": {}, "content": "", "css": [], "js": []}


def load_manifest(loader: Loader, item: ManifestItem, path: str) -> None:
    """Load the manifest of a block type, by its code, with the block's HTML sanitised."""
    need_segment(loader, item.code, f"{path}.code", required=True)
    columns = ("name", "manifest", "content", "css", "js")
    values = {name: getattr(item, name) for name in columns}
    if isinstance(item.content, str):
        values["content"] = clean_html(loader, item.content)
    listed = {name: value for name, value in values.items() if value is not UNSET}
    key = {"code": item.code}
    stored = loader.find(MANIFESTS, key) or _NO_MANIFEST | key
    # The digest covers the whole manifest, even where only one field is listed.
    loader.save(MANIFESTS, key, {**listed, "digest": manifest_digest({**stored, **listed})})


def load_template(loader: Loader, item: TemplateItem, path: str) -> None:
    """Load a page template, by its code, with the HTML of its blocks sanitised."""
    if not item.code:
        loader.refuse(f"{path}.code", "must not be empty")
    need_site_type(loader, item.type, f"{path}.type")
    columns = ("type", "title", "description", "fields", "locked")
    values = {name: getattr(item, name) for name in columns}
    if item.blocks is not UNSET:
        blocks = msgspec.to_builtins(item.blocks)
        for block in blocks:
            if block.get("content"):
                block["content"] = clean_html(loader, block["content"])
        values["blocks"] = blocks
    loader.save(TEMPLATES, {"code": item.code}, values)


def load_site(loader: Loader, item: SiteItem, path: str) -> int:
    """Load a site, found by its id or else by its code, and return its id.

    The pages that it names are checked once all pages are loaded.
    """
    loader.once(SITES, item.id, f"{path}.id")
    key = {"id": item.id} if item.id is not UNSET else {"code": Loader.listed(item.code, None)}
    stored = loader.find(SITES, key)
    need_segment(loader, item.code, f"{path}.code", required=stored is None)
    if item.code in RESERVED:
        loader.refuse(f"{path}.code", f"'{item.code}' is an address of the service itself")
    if isinstance(item.domain, str) and not is_host(item.domain):
        loader.refuse(f"{path}.domain", "must be a bare host in lower case, e.g. example.org")
    if isinstance(item.domain, str):
        own = OwnHosts.of(loader.settings, loader.records(OwnHost).values())
        if own.have(item.domain):
            loader.refuse(f"{path}.domain", f"'{item.domain}' is a host of the service itself")
    need_site_type(loader, item.type, f"{path}.type")
    need_unique(loader, SITES, {"code": item.code}, stored, f"{path}.code")
    need_unique(loader, SITES, {"domain": item.domain}, stored, f"{path}.domain")
    columns = ("code", "type", "title", "domain", "template_code", "description", "xml_id")
    more = ("additional_fields", "view_template")
    values = {name: getattr(item, name) for name in (*columns, *more)}
    values["language"] = need_language(loader, item.language, f"{path}.language")
    values |= theme_columns(loader, item, stored, path)
    pages = {"main_page": item.main_page, "page_404": item.page_404, "page_503": item.page_503}
    named = {f"{name}_id": page_id for name, page_id in pages.items()}
    states = _states(loader, item, stored, path)
    site_id = loader.save(SITES, key, {**values, **named, **states}, _made(loader))
    need_pages_later(loader, SITES, site_id, pages, path, dumped=_is_dumped(item))
    files.use_files(loader.connection, str(Loader.listed(item.additional_fields, "")))
    return site_id


def load_folder(loader: Loader, item: FolderItem, path: str) -> int:
    """Load a folder, found by its id or else by its place and code, and return its id.

    Its index page is checked once all pages are loaded.
    """
    loader.once(FOLDERS, item.id, f"{path}.id")
    loader.need(SITES, item.site, f"{path}.site", "site")
    if item.id is UNSET:
        item = _placed(loader, item, None)
    place = {"site_id": item.site, "parent_id": Loader.listed(item.parent, None)}
    key = (
        {"id": item.id}
        if item.id is not UNSET
        else {**place, "code": Loader.listed(item.code, None)}
    )
    stored = loader.find(FOLDERS, key)
    item = _placed(loader, item, stored)
    need_segment(loader, item.code, f"{path}.code", required=stored is None)
    if stored is not None and stored["site_id"] != item.site:
        loader.refuse(path, f"folder {stored['id']} is of site {stored['site_id']} and stays there")
    if isinstance(item.parent, int):
        need_of_site(loader, FOLDERS, item.parent, item.site, f"{path}.parent", "folder")
        refuse_circle(loader, item.id, item.parent, f"{path}.parent")
    values = {"site_id": item.site, "parent_id": item.parent, "code": item.code}
    # Fields that are not listed keep their stored values: the address is made of both.
    address = {**(stored or place), **{k: v for k, v in values.items() if v is not UNSET}}
    need_unique(loader, FOLDERS, {k: address.get(k) for k in values}, stored, f"{path}.code")
    more = {"title": item.title, "index_page_id": item.index_page}
    more |= _states(loader, item, stored, path)
    folder_id = loader.save(FOLDERS, key, {**values, **more}, _made(loader))
    pages = {"index_page": item.index_page}
    need_pages_later(loader, FOLDERS, folder_id, pages, path, dumped=_is_dumped(item))
    return folder_id


def _placed(loader: Loader, item: FolderItem, stored: Row | None) -> FolderItem:
    """Put a folder that is not in the trash out of one that is."""
    deleted = Loader.listed(item.deleted, bool(stored and stored["deleted"]))
    at = stored["parent_id"] if stored else None
    parent = live_folder(loader, item.parent, deleted=deleted, stored=at)
    return item if parent is item.parent else msgspec.structs.replace(item, parent=parent)


def _states(
    loader: Loader, item: SiteItem | FolderItem, stored: Row | None, path: str
) -> dict[str, Any]:
    """Collect a row's columns on visibility, the trash, creation and last change."""
    values = {name: getattr(item, name) for name in ("active", "deleted", *_STAMPS)}
    values["deleted_at"] = trashed_at(loader, item.deleted, item.deleted_at, stored)
    for name in ("created_at", "modified_at", "deleted_at"):
        loader.need_moment(values[name], f"{path}.{name}")
    return values


def _is_dumped(item: SiteItem | FolderItem) -> bool:
    """Tell whether an item is from a dump, by its `created_at`, which people rarely write."""
    return item.created_at is not UNSET


def _made(loader: Loader) -> dict[str, Any]:
    return {"created_at": loader.now, "modified_at": loader.now}


def refuse_circle(
    loader: Loader, folder_id: int | UnsetType, parent_id: int | None, path: str
) -> None:
    """Refuse the world file if a folder would be below itself."""
    above = parent_id
    while above is not None:
        if above == folder_id:
            loader.refuse(path, "the folder would contain itself")
        row = loader.find(FOLDERS, {"id": above})
        above = row["parent_id"] if row else None
