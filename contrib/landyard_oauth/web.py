"""The routes of the authorization server: consent page, tokens and revocation."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from authlib.oauth2.rfc6749 import InvalidRequestError, OAuth2Error
from litestar import MediaType, Request, Response, get, post
from litestar.params import RawBody

from landyard import Actor, Host
from landyard_oauth.apps import app_id_of
from landyard_oauth.consent import ConsentRequest, ask_page, error_page, headers_of
from landyard_oauth.endpoints import endpoints_of
from landyard_oauth.requests import OAuthRequest, bad_request, read_params
from landyard_oauth.server import Answer, Server
from landyard_signin import SIGN_IN, form_token, is_form_token, signed_in

_AUTHORIZE = "/oauth/authorize"
_FORM = "application/x-www-form-urlencoded"
_LARGEST = 32 * 1024  # bytes of a form
_AUTHENTICATED = ["client_secret_basic", "client_secret_post"]
_NOT_KEPT = {
    "Cache-Control": "no-store",
    "Pragma": "no-cache",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
}

AnyRequest = Request[Any, Any, Any]


def routes(host: Host) -> list[object]:
    """Return the route handlers of the consent page and of the token endpoints."""

    @get(_AUTHORIZE)
    def ask(request: AnyRequest) -> Response[str]:
        return _Consent(host, request).page()

    @post(_AUTHORIZE, request_max_body_size=_LARGEST)
    def decide(request: AnyRequest, body: RawBody) -> Response[str]:
        return _Consent(host, request).decide(body)

    @get("/oauth/token")
    def token_by_query(request: AnyRequest) -> Response[Any]:
        return _answered(host, request, b"", _issued)

    @post("/oauth/token", request_max_body_size=_LARGEST)
    def token(request: AnyRequest, body: RawBody) -> Response[Any]:
        return _answered(host, request, body, _issued)

    @post("/oauth/revoke", request_max_body_size=_LARGEST)
    def revoke(request: AnyRequest, body: RawBody) -> Response[Any]:
        return _answered(host, request, body, _revoked)

    return [ask, decide, token_by_query, token, revoke]


class _Consent:
    """A request to the consent page, on which a user authorizes an app."""

    def __init__(self, host: Host, request: AnyRequest) -> None:
        self._host = host
        self._request = request
        self._query = request.scope["query_string"].decode("latin-1")

    def page(self) -> Response[str]:
        """Show the page to a signed-in user; redirect others to sign in first."""
        return self._with_user(self._ask)

    def decide(self, body: bytes) -> Response[str]:
        """Carry out the user's decision, and redirect the browser to the app."""
        return self._with_user(
            lambda actor, consent_request: self._decided(actor, consent_request, body)
        )

    def _with_user(self, then: Callable[[Actor, ConsentRequest], Response[str]]) -> Response[str]:
        # Checked first, so that another site's page learns nothing from the answer.
        actor = signed_in(self._request, self._host)
        try:
            consent_request = self._run(self._consent_request, writes=False)
        except OAuth2Error as error:
            return _refused(error)
        if actor is None:
            here = quote(f"{_AUTHORIZE}?{self._query}", "")
            return Response("", status_code=303, headers={"Location": f"{SIGN_IN}?next={here}"})
        if app_id_of(actor) is not None:
            return _error_page(
                "An app cannot let another app in: sign in with a webhook or a token.", 403
            )
        return then(actor, consent_request.narrowed(actor.scopes))

    def _ask(self, actor: Actor, consent_request: ConsentRequest) -> Response[str]:
        content = ask_page(
            self._host,
            actor,
            consent_request,
            form_token(self._request, self._host, self._query),
        )
        return _html(content, 200, consent_request.redirect_uri)

    def _decided(self, actor: Actor, consent_request: ConsentRequest, body: bytes) -> Response[str]:
        try:
            params = read_params(body.decode("latin-1"))
        except OAuth2Error as error:
            return _refused(error)
        token = params.get("form_token", "")
        if not is_form_token(token, self._request, self._host, self._query):
            return _error_page("This form is not the one that was shown to you: begin anew.", 403)
        allowed = params.get("decision") == "allow"
        user = (actor.user_id, consent_request.scopes, actor.credential) if allowed else None
        answer = self._run(lambda server: self._answer(server, user), writes=True)
        place = dict(answer.headers)["Location"]
        if allowed:
            place += "&" + _also(self._host, consent_request)
        return Response("", status_code=303, headers={**_NOT_KEPT, "Location": place})

    def _consent_request(self, server: Server) -> ConsentRequest:
        request = self._read()
        grant = server.get_consent_grant(request, None)
        app = grant.request.client.app
        return ConsentRequest(app.title, grant.redirect_uri, frozenset(request.scope.split()))

    def _answer(self, server: Server, user: object) -> Answer:
        request = self._read()
        grant = server.get_consent_grant(request, user)
        answer: Answer = server.create_authorization_response(request, user, grant)
        return answer

    def _read(self) -> OAuthRequest:
        # The platform's apps leave `response_type` out.
        return OAuthRequest("GET", {"response_type": "code", **read_params(self._query)})

    def _run(self, work: Callable[[Server], Any], *, writes: bool) -> Any:
        return _run(self._host, work, writes=writes)


def _also(host: Host, consent_request: ConsentRequest) -> str:
    """Return the query parameters that the platform sends with the code."""
    endpoints = endpoints_of(host)
    also = {
        "domain": endpoints.domain,
        "member_id": endpoints.member_id,
        "server_domain": endpoints.domain,
    }
    also["scope"] = ",".join(sorted(consent_request.scopes))
    return "&".join(f"{name}={quote(value, '')}" for name, value in also.items())


def _answered(
    host: Host, request: AnyRequest, body: bytes, answer: Callable[[Server, Any], Answer]
) -> Response[Any]:
    """Answer an app's request; the app is authenticated before any row is locked."""
    try:
        kind = request.headers.get("content-type", _FORM).partition(";")[0].strip().lower()
        if body and kind != _FORM:
            raise InvalidRequestError(f"Send the parameters as {_FORM}.")
        query = request.scope["query_string"].decode("latin-1")
        params = read_params(query, body.decode("latin-1"))
        header = request.headers.get("authorization", "")

        def oauth_request() -> OAuthRequest:
            return OAuthRequest(request.method, params, header)

        def authenticate(server: Server) -> None:
            server.authenticate_client(oauth_request(), _AUTHENTICATED)

        _run(host, authenticate, writes=False)
        reply = _run(host, lambda server: answer(server, oauth_request()), writes=True)
    except OAuth2Error as error:
        reply = _error(error)
    headers = {**dict(reply.headers), **_NOT_KEPT}
    return Response(
        reply.body, status_code=reply.status, headers=headers, media_type=MediaType.JSON
    )


def _issued(server: Server, request: OAuthRequest) -> Answer:
    answer: Answer = server.create_token_response(request)
    return answer


def _revoked(server: Server, request: OAuthRequest) -> Answer:
    answer: Answer = server.create_endpoint_response("revocation", request)
    return answer


def _run(host: Host, work: Callable[[Server], Any], *, writes: bool) -> Any:
    return host.store.run(lambda unit: work(Server(host, unit)), writes=writes, label="oauth")


def _error(error: Any) -> Answer:
    status, body, headers = error()
    return Answer(status, body, headers)


def _refused(error: OAuth2Error) -> Response[str]:
    """Redirect with an error to the app if its address is verified; else show the error."""
    if error.redirect_uri:
        place = dict(_error(error).headers)["Location"]
        return Response("", status_code=303, headers={**_NOT_KEPT, "Location": place})
    return _error_page(bad_request(error), 400)


def _error_page(text: str, status: int) -> Response[str]:
    return _html(error_page(text), status)


def _html(content: str, status: int, redirect_uri: str = "") -> Response[str]:
    headers = headers_of(redirect_uri)
    return Response(content, status_code=status, headers=headers, media_type=MediaType.HTML)
