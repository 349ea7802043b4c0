"""Who is signed in: the caller behind a page's request, by its header or by a cookie."""

from typing import Any
from urllib.parse import quote, unquote, urlsplit

from landyard.core.calls import Actor, Credential
from landyard.core.errors import CallError, UserAccessError
from landyard.kernel import Kernel
from landyard.web.wire import address_of, token


def signed_in(request: Any, kernel: Kernel) -> Actor | None:
    """Return who asks for a page; None where no credential was sent, or none that is good.

    `request` is the route's. Credentials are those of calls: in `Authorization: Bearer`, or what
    `sign_in_cookie` has set. Call this before anything else, for the page may begin anew. Its
    answer is not cached, and no `PublicAnswer` that is kept. Raises `UserAccessError` for what
    another site's page sends with the cookie, unless it only reads.
    """
    request.scope["state"]["private"] = True
    credential = credential_of(request, kernel)
    if credential is None:
        return None
    if "authorization" not in request.headers and _is_foreign(request):
        raise UserAccessError("What changes something is not taken from another site's page.")
    try:
        return kernel.credentials.actor(credential, address_of(request.scope))
    except CallError as error:
        if error.status in (401, 403):
            return None
        raise


def sign_in_cookie(kernel: Kernel, credential: Credential | None) -> str:
    """Write the header `Set-Cookie` that signs a browser in until it is closed; None signs out."""
    value, how = "", "Path=/; HttpOnly; SameSite=Lax"
    if credential is not None:
        value = f"{quote(credential.user, '')}/{quote(credential.secret, '')}"
    name = _cookie(kernel)
    how += "; Secure" * name.startswith("__Host-") + "; Max-Age=0" * (not value)
    return f"{name}={value}; {how}"


def credential_of(request: Any, kernel: Kernel) -> Credential | None:
    """Return the credential that a page's request shows, good or not."""
    if "authorization" in request.headers:
        return token({}, {}, request.headers["authorization"])
    user, _, secret = map(unquote, request.cookies.get(_cookie(kernel), "").partition("/"))
    return Credential("webhook" if user else "token", secret, user) if secret else None


def _is_foreign(request: Any) -> bool:
    """Tell whether a browser says that another site's page has sent what may change something."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return False
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    if site is not None:
        return site not in ("same-origin", "none")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")


def _cookie(kernel: Kernel) -> str:
    # With the prefix browsers take it from this very host alone, and over HTTPS alone.
    return "__Host-landyard" if kernel.settings.base.startswith("https:") else "landyard"
