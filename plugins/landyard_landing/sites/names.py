"""Types of sites, and the spelling of codes and hosts."""

import re

SITE_TYPES = frozenset({"PAGE", "STORE", "SMN", "KNOWLEDGE", "GROUP", "MAINPAGE"})
"""All types of sites."""


_SEGMENT = re.compile(r"[^/\\?#%\s\x00-\x1f]{1,255}")


_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:[0-9]{1,5})?")


def is_segment(code: str) -> bool:
    """Tell whether a text can be the code of a site or a folder: a segment of an address."""
    return _SEGMENT.fullmatch(code) is not None and code not in {".", ".."}


def is_host(domain: str) -> bool:
    """Tell whether a text can be a site's domain: a bare host in lower case."""
    return _HOST.fullmatch(domain) is not None
