"""Sign-in for pages: the page where a browser signs in, and the user of a page's request.

A plugin that calls `signed_in` declares `requires = ("signin",)`.
"""

from collections.abc import Iterable

from landyard import Host, hookimpl
from landyard_signin.browser_credentials import (
    SIGN_IN,
    credential_of,
    form_token,
    is_form_token,
    refuse_foreign,
    sign_in_cookie,
    signed_in,
)

__all__ = [
    "SIGN_IN",
    "credential_of",
    "form_token",
    "is_form_token",
    "refuse_foreign",
    "sign_in_cookie",
    "signed_in",
]


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_signin.web import routes  # imported late: the command line needs no web

    return routes(host)
