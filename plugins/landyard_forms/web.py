"""The routes of forms: sending, the image that records seeing a form, and the thanks page."""

from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address
from typing import Any

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.params import FromQuery, RawBody

from landyard import Host
from landyard_forms.form_html import PLACE
from landyard_forms.settings import FormSettings
from landyard_forms.spam_guard import COOKIE, SEEN_FOR
from landyard_forms.submitting import FormHandler, Incoming, Outcome
from landyard_landing import settings
from landyard_public.answers import page_headers

LARGEST = 256 * 1024
"""The most bytes of a sent form without files; far more than all fields can have."""

_PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
_ALONE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def routes(host: Host) -> list[object]:
    """Return the route handlers."""
    handler = FormHandler(host)
    secure = "; Secure" * host.settings.base.startswith("https:")

    most = LARGEST + host.section(FormSettings).file_megabytes * 1_000_000

    @post(PLACE, request_max_body_size=most)
    def send(request: Request[Any, Any, Any], form: FromQuery[int], body: RawBody) -> Response[str]:
        """Handle a sent form and redirect, so that reloading the page sends nothing."""
        cookie = request.cookies.get(COOKIE, "")
        kind = request.headers.get("content-type", "")
        if len(body) > LARGEST and not kind.startswith("multipart/"):
            raise RequestEntityTooLarge
        incoming = Incoming(body, cookie, _address(request.scope), kind)
        return _answer(host, handler.receive(form, incoming))

    @get(PLACE)
    def again(form: FromQuery[int]) -> Response[str]:
        """Show the form when its sending address is loaded again."""
        return _answer(host, handler.show(form))

    @get(f"{PLACE}/sent")
    def sent(form: FromQuery[int]) -> Response[str]:
        """Show the page with thanks."""
        return _answer(host, handler.thanks(form))

    @get(f"{PLACE}/seen.svg")
    def seen(request: Request[Any, Any, Any]) -> Response[bytes]:
        """Answer an empty image, with a cookie of the time when the form was seen."""
        now, headers = host.now(), dict(_ALONE)
        if handler.guard.is_new(request.cookies.get(COOKIE, ""), now):
            value = handler.guard.sign("seen", now)
            headers["Set-Cookie"] = (
                f"{COOKIE}={value}; Path={PLACE}; Max-Age={SEEN_FOR}; HttpOnly; SameSite=Lax"
                f"{secure}"
            )
        return Response(_PICTURE, headers=headers, media_type="image/svg+xml")

    return [send, again, sent, seen]


def _answer(host: Host, outcome: Outcome | None) -> Response[str]:
    if outcome is None:
        raise NotFoundException("There is no such form, or its page is no longer public.")
    if outcome.next:
        return Response("", status_code=303, headers=_ALONE | {"Location": outcome.next})
    return Response(
        outcome.page,
        status_code=outcome.status,
        headers=_page_headers(host, outcome),
        media_type=MediaType.HTML,
    )


def _page_headers(host: Host, outcome: Outcome) -> Mapping[str, str]:
    headers = page_headers(outcome.page, host.section(settings.BlockSettings).embed_hosts)
    from_page = {name.decode(): value.decode() for name, value in headers}
    later = {"Retry-After": "3600"} if outcome.status == 429 else {}
    return from_page | later | {"Cache-Control": "no-store", "X-Robots-Tag": "noindex"}


def _address(scope: Any) -> str:
    """Return the sender's IP address; for IPv6 its /64 network."""
    try:
        address = ip_address(scope["client"][0]) if scope["client"] else None
    except ValueError:  # a proxy passed something else
        return ""
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))
    return str(address or "")
