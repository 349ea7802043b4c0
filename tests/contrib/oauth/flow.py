"""An app in the OAuth flow: consent in a browser, a code, tokens, calls."""

import base64
import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

import landyard_general
import landyard_oauth
import landyard_signin
from landyard import Credential
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming
from landyard_oauth.apps import Registered, register
from landyard_oauth.grants import issue
from landyard_oauth.tables import Grant
from landyard_signin import sign_in_cookie

PLUGINS = [landyard_general, landyard_oauth, landyard_signin]
VIEWER = "oauth-webhook-of-user-2"
WORLD = {
    "users": [{"id": 1, "name": "Ann <Sand>", "admin": True}, {"id": 2, "name": "Ben"}],
    "webhooks": [
        {"user": 1, "code": WEBHOOK, "scopes": ["user", "landing"]},
        {"user": 2, "code": VIEWER, "scopes": ["landing"]},
    ],
}
CALLBACK = "http://127.0.0.1:8000/callback"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:43]
PKCE: dict[str, Any] = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}


class App:
    """An app registered with a service; `asked` are the parameters of its requests."""

    def __init__(self, service: Service, *redirect_uris: str, title: str = "Shop") -> None:
        self.service = service
        with service.kernel.store.session(writes=True) as session:
            uris = redirect_uris or (CALLBACK,)
            self.made: Registered = register(
                session, title, uris, ("landing", "user"), service.kernel.now()
            )
        self.secret = {
            "client_id": self.made.client_id,
            "client_secret": self.made.client_secret,
        }

    def address(self, **asked: str) -> str:
        return f"/oauth/authorize/?{urlencode({'client_id': self.made.client_id, **asked})}"

    def ask(self, webhook: str = WEBHOOK, user: int = 1, **asked: str) -> Any:
        """Open the consent page."""
        return self.service.get(self.address(**asked), Cookie=self.cookie(webhook, user))

    def consent(
        self,
        webhook: str = WEBHOOK,
        user: int = 1,
        decision: str = "allow",
        token: str | None = None,
        headers: dict[str, str] | None = None,
        **asked: str,
    ) -> Any:
        """Send the form of the consent page."""
        if token is None:
            page = self.ask(webhook, user, **asked).text
            (token,) = re.findall(r'name="form_token" value="([0-9a-f]{64})"', page)
        return self.service.request(
            "POST",
            self.address(**asked),
            data={"form_token": token, "decision": decision},
            headers={"Cookie": self.cookie(webhook, user), **(headers or {})},
        )

    def code(self, webhook: str = WEBHOOK, user: int = 1, **asked: Any) -> str:
        return returned(self.consent(webhook, user, **asked))["code"]

    def token(self, **params: str) -> Any:
        """Ask for tokens, as the platform's clients do."""
        return self.service.get(f"/oauth/token/?{urlencode({**self.secret, **params})}")

    def exchange(self, code: str, **params: str) -> Any:
        return self.token(grant_type="authorization_code", code=code, **params)

    def refresh(self, token: str, **params: str) -> Any:
        return self.token(grant_type="refresh_token", refresh_token=token, **params)

    def tokens(self, webhook: str = WEBHOOK, user: int = 1) -> dict[str, Any]:
        """Go through the whole flow."""
        found: dict[str, Any] = self.exchange(self.code(webhook, user)).json()
        return found

    def cookie(self, webhook: str, user: int) -> str:
        credential = Credential("webhook", webhook, str(user))
        return sign_in_cookie(self.service.kernel, credential).partition(";")[0]


def returned(answer: Any) -> dict[str, str]:
    """The parameters with which the browser is redirected to the app."""
    assert answer.status_code == 303, answer.text
    place = urlsplit(answer.headers["location"])
    return {name: value for name, (value,) in parse_qs(place.query).items()}


def call(service: Service, access_token: str, method: str, **params: Any) -> Answer:
    """Call a method as an app does, with the token in the body, and half a second later by the
    clock.
    """
    service.kernel.credentials.forget()
    body = msgspec.json.encode({"auth": access_token, **params})
    return service.send(Incoming("POST", f"/{method}.json", body=body))


def let_in(service: Service, user: int = 1, *scopes: str) -> str:
    """An access token of a new app that a user authorised."""
    return let_in_again(service, App(service), user, *scopes)


def let_in_again(service: Service, app: App, user: int = 1, *scopes: str) -> str:
    """An access token of an app that a user authorised, through a credential unknown to the
    kernel.
    """
    now = service.kernel.now()
    with service.kernel.store.session(writes=True) as session:
        grant = Grant(
            app_id=app.made.id,
            user_id=user,
            scopes=" ".join(scopes or ("landing", "user")),
            created_at=now,
            ends_at=now,
        )
        return issue(session, grant, "access", now)
