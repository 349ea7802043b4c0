"""Checks the landing plugin's rows in a world file before they are written."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType
from sqlalchemy import Table

from landyard import Loader
from landyard_landing import languages, sites
from landyard_sitekit.world.tables import FOLDERS, PAGES

Row = Mapping[str, Any]

# As wide as `update` allows, so that a dump can be loaded again; URLs are percent-encoded.
_PAGE_CODE = re.compile(r"[^/\x00]{1,255}")


def need_segment(loader: Loader, code: str | UnsetType, path: str, *, required: bool) -> None:
    """Refuse a code that is no segment of an address, or a missing code of a new row."""
    if code is UNSET and required:
        loader.refuse(path, "is needed for a new row")
    if isinstance(code, str) and not sites.is_segment(code):
        loader.refuse(path, "must be one segment of an address: no spaces, no / ? # %")


def need_page_code(loader: Loader, code: str | UnsetType, path: str, *, required: bool) -> None:
    """Refuse a code that no page can have, or a missing code of a new page."""
    if code is UNSET and required:
        loader.refuse(path, "is needed for a new row")
    if isinstance(code, str) and (
        not _PAGE_CODE.fullmatch(code) or not code.strip() or code in (".", "..")
    ):
        loader.refuse(path, "must be one segment of an address: 1 to 255 characters, no /")


def need_site_type(loader: Loader, kind: str | UnsetType, path: str) -> None:
    if isinstance(kind, str) and kind not in sites.SITE_TYPES:
        loader.refuse(path, f"must be one of {', '.join(sorted(sites.SITE_TYPES))}")


def need_language(loader: Loader, tag: Any, path: str) -> Any:
    """Refuse a text that is no language tag; return the tag in the form of BCP 47."""
    if not isinstance(tag, str):
        return tag
    if (language := languages.read_language(tag)) is None:
        loader.refuse(path, "must be a language tag, such as en, de or pt-BR")
    return language


def need_unique(
    loader: Loader, table: Table, key: Mapping[str, Any], own: Row | None, path: str
) -> None:
    """Refuse a `key` that another row than `own` has; a key with a missing part is not checked."""
    if any(value is UNSET for value in key.values()):
        return
    found = loader.find(table, key)
    if found is not None and (own is None or found["id"] != own["id"]):
        loader.refuse(path, f"is taken by {table.name.removeprefix('landing_')} {found['id']}")


def need_of_site(  # noqa: PLR0917 - a reference and where it stands
    loader: Loader, table: Table, row_id: int, site_id: int, path: str, noun: str
) -> None:
    found = loader.find(table, {"id": row_id})
    if found is None or found["site_id"] != site_id:
        loader.refuse(path, f"there is no {noun} {row_id} in site {site_id}")


def need_pages_later(
    loader: Loader, table: Table, row_id: int, pages: Row, path: str, *, dumped: bool
) -> None:
    """Refuse pages of another site than the row's, once pages are loaded; `pages` are ids by key.

    A service may have had such a reference. In a dump (`dumped`) it is dropped with a note.
    """

    def check() -> None:
        row = loader.find(table, {"id": row_id})
        assert row is not None
        for key, page_id in named.items():
            at = f"{path}.{key}"
            if dumped and loader.find(PAGES, {"id": page_id}) is None:
                loader.note(at, f"there is no page {page_id}: it is left out")
                loader.save(table, {"id": row_id}, {f"{key}_id": None})
            else:
                need_of_site(loader, PAGES, page_id, row.get("site_id", row_id), at, "page")

    if named := {key: page_id for key, page_id in pages.items() if isinstance(page_id, int)}:
        loader.later(check)


def live_folder(
    loader: Loader, folder_id: int | UnsetType | None, *, deleted: bool, stored: int | None
) -> int | UnsetType | None:
    """Return the listed folder of a page or folder, or None for the site's root (P8).

    A row outside the trash moves to the site's root where its listed or `stored` folder, or a
    folder above, is in the trash.
    """
    above = stored if folder_id is UNSET else folder_id
    visited: set[int] = set()  # folders that contain each other are refused elsewhere
    while not deleted and isinstance(above, int) and above not in visited:
        visited.add(above)
        row = loader.find(FOLDERS, {"id": above})
        if row is not None and row["deleted"]:
            return None
        above = row["parent_id"] if row else None
    return folder_id


def trashed_at(
    loader: Loader, deleted: bool | UnsetType, at: datetime | UnsetType | None, stored: Row | None
) -> datetime | UnsetType | None:
    """Return the moment since which a row is in the trash; the present for a new one (P9)."""
    if deleted is True and not isinstance(at, datetime):
        since = stored["deleted_at"] if stored is not None and stored["deleted"] else None
        return since or loader.now
    return None if deleted is False and at is UNSET else at
