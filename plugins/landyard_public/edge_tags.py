"""The tags by which an edge, a cache in front of the service, forgets public answers."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

EVERYTHING = "landyard"
"""The tag of all tagged answers."""
LISTS = "lists"
"""The tag of answers that list pages: site maps, feeds and robots.txt."""

TagHeader = Literal["Surrogate-Key", "Cache-Tag", "xkey", "Cache-Groups"]
"""A header with the tags: of Fastly, of Cloudflare, of Varnish, or of RFC 9875."""

_LONGEST = 31_536_000  # seconds; a year


class PublicSettings(Struct, frozen=True):
    """`tag_headers`: the headers of public answers that hold their tags; see docs/operate.md.

    `s_maxage`: the seconds for which an edge may keep a page; 0: none keeps it.
    `stale_while_revalidate`: the further seconds for which it may send the page while it asks for
    the new one.
    """

    tag_headers: list[TagHeader] = []
    s_maxage: Annotated[int, Meta(ge=0, le=_LONGEST)] = 0
    stale_while_revalidate: Annotated[int, Meta(ge=0, le=_LONGEST)] = 0


def page_tag(page_id: int) -> str:
    """Return the tag of answers that show a page, or name it as a translation."""
    return f"page-{page_id}"


def site_tag(site_id: int) -> str:
    """Return the tag of all pages of a site."""
    return f"site-{site_id}"


def theme_tag(code: str) -> str:
    """Return the tag of all pages in a theme."""
    return f"theme-{code}"


def file_tag(key: str) -> str:
    """Return the tag of an uploaded file."""
    return f"file-{key}"
