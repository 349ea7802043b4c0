"""`landing.site.fullExport`: a site in format version 3, from which it can be made again."""

import re
from typing import Any

from msgspec import Struct, field

from landyard import (
    Call,
    CallError,
    Example,
    MissingParams,
    NeededId,
    Settings,
    SystemFailure,
    Truthy,
    WrongType,
)
from landyard_content import blocks
from landyard_content.files import file_store
from landyard_landing import errors, rights
from landyard_landing.settings import BlockSettings
from landyard_sitekit.exchange import ExportOptions, write_export
from landyard_sites.group import site_methods
from landyard_sites.places.sites import require_site

_CODE = re.compile(r"[A-Za-z0-9]*")


class AiSiteExportNotAllowed(CallError):
    code = "AI_SITE_EXPORT_NOT_ALLOWED"
    text = "This site must not be exported."


class Params(Struct, frozen=True):
    """`edit_mode`: Y for drafts; `code`, `name`, `description`, `preview`…: about the export.

    `hooks_disable`: additional fields to leave out, by the part before the first `_`. `files`:
    whether to include the site's pictures and other files, in Base64.
    """

    edit_mode: Truthy = False
    scope: str | None = None
    hooks_disable: list[str] = []
    code: str = ""
    name: str = ""
    description: str = ""
    preview: str = ""
    preview2x: str = ""
    preview3x: str = ""
    preview_url: str = ""
    files: bool = False


class FullExport(Struct, frozen=True):
    """`id`: a site's id; `params`: options of the export."""

    site_id: NeededId = field(name="id")
    params: Params = Params()


@site_methods.method(
    "landing.site.fullExport",
    right="edit",
    errors=[MissingParams, WrongType, errors.AccessDenied, AiSiteExportNotAllowed, SystemFailure],
    example=Example(
        {"id": 2},
        result={
            "charset": "UTF-8",
            "code": "attic",
            "site_code": "/attic/",
            "name": "Attic",
            "description": "",
            "preview": "",
            "preview2x": "",
            "preview3x": "",
            "preview_url": "",
            "show_in_list": "Y",
            "type": "page",
            "version": 3,
            "fields": {
                "ADDITIONAL_FIELDS": {"THEME_CODE": "1construction"},
                "TITLE": "Attic",
                "LANDING_ID_INDEX": "0",
                "LANDING_ID_404": "0",
            },
            "layout": [],
            "folders": [],
            "syspages": [],
            "items": {},
            "landyard": {
                "title": "Attic",
                "description": "",
                "xml_id": "",
                "template_code": "empty",
                "type": "PAGE",
                "active": False,
                "language": "en",
                "theme": "harbour",
                "theme_tokens": {},
                "page_503": None,
                "draft": False,
                "base": "http://127.0.0.1:8000",
                "domain": "",
            },
        },
    ),
)
def full_export(call: Call, params: FullExport) -> dict[str, Any]:
    """Return a site with its folders, pages and blocks outside the trash, in format version 3.

    `items` holds the pages by their codes, with their blocks: nodes, styles and attributes by
    selector. From the key `landyard`, `landyard site import` can make the same site; its `files`
    are the addresses of files. Without `edit_mode` Y only published blocks are exported. `code` has
    Latin letters and digits only. Needs the right to edit.
    """
    options_sent = params.params
    site = require_site(call, params.site_id, options_sent.scope, rights.Right.EDIT)
    if not _CODE.fullmatch(options_sent.code):
        raise WrongType.of("params.code", "Latin letters and digits", options_sent.code)
    settings = call.settings(Settings)
    names = ("preview", "preview2x", "preview3x", "preview_url")
    options = ExportOptions(
        draft=options_sent.edit_mode,
        code=options_sent.code,
        name=options_sent.name,
        description=options_sent.description,
        previews={name: getattr(options_sent, name) for name in names},
        left_out=options_sent.hooks_disable,
        most=call.settings(BlockSettings).answer_characters,
        base=settings.base,
        store=file_store(call) if options_sent.files else None,
    )
    return write_export(call.connection, site.id, options, call.records(blocks.BlockType))
