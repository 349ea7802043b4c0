"""The pages where a browser signs in and out, with a webhook's address or an access token."""

import re
from html import escape
from typing import Annotated, Any

from litestar import MediaType, Request, Response, get, post
from litestar.enums import RequestEncodingType
from litestar.params import Body

from landyard import Credential, Host
from landyard_signin.browser_credentials import SIGN_IN, actor_of, refuse_foreign, sign_in_cookie

Form = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
_WEBHOOK = re.compile(r".*/rest/(\d+)/([^/]+)/?", re.DOTALL)
_HERE = re.compile(r"/(?![/\\])[!-~]*")
_LARGEST = 8 * 1024  # bytes of a form
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in</title></head>
<body>
<main>
<h1>Sign in</h1>
<p role="alert">{message}</p>
<form method="post"><label>Webhook address or access token
<input name="credential" type="password" required autofocus></label>
<input name="next" type="hidden" value="{next}"><button>Sign in</button></form>
</main>
</body>
</html>
"""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def routes(host: Host) -> list[object]:
    """Return the route handlers of both pages."""

    @get(SIGN_IN)
    def ask(request: Request[Any, Any, Any]) -> Response[str]:
        return _page("", request.query_params.get("next", "/"))

    @post(SIGN_IN, request_max_body_size=_LARGEST)
    def sign_in(request: Request[Any, Any, Any], data: Form) -> Response[str]:
        refuse_foreign(request)
        following = data.get("next", "/")
        credential = _read(data.get("credential", "").strip())
        if not credential.secret or actor_of(credential, request, host) is None:
            return _page("This is not a valid webhook or token.", following, 403)
        return _redirect(following, sign_in_cookie(host, credential))

    @post("/-/sign-out", request_max_body_size=_LARGEST)
    def sign_out(request: Request[Any, Any, Any]) -> Response[str]:
        refuse_foreign(request)
        return _redirect("/", sign_in_cookie(host, None))

    return [ask, sign_in, sign_out]


def _read(text: str) -> Credential:
    webhook = _WEBHOOK.fullmatch(text)
    return Credential("webhook", webhook[2], webhook[1]) if webhook else Credential("token", text)


def _page(message: str, following: str, status: int = 200) -> Response[str]:
    page = _PAGE.format(message=message, next=escape(following))
    return Response(page, status_code=status, headers=_HEADERS, media_type=MediaType.HTML)


def _redirect(following: str, cookie: str) -> Response[str]:
    place = following if _HERE.fullmatch(following) else "/"  # never redirect to another site
    return Response(
        "", status_code=303, headers=_HEADERS | {"Location": place, "Set-Cookie": cookie}
    )
