"""The authorization server: Authlib's checks of requests, with this plugin's storage."""

import logging
from collections.abc import Mapping
from typing import Any

from authlib.oauth2.rfc6749 import (
    AuthorizationCodeGrant,
    AuthorizationServer,
    InvalidRequestError,
    RefreshTokenGrant,
)
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from msgspec import Struct, structs
from sqlmodel import Session

from landyard import Host, UnitOfWork
from landyard_oauth import grants
from landyard_oauth.apps import find_client, has_secret, is_redirect_uri
from landyard_oauth.endpoints import endpoints_of
from landyard_oauth.requests import OAuthRequest
from landyard_oauth.tables import App, Grant

logging.getLogger("authlib").setLevel(logging.INFO)  # it would log tokens

_AUTHENTICATED = ["client_secret_basic", "client_secret_post"]


class Answer(Struct, frozen=True):
    """An HTTP answer: a status, a JSON body or nothing, and headers."""

    status: int
    body: Any
    headers: list[tuple[str, str]]


class Client:
    """An app with the interface that Authlib needs of a client."""

    def __init__(self, app: App) -> None:
        assert app.id is not None
        self.app, self.id, self.client_id = app, app.id, app.client_id
        self.scopes = app.scopes.split()

    def get_default_redirect_uri(self) -> str | None:
        """Return the redirect address of an app that has exactly one."""
        addresses = self.app.redirect_uris.split()
        return addresses[0] if len(addresses) == 1 else None

    def check_redirect_uri(self, address: str) -> bool:
        return any(is_redirect_uri(address, each) for each in self.app.redirect_uris.split())

    def get_allowed_scope(self, scope: str | None) -> str | None:
        """Return the requested scopes, by default all of the app's; None if the app lacks one.

        They are separated by spaces (RFC 6749), or by commas as on the platform.
        """
        requested = (scope or "").replace(",", " ").split()
        return (
            None
            if set(requested) - set(self.scopes)
            else " ".join(sorted(set(requested or self.scopes)))
        )

    def check_client_secret(self, secret: str) -> bool:
        return has_secret(self.app, secret)

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        return method in _AUTHENTICATED

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


class PresentedSecret(Struct, frozen=True):
    """A presented code or token with its grant, with the interface that Authlib needs."""

    secret: str
    grant: Grant

    @property
    def code_challenge(self) -> str:
        return self.grant.challenge

    @property
    def code_challenge_method(self) -> str:
        return "S256"

    def get_redirect_uri(self) -> str:
        return self.grant.redirect_uri

    def get_scope(self) -> str:
        return self.grant.scopes

    def check_client(self, client: Client) -> bool:
        return self.grant.app_id == client.id


class Server(AuthorizationServer):  # type: ignore[misc]  # Authlib ships no types
    """An authorization server for one request, in one transaction."""

    def __init__(self, host: Host, unit: UnitOfWork) -> None:
        super().__init__()
        self.host = host
        self.now = host.now()
        self.db: Session = unit.session
        self.register_grant(_Codes, [_Pkce(required=False)])
        self.register_grant(_Refreshes)
        self.register_endpoint(_Revocation)

    def query_client(self, client_id: str) -> Client | None:
        app = find_client(self.db, client_id)
        return None if app is None else Client(app)

    def create_oauth2_request(self, request: OAuthRequest) -> OAuthRequest:
        return request

    def handle_response(self, status: int, body: Any, headers: list[tuple[str, str]]) -> Answer:
        return Answer(status, body, headers)

    def send_signal(self, name: str, *args: object, **more: object) -> None:
        """Do nothing: Authlib's signals have no listener here."""

    def generate_token(
        self, *, user: PresentedSecret, scope: str, **_more: object
    ) -> dict[str, Any]:
        """Issue the access and refresh token of a grant, in the platform's format."""
        grant, lasting = user.grant, grants.LASTING["access"]
        return {
            "access_token": grants.issue(self.db, grant, "access", self.now),
            "refresh_token": grants.issue(self.db, grant, "refresh", self.now),
            "token_type": "bearer",
            "expires": int((self.now + lasting).timestamp()),
            "expires_in": int(lasting.total_seconds()),
            "scope": ",".join(scope.split()),
            "status": "L",
            "user_id": grant.user_id,
            **structs.asdict(endpoints_of(self.host)),
        }

    def save_token(self, token: Mapping[str, Any], request: OAuthRequest) -> None:
        """Store nothing more: a token is stored when it is issued."""


class _Codes(AuthorizationCodeGrant):  # type: ignore[misc]
    """The grant type of codes; `user` of a request is a user id, scopes and a credential."""

    TOKEN_ENDPOINT_AUTH_METHODS = _AUTHENTICATED
    TOKEN_ENDPOINT_HTTP_METHODS = ("GET", "POST")

    def generate_authorization_code(self) -> str:
        server, request = self.server, self.request
        user_id, scopes, credential = request.user
        grant = Grant(
            app_id=request.client.id,
            user_id=user_id,
            scopes=" ".join(sorted(scopes)),
            redirect_uri=request.payload.redirect_uri or "",
            challenge=request.payload.data.get("code_challenge", ""),
            credential=credential,
            created_at=server.now,
            ends_at=server.now,
        )
        return grants.issue(server.db, grant, "code", server.now)

    def save_authorization_code(self, code: str, request: OAuthRequest) -> None:
        """Store nothing more: a code is stored when it is issued."""

    def query_authorization_code(self, code: str, client: Client) -> PresentedSecret | None:
        grant = grants.take(self.server.db, code, "code", client.id, self.server.now)
        return None if grant is None else PresentedSecret(code, grant)

    def authenticate_user(self, code: PresentedSecret) -> PresentedSecret:
        return code

    def delete_authorization_code(self, code: PresentedSecret) -> None:
        grants.use(self.server.db, code.secret, self.server.now)


class _Refreshes(RefreshTokenGrant):  # type: ignore[misc]
    """The grant type of refresh tokens; each works once and yields the next one."""

    TOKEN_ENDPOINT_AUTH_METHODS = _AUTHENTICATED
    TOKEN_ENDPOINT_HTTP_METHODS = ("GET", "POST")
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, secret: str) -> PresentedSecret | None:
        server = self.server
        grant = grants.take(server.db, secret, "refresh", self.request.client.id, server.now)
        return None if grant is None else PresentedSecret(secret, grant)

    def authenticate_user(self, token: PresentedSecret) -> PresentedSecret:
        return token

    def issue_token(self, user: PresentedSecret, token: PresentedSecret) -> Any:
        """Issue tokens with all scopes of the grant; requests to narrow them are ignored."""
        return self.generate_token(user=user, scope=token.get_scope())

    def revoke_old_credential(self, token: PresentedSecret) -> None:
        grants.use(self.server.db, token.secret, self.server.now)


class _Revocation(RevocationEndpoint):  # type: ignore[misc]
    CLIENT_AUTH_METHODS = _AUTHENTICATED

    def query_token(self, secret: str, _hint: str | None) -> PresentedSecret | None:
        match = grants.find(self.server.db, secret, ("access", "refresh"))
        return None if match is None else PresentedSecret(secret, match[1])

    def revoke_token(self, token: PresentedSecret, request: OAuthRequest) -> None:
        grants.end(self.server.db, token.secret, request.client.id)


class _Pkce(CodeChallenge):  # type: ignore[misc]
    """PKCE with S256 only: a `plain` challenge equals the verifier and protects nothing."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        params = grant.request.payload.data
        if "code_challenge" in params and params.get("code_challenge_method") != "S256":
            raise InvalidRequestError("The 'code_challenge_method' must be S256.")
        super().validate_code_challenge(grant, redirect_uri)
