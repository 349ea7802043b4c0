"""The routes that show a draft by a link."""

from typing import Any

from litestar import MediaType, Request, Response, get
from litestar.exceptions import HTTPException
from litestar.params import FromPath, FromQuery

from landyard import Host
from landyard_landing import settings
from landyard_public.answers import page_headers
from landyard_sharing.links import PLACE, Link, find_link, shown_by

_ALONE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}
_COOKIE = "landyard_draft"
_GONE = "This link has expired, or was revoked."
_NO_COOKIE = "Open the link to this draft again; the browser must accept cookies for it."


def routes(host: Host) -> list[object]:
    """Return the route handlers of links and of drafts."""

    @get(PLACE)
    def enter(key: FromQuery[str] = "") -> Response[str]:
        """Store the key in a cookie, and redirect to an address without the key.

        An address with the key could leak: pages send it on, browsers store it, people copy it.
        """
        link = find_link(host, key)
        if link is None:
            raise HTTPException(_GONE, status_code=410)
        place = f"{PLACE}/{link.id}"
        cookie = _cookie(host, link, key, place)
        headers = {**_ALONE, "Location": place, "Set-Cookie": cookie}
        return Response("", status_code=303, headers=headers, media_type=MediaType.TEXT)

    @get(f"{PLACE}/{{link_id:int}}")
    def show(request: Request[Any, Any, Any], link_id: FromPath[int]) -> Response[str]:
        """Show the current draft, without scripts."""
        key = request.cookies.get(_COOKIE, "")
        document = shown_by(host, key, link_id) if key else None
        if document is None:
            raise HTTPException(_GONE if key else _NO_COOKIE, status_code=410)
        hosts = host.section(settings.BlockSettings).embed_hosts
        decoded = {name.decode(): value.decode() for name, value in page_headers(document, hosts)}
        headers = {name.title(): value for name, value in decoded.items()} | _ALONE
        return Response(document, headers=headers, media_type=MediaType.HTML)

    return [enter, show]


def _cookie(host: Host, link: Link, key: str, place: str) -> str:
    lasting = max(1, int((link.expires_at - host.now()).total_seconds()))
    secure = "; Secure" * host.settings.base.startswith("https:")
    return f"{_COOKIE}={key}; Path={place}; Max-Age={lasting}; HttpOnly; SameSite=Lax{secure}"
