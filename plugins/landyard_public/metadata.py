"""Writes the `<head>` metadata of a page: title, description, canonical URL, Open Graph."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from landyard_html.addresses import media_address
from landyard_public.translations import Translation

_NO = frozenset({"n", "no", "0", "false", "off"})

_FEED = '<link rel="alternate" type="application/atom+xml" href="{}">\n'

Fields = Mapping[str, Any]


class Metadata(Struct, frozen=True, kw_only=True):
    """The metadata in a page's `<head>`; empty texts are left out.

    `url` is the page's canonical URL, empty where it has none; `share_*` are for links to the page
    in social media; `translations` are the page and its versions in other languages; `data` is an
    element of structured data, and `feed` is the address of the feed of the page's site.
    """

    title: str
    description: str = ""
    keywords: str = ""
    indexed: bool = True
    url: str = ""
    share_title: str = ""
    share_description: str = ""
    share_image: str = ""
    share_alt: str = ""
    locale: str = ""
    translations: Sequence[Translation] = ()
    data: str = ""
    feed: str = ""


def describe(fields: Fields, title: str, description: str, url: str, base: str) -> Metadata:
    """Make metadata of a page's additional fields, whose values callers have stored unchecked.

    `title` and `description` are the page's own, used where the fields have none; `base` is the
    scheme and host in front of the paths of pictures.
    """
    main = {} if _says_no(fields.get("METAMAIN_USE")) else fields
    main_title, share_title = _text(main, "METAMAIN_TITLE"), _text(fields, "METAOG_TITLE")
    main_text = _text(main, "METAMAIN_DESCRIPTION")
    share_text = _text(fields, "METAOG_DESCRIPTION")
    return Metadata(
        title=main_title or share_title or title,
        description=main_text or share_text or description,
        keywords=_text(main, "METAMAIN_KEYWORDS"),
        indexed=is_indexed(fields),
        url=url,
        share_title=share_title or main_title or title,
        share_description=share_text or main_text or description,
        share_image=share_picture(fields, base),
    )


def share_picture(fields: Fields, base: str) -> str:
    """Read the URL of the share image from additional fields; "" where it has no valid one."""
    return _picture(_text(fields, "METAOG_IMAGE"), base)


def is_indexed(fields: Fields) -> bool:
    """Tell whether the fields of a page or site allow search engines to list it."""
    wish = fields.get("METAROBOTS_INDEX")
    words = wish.lower().replace(",", " ").split() if isinstance(wish, str) else ()
    return not (_says_no(wish) or "noindex" in words or "none" in words)


def write_head(metadata: Metadata) -> str:
    """Write the metadata as HTML elements, one a line, with all values escaped."""
    named = {
        "description": metadata.description,
        "keywords": metadata.keywords,
        "robots": "" if metadata.indexed else "noindex",
        "twitter:card": "summary_large_image" if metadata.share_image else "summary",
    }
    shared = {
        "og:type": "website",
        "og:title": metadata.share_title,
        "og:description": metadata.share_description,
        "og:url": metadata.url,
        "og:image": metadata.share_image,
        "og:image:alt": metadata.share_alt,
        "og:locale": metadata.locale,
    }
    link = f'<link rel="canonical" href="{escape(metadata.url)}">\n' if metadata.url else ""
    for each in metadata.translations:
        link += (
            f'<link rel="alternate" hreflang="{escape(each.language)}" href="{escape(each.url)}">\n'
        )
    if metadata.feed:
        link += _FEED.format(escape(metadata.feed))
    return (
        f"<title>{escape(metadata.title)}</title>\n"
        f"{_metas('name', named)}{link}{_metas('property', shared)}{metadata.data}"
    )


def _metas(kind: str, contents: Mapping[str, str]) -> str:
    return "".join(
        f'<meta {kind}="{name}" content="{escape(content)}">\n'
        for name, content in contents.items()
        if content
    )


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _says_no(value: object) -> bool:
    return str(value).strip().lower() in _NO


def _picture(value: str, base: str) -> str:
    """The URL of a picture here or elsewhere on the web; empty for any other address."""
    address = media_address(value) or ""
    if address.startswith("//"):
        address = f"https:{address}"
    elif address.startswith("/"):
        return base + address
    try:
        parts = urlsplit(address)
    except ValueError:  # a malformed IPv6 address in brackets
        return ""
    return address if parts.scheme in ("http", "https") and parts.hostname else ""
