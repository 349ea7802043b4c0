"""What search engines may do with the pages of a site: its wish, and its robots.txt."""

from collections.abc import Mapping
from typing import Any

from landyard_landing.public.metadata import is_indexed

_WISH = "METAROBOTS_INDEX"
_LONGEST = 100_000  # characters of robots.txt; search engines read half a megabyte


def may_be_listed(site_fields: Mapping[str, Any], page_fields: Mapping[str, Any]) -> bool:
    """Tell whether search engines may list a page: it says so itself, or its site does."""
    wish = page_fields.get(_WISH)
    return is_indexed(page_fields if wish not in (None, "") else site_fields)


def robots_of(site_fields: Mapping[str, Any]) -> str:
    """Read what a site wants in its robots.txt; "" where that is ours to write."""
    said = site_fields.get("ROBOTS_CONTENT")
    used = str(site_fields.get("ROBOTS_USE", "Y")).strip().upper() != "N"
    if not used or not isinstance(said, str):
        return ""
    return "\n".join(said[:_LONGEST].replace("\0", "").splitlines()).strip()
