"""Search engines' permission to list a page, and a site's own robots.txt."""

from collections.abc import Mapping
from typing import Any

from landyard_public.metadata import is_indexed

_WISH = "METAROBOTS_INDEX"
_LONGEST = 100_000  # characters of robots.txt; search engines read half a megabyte


def may_be_listed(site_fields: Mapping[str, Any], page_fields: Mapping[str, Any]) -> bool:
    """Tell whether search engines may list a page; without a field of its own the site's counts."""
    wish = page_fields.get(_WISH)
    return is_indexed(page_fields if wish not in (None, "") else site_fields)


def robots_of(site_fields: Mapping[str, Any]) -> str:
    """Read a site's own robots.txt from its additional fields; "" where it has none."""
    content = site_fields.get("ROBOTS_CONTENT")
    is_used = str(site_fields.get("ROBOTS_USE", "Y")).strip().upper() != "N"
    if not is_used or not isinstance(content, str):
        return ""
    return "\n".join(content[:_LONGEST].replace("\0", "").splitlines()).strip()
