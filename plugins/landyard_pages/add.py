"""`landing.landing.add`: make an empty page (P1 to P3, P12)."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from landyard import (
    Call,
    Example,
    Id,
    MissingParams,
    ParamsReader,
    WrongType,
    read_text,
)
from landyard_content import blocks, files, pages
from landyard_landing import errors, events, languages, rights, sites
from landyard_pages.fields import read_additional
from landyard_pages.group import page_methods
from landyard_pages.menu_entries import add_to_menu
from landyard_pages.originals import read_original
from landyard_pages.placing import save_page
from landyard_pages.site_elements import has_folder

_NEEDED = ("TITLE", "SITE_ID")
_OWN = ("CODE", "DESCRIPTION", "XML_ID", "SITEMAP", "FOLDER", "TPL_ID", "LANG")
"""The fields that are stored on the page as sent."""
_Text = Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]


class Fields(Struct, frozen=True, rename="upper"):
    """The fields of a new page; `BLOCK_ID` and `MENU_CODE` name a menu for a link to it."""

    title: _Text
    site_id: Id
    code: str | None = None
    description: str = ""
    xml_id: str = ""
    sitemap: str = "Y"
    folder: str | None = None
    folder_id: int = 0
    tpl_id: Id | None = None
    lang: str = ""
    translation_of: Id = 0
    additional_fields: dict[str, Any] = {}
    block_id: Id | None = None
    menu_code: str | None = None


class Add(Struct, frozen=True):
    """`fields`: the fields of the page."""

    fields: Annotated[dict[str, Any], Fields]
    scope: str | None = None


_read_fields = ParamsReader(Fields, lenient=True)


@page_methods.method(
    "landing.landing.add",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.AccessDenied,
        errors.SiteNotFound,
        errors.FolderNotFound,
        *errors.CODE_REFUSALS,
    ],
    example=Example({"fields": {"TITLE": "Open day", "SITE_ID": 1, "CODE": "open-day"}}, result=13),
)
def add(call: Call, params: Add) -> int:
    """Make an empty page of a site, and answer its id.

    `fields`: `TITLE` and `SITE_ID`, and optionally `CODE`, `DESCRIPTION`, `XML_ID`, `SITEMAP`,
    `FOLDER`, `FOLDER_ID`, `TPL_ID`, `LANG`, `TRANSLATION_OF` and `ADDITIONAL_FIELDS`, as in
    `landing.landing.update`. The page is inactive and has no blocks. Without `CODE`, or with an
    empty one and `FOLDER`, its code is made from the title; a code in use gets a suffix. With
    `BLOCK_ID` and `MENU_CODE` a menu's draft gets a link to it. Needs the right to edit.
    """
    fields, title = _read(params.fields)
    call.subject = f"site:{fields.site_id}"
    rights.require_access(call)
    site = sites.find_site(call, fields.site_id, params.scope)
    if site is None:
        raise errors.SiteNotFound
    if fields.folder_id and not has_folder(call.connection, site.id, fields.folder_id):
        raise errors.FolderNotFound
    site.require(rights.Right.EDIT)
    languages.require_language(fields.lang)
    original_id = read_original(call, fields.translation_of)
    page = pages.create_page(
        call.connection,
        rights.Place(site.id, fields.folder_id or None),
        pages.PageTemplate("", fields=_of_page(call, params.fields, fields, title)),
        pages.Overrides(),
        brought=call.records(blocks.BlockType),
        now=call.now(),
        user_id=call.actor.user_id,
    )
    if original_id:
        save_page(call, page.id, {"original_id": original_id})
    if fields.block_id is not None and fields.menu_code is not None:
        add_to_menu(call, site.id, fields.block_id, fields.menu_code, page)
    files.hold_files(
        call.connection, page.files
    )  # after the menu's block, because blocks are locked before files
    events.announce_pages(call, "created", [page.id])
    call.subject = f"page:{page.id}"
    return page.id


def _read(sent: Mapping[str, Any]) -> tuple[Fields, str]:
    """Return the fields and the title; a title that is no text counts as missing (C9)."""
    title = _text(sent.get("TITLE"))
    missing = [name for name in _NEEDED if (title if name == "TITLE" else sent.get(name)) is None]
    if missing:
        raise MissingParams.named([f"fields.{name}" for name in missing])
    return _read_fields(sent, "fields"), str(title)


def _of_page(call: Call, sent: Mapping[str, Any], fields: Fields, title: str) -> dict[str, Any]:
    """Return the sent fields in the form of a template's fields."""
    own = {name: sent[name] for name in _OWN if name in sent}
    return own | {
        "TITLE": title,
        "ADDITIONAL_FIELDS": sites.merge_additional(
            {}, _additional(call, fields.additional_fields)
        ),
    }


def _additional(call: Call, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the additional fields; an invalid one is ignored with a warning."""
    fields: dict[str, Any] = {}
    for name, value in sent.items():
        try:
            fields[name] = read_additional(value, f"fields.ADDITIONAL_FIELDS.{name}")
        except WrongType as error:
            call.warn(f"ignored: {error.description}")
    return fields


def _text(value: Any) -> str | None:
    try:
        return None if value is None else read_text(value, "")
    except WrongType:
        return None
