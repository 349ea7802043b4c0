"""The credential of a page's request, from its header or cookie, and form tokens."""

import hashlib
import hmac
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from landyard import Actor, CallError, Credential, Host, UserAccessError

SIGN_IN = "/-/sign-in"
"""The address where a browser signs in; `?next=/path` is the page to show afterwards."""


def signed_in(request: Any, host: Host) -> Actor | None:
    """Return the user of a page's request; None without a valid credential.

    `request` is the route's. The credential is one for calls, in `Authorization: Bearer` or in the
    cookie set by `SIGN_IN`. Call this before anything else, because the request may be run again.
    The answer is not cached, and must not be a stored `PublicAnswer`. Raises `UserAccessError` for
    a request of another site's page with the cookie, unless it only reads.
    """
    credential = credential_of(request, host)
    return None if credential is None else actor_of(credential, request, host)


def credential_of(request: Any, host: Host) -> Credential | None:
    """Return the credential of a request, valid or not, as `signed_in` reads it."""
    request.scope["state"]["private"] = True
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    user = ""
    if not scheme:
        refuse_foreign(request)
        cookie = request.cookies.get(_cookie(host), "")
        user, _, secret = map(unquote, cookie.partition("/"))
    elif scheme.lower() != "bearer":
        return None
    return Credential("webhook" if user else "token", secret.strip(), user)


def actor_of(credential: Credential, request: Any, host: Host) -> Actor | None:
    """Return the user of a credential; None if it is not valid."""
    try:
        return host.credentials.actor(credential, _address(request.scope))
    except CallError as error:
        if error.status in (401, 403):
            return None
        raise


def refuse_foreign(request: Any) -> None:
    """Refuse a request that the browser marks as from another site's page, unless it only reads.

    It checks `Sec-Fetch-Site` or `Origin`; `request` is the route's. `signed_in` calls it for its
    own cookie. A page with another cookie must call it before changing anything. Raises
    `UserAccessError`, which is answered 403.
    """
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign if site is None else site not in ("same-origin", "none"):
        raise UserAccessError("Changes are not accepted from another site's page.")


def sign_in_cookie(host: Host, credential: Credential | None) -> str:
    """Return the header `Set-Cookie` that signs a browser in until it is closed; None signs out."""
    value = ""
    if credential is not None:
        value = f"{quote(credential.user, '')}/{quote(credential.secret, '')}"
    name = _cookie(host)
    secure, ended = "; Secure" * name.startswith("__Host-"), "; Max-Age=0" * (not value)
    return f"{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{ended}"


def form_token(request: Any, host: Host, about: str) -> str:
    """Return a token for a form that only the current visitor can send, `about` one thing.

    It is derived from the request's credential, so only its owner can make it. Forms with grave
    effects use it in addition to `refuse_foreign`, because some browsers do not send its headers.
    """
    credential = request.headers.get("authorization") or request.cookies.get(_cookie(host), "")
    return hmac.new(
        credential.encode(), b"landyard form\0" + about.encode(), hashlib.sha256
    ).hexdigest()


def is_form_token(token: str, request: Any, host: Host, about: str) -> bool:
    """Tell whether a sent form has the token that was shown to this visitor."""
    return hmac.compare_digest(token.encode(), form_token(request, host, about).encode())


def _cookie(host: Host) -> str:
    # With this prefix browsers accept the cookie only from this host and over HTTPS.
    return "__Host-landyard" if host.settings.base.startswith("https:") else "landyard"


def _address(scope: Any) -> str:
    """Return the client's IP address; empty if a proxy passed something else."""
    try:
        return str(ip_address(scope["client"][0])) if scope["client"] else ""
    except ValueError:
        return ""
