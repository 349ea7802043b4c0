"""The web application, in process: paths, bodies, request ids and health (C2, C3, C13, C14)."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from corpora import read_data
from kernel.switching import saying
from litestar import Litestar, get
from litestar.types import ASGIApp, Receive, Scope, Send

from landyard import Kernel, Settings, hookimpl
from landyard.testing import WEBHOOK, Service
from landyard.web import LandyardPlugin, create_app
from landyard_sitekit.demo import DEMO

HOOK = f"/rest/1/{WEBHOOK}"
LIMIT = 4096


class Web:
    """A browser for one web application."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def __call__(self, verb: str, path: str, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as web:
                return await web.request(verb, path, **options)

        return asyncio.run(send())


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with Service(max_body=LIMIT) as service:
        service.kernel.load(DEMO.world)
        yield Web(service.web_app)


def envelope(answer: httpx.Response) -> tuple[int, str]:
    assert set(answer.json()) == {"error", "error_description"}
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    return answer.status_code, answer.json()["error"]


ANSWERS = read_data(__file__, "ANSWERS", list[tuple[str, str, int]])


@pytest.mark.rule("C14")
@pytest.mark.parametrize(("verb", "path", "status"), ANSWERS)
@pytest.mark.parametrize("sent", ["a", "Az09._-", "x" * 64])
def test_C14_a_harmless_request_id_is_kept(
    web: Web, verb: str, path: str, status: int, sent: str
) -> None:
    answer = web(verb, path, headers={"X-Request-Id": sent})

    assert answer.status_code == status
    assert answer.headers.get_list("x-request-id") == [sent]


@pytest.mark.rule("C14")
@pytest.mark.parametrize(("verb", "path", "status"), ANSWERS)
def test_C14_every_answer_has_a_request_id_of_its_own(
    web: Web, verb: str, path: str, status: int
) -> None:
    made = [web(verb, path).headers["x-request-id"] for _ in range(2)]

    assert made[0] != made[1]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,64}", each) for each in made)


@pytest.mark.rule("C14")
@pytest.mark.parametrize("sent", ["", "x" * 65, "a b", "a\tb", "a/b", '<script>"', "\u00e9", "a,b"])
def test_C14_any_other_request_id_is_replaced(web: Web, sent: str) -> None:
    answer = web("POST", f"{HOOK}/methods", headers={"X-Request-Id": sent.encode()})

    assert answer.headers["x-request-id"] != sent
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", answer.headers["x-request-id"])


@pytest.mark.rule("C14")
def test_C14_the_refusal_of_an_oversized_body_has_a_request_id(web: Web) -> None:
    answer = web("POST", f"{HOOK}/methods", content=b"x" * 5000, headers={"X-Request-Id": "big"})

    assert answer.headers["x-request-id"] == "big"


async def chunks(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 1000):
        yield b" " * 1000
    yield b" " * (size % 1000)


@pytest.mark.rule("C13")
@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(
    ("size", "status"), [(LIMIT, 200), (LIMIT + 1, 413), (LIMIT * 20, 413), (0, 200)]
)
def test_C13_an_oversized_body_is_refused(
    web: Web, size: int, status: int, announced: bool
) -> None:
    content: Any = b" " * size if announced else chunks(size)
    answer = web("POST", f"{HOOK}/methods", content=content)

    assert answer.status_code == status
    if status == 413:
        assert envelope(answer) == (413, "INVALID_REQUEST")


@pytest.mark.rule("C13")
@pytest.mark.parametrize("announced", ["104857600", "9" * 30])
def test_C13_an_announced_100_MB_are_refused_unread(web: Web, announced: str) -> None:
    answer = web("POST", f"{HOOK}/methods", content=b"", headers={"Content-Length": announced})

    assert envelope(answer) == (413, "INVALID_REQUEST")


@pytest.mark.rule("C13")
@pytest.mark.parametrize("announced", ["", "x", "-5", "1e9"])
def test_C13_an_invalid_length_is_no_crash(web: Web, announced: str) -> None:
    answer = web("POST", f"{HOOK}/methods", content=b"{}", headers={"Content-Length": announced})

    assert answer.status_code == 200


@pytest.mark.rule("C3")
@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"])
def test_C3_other_http_methods_are_refused(web: Web, verb: str) -> None:
    assert envelope(web(verb, f"{HOOK}/methods")) == (400, "INVALID_REQUEST")


@pytest.mark.rule("C3")
def test_C3_HEAD_is_refused_without_a_body(web: Web) -> None:
    answer = web("HEAD", f"{HOOK}/methods")

    assert (answer.status_code, answer.content) == (400, b"")


@pytest.mark.rule("C2", "call: path of a webhook", "call: path of methods")
@pytest.mark.parametrize("path", read_data(__file__, "PATHS", list[str]))
@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_C2_spellings_of_paths_are_accepted(web: Web, verb: str, path: str) -> None:
    assert "methods" in web(verb, path).json()["result"]


@pytest.mark.parametrize("path", read_data(__file__, "DISGUISED", list[str]))
def test_another_spelling_of_a_kernel_address_is_missing(web: Web, path: str) -> None:
    assert web("GET", path).status_code == 404


@pytest.mark.rule("C13")
@pytest.mark.parametrize("path", ["/rest/", "/rest//", "/rest/%ff%fe", "/rest/%00/%00/x"])
def test_C13_odd_paths_below_rest_get_an_envelope(web: Web, path: str) -> None:
    assert envelope(web("POST", path))[0] == 401


@pytest.mark.rule("C13", "C14")
@pytest.mark.parametrize("path", [f"{HOOK}/methods", "/demo/"])
def test_C13_a_header_Host_that_is_no_host_gets_an_envelope(web: Web, path: str) -> None:
    answer = web("GET", path, headers={"Host": "a\\b", "X-Request-Id": "odd"})

    assert envelope(answer) == (400, "INVALID_REQUEST")
    assert answer.headers["x-request-id"] == "odd"


def test_a_page_whose_address_begins_like_that_of_calls_is_shown() -> None:
    @hookimpl
    def register_routes() -> list[object]:
        @get("/restaurant")
        def restaurant() -> str:
            return "open"

        return [restaurant]

    with Service([saying("paged", register_routes=register_routes)]) as service:
        assert service.get("/restaurant").text == "open"
        assert service.get("/restaurants").status_code == 404


@pytest.mark.parametrize("pages", [False, True])
def test_an_application_with_the_plugin_has_its_middleware_around_calls_and_pages(
    tmp_path: Path, pages: bool
) -> None:
    passed: list[str] = []

    def around(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            passed.append(scope["raw_path"].decode())
            await app(scope, receive, send)

        return middleware

    plugin = LandyardPlugin(Settings(data=tmp_path, safe=True), path="/api", pages=pages)
    app: Any = Litestar(plugins=[plugin], middleware=[around], openapi_config=None)
    with closing(plugin.kernel):
        call, page = Web(app)("POST", "/api/methods"), Web(app)("GET", "/healthz")

    assert envelope(call) == (401, "NO_AUTH_FOUND")
    assert page.status_code == (200 if pages else 404)
    assert passed == ["/api/methods", *["/healthz"] * pages]


@pytest.mark.parametrize("path", ["/restaurant/", "/rest.json", "/healthz/more", "/%ff/", "/%00"])
def test_odd_paths_elsewhere_are_missing_pages(web: Web, path: str) -> None:
    assert web("GET", path).status_code == 404


@pytest.mark.parametrize(
    ("verb", "path"), read_data(__file__, "JSON_ANSWERS", list[tuple[str, str]])
)
def test_a_json_answer_cannot_be_cached_framed_or_sniffed(web: Web, verb: str, path: str) -> None:
    headers = web(verb, path).headers

    assert headers["content-type"] == "application/json; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    policy = headers["content-security-policy"].split("; ")
    assert policy == ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]


@pytest.mark.parametrize("path", ["/files/no/such.png", "/assets/no-such.css"])
def test_a_missing_file_is_answered_with_a_strict_policy(web: Web, path: str) -> None:
    answer = web("GET", path)

    assert answer.status_code == 404
    assert answer.headers["x-content-type-options"] == "nosniff"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.rule("C15")
def test_C15_a_bearer_token_is_read(web: Web) -> None:
    answer = web("POST", "/rest/methods", headers={"Authorization": "Bearer unknown-0123456789"})

    assert envelope(answer) == (401, "invalid_token")


def test_health_and_readiness(web: Web) -> None:
    assert [web("GET", path).json() for path in ("/healthz", "/readyz")] == [{"status": "ok"}] * 2


@pytest.fixture
def stranded() -> Iterator[Web]:
    """A service whose database is missing."""
    kernel = Kernel(Settings(database_url="postgresql://nobody:hushhush@127.0.0.1:1/none"), [])
    yield Web(create_app(kernel))
    kernel.close()


def test_without_a_database_the_process_lives_and_is_not_ready(stranded: Web) -> None:
    assert stranded("GET", "/healthz").status_code == 200
    assert stranded("GET", "/readyz").status_code == 503


@pytest.mark.rule("C11")
def test_C11_without_a_database_the_answer_contains_no_internals(stranded: Web) -> None:
    answer = stranded("POST", f"{HOOK}/methods")

    assert answer.status_code in (500, 503)
    assert envelope(answer)[1] in ("INTERNAL_SERVER_ERROR", "OVERLOAD_LIMIT")
    assert not [word for word in ("127.0.0.1", "hushhush", "nobody") if word in answer.text]
