"""The shipped block types, shared files and templates of the catalogue, and a service with them."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import landyard_blocks
import landyard_catalogue
import landyard_content
import landyard_demos
import landyard_events
import landyard_forms
import landyard_landing
import landyard_outgoing
import landyard_pages
import landyard_pictures
import landyard_public
import landyard_sitekit
import landyard_sites
from landyard.testing import WEBHOOK
from landyard_catalogue.templates import site_templates
from landyard_catalogue.types import HOLDER, block_types
from landyard_content.blocks.blocktypes import BlockType
from landyard_content.pages.templates import PageTemplate, SiteTemplate

TYPES = {each.code: each for each in block_types()}
SITES: dict[str, SiteTemplate] = {each.code: each for each in site_templates()}
PAGES: dict[str, PageTemplate] = {page.code: page for site in SITES.values() for page in site.pages}
SHARED = TYPES[HOLDER].assets
CSS = re.sub(r"/\*.*?\*/", "", SHARED["site.css"].content.decode(), flags=re.DOTALL)
CATALOGUE = files("landyard_public") / "static"

PLUGINS = [
    landyard_content,
    landyard_landing,
    landyard_public,
    landyard_sitekit,
    landyard_sites,
    landyard_pages,
    landyard_blocks,
    landyard_demos,
]
PLUGINS += [landyard_events, landyard_outgoing, landyard_pictures]
PLUGINS += [landyard_forms, landyard_catalogue]
VIEWER = "viewer-webhook-0123456789"


def world(content: str | None = None, code: str = "site.tabs") -> dict[str, Any]:
    """A site with a page of one block, an administrator, and a user who may only view."""
    block: dict[str, Any] = {"id": 100, "code": code, "published_id": 90}
    if content is not None:
        block["content"] = content
    return {
        "users": [
            {"id": 1, "name": "Ann", "admin": True},
            {"id": 2, "name": "Ben", "sites_access": True, "rights": {"*": ["view"]}},
        ],
        "webhooks": [
            {"user": 1, "code": WEBHOOK, "scopes": ["landing"]},
            {"user": 2, "code": VIEWER, "scopes": ["landing"]},
        ],
        "sites": [{"id": 1, "code": "shop", "type": "PAGE", "main_page": 10}],
        "pages": [
            {
                "id": 10,
                "site": 1,
                "code": "home",
                "title": "Boats",
                "active": True,
                "published": True,
                "blocks": [block],
            }
        ],
    }


def layouts(code: str) -> list[str]:
    """The values of a block type's `data-layout`; the first is the one in its own HTML."""
    return layouts_of(TYPES[code])


def layouts_of(kind: BlockType) -> list[str]:
    """The layouts of a block type, by its code."""
    document: Any = kind.manifest.document
    attributes = document["style"]["block"]["additional"]["attrs"]
    (found,) = [each for each in attributes if each["attribute"] == "data-layout"]
    return [item["value"] for item in found["items"]]


def picture_is_there(address: str) -> bool:
    """Tell whether a picture's address is that of a shipped file."""
    place, _, name = address.removeprefix("/assets/").partition("/")
    return name in SHARED if place == HOLDER else (CATALOGUE / place / name).is_file()
