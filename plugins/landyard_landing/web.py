"""Public delivery: the pages at their addresses, and the catalogue's files (P11, H4)."""

import hashlib
from typing import Any
from urllib.parse import unquote

from litestar import HttpMethod, Request, Response, route
from litestar.params import FromPath
from litestar.response import Redirect
from msgspec import Struct

from landyard import Kernel
from landyard_landing.assets import assets
from landyard_landing.rendering import lost, published_page
from landyard_landing.urls import page_at

HTML = "text/html; charset=utf-8"
READING = [HttpMethod.GET, HttpMethod.HEAD]
REVALIDATE = "public, max-age=0, must-revalidate"
FOREVER = "public, max-age=31536000, immutable"

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
}
# What slips through the sanitising policy still runs nothing: no script, no form, no plug-in.
# No page of ours can be framed, by itself either: in a sandbox that a player needs it could escape.
# Inline styles are the background pictures and safe declarations that blocks carry.
_PAGE_POLICY = (
    "default-src 'none'; img-src 'self' https:; media-src 'self' https:; font-src 'self';"
    " style-src-elem 'self'; style-src-attr 'unsafe-inline'; frame-src https:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A picture opened on its own must run nothing either: SVG is a document.
_FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class Delivered(Struct, frozen=True):
    """What a visitor gets for an address."""

    body: bytes
    status: int = 200
    moved: bool = False


def public_routes(kernel: Kernel) -> list[object]:
    """Build the routes of the public pages."""

    def deliver(host: str, path: str) -> Delivered:
        with kernel.store.unit(writes=False) as unit:
            page_id = page_at(unit.connection, host, path)
            if page_id is not None and not path.endswith("/"):
                return Delivered(b"", 301, moved=True)
            document = None if page_id is None else published_page(unit.connection, page_id)
            if document is None:
                return Delivered(lost(unquote(path)).encode(), 404)
            return Delivered(document.encode())

    @route(["/", "/{path:path}"], http_method=READING)
    async def page(request: Request[Any, Any, Any]) -> Response[Any]:
        """Show the published page at this address."""
        host = request.headers.get("host", "")
        raw = request.scope["raw_path"].decode("latin-1").partition("?")[0]
        found = await kernel.in_worker(deliver, host, raw)
        if found.moved:
            query = request.scope["query_string"].decode("latin-1")
            # One leading slash only: `//host/` would be an address elsewhere.
            return Redirect(f"/{raw.strip('/')}/{'?' if query else ''}{query}", status_code=301)
        headers = {"Content-Security-Policy": _PAGE_POLICY, "Cache-Control": REVALIDATE}
        if found.status != 200:
            headers["Cache-Control"] = "no-store"
            return _answer(found.body, HTML, headers, status=found.status)
        etag = f'"{hashlib.sha256(found.body).hexdigest()[:32]}"'
        return _conditional(request, found.body, HTML, etag, headers)

    return [page, asset]


@route("/assets/{path:path}", http_method=READING, sync_to_thread=False)
def asset(request: Request[Any, Any, Any], path: FromPath[str]) -> Response[Any]:
    """Serve a file of the built-in catalogue."""
    found = assets().get(path.lstrip("/"))
    if found is None:
        return _answer(b"", "text/plain; charset=utf-8", {"Cache-Control": "no-store"}, status=404)
    versioned = request.query_params.get("v", "") == found.etag[1:13]
    headers = {
        "Content-Security-Policy": _FILE_POLICY,
        "Cache-Control": FOREVER if versioned else REVALIDATE,
    }
    return _conditional(request, found.content, found.type, found.etag, headers)


def _conditional(
    request: Request[Any, Any, Any], body: bytes, kind: str, etag: str, headers: dict[str, str]
) -> Response[Any]:
    """Answer 304 where the visitor has this very version."""
    headers = {**headers, "ETag": etag}
    sent = request.headers.get("if-none-match", "")
    known = {tag.strip().removeprefix("W/") for tag in sent.split(",")}
    if etag in known or "*" in known:
        return _answer(b"", kind, headers, status=304)
    return _answer(body, kind, headers)


def _answer(body: bytes, kind: str, headers: dict[str, str], status: int = 200) -> Response[Any]:
    # As a header, not as `media_type`: Litestar would add a second charset to that.
    headers = {**_ALWAYS, **headers, "Content-Type": kind}
    return Response(body, status_code=status, headers=headers)
