"""Visitors: the caller behind a page's request, by its header or by a cookie."""

import hashlib
import hmac
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from landyard import Actor, CallError, Credential, Host, UserAccessError

SIGN_IN = "/-/sign-in"
"""The page where a browser signs in; `?next=/path` is where it goes on."""


def signed_in(request: Any, host: Host) -> Actor | None:
    """Return who asks for a page; None where no credential was sent, or none that is good.

    `request` is the route's. Credentials are those of calls: in `Authorization: Bearer`, or in the
    cookie that `SIGN_IN` sets. Call this before anything else, for the page may begin anew. Its
    answer is not cached, and no `PublicAnswer` that is kept. Raises `UserAccessError` for what
    another site's page sends with the cookie, unless it only reads.
    """
    credential = credential_of(request, host)
    return None if credential is None else actor_of(credential, request, host)


def credential_of(request: Any, host: Host) -> Credential | None:
    """Return what a page is asked for with, as `signed_in` reads it, good or not."""
    request.scope["state"]["private"] = True
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    user = ""
    if not scheme:
        refuse_foreign(request)
        kept = request.cookies.get(_cookie(host), "")
        user, _, secret = map(unquote, kept.partition("/"))
    elif scheme.lower() != "bearer":
        return None
    return Credential("webhook" if user else "token", secret.strip(), user)


def actor_of(credential: Credential, request: Any, host: Host) -> Actor | None:
    """Return whose credential it is, or None for one that is not good."""
    try:
        return host.credentials.actor(credential, _address(request.scope))
    except CallError as error:
        if error.status in (401, 403):
            return None
        raise


def refuse_foreign(request: Any) -> None:
    """Refuse what another site's page sends, where a browser says so, unless it only reads.

    It looks at `Sec-Fetch-Site`, or at `Origin`; `request` is the route's. `signed_in` does this
    for its own cookie: a page with another one calls it before it changes anything. Raises
    `UserAccessError`, which is answered 403.
    """
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign if site is None else site not in ("same-origin", "none"):
        raise UserAccessError("What changes something is not taken from another site's page.")


def sign_in_cookie(host: Host, credential: Credential | None) -> str:
    """Write the header `Set-Cookie` that signs a browser in until it is closed; None signs out."""
    value = ""
    if credential is not None:
        value = f"{quote(credential.user, '')}/{quote(credential.secret, '')}"
    name = _cookie(host)
    secure, ended = "; Secure" * name.startswith("__Host-"), "; Max-Age=0" * (not value)
    return f"{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{ended}"


def form_token(request: Any, host: Host, about: str) -> str:
    """Make what a page writes into a form that is for its visitor alone, and `about` one thing.

    It is made of the credential that the request was sent with, so that nobody else can make it.
    Where what a form does is grave this comes on top of `refuse_foreign`, for what browsers do not
    say.
    """
    sent = request.headers.get("authorization") or request.cookies.get(_cookie(host), "")
    return hmac.new(sent.encode(), b"landyard form\0" + about.encode(), hashlib.sha256).hexdigest()


def is_form_token(token: str, request: Any, host: Host, about: str) -> bool:
    """Tell whether a form that was sent back is the one that was shown."""
    return hmac.compare_digest(token.encode(), form_token(request, host, about).encode())


def _cookie(host: Host) -> str:
    # With the prefix browsers take it from this very host alone, and over HTTPS alone.
    return "__Host-landyard" if host.settings.base.startswith("https:") else "landyard"


def _address(scope: Any) -> str:
    """Say where a request comes from; nothing, where a proxy names what is no address."""
    try:
        return str(ip_address(scope["client"][0])) if scope["client"] else ""
    except ValueError:
        return ""
