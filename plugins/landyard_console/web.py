"""The routes of the console: sign-in, screens, static files, and calls of methods."""

from html import escape
from ipaddress import ip_address
from typing import Annotated, Any

from litestar import HttpMethod, Request, Response, post, route
from litestar.enums import RequestEncodingType
from litestar.exceptions import NotFoundException
from litestar.params import Body
from litestar.types import Receive, Scope, Send

from landyard import (
    Actor,
    Credential,
    Host,
    InvalidCredentials,
    PublicAnswer,
    QueryLimitExceeded,
)
from landyard_console import sessions, shell
from landyard_console.assets import answers
from landyard_console.sessions import CONSOLE
from landyard_console.settings import ConsoleSettings
from landyard_console.view import USUAL_POLICY, Answer, Lost, Refused, Screen, Shown, View
from landyard_console.words import words_of
from landyard_landing import sites
from landyard_signin import credential_of, form_token, is_form_token, refuse_foreign, signed_in
from landyard_signin import sign_in_cookie as cookie

_Form = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
_METHODS = (HttpMethod.GET, HttpMethod.POST)
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_LARGEST = 32 * 1024  # bytes of the sign-in form: a password may be long and escaped
_ABOUT = "console"  # the purpose of the form token


def routes(host: Host) -> list[object]:
    """Return the route handlers of the console."""

    @route([CONSOLE, f"{CONSOLE}/{{rest:path}}"], http_method=_METHODS, status_code=200)
    def console(request: Request[Any, Any, Any]) -> Response[Any] | PublicAnswer:
        """Show a screen, or carry out a posted request."""
        _require_host(host, request)
        rest = str(request.path_params.get("rest", "")).strip("/")
        first, _, behind = rest.partition("/")
        if first == "static":
            return _file(behind)
        actor = signed_in(request, host)
        credential = credential_of(request, host)
        if actor is None or credential is None:
            return _ask(host, request, first)
        if request.method == "POST":
            return _posted(host, request, credential, first, behind)
        if first == "session":
            session = {"csrf": form_token(request, host, _ABOUT), "user": actor.user_id}
            return Response({**session, "name": actor.name}, headers=_HEADERS)
        return _screen(host, request, actor, credential, rest)

    @route(f"{CONSOLE}/sign-in", http_method=HttpMethod.GET, status_code=200)
    def sign_in(request: Request[Any, Any, Any]) -> Response[Any]:
        """Sign in by a link, or show the sign-in page."""
        _require_host(host, request)
        return _by_link(host, request)

    @post(f"{CONSOLE}/sign-in", request_max_body_size=_LARGEST)
    def with_password(request: Request[Any, Any, Any], data: _Form) -> Response[Any]:
        """Sign in with a password."""
        _require_host(host, request)
        return _by_password(host, request, data)

    return [console, sign_in, with_password]


def welcome(host: Host, request: Any) -> str:
    """Return a hint for a signed-in user at the service's root without a page; else ""."""
    if signed_in(request, host) is None:
        return ""
    words = _words(request)
    text, way = escape(words.text("root.text")), escape(words.text("root.way"))
    return (
        f'<div lang="{words.language}" dir="{words.direction}">\n<p>{text}</p>\n'
        f'<p><a href="{CONSOLE}/">{way}</a></p>\n</div>\n'
    )


def _file(name: str) -> PublicAnswer:
    file_answer = answers().get(name)
    if file_answer is None:
        raise NotFoundException
    return file_answer


# ------------------------------------------------------------------ signing in


def _ask(host: Host, request: Any, first: str) -> Response[Any]:
    """Answer the sign-in page; a call is answered in the form of calls."""
    words = _words(request)
    if first in ("call", "session"):
        body = b'{"error":"NO_AUTH_FOUND","error_description":"Sign in to go on."}'
        return _response(Answer(body=body, media_type="application/json", status=401))
    page = shell.sign_in(words, message="", insecure=not _is_safe(host, request))
    return _response(Answer(body=page.encode(), status=401))


def _by_link(host: Host, request: Any) -> Response[Any]:
    """Sign in by a link; a prefetch does not use it up.

    Another site's page could sign a browser in as a different user, so a browser that comes from
    there is shown the user's name and a button.
    """
    key = request.query_params.get("key", "")
    insecure = not _is_safe(host, request)
    ahead = request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", "")
    if not key or insecure or ahead:
        return _link_refused(host, request, key)
    if not _is_asked_here(request):
        name = sessions.name_behind(host, key)
        if name is None:
            return _link_refused(host, request, key)
        page = shell.sign_in(_words(request), message="", insecure=False, name=name, by_link=True)
        return _response(Answer(body=page.encode()))
    return _with_key(host, request, key)


def _with_key(host: Host, request: Any, key: str) -> Response[Any]:
    user = None if not _is_safe(host, request) else sessions.open_link(host, key)
    if user is None:
        return _link_refused(host, request, key)
    return _signed_in_answer(host, request, user)


def _link_refused(host: Host, request: Any, key: str) -> Response[Any]:
    message_key = "sign_in.link_used" if key else ""
    page = shell.sign_in(_words(request), message=message_key, insecure=not _is_safe(host, request))
    return _response(Answer(body=page.encode(), status=403 if key else 200))


def _is_asked_here(request: Any) -> bool:
    """Tell whether an address was typed, pasted, or followed from a console page.

    A browser that does not tell counts as coming from elsewhere.
    """
    site = request.headers.get("sec-fetch-site")
    if site is None:
        return "text/html" not in request.headers.get("accept", "")  # a program, not a browser
    return site in ("none", "same-origin")


def _by_password(host: Host, request: Any, data: dict[str, str]) -> Response[Any]:
    from landyard_console import passwords  # imported late: Argon2 is slow to import

    refuse_foreign(request)
    if data.get("by_link"):
        return _with_key(host, request, request.query_params.get("key", ""))
    name, insecure = data.get("name", ""), not _is_safe(host, request)
    message_key, status = "sign_in.wrong", 403
    try:
        if not insecure:
            user = passwords.check(host, name, data.get("password", ""), _address(request))
            return _signed_in_answer(host, request, user)
    except InvalidCredentials:
        pass
    except QueryLimitExceeded:
        message_key, status = "sign_in.too_often", 429
    page = shell.sign_in(_words(request), message=message_key, insecure=insecure, name=name[:200])
    return _response(Answer(body=page.encode(), status=status))


def _signed_in_answer(host: Host, request: Any, user: int) -> Response[Any]:
    begun = sessions.begin(host, user, _address(request), request.headers.get("user-agent", ""))
    return _redirect(f"{CONSOLE}/", {"Set-Cookie": cookie(host, begun)})


def _address(request: Any) -> str:
    client = request.scope["client"]
    return str(client[0]) if client else ""


def _is_safe(host: Host, request: Any) -> bool:
    """Tell whether a cookie is safe from others: over HTTPS, or on the local machine."""
    if host.settings.base.startswith("https:"):
        return True
    name = _host(request)
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _require_host(host: Host, request: Any) -> None:
    wanted = sites.plain_host(host.section(ConsoleSettings).host)
    if wanted and _host(request) != wanted:
        raise NotFoundException


def _host(request: Any) -> str:
    return sites.plain_host(request.headers.get("host", ""))


# ----------------------------------------------------------- posted requests


def _posted(
    host: Host, request: Any, credential: Credential, first: str, behind: str
) -> Response[Any]:
    refuse_foreign(request)
    if not is_form_token(request.headers.get("x-csrf-token", ""), request, host, _ABOUT):
        body = b'{"error":"OTHER_SESSION","error_description":"Read /-/console/session again."}'
        return _response(Answer(body=body, media_type="application/json", status=403))
    match first:
        case "call":
            return _ForwardedCall(credential, behind)
        case "sign-out":
            sessions.end(host, credential)
            return _response(Answer(headers={"Set-Cookie": cookie(host, None)}, status=204))
    raise NotFoundException


class _ForwardedCall(Response[Any]):
    """A call that is forwarded to the handler of `/rest`, with the session's credential.

    It is parsed, limited, run and answered like any other call.
    """

    def __init__(self, credential: Credential, method: str) -> None:
        super().__init__(None)
        self._credential = credential
        self._method = method

    def to_asgi_response(self, app: Any, request: Any, **how: Any) -> Any:  # noqa: ARG002 - Litestar's
        credential = self._credential
        path = f"/{self._method}"
        if credential.kind == "webhook":
            path = f"/{credential.user}/{credential.secret}/{self._method}"

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            headers = dict(scope["headers"])
            headers.pop(b"cookie", None)
            if credential.kind == "token":
                headers[b"authorization"] = b"Bearer " + credential.secret.encode()
            state = scope["state"]
            forwarded: Any = {**scope, "path": path, "raw_path": path.encode()}

            async def send_without_id(message: Any) -> None:
                if message["type"] == "http.response.start":  # the id is added again later
                    kept = [each for each in message["headers"] if each[0] != b"x-request-id"]
                    message = {**message, "headers": kept}
                await send(message)

            await state["calls"].answer(
                forwarded, headers, receive, send_without_id, state["request_id"]
            )

        return answer


# ----------------------------------------------------------------------- screens


def _screen(
    host: Host, request: Any, actor: Actor, credential: Credential, rest: str
) -> Response[Any]:
    from landyard_console.screens import SCREENS  # imported late: only the console needs them

    screens = {each.name: each for each in SCREENS} | dict(host.records(Screen))
    name, *path = rest.split("/")
    if not name:
        return _redirect(f"{CONSOLE}/{SCREENS[0].name}")
    csrf = form_token(request, host, _ABOUT)
    view = View(host, actor, credential, request, tuple(path), _words(request), csrf)
    chosen = screens.get(name)
    try:
        shown = shell.lost(view) if chosen is None else chosen.show(view)
    except Lost:
        shown = shell.lost(view)
    except Refused as refused:
        shown = shell.refused(view, refused, chosen.needs if chosen else "")
    if isinstance(shown, Shown):
        page = shell.page(view, shown, list(screens.values()), name)
        shown = Answer(body=page.encode(), status=shown.status)
    return _response(shown)


def _words(request: Any) -> Any:
    chosen = request.cookies.get("landyard_language", "")
    return words_of(chosen, request.headers.get("accept-language", ""))


def _redirect(place: str, headers: dict[str, str] | None = None) -> Response[Any]:
    return _response(Answer(status=303, headers={"Location": place, **(headers or {})}))


def _response(answer: Answer) -> Response[Any]:
    headers = {
        **_HEADERS,
        "Content-Security-Policy": answer.policy or USUAL_POLICY,
        **answer.headers,
    }
    kind = answer.media_type
    return Response(answer.body, status_code=answer.status, headers=headers, media_type=kind)
