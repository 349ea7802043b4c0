"""Pages that know who is signed in: by a header or a cookie, and not by another site's will."""

from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from kernel.canary import Canary
from kernel.switching import saying
from litestar import Request, Response, get, post, route
from structlog.testing import capture_logs

from landyard import (
    Credential,
    Kernel,
    Postponed,
    PublicAnswer,
    QueryLimitExceeded,
    hookimpl,
    sign_in_cookie,
    signed_in,
)
from landyard.testing import WEBHOOK, Service

HOOK = Credential("webhook", WEBHOOK, "1")
TOKEN = "token.of~an-admin_0123"
WORLD = {
    "users": [{"id": 1, "name": "Ann"}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": []}],
    "tokens": [{"user": 1, "token": TOKEN, "scopes": []}],
}


@hookimpl
def register_routes(kernel: Kernel) -> list[object]:
    @route("/me", http_method=["GET", "POST"], status_code=200)
    def me(request: Request[Any, Any, Any]) -> str:
        actor = signed_in(request, kernel)
        return actor.name if actor else "nobody"

    @get("/kept")
    def kept(request: Request[Any, Any, Any]) -> PublicAnswer:
        signed_in(request, kernel)
        return PublicAnswer(200, (), b"secret", etag=b'"1"')

    @get("/crash")
    def crash(request: Request[Any, Any, Any]) -> str:
        signed_in(request, kernel)
        raise ValueError(request.headers["cookie"])

    @post("/out")
    def out() -> Response[str]:
        return Response("", headers={"Set-Cookie": sign_in_cookie(kernel, None)})

    return [me, kept, crash, out]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    plugin = saying("paged", register_routes=register_routes)
    with Service([plugin], world=WORLD, public_base="https://shop.example") as service:
        yield service


def cookie(service: Service, credential: Credential) -> str:
    return sign_in_cookie(service.kernel, credential).partition(";")[0]


def test_a_cookie_and_a_token_sign_in_and_nothing_else_does(service: Service) -> None:
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
def test_what_another_sites_page_sends_with_the_cookie_is_refused(
    service: Service, sent: dict[str, str], status: int
) -> None:
    by_cookie = {"Cookie": cookie(service, HOOK), **sent}
    by_header = {"Authorization": f"Bearer {TOKEN}", **sent}

    assert service.request("POST", "/me", headers=by_cookie).status_code == status
    assert service.request("POST", "/me", headers=by_header).text == "Ann"
    assert service.get("/me", **by_cookie).text == "Ann"


def test_the_cookie_is_for_this_host_and_no_script(service: Service) -> None:
    set_cookie = sign_in_cookie(service.kernel, HOOK)
    out = SimpleCookie(service.request("POST", "/out").headers["set-cookie"])

    assert set_cookie.startswith("__Host-landyard=1/")
    assert set_cookie.endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    assert (out["__Host-landyard"].value, out["__Host-landyard"]["max-age"]) == ("", "0")


def test_what_is_for_one_visitor_is_never_kept_for_all(service: Service) -> None:
    with capture_logs() as logs:
        assert service.get("/kept").status_code == 500
    assert [each["page"] for each in logs if each["event"] == "page_crashed"] == ["/kept"]


def test_the_secret_is_blanked_in_the_log_of_a_crash(service: Service, canary: Canary) -> None:
    identity = service.get("/crash", Cookie=cookie(service, HOOK)).headers["x-request-id"]

    lines = canary.log.read_text(encoding="utf-8").splitlines()
    (told,) = [each for each in lines if "page_crashed" in each and identity in each]
    assert "__Host-landyard=1/…" in told
    assert WEBHOOK not in told


def test_guessing_at_a_page_is_bounded_as_at_a_call() -> None:
    asked: list[tuple[str, str]] = []

    @hookimpl
    def guard_authentication(address: str, credential: Credential) -> None:
        asked.append((address, credential.secret))
        if len(asked) == 1:
            raise Postponed(0.01)
        raise QueryLimitExceeded

    hooks = {"register_routes": register_routes, "guard_authentication": guard_authentication}
    with Service([saying("paged", **hooks)], world=WORLD) as service:
        answer = service.get("/me", Authorization="Bearer wrong", Accept="application/json")

    assert (answer.status_code, answer.json()["error"]) == (503, "QUERY_LIMIT_EXCEEDED")
    assert asked == [("127.0.0.1", "wrong")] * 2
