"""What has a page be found: a picture of it, what its blocks mean, and what its site allows."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from msgspec import structs
from sqlalchemy import Connection

from landyard_landing.blocks.blocktypes import BlockType
from landyard_landing.blocks.drafts import ListedBlock, safe_content
from landyard_landing.html.meanings import read_meaning
from landyard_landing.public.articles import NAME
from landyard_landing.public.metadata import Metadata, share_picture
from landyard_landing.public.pictures import first_picture
from landyard_landing.public.robots import may_be_listed
from landyard_landing.public.structured import About, structured_data
from landyard_landing.sites.urls import page_at

Shown = tuple[BlockType, ListedBlock]


def with_what_is_shown(
    connection: Connection, metadata: Metadata, page: Any, home: str, blocks: Iterable[Shown]
) -> Metadata:
    """Add to a page's metadata what follows from its published blocks and from its site.

    `page` is a row with the site's `site_title`, `site_code`, `domain` and `site_fields`, which
    hold whatever a caller stored; `home` is where paths begin: scheme and host.
    """
    said: dict[str, Any] = page.site_fields or {}
    shown = [
        (kind.manifest.document, safe_content(block.content, block.policy))
        for kind, block in blocks
    ]
    picture = None if metadata.share_image else first_picture((html for _, html in shown), home)
    about = About(metadata.url, home, page.site_title, page.spoken)
    meant = [(document, html) for document, html in shown if document.get("meaning")]
    is_article = any(
        (meaning := read_meaning(document)) and meaning.type == "article" for document, _ in meant
    )
    return structs.replace(
        metadata,
        indexed=may_be_listed(said, page.additional_fields),
        share_image=picture.src if picture else metadata.share_image or share_picture(said, home),
        share_alt=picture.alt if picture else "",
        data=structured_data(meant, about),
        feed=_feed(connection, page, home) if is_article else "",
    )


def _feed(connection: Connection, page: Any, home: str) -> str:
    """Write where the feed of a page's site is; it has one where it has a main page."""
    path = "/" if page.domain else f"/{quote(page.site_code, safe='')}/"
    main = page_at(connection, page.domain or "", path)
    return "" if main is None else f"{home}{path}{NAME}"
