"""An app is authorised, calls, refreshes its tokens, and loses its access, on both databases."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contrib.oauth.flow import CALLBACK, PKCE, PLUGINS, VERIFIER, VIEWER, WORLD, App, call, returned

from landyard import credentials, table_of
from landyard.testing import WEBHOOK, Service
from landyard_accounts.rotation import rotate
from landyard_oauth.apps import revoke
from landyard_oauth.tables import Grant, Secret

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
BASE = "https://pages.example"


@pytest.fixture
def app(make_service: MakeService) -> App:
    return App(make_service(PLUGINS, world=WORLD, now=NOW, public_base=BASE))


def rows(service: Service, model: Any) -> list[Any]:
    with service.kernel.store.session() as session:
        return list(session.execute(sa.select(table_of(model))))


def test_an_app_is_authorised_calls_refreshes_and_ends_by_reuse(app: App) -> None:
    service = app.service
    query = returned(app.consent(state='{"a": 1}', **PKCE))
    first = app.exchange(query["code"], code_verifier=VERIFIER)
    tokens = first.json()

    member = hashlib.sha256(BASE.encode()).hexdigest()[:32]
    where = {"domain": "pages.example", "member_id": member}
    assert query == {
        "code": query["code"],
        "state": '{"a": 1}',
        "scope": "landing,user",
        "server_domain": "pages.example",
        **where,
    }
    assert (first.status_code, first.headers["cache-control"]) == (200, "no-store")
    assert tokens == {
        **{name: tokens[name] for name in ("access_token", "refresh_token")},
        "token_type": "bearer",
        "expires_in": 3600,
        "expires": int(NOW.timestamp()) + 3600,
        "scope": "landing,user",
        "status": "L",
        "user_id": 1,
        **where,
        "client_endpoint": f"{BASE}/rest/",
        "server_endpoint": f"{BASE}/rest/",
    }
    assert call(service, tokens["access_token"], "user.current").result["ID"] == "1"

    service.later(hours=1)
    expired = call(service, tokens["access_token"], "profile")
    assert (expired.status, expired.error) == (401, "expired_token")
    second = app.refresh(tokens["refresh_token"]).json()
    assert call(service, second["access_token"], "scope").result == ["landing", "user"]

    service.later(hours=24 * 179)
    third = app.refresh(second["refresh_token"]).json()
    assert call(service, third["access_token"], "profile").result["NAME"] == "Ann"
    service.later(minutes=1)
    stolen = app.refresh(second["refresh_token"])
    assert (stolen.status_code, stolen.json()["error"]) == (400, "invalid_grant")
    assert call(service, third["access_token"], "profile").error == "invalid_token"
    assert app.refresh(third["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_code_works_once_and_its_reuse_ends_all_tokens(app: App) -> None:
    code = app.code()
    tokens = app.exchange(code).json()

    assert app.exchange(code).json()["error"] == "invalid_grant"
    assert call(app.service, tokens["access_token"], "profile").error == "invalid_token"
    assert app.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_code_lasts_a_minute_and_a_refresh_token_180_days(app: App) -> None:
    code, kept = app.code(), app.tokens()["refresh_token"]

    app.service.later(seconds=60)
    assert app.exchange(code).json()["error"] == "invalid_grant"
    app.service.later(days=180)
    assert app.refresh(kept).json()["error"] == "invalid_grant"
    app.service.later(days=2)
    assert "oauth.forget" in app.service.run_jobs()
    assert (rows(app.service, Grant), rows(app.service, Secret)) == ([], [])


def test_only_digests_are_stored(app: App) -> None:
    tokens = app.tokens()

    stored = repr([*rows(app.service, Grant), *rows(app.service, Secret)])
    for secret in (tokens["access_token"], tokens["refresh_token"], app.made.client_secret):
        assert secret not in stored
    digest = hashlib.sha256(tokens["access_token"].encode()).hexdigest()
    assert digest in [row.digest for row in rows(app.service, Secret)]


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_an_app_revokes_its_own_tokens(app: App, kind: str) -> None:
    tokens = app.tokens()
    service, form = app.service, {"token": tokens[kind]}

    other = App(service).secret
    assert service.request("POST", "/oauth/revoke", data=form | other).status_code == 400
    unknown = service.request("POST", "/oauth/revoke", data={"token": "no token"} | app.secret)
    assert (unknown.status_code, unknown.json()) == (200, {})
    assert call(service, tokens["access_token"], "profile").status == 200
    gone = service.request("POST", "/oauth/revoke", data=form | app.secret)

    assert (gone.status_code, gone.json()) == (200, {})
    assert call(service, tokens["access_token"], "profile").error == "invalid_token"
    refreshed = app.refresh(tokens["refresh_token"])
    assert refreshed.status_code == (200 if kind == "access_token" else 400)


def test_an_operator_revokes_an_app_and_a_user(app: App) -> None:
    service = app.service
    ours, bens = app.tokens(), app.tokens(VIEWER, 2)
    service.load({"users": [{"id": 2, "name": "Ben", "active": False}]})

    assert call(service, bens["access_token"], "profile").error == "user_access_error"
    assert app.refresh(bens["refresh_token"]).json()["error"] == "invalid_grant"
    with service.kernel.store.session(writes=True) as session:
        assert revoke(session, app.made.id)
    assert call(service, ours["access_token"], "profile").error == "invalid_token"
    assert app.refresh(ours["refresh_token"]).json()["error"] == "invalid_client"
    assert app.ask().status_code == 400


def test_an_app_gets_no_scope_that_the_users_credential_lacks(app: App) -> None:
    page = app.ask(VIEWER, 2).text
    tokens = app.tokens(VIEWER, 2)

    assert ("<strong>landing</strong>" in page, "<strong>user</strong>" in page) == (True, False)
    assert (tokens["scope"], tokens["user_id"]) == ("landing", 2)
    assert call(app.service, tokens["access_token"], "user.current").error == "insufficient_scope"


def test_clients_may_send_a_form_or_a_header(app: App) -> None:
    tokens = app.tokens()
    form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    by_form = app.service.request("POST", "/oauth/token/", data=form | app.secret).json()
    form["refresh_token"] = by_form["refresh_token"]
    by_header = app.service.request(
        "POST", "/oauth/token", data=form, auth=tuple(app.secret.values())
    )

    assert by_header.json()["user_id"] == 1


def test_the_redirect_uri_must_be_repeated_with_the_code(app: App) -> None:
    code = app.code(redirect_uri=CALLBACK)

    assert app.exchange(code).json()["error"] == "invalid_grant"
    assert app.exchange(code, redirect_uri=f"{CALLBACK}/").json()["error"] == "invalid_grant"
    assert app.exchange(code, redirect_uri=CALLBACK).status_code == 200


def test_a_token_of_one_app_is_invalid_for_another(app: App) -> None:
    other, tokens, code = App(app.service), app.tokens(), app.code()

    assert other.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert other.exchange(code).json()["error"] == "invalid_grant"
    assert app.exchange(code).status_code == 200
    assert app.refresh(tokens["refresh_token"]).status_code == 200


def test_an_app_cannot_authorise_another(app: App) -> None:
    bearer = {"Authorization": f"Bearer {app.tokens()['access_token']}"}

    assert app.service.get(app.address(), **bearer).status_code == 403
    assert app.ask(WEBHOOK).status_code == 200


def test_two_refreshes_at_once_both_succeed(app: App) -> None:
    kept = app.tokens()["refresh_token"]

    first, second = app.refresh(kept), app.refresh(kept)

    assert [first.status_code, second.status_code] == [200, 200]
    pairs = [first.json(), second.json()]
    for tokens in pairs:
        assert call(app.service, tokens["access_token"], "profile").error is None
        assert app.refresh(tokens["refresh_token"]).status_code == 200


def test_the_grace_of_a_refresh_token_starts_at_its_first_use(app: App) -> None:
    kept = app.tokens()["refresh_token"]
    last = app.refresh(kept).json()
    for _ in range(2):
        app.service.later(seconds=5)
        last = app.refresh(kept).json()

    app.service.later(seconds=1)
    assert app.refresh(kept).json()["error"] == "invalid_grant"
    assert call(app.service, last["access_token"], "profile").error == "invalid_token"
    assert app.refresh(last["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_code_has_no_grace(app: App) -> None:
    code = app.code()

    assert app.exchange(code).status_code == 200
    assert app.exchange(code).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("registered", "address", "taken"),
    [
        ("http://127.0.0.1/back", "http://127.0.0.1:51004/back", True),
        ("http://127.0.0.1:8000/back", "http://127.0.0.1:51004/back", True),
        ("http://127.0.0.1:8000/back", "http://127.0.0.1/back", True),
        ("http://[::1]/back?a=1", "http://[::1]:51004/back?a=1", True),
        ("http://localhost:8000/back", "http://localhost:51004/back", True),
        ("http://127.0.0.1/back", "http://localhost:51004/back", False),
        ("http://localhost/back", "http://127.0.0.1:51004/back", False),
        ("http://127.0.0.1/back", "http://[::1]:51004/back", False),
        ("http://127.0.0.1/back", "http://127.0.0.2:51004/back", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:51004/other", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:51004/back/", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:51004/back?a=1", False),
        ("http://127.0.0.1/back", "https://127.0.0.1:51004/back", False),
        ("http://127.0.0.1/back", "http://me@127.0.0.1:51004/back", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:51004@shop.example/back", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:0/back", False),
        ("http://127.0.0.1/back", "http://127.0.0.1:99999/back", False),
        ("https://127.0.0.1/back", "https://127.0.0.1:51004/back", False),
        ("https://shop.example/back", "https://shop.example:8443/back", False),
    ],
)
def test_an_app_on_this_machine_may_use_any_port(
    app: App, registered: str, address: str, taken: bool
) -> None:
    native = App(app.service, registered)

    assert (native.ask(redirect_uri=address).status_code == 200) is taken


WEBHOOK_OF_ANN: dict[str, Any] = {"user": 1, "code": WEBHOOK}


def test_an_apps_access_ends_with_the_credential_that_authorised_it(app: App) -> None:
    service, tokens = app.service, app.tokens()
    code = app.code()
    assert call(service, tokens["access_token"], "user.current").status == 200

    service.load({"webhooks": [WEBHOOK_OF_ANN | {"active": False}]})

    assert call(service, tokens["access_token"], "user.current").error == "invalid_token"
    assert app.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert app.exchange(code).json()["error"] == "invalid_grant"


def test_an_app_loses_the_scopes_that_the_credential_loses(app: App) -> None:
    service, tokens = app.service, app.tokens()
    service.load({"webhooks": [WEBHOOK_OF_ANN | {"scopes": ["landing"]}]})

    access = app.refresh(tokens["refresh_token"]).json()["access_token"]
    for each in (tokens["access_token"], access):
        assert call(service, each, "user.current").error == "insufficient_scope"


def test_an_app_survives_the_rotation_of_the_credential(app: App) -> None:
    service, tokens = app.service, app.tokens()
    with service.kernel.store.unit(writes=True) as unit:
        rotate(unit.session, credentials.Webhook, 1, now=NOW, overlap=timedelta(0))

    assert call(service, tokens["access_token"], "user.current").status == 200
    assert app.refresh(tokens["refresh_token"]).status_code == 200
