"""A page's search metadata from its blocks and site: share image, structured data, robots, feed."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from msgspec import structs
from sqlalchemy import Connection

from landyard_content.blocks import BlockType, ListedBlock, safe_content
from landyard_html.microdata import read_meaning
from landyard_public.articles import NAME
from landyard_public.metadata import Metadata, share_picture
from landyard_public.page_lookup import page_at
from landyard_public.pictures import first_picture
from landyard_public.robots import may_be_listed
from landyard_public.structured_data import About, structured_data

Shown = tuple[BlockType, ListedBlock]


def with_what_is_shown(
    connection: Connection, metadata: Metadata, page: Any, home: str, blocks: Iterable[Shown]
) -> Metadata:
    """Add the metadata that come from a page's published blocks and from its site.

    `page` is a row with the site's `site_title`, `site_code`, `domain` and `site_fields`, whose
    values callers have stored unchecked; `home` is the scheme and host in front of paths.
    """
    site_fields: dict[str, Any] = page.site_fields or {}
    shown = [
        (kind.manifest.document, safe_content(block.content, block.policy))
        for kind, block in blocks
    ]
    picture = None if metadata.share_image else first_picture((html for _, html in shown), home)
    about = About(metadata.url, home, page.site_title, page.spoken)
    meaningful = [(document, html) for document, html in shown if document.get("meaning")]
    is_article = any(
        (meaning := read_meaning(document)) and meaning.type == "article"
        for document, _ in meaningful
    )
    return structs.replace(
        metadata,
        indexed=may_be_listed(site_fields, page.additional_fields),
        share_image=picture.src
        if picture
        else metadata.share_image or share_picture(site_fields, home),
        share_alt=picture.alt if picture else "",
        data=structured_data(meaningful, about),
        feed=_feed(connection, page, home) if is_article else "",
    )


def _feed(connection: Connection, page: Any, home: str) -> str:
    """Write the address of the feed of a page's site; "" for a site without a main page."""
    path = "/" if page.domain else f"/{quote(page.site_code, safe='')}/"
    main = page_at(connection, page.domain or "", path)
    return "" if main is None else f"{home}{path}{NAME}"
