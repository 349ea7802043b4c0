"""Pages that know the signed-in user by a header or a cookie, protected from other sites."""

from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from kernel.canary import Canary
from kernel.switching import saying
from litestar import Request, get, route
from structlog.testing import capture_logs

import landyard_signin
from landyard import Credential, Host, Postponed, PublicAnswer, QueryLimitExceeded, hookimpl
from landyard.testing import WEBHOOK, Service
from landyard_signin import SIGN_IN, sign_in_cookie, signed_in

HOOK = Credential("webhook", WEBHOOK, "1")
TOKEN = "token.of~an-admin_0123"
WORLD = {
    "users": [{"id": 1, "name": "Ann"}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": []}],
    "tokens": [{"user": 1, "token": TOKEN, "scopes": []}],
}


@hookimpl
def register_routes(host: Host) -> list[object]:
    @route("/me", http_method=["GET", "POST"], status_code=200)
    def me(request: Request[Any, Any, Any]) -> str:
        actor = signed_in(request, host)
        return actor.name if actor else "nobody"

    @get("/kept")
    def kept(request: Request[Any, Any, Any]) -> PublicAnswer:
        signed_in(request, host)
        return PublicAnswer(200, (), b"secret", etag=b'"1"')

    @get("/crash")
    def crash(request: Request[Any, Any, Any]) -> str:
        signed_in(request, host)
        raise ValueError(request.headers["cookie"])

    return [me, kept, crash]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    plugin = saying("paged", register_routes=register_routes)
    with Service(
        [landyard_signin, plugin],
        world=WORLD,
        public_base="https://shop.example",
        raise_crashes=False,
    ) as service:
        yield service


def cookie(service: Service, credential: Credential) -> str:
    return sign_in_cookie(service.kernel, credential).partition(";")[0]


def test_only_a_cookie_and_a_token_sign_in(service: Service) -> None:
    for credential in (HOOK, Credential("token", TOKEN)):
        answer = service.get("/me", Cookie=cookie(service, credential))
        assert answer.text == "Ann"
        assert answer.headers["cache-control"] == "no-store"
    assert service.get("/me", Authorization=f"Bearer {TOKEN}").text == "Ann"
    for headers in (
        {},
        {"Authorization": "Bearer another"},
        {"Cookie": "__Host-landyard=1/another"},
        {"Cookie": f"landyard=1/{WEBHOOK}"},
        {"Cookie": cookie(service, HOOK), "Authorization": "Basic YTpi"},
    ):
        assert service.get("/me", **headers).text == "nobody"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"}, 200),
        ({"Origin": "http://testserver"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_a_request_of_another_sites_page_with_the_cookie_is_refused(
    service: Service, sent: dict[str, str], status: int
) -> None:
    by_cookie = {"Cookie": cookie(service, HOOK), **sent}
    by_header = {"Authorization": f"Bearer {TOKEN}", **sent}

    assert service.request("POST", "/me", headers=by_cookie).status_code == status
    assert service.request("POST", "/me", headers=by_header).text == "Ann"
    assert service.get("/me", **by_cookie).text == "Ann"


def test_the_cookie_is_for_this_host_and_hidden_from_scripts(service: Service) -> None:
    set_cookie = sign_in_cookie(service.kernel, HOOK)
    out = SimpleCookie(service.request("POST", "/-/sign-out").headers["set-cookie"])

    assert set_cookie.startswith("__Host-landyard=1/")
    assert set_cookie.endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    assert (out["__Host-landyard"].value, out["__Host-landyard"]["max-age"]) == ("", "0")


def test_a_page_for_one_visitor_is_never_cached(service: Service) -> None:
    with capture_logs() as logs:
        assert service.get("/kept").status_code == 500
    assert [each["page"] for each in logs if each["event"] == "page_crashed"] == ["/kept"]


def test_the_secret_is_blanked_in_the_log_of_a_crash(service: Service, canary: Canary) -> None:
    identity = service.get("/crash", Cookie=cookie(service, HOOK)).headers["x-request-id"]

    lines = canary.log.read_text(encoding="utf-8").splitlines()
    (event,) = [each for each in lines if "page_crashed" in each and identity in each]
    assert "__Host-landyard=1/…" in event
    assert WEBHOOK not in event


def test_guesses_at_a_page_are_limited_like_those_at_a_call() -> None:
    recorded: list[tuple[str, str]] = []

    @hookimpl
    def guard_authentication(address: str, credential: Credential) -> None:
        recorded.append((address, credential.secret))
        if len(recorded) == 1:
            raise Postponed(0.01)
        raise QueryLimitExceeded

    hooks = {"register_routes": register_routes, "guard_authentication": guard_authentication}
    with Service([saying("paged", **hooks)], world=WORLD) as service:
        answer = service.get("/me", Authorization="Bearer wrong", Accept="application/json")

    assert (answer.status_code, answer.json()["error"]) == (503, "QUERY_LIMIT_EXCEEDED")
    assert recorded == [("127.0.0.1", "wrong")] * 2


@pytest.mark.parametrize(
    ("credential", "following", "place"),
    [
        (TOKEN, "/me?a=1", "/me?a=1"),
        (f" https://shop.example/rest/1/{WEBHOOK}/ ", "", "/"),
        (TOKEN, "//evil.example", "/"),
        (TOKEN, "/\\evil.example", "/"),
        (TOKEN, "https://evil.example", "/"),
    ],
)
def test_a_browser_signs_in_and_is_redirected_within_the_service(
    service: Service, credential: str, following: str, place: str
) -> None:
    form = {"credential": credential, "next": following}
    answer = service.request("POST", SIGN_IN, data=form)

    assert (answer.status_code, answer.headers["location"]) == (303, place)
    mine = answer.headers["set-cookie"].partition(";")[0]
    assert service.get("/me", Cookie=mine).text == "Ann"


@pytest.mark.parametrize("credential", ["", "wrong", f"/rest/2/{WEBHOOK}/"])
def test_wrong_credentials_sign_nobody_in(service: Service, credential: str) -> None:
    answer = service.request("POST", SIGN_IN, data={"credential": credential, "next": '"><script>'})

    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert 'value="&quot;&gt;&lt;script&gt;"' in answer.text
    assert "not a valid webhook or token" in answer.text
    assert 'value="/me"' in service.get(f"{SIGN_IN}?next=/me").text


def test_another_sites_page_signs_nobody_in_or_out(service: Service) -> None:
    for path in (SIGN_IN, "/-/sign-out"):
        foreign = {"Sec-Fetch-Site": "cross-site"}
        answer = service.request("POST", path, data={"credential": TOKEN}, headers=foreign)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
