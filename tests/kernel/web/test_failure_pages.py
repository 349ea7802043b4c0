"""Failure pages: what a visitor's browser shows where there is no page to show."""

import asyncio
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kernel.switching import saying
from litestar import get
from litestar.exceptions import HTTPException, NotFoundException, TooManyRequestsException
from litestar.params import FromPath

from landyard import Plugin, UserAccessError, hookimpl
from landyard.core.errors import InvalidRequest, OverloadLimit
from landyard.testing import Service

STYLE = "main { color: red }"
WAITS = threading.Event()
ARRIVED = threading.Event()
RAISED: dict[str, Exception] = {
    "403": UserAccessError(),
    "404": NotFoundException(),
    "413": InvalidRequest(status=413),
    "418": HTTPException(status_code=418),
    "429": TooManyRequestsException(headers={"Retry-After": "30"}),
    "500": ZeroDivisionError(),
    "503": OverloadLimit(retry_after=7),
}


@get("/page/{name:str}")
def page(name: FromPath[str]) -> str:
    if name == "waits":
        ARRIVED.set()
        WAITS.wait(20)
    raise RAISED[name]


def paged() -> Plugin:
    @hookimpl
    def register_routes() -> list[object]:
        return [page]

    return saying("paged", register_routes=register_routes)


def styled() -> Plugin:
    @hookimpl
    def register_failure_style() -> str:
        return STYLE

    return saying("styled", register_failure_style=register_failure_style)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service([paged()], raise_crashes=False) as service:
        yield service


@pytest.mark.parametrize("status", RAISED)
def test_a_failure_page_has_a_way_on_and_loads_nothing(service: Service, status: str) -> None:
    answer = service.get(f"/page/{status}")

    assert answer.status_code == int(status)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert re.search(r"<h1>.+</h1>\n<p>.+</p>.+<a href=\"/\">", answer.text, re.DOTALL)
    assert not re.search(r"<link|<script|src=|http", answer.text)
    assert answer.headers.get("retry-after") == {"429": "30", "503": "7"}.get(status)


@pytest.mark.parametrize(("verb", "path"), [("GET", "/"), ("POST", "/page/404"), ("GET", "/a//b")])
def test_an_unknown_address_gets_a_failure_page(service: Service, verb: str, path: str) -> None:
    answer = service.request(verb, path)

    assert answer.status_code in (404, 405)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("path", "accept"),
    [("/page/503", "application/json"), ("/healthz", "text/html"), ("/rest/x", "text/html")],
)
def test_programs_get_the_envelope(service: Service, path: str, accept: str) -> None:
    answer = service.request(
        "DELETE" if path == "/healthz" else "GET", path, headers={"Accept": accept}
    )

    assert set(answer.json()) == {"error", "error_description"}


def test_the_style_is_that_of_the_first_plugin_with_one(service: Service) -> None:
    with Service([paged(), styled()], raise_crashes=False) as other:
        answers = [each.get("/page/500") for each in (service, other)]

    assert [STYLE in answer.text for answer in answers] == [False, True]
    policies = {answer.headers["content-security-policy"] for answer in answers}
    assert len(policies) == 2  # each policy allows only its own style sheet


def test_a_page_cut_off_by_the_end_of_the_server_is_a_failure_page(service: Service) -> None:
    sent: list[Any] = []

    async def stop() -> None:
        async def send(message: Any) -> None:
            sent.append(message)

        asked = asyncio.ensure_future(service.web_app(scope("/page/waits"), None, send))
        assert await asyncio.to_thread(ARRIVED.wait, 20)
        asked.cancel()
        await asyncio.wait([asked])
        WAITS.set()

    asyncio.run(stop())

    assert [each.get("status") for each in sent] == [503, None]
    assert b"<h1>" in sent[1]["body"]


def scope(path: str) -> dict[str, Any]:
    more: dict[str, Any] = {"query_string": b"", "headers": [], "client": None, "root_path": ""}
    return {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), **more}
