"""Refusals of the OAuth flow: on the consent page, at the addresses for apps, and at
registration.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from contrib.oauth.flow import CALLBACK, PKCE, PLUGINS, VERIFIER, WORLD, App, returned
from kernel.commands import Run, done, failure, listing

from landyard.testing import Service
from landyard_oauth.apps import Refused, check_redirect_uri


@pytest.fixture(scope="module")
def app() -> Iterator[App]:
    with Service(PLUGINS, world=WORLD, public_base="https://pages.example") as service:
        yield App(service, CALLBACK, "https://app.example/b?c=d", title='<i>"Shop"</i>')


# ----------------------------------------------------------------- the page


def test_the_page_names_the_app_and_its_scopes_and_runs_no_script(app: App) -> None:
    page = app.ask(redirect_uri="https://app.example/b?c=d", scope="landing")

    assert "&lt;i&gt;&quot;Shop&quot;&lt;/i&gt;" in page.text
    assert "Ann &lt;Sand&gt;" in page.text
    assert "<strong>landing</strong>" in page.text
    assert "<strong>user</strong>" not in page.text
    assert "app.example" in page.text
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "form-action 'self' https://app.example; base-uri 'none'; frame-ancestors" in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"


def test_a_signed_out_user_is_led_to_sign_in_and_back(app: App) -> None:
    address = app.address(redirect_uri=CALLBACK, state="a&b")
    answer = app.service.get(address)

    here = quote(address.replace("authorize/", "authorize"), "")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/-/sign-in?next={here}")


def test_a_cancelled_request_returns_to_the_app_with_an_error(app: App) -> None:
    query = returned(app.consent(decision="deny", redirect_uri=CALLBACK, state="s"))

    assert (query["error"], query["state"]) == ("access_denied", "s")


@pytest.mark.parametrize("asked", [{"redirect_uri": f"{CALLBACK}/"}, {"redirect_uri": '"><b>'}, {}])
def test_the_browser_is_redirected_only_to_the_apps_address(app: App, asked: Any) -> None:
    """Without an address in the request, the app must have a single registered one."""
    answer = app.ask(**asked)

    assert (answer.status_code, "location" in answer.headers) == (400, False)
    assert "This is not possible" in answer.text
    assert "<b>" not in answer.text


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "landing,crm"}, "invalid_scope"),
        ({"code_challenge": VERIFIER}, "invalid_request"),
        ({"code_challenge": VERIFIER, "code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short", "code_challenge_method": "S256"}, "invalid_request"),
    ],
)
def test_an_app_is_told_its_mistake(app: App, parameters: dict[str, Any], code: str) -> None:
    query = returned(app.ask(redirect_uri=CALLBACK, state="s", **parameters))

    assert (query["error"], query["state"]) == (code, "s")


@pytest.mark.parametrize(
    "query",
    [
        *("", "client_id=nobody", "client_id=%22", "client_id=%00", "client_id=a&client_id=b"),
        *("client_id=%ff", "client_id=%D0%B6", "x=1&" * 60),
    ],
)
def test_a_request_without_a_known_app_shows_the_reason(app: App, query: str) -> None:
    answer = app.service.get(f"/oauth/authorize?{query}")

    assert (answer.status_code, "This is not possible" in answer.text) == (400, True)


def test_a_form_that_was_not_shown_is_ignored(app: App) -> None:
    params: dict[str, Any] = {"redirect_uri": CALLBACK}
    foreign = {"Sec-Fetch-Site": "cross-site"}

    for token in ("", "0" * 64, "ж"):
        assert app.consent(token=token, **params).status_code == 403
    assert app.consent(headers=foreign, **params).status_code == 403
    assert app.consent(headers={"Origin": "https://evil.example"}, **params).status_code == 403
    page = app.ask(**params, scope="landing").text
    narrower = page.partition('name="form_token" value="')[2][:64]
    assert app.consent(token=narrower, **params).status_code == 403
    assert app.consent(token=narrower, **params, scope="landing").status_code == 303


# ------------------------------------------------------------- the addresses


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"client_secret": "wrong"}, "invalid_client"),
        ({"client_secret": ""}, "invalid_client"),
        ({"client_id": "local.nobody"}, "invalid_client"),
        ({"client_id": '"'}, "invalid_request"),
        ({"client_secret": "a\0b"}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": ""}, "unsupported_grant_type"),
        ({"grant_type": "authorization_code"}, "invalid_request"),
        ({"grant_type": "authorization_code", "code": "no code"}, "invalid_grant"),
        ({"refresh_token": ""}, "invalid_request"),
        ({"refresh_token": "ж"}, "invalid_grant"),
    ],
)
def test_invalid_requests_get_no_token(app: App, changed: dict[str, str], code: str) -> None:
    sent = {"grant_type": "refresh_token", "refresh_token": "none", **changed}
    answer = app.token(**sent)

    wrong_secret = "client_secret" in changed and code == "invalid_client"
    assert answer.status_code == (401 if wrong_secret else 400)
    assert answer.json()["error"] == code


@pytest.mark.parametrize("verifier", ["", "w" * 43, "short"])
def test_a_code_needs_the_verifier_of_its_challenge(app: App, verifier: str) -> None:
    code = app.code(redirect_uri=CALLBACK, **PKCE)
    sent = {"redirect_uri": CALLBACK, "code_verifier": verifier}

    refused = app.exchange(code, **sent)
    assert refused.status_code == 400
    assert refused.json()["error"] in {"invalid_grant", "invalid_request"}
    assert app.exchange(code, **sent | {"code_verifier": VERIFIER}).status_code == 200


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{}", {"Content-Type": "application/json"}),
        (b"a=1&a=2", {}),
        (b"a=%ff", {}),
        (b"\xff", {}),
        (b"", {"Authorization": "Basic %%%"}),
        (b"", {"Authorization": "Basic /w=="}),
        (b"", {"Authorization": "Bearer x"}),
    ],
)
def test_an_unreadable_request_is_answered_in_json(
    app: App, body: bytes, headers: dict[str, str]
) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in ("/oauth/token/", "/oauth/revoke"):
        answer = app.service.request("POST", path, content=body, headers=form | headers)
        assert (answer.status_code // 100, "error" in answer.json()) == (4, True)


# -------------------------------------------------------------- the operator


@pytest.mark.parametrize(
    "address",
    [
        *("", "/callback", "app.example", "ftp://app.example/", "http://app.example/"),
        *("https://app.example/#a", "https://app.example/ b", "https://u:p@app.example/"),
        *("https:///a", "https://app.example:x/", "javascript:alert(1)", "https://app.example/;\n"),
        *("http://localhost.evil.example/", "https://app.example/é", "https://[::1/"),
    ],
)
def test_a_forbidden_redirect_address_is_refused(address: str) -> None:
    with pytest.raises(Refused):
        check_redirect_uri(address)


@pytest.mark.parametrize(
    "address", ["https://app.example/a?b=c", "http://localhost/", "http://[::1]:8000/a", CALLBACK]
)
def test_a_permitted_redirect_address_is_accepted(address: str) -> None:
    check_redirect_uri(address)


def test_an_operator_adds_lists_and_revokes_apps(landyard: Run) -> None:
    done(landyard("plugins", "enable", "oauth"))
    added = landyard("app", "add", "Shop", "--redirect-uri", CALLBACK, "--scope", "landing")
    assert "/oauth/authorize/?client_id=local." in done(added)
    (row,) = listing(landyard("app", "list", "--json"))
    assert row["client_id"] in done(added)
    assert (row["redirect_uris"], row["scopes"], row["users"]) == ([CALLBACK], ["landing"], 0)
    assert (row["active"], "digest" in row) == (True, False)
    assert "revoked" in done(landyard("app", "revoke", "1"))
    assert listing(landyard("app", "list", "--json"))[0]["active"] is False
    assert "there is no app 7" in failure(landyard("app", "revoke", "7"))
    wrong = landyard("app", "add", "Shop", "--redirect-uri", "http://app.example/")
    assert "is not https" in failure(wrong)
