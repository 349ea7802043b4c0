"""Writes a site as an export, from which this or another service can make the site again."""

import re
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import (
    Connection,
    bindparam,
    select,
)

from landyard import Prepared
from landyard_content.blocks import BlockType, find_types, require_length
from landyard_content.files import FileStore
from landyard_landing import lengths, tables
from landyard_sitekit.exchange.blocks import written_block
from landyard_sitekit.exchange.moving import FILE_PATH

VERSION = 3
OWN = "landyard"
"""The key of additional data that only Landyard reads, so that an import loses nothing."""

_SITE = Prepared(select(*tables.SITE).where(tables.SITE.id == bindparam("site_id")))
_FOLDERS = Prepared(
    select(*tables.FOLDER)
    .where(tables.FOLDER.site_id == bindparam("site_id"), ~tables.FOLDER.deleted)
    .order_by(tables.FOLDER.id)
)
_PAGES = Prepared(
    select(*tables.PAGE)
    .where(tables.PAGE.site_id == bindparam("site_id"), ~tables.PAGE.deleted)
    .order_by(tables.PAGE.id)
)
_BLOCKS = Prepared(
    select(*tables.BLOCK)
    .where(
        tables.BLOCK.page_id == bindparam("page_id"),
        tables.BLOCK.public == bindparam("public"),
        ~tables.BLOCK.deleted,
    )
    .order_by(tables.BLOCK.sort, tables.BLOCK.id)
)
_LENGTH = Prepared(
    select(lengths.total_length([tables.BLOCK.content]))
    .join(tables.PAGE.id.table, tables.PAGE.id == tables.BLOCK.page_id)
    .where(
        tables.PAGE.site_id == bindparam("site_id"),
        ~tables.PAGE.deleted,
        tables.BLOCK.public == bindparam("public"),
        ~tables.BLOCK.deleted,
    ),
    int,
)
_PAGE_TEXTS = (
    tables.PAGE.title,
    tables.PAGE.description,
    tables.PAGE.xml_id,
    tables.PAGE.rule,
    tables.PAGE.additional_fields,
)


_LENGTHS = (
    Prepared(
        select(lengths.total_length(_PAGE_TEXTS)).where(
            tables.PAGE.site_id == bindparam("site_id"), ~tables.PAGE.deleted
        ),
        int,
    ),
    Prepared(
        select(lengths.total_length([tables.FOLDER.title])).where(
            tables.FOLDER.site_id == bindparam("site_id")
        ),
        int,
    ),
)
_OF_SITE = (
    *("title", "description", "xml_id", "template_code", "type", "active", "language"),
    *("theme", "theme_tokens"),
)
_OF_FOLDER = ("code", "title", "active")
_OF_PAGE = (
    *("code", "title", "description", "xml_id", "active", "locked", "area", "rule", "sitemap"),
    *("folder_flag", "view_template", "template_code", "template_fields", "language"),
)
_OF_BLOCK = ("content", "params", "sort", "active", "anchor")
_NO_CODE = re.compile(r"[^A-Za-z0-9]")


class ExportOptions(Struct, frozen=True):
    """Options of an export: draft or published pages, the name and code of the site.

    `most` is the most characters of the export, None for any number. `base` is the URL of this
    service. With a `store` the export contains the files that the site mentions.
    """

    draft: bool = False
    code: str = ""
    name: str = ""
    description: str = ""
    previews: Mapping[str, str] = {}
    left_out: Collection[str] = ()
    most: int | None = None
    base: str = ""
    store: FileStore | None = None


def write_export(
    connection: Connection,
    site_id: int,
    options: ExportOptions,
    plugin_types: Mapping[str, BlockType],
) -> dict[str, Any]:
    """Write an existing site, with its folders, pages and blocks outside the trash.

    Raises `TooLarge` for a larger export than the options allow, before blocks are read.
    """
    if options.most is not None:
        (length,) = _LENGTH.all(connection, site_id=site_id, public=not options.draft)
        length += sum(each.all(connection, site_id=site_id)[0] for each in _LENGTHS)
        require_length(length, options.most, "The export")
    site = _rows(tables.SITE, _SITE.all(connection, site_id=site_id))[0]
    pages = _rows(tables.PAGE, _PAGES.all(connection, site_id=site_id))
    keys = _keys(pages)
    code = options.code or _NO_CODE.sub("", site["code"]) or f"site{site_id}"
    described = {
        "name": options.name or site["title"],
        "description": options.description or site["description"],
        **{key: options.previews.get(key, "") for key in _PREVIEWS},
        "show_in_list": "Y",
        "type": site["type"].lower(),
        "version": VERSION,
    }
    exported = {
        "charset": "UTF-8",
        "code": code,
        "site_code": f"/{site['code']}/",
        **described,
        "fields": {
            "ADDITIONAL_FIELDS": _kept(site["additional_fields"], options),
            "TITLE": options.name or site["title"],
            "LANDING_ID_INDEX": keys.get(site["main_page_id"], "0"),
            "LANDING_ID_404": keys.get(site["page_404_id"], "0"),
        },
        "layout": [],
        "folders": [
            {"old_id": row["id"], "parent_id": row["parent_id"]}
            | {name: row[name] for name in _OF_FOLDER}
            | {"index": keys.get(row["index_page_id"])}
            for row in _rows(tables.FOLDER, _FOLDERS.all(connection, site_id=site_id))
        ],
        "syspages": [],
        "items": {
            keys[row["id"]]: described
            | _page(row, keys, options, _blocks(connection, row["id"], options, plugin_types))
            for row in pages
        },
        OWN: {name: site[name] for name in _OF_SITE}
        | {"page_503": keys.get(site["page_503_id"]), "draft": options.draft}
        | {"base": options.base, "domain": site["domain"] or ""},
    }
    if files := _files(exported, options):
        exported[OWN]["files"] = files
    return exported


def _files(exported: Mapping[str, Any], options: ExportOptions) -> dict[str, dict[str, str]]:
    """Write the files that a site mentions, by their paths: the URL, and the content in Base64.

    Raises `TooLarge` before reading a file that would make the export larger than allowed.
    """
    found: dict[str, dict[str, str]] = {}
    length = 0
    for path in sorted({*FILE_PATH.findall(msgspec.json.encode(exported).decode())}):
        found[path] = {"url": f"{options.base}{path}"}
        _, _, key, name = path.split("/")
        if options.store is None:
            continue
        with suppress(FileNotFoundError):
            if options.most is not None:
                length += options.store.size(key, name) * 4 // 3
                require_length(length, options.most, "The files in the export")
            found[path]["content"] = b64encode(options.store.read(key, name)).decode()
    return found


_PREVIEWS = ("preview", "preview2x", "preview3x", "preview_url")


def _blocks(
    connection: Connection,
    page_id: int,
    options: ExportOptions,
    plugin_types: Mapping[str, BlockType],
) -> dict[str, Any]:
    blocks = _rows(tables.BLOCK, _BLOCKS.all(connection, page_id=page_id, public=not options.draft))
    codes = {block["code"] for block in blocks}
    kinds = find_types(connection, codes, plugin_types) if codes else {}
    return {f"#block{each['id']}": _block(each, kinds[each["code"]]) for each in blocks}


def _page(
    row: Mapping[str, Any],
    keys: Mapping[int, str],
    options: ExportOptions,
    blocks: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "old_id": str(row["id"]),
        "code": keys[row["id"]],
        "name": row["title"],
        "description": row["description"],
        "fields": {
            "TITLE": row["title"],
            "RULE": row["rule"] or None,
            "ADDITIONAL_FIELDS": _kept(row["additional_fields"], options),
        },
        "layout": [],
        "items": blocks,
        OWN: {name: row[name] for name in _OF_PAGE}
        | {"folder": row["folder_id"], "published": row["published"]}
        | {"translation_of": keys.get(row["original_id"])},
    }


def _block(row: Mapping[str, Any], kind: BlockType) -> dict[str, Any]:
    return {
        "old_id": row["id"],
        "code": row["code"],
        "access": "X",
        "anchor": row["anchor"] or f"b{row['id']}",
        **written_block(row["content"], kind),
        OWN: {name: row[name] for name in _OF_BLOCK},
    }


def _keys(pages: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Make a unique key of each page's code; a code of several pages gets the page's id behind."""
    keys: dict[int, str] = {}
    used: set[str] = set()
    for row in pages:
        key = row["code"] if row["code"] not in used else f"{row['code']}_{row['id']}"
        keys[row["id"]] = key
        used.add(key)
    return keys


def _kept(fields: Mapping[str, Any], options: ExportOptions) -> dict[str, Any]:
    hooks = tuple(f"{hook.upper()}_" for hook in options.left_out)
    return {name: value for name, value in fields.items() if not (hooks and name.startswith(hooks))}


def _rows(columns: Any, rows: Sequence[Any]) -> list[dict[str, Any]]:
    names = [column.name for column in columns]
    return [dict(zip(names, row, strict=True)) for row in rows]
