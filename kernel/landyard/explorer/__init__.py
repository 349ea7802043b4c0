"""The API explorer: a page where a person calls the methods that are on, and what the page is of.

The page shows `/openapi.json` with Swagger UI, whose files an installed package brings; the rest
of it is in this folder. It loads nothing from elsewhere, so it works where nothing else is to be
reached, and it runs under `POLICY`.
"""

import functools
import gzip
import hashlib
import importlib.util
from pathlib import Path

from msgspec import Struct

PAGE = "/-/explorer"
# Pictures: the arrows that are written into the style sheet.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_OURS = Path(__file__).parent
_PACKAGE = "offapi"
_OWN = ("explorer.css", "explorer.js", "parts.js")
_BROUGHT = {"swagger-ui.css": "swagger_style.css", "swagger-ui.js": "swagger_bundle.js"}
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
_ALWAYS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}
_FOR_EVER = "public, max-age=31536000, immutable"


class Asset(Struct, frozen=True):
    """A file of the page, ready to send with status 200."""

    body: bytes
    headers: dict[str, str]


class _File(Struct, frozen=True):
    plain: bytes
    packed: bytes


class _Version(Struct, frozen=True):
    """The page and its files: whatever changes in any of them, they are another version."""

    digest: str
    page: _File
    files: dict[str, _File]


def asset(path: str, *, packed: bool = False) -> Asset | None:
    """Answer what is at `path` below `PAGE`, the page itself at `""`; None where nothing is.

    `packed` is for a caller who takes gzip. The page names the files by their version, so that
    browsers keep them for ever. The first question reads two megabytes: ask in a worker thread.
    """
    version = _version()
    if path == "":
        return _sent(version.page, ".html", "no-cache", packed=packed)
    digest, _, name = path.removeprefix("/").partition("/")
    if digest != version.digest or name not in version.files:
        return None
    return _sent(version.files[name], Path(name).suffix, _FOR_EVER, packed=packed)


def _sent(file: _File, suffix: str, cache: str, *, packed: bool) -> Asset:
    headers = {**_ALWAYS, "Content-Type": _TYPES[suffix], "Cache-Control": cache}
    if packed:
        return Asset(file.packed, {**headers, "Content-Encoding": "gzip"})
    return Asset(file.plain, headers)


@functools.cache
def _version() -> _Version:
    installed = _installed()
    read = {name: (_OURS / name).read_bytes() for name in _OWN}
    read |= {name: (installed / stored).read_bytes() for name, stored in _BROUGHT.items()}
    page = (_OURS / "page.html").read_text("utf-8")
    digest = hashlib.sha256(b"".join([page.encode(), *read.values()])).hexdigest()[:16]
    for name in read:
        page = page.replace(f'"{name}"', f'"{PAGE}/{digest}/{name}"')
    files = {name: _file(plain) for name, plain in read.items()}
    return _Version(digest, _file(page.encode()), files)


def _file(plain: bytes) -> _File:
    # Without the time in it each worker packs the same bytes.
    return _File(plain, gzip.compress(plain, mtime=0))


def _installed() -> Path:
    """Find the package's folder without importing it, for which it reads nine megabytes."""
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(f"the explorer's files are missing: install '{_PACKAGE}'")
    return Path(found.submodule_search_locations[0])
