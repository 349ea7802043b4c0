"""Converts an export into the lists of a world file, from which a new site is loaded."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from landyard_landing import sites
from landyard_sitekit.exchange.moving import Moved, roots_of
from landyard_sitekit.exchange.writing import OWN

_OF_SITE = ("xml_id", "template_code", "language", "theme", "theme_tokens")
World = dict[str, list[dict[str, Any]]]
Fill = Callable[[str, Mapping[str, Any]], str]
"""Makes a block's HTML of its type's code and of the exported block."""


class FirstIds(Struct, frozen=True):
    """The ids of the new site, its first folder and its first page; others get the next ids."""

    site: int = 1
    folder: int = 1
    page: int = 1


class WrongExport(ValueError):
    """The document is no export of a site; the text names the place of the error."""


def read_export(
    document: Any,
    ids: FirstIds,
    fill: Fill,
    *,
    code: str = "",
    files: Mapping[str, str] | None = None,
) -> World:
    """Convert an export to the lists `sites`, `folders` and `pages` of a world file.

    Links to the exported site lead to the new one. `files` are the new addresses of files by their
    old paths. Pages become public only where the export is one of published pages of a Landyard
    service. Raises `WrongExport`.
    """
    site = _map(document, "the export")
    items = _map(site.get("items"), "items")
    pages = {key: ids.page + number for number, key in enumerate(items)}
    folders = [_map(each, f"folders[{n}]") for n, each in enumerate(site.get("folders") or [])]
    numbers = {each.get("old_id"): ids.folder + number for number, each in enumerate(folders)}
    own, fields = _own(site), _map(site.get("fields") or {}, "fields")
    public = bool(own) and not own.get("draft")
    kind = str(own.get("type") or site.get("type") or "page").upper()
    was = str(site.get("site_code") or site.get("code") or "").strip("/")
    moved = _moved(site, was, code or was, files or {})
    row = {
        "id": ids.site,
        "code": code or was,
        "type": kind if kind in sites.SITE_TYPES else "PAGE",
        "title": str(fields.get("TITLE") or site.get("name") or ""),
        "description": str(site.get("description") or ""),
        "additional_fields": moved.value(_fields(fields)),
        "main_page": pages.get(str(fields.get("LANDING_ID_INDEX"))),
        "page_404": pages.get(str(fields.get("LANDING_ID_404"))),
        "page_503": pages.get(str(own.get("page_503"))),
        "active": public and bool(own.get("active")),
        **{name: own[name] for name in _OF_SITE if name in own},
    }
    return {
        "sites": [row],
        "folders": _ordered([_folder(each, ids.site, numbers, pages) for each in folders]),
        "pages": [
            _page(_map(page, f"items.{key}"), key, pages, (ids.site, numbers, public, moved), fill)
            for key, page in items.items()
        ],
    }


def _moved(site: Mapping[str, Any], was: str, code: str, files: Mapping[str, str]) -> Moved:
    own = _own(site)
    domain = str(own.get("domain") or "")
    folders = [each for each in site.get("folders") or [] if isinstance(each, Mapping)]
    segments = {str(each.get("code")) for each in folders} | {*_map(site.get("items"), "items")}
    return Moved(
        roots_of(str(own.get("base") or ""), was, domain),
        bool(domain),
        segments,
        f"/{quote(code, safe='')}",
        files,
    )


def _folder(
    exported: Mapping[str, Any], site_id: int, numbers: Mapping[Any, int], pages: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "id": numbers[exported.get("old_id")],
        "site": site_id,
        "parent": numbers.get(exported.get("parent_id")),
        "code": exported.get("code"),
        "title": exported.get("title", ""),
        "active": bool(exported.get("active", True)),
        "index_page": pages.get(str(exported.get("index"))),
    }


def _ordered(folders: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort folders so that each comes after its parent."""
    placed: dict[Any, dict[str, Any]] = {}
    waiting = folders
    while waiting:
        ready = [each for each in waiting if each["parent"] is None or each["parent"] in placed]
        if not ready:
            raise WrongExport("folders: a folder contains itself")
        placed |= {each["id"]: each for each in ready}
        waiting = [each for each in waiting if each["id"] not in placed]
    return [*placed.values()]


def _page(
    exported: Mapping[str, Any],
    key: str,
    pages: Mapping[str, int],
    place: tuple[int, Mapping[Any, int], bool, Moved],
    fill: Fill,
) -> dict[str, Any]:
    site_id, folders, public, moved = place
    fields, own = _map(exported.get("fields") or {}, f"items.{key}.fields"), _own(exported)
    published = public and bool(own.get("published"))
    row = {
        "code": key,
        "title": str(fields.get("TITLE") or exported.get("name") or ""),
        "description": str(exported.get("description") or ""),
        "rule": str(fields.get("RULE") or ""),
        **{name: value for name, value in own.items() if name not in {"folder", "published"}},
        "id": pages[key],
        "site": site_id,
        "folder": folders.get(own.get("folder")),
        "translation_of": pages.get(str(own.get("translation_of"))),
        "additional_fields": moved.value(_fields(fields)),
        "active": published and bool(own.get("active")),
    }
    blocks = _map(exported.get("items") or {}, f"items.{key}.items")
    row["blocks"] = [
        _block(_map(block, f"items.{key}.items.{name}"), number, fill, moved)
        for number, (name, block) in enumerate(blocks.items(), 1)
    ]
    return row


def _block(exported: Mapping[str, Any], number: int, fill: Fill, moved: Moved) -> dict[str, Any]:
    code, own = str(exported.get("code") or ""), _own(exported)
    if own:
        found = {"code": code, **own}
        if isinstance(own.get("content"), str):
            found["content"] = moved.html(own["content"])
        return found | ({"params": moved.value(own["params"])} if "params" in own else {})
    anchor = exported.get("anchor")
    content = moved.html(fill(code, exported))
    return {"code": code, "content": content, "sort": number * 500, "anchor": anchor}


def _own(exported: Mapping[str, Any]) -> Mapping[str, Any]:
    found = exported.get(OWN)
    return found if isinstance(found, Mapping) else {}


def _fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    found = fields.get("ADDITIONAL_FIELDS")
    return dict(found) if isinstance(found, Mapping) else {}


def _map(value: Any, where: str) -> Mapping[str, Any]:
    if value == []:
        return {}  # PHP's empty map
    if not isinstance(value, Mapping):
        raise WrongExport(f"{where}: must be an object")
    return value
