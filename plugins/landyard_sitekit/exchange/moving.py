"""Rewrites the addresses in an exported site's texts: links to its own pages, and file paths."""

import re
from collections.abc import Collection, Mapping
from html import escape, unescape
from typing import Any
from urllib.parse import quote, unquote

import msgspec
from msgspec import Struct

FILE_PATH = re.compile(r"/files/[0-9a-f]{32}/[A-Za-z0-9_][A-Za-z0-9._-]{0,119}")
"""The path of an uploaded file."""
_LINK = re.compile(r'(\s(?:href|action)=")([^"]*)(")')
_END_OF_PATH = re.compile(r"[?#]")


class Moved(Struct, frozen=True):
    """The old and the new addresses of a site.

    `before` are the old addresses of its root, without the last slash; `segments` are the first
    segments of paths below it. `at_root` tells that the site had a domain, so that links to its
    pages may have no prefix. `after` is the path of the new site's root; `files` are the new
    addresses of files by their old paths.
    """

    before: Collection[str]
    at_root: bool
    segments: Collection[str]
    after: str
    files: Mapping[str, str]

    def html(self, content: str) -> str:
        """Return HTML with the new addresses of links and files."""
        linked = _LINK.sub(lambda found: f"{found[1]}{self._written(found[2])}{found[3]}", content)
        return self.text(linked)

    def text(self, content: str) -> str:
        """Return any text with the new addresses of files."""
        return FILE_PATH.sub(lambda found: self.files.get(found[0], found[0]), content)

    def value(self, value: Any) -> Any:
        """Return parameters or fields with the new addresses of files."""
        written = msgspec.json.encode(value).decode()
        moved = self.text(written)
        return value if moved == written else msgspec.json.decode(moved)

    def _written(self, escaped: str) -> str:
        link = unescape(escaped)
        moved = self.link(link)
        return escaped if moved == link else escape(moved)

    def link(self, link: str) -> str:
        """Return the new address of a link; a link to another site stays."""
        for root in self.before:
            rest = link.removeprefix(root)
            if link.startswith(root) and rest[:1] in ("", "/", "?", "#"):
                return f"{self.after}{rest or '/'}"
        if not self.at_root or not link.startswith("/") or link.startswith("//"):
            return link
        first = _END_OF_PATH.split(link, maxsplit=1)[0].split("/")[1]
        return f"{self.after}{link}" if not first or unquote(first) in self.segments else link


def roots_of(base: str, code: str, domain: str) -> list[str]:
    """List the addresses of a site's root: at its domain, else by its code below `base`."""
    if domain:
        return [f"{start}{domain}" for start in ("https://", "http://", "//")]
    codes = list(dict.fromkeys((code, quote(code, safe=""))))
    if not code:
        return []
    starts = [base, ""] if base else [""]
    return [f"{start}/{each}" for start in starts for each in codes]
