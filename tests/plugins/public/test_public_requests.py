"""Requests of visitors with hosts, paths and validators of every kind are answered properly (P11,
H4).
"""

import asyncio
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import page, site, world
from corpora import read_data
from msgspec import Struct

from landyard.testing import Service

SHOWN: dict[str, Any] = {"active": True, "published": True}
WORLD = world(
    page(10, title="Seven", code="about", **SHOWN),
    page(11, title="Cafe", code="café", **SHOWN),
    page(12, title="Ruled", code="r", rule="r(/[a-z0-9]+)+", **SHOWN),
    page(20, title="Eight", code="about", site=8, **SHOWN),
    page(30, title="Nine", code="about", site=9, **SHOWN),
    sites=[site(8, domain="shop.example"), site(9, domain="shop.example.org")],
)
ABOUT = "/site-7/about/"

pytestmark = [
    pytest.mark.rule("P11"),
    pytest.mark.parametrize("database", ["sqlite"], indirect=True),
]


class Got(Struct, frozen=True):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def title(self) -> str:
        return self.body.partition(b"<title>")[2].partition(b"<")[0].decode()


def _ask(service: Service, path: bytes, *headers: tuple[bytes, bytes], verb: str = "GET") -> Got:
    """Send bytes that no client library would send."""
    raw, _, query = path.partition(b"?")
    scope = {
        "type": "http",
        "method": verb,
        "http_version": "1.1",
        "scheme": "http",
        "path": raw.decode("utf-8", "replace"),
        "raw_path": raw,
        "query_string": query,
        "headers": list(headers),
        "root_path": "",
        "client": None,
        "server": None,
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(service.web_app(scope, receive, send))
    told = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    return Got(sent[0]["status"], told, b"".join(each.get("body", b"") for each in sent[1:]))


HOSTS: list[tuple[bytes, str]] = [
    (b"shop.example", "Eight"),
    (b"SHOP.EXAMPLE:8080", "Eight"),
    (b"shop.example:", "Eight"),
    (b"shop.example.org", "Nine"),
    (b"shop.example.", "Eight"),
    (b"xshop.example", ""),
    (b"", ""),
    (b"[::1]:80", ""),
    (b"shop.example, shop.example.org", ""),
    (b"shop.example/..", ""),
    (b"user@shop.example", ""),
    (b"shop.example\x00", ""),
    (b"' OR 1=1 --", ""),
    ("café.example".encode(), ""),
    (b"\xff\xfe", ""),
    (b"h" * 60_000, ""),
]


@pytest.mark.parametrize(("host", "title"), HOSTS)
def test_P11_a_host_is_the_domain_of_one_site_or_of_none(
    make_service: MakeService, host: bytes, title: str
) -> None:
    service = make_service(world=WORLD)

    # rendered first, then cached
    seen = [_ask(service, b"/about/", (b"host", host)) for _ in range(2)]

    assert [each.title if each.status == 200 else "" for each in seen] == [title, title]
    assert all(each.status == (200 if title else each.status) < 500 for each in seen)


def test_P11_hosts_do_not_get_each_others_pages_from_memory(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    hosts = [b"shop.example", b"any", b"shop.example.org", b"shop.example:80"] * 2

    seen = [_ask(service, b"/about/", (b"host", host)).title for host in hosts]

    assert seen == ["Eight", "Page not found", "Nine", "Eight"] * 2


def test_P11_without_a_host_the_base_answers(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    assert [_ask(service, ABOUT.encode()).title for _ in range(2)] == ["Seven", "Seven"]


PATHS: list[tuple[bytes, int, str]] = [
    (b"/site-7/about/", 200, "Seven"),
    (b"/site-7/%61bout/", 200, "Seven"),
    (b"/site-7/about/?", 200, "Seven"),
    (b"/site-7/about/?a=" + b"x" * 50_000, 200, "Seven"),
    (b"/site-7/caf%C3%A9/", 200, "Cafe"),
    (b"/site-7/caf%c3%a9/", 200, "Cafe"),
    ("/site-7/café/".encode(), 404, ""),  # not percent-encoded, so it is no valid path of HTTP
    (b"/site-7/caf%E9/", 404, ""),
    (b"/site-7/about%2F", 404, ""),
    (b"/site-7%2Fabout/", 404, ""),
    (b"/site-7/about%00/", 404, ""),
    (b"/site-7/a/../about/", 404, ""),
    (b"/site-7//about/", 404, ""),
    (b"//", 404, ""),
    (b"///", 404, ""),
    (b"/%", 404, ""),
    (b"/%2e%2e/", 404, ""),
    (b"/" + b"a" * 60_000 + b"/", 404, ""),
    (b"/site-7/r/" + b"a/" * 20_000, 200, "Ruled"),
    (b"/site-7/<script>/", 404, ""),
]


@pytest.mark.parametrize(("path", "status", "title"), PATHS)
def test_P11_any_path_is_answered(
    make_service: MakeService, path: bytes, status: int, title: str
) -> None:
    service = make_service(world=WORLD)

    seen = [_ask(service, path) for _ in range(2)]

    assert [each.status for each in seen] == [status, status]
    assert [each.title for each in seen] == [title or "Page not found"] * 2
    assert all(b"<script" not in each.body for each in seen)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (b"/site-7/about", "/site-7/about/"),
        (b"//site-7/about", "/site-7/about/"),
        (b"//site-7/about/", "/site-7/about/"),
        (b"/site-7/about///", "/site-7/about/"),
        (b"/site-7/%61bout?x=%0d%0aSet-Cookie:%20x", "/site-7/%61bout/?x=%0d%0aSet-Cookie:%20x"),
    ],
)
def test_P11_only_one_slash_at_either_end_is_ignored(
    make_service: MakeService, path: bytes, to: str
) -> None:
    service = make_service(world=WORLD)

    seen = [_ask(service, path) for _ in range(2)]

    assert [(each.status, each.headers["location"], each.body) for each in seen] == [
        (301, to, b"")
    ] * 2


VALIDATORS = [
    *read_data(__file__, "VALIDATORS", list[tuple[list[str], int]]),
    (["\xff" * 5000], 200),
]


@pytest.mark.rule("H4")
@pytest.mark.parametrize("verb", ["GET", "HEAD"])
@pytest.mark.parametrize(("shown", "status"), VALIDATORS)
def test_H4_an_unchanged_version_is_not_sent_again(
    make_service: MakeService, shown: list[str], status: int, verb: str
) -> None:
    service = make_service(world=WORLD)
    first = _ask(service, ABOUT.encode())
    tag = first.headers["etag"]

    headers = [(b"if-none-match", each.format(tag).encode("latin-1")) for each in shown]
    got = _ask(service, ABOUT.encode(), *headers, verb=verb)

    assert (got.status, got.body) == (status, first.body if (status, verb) == (200, "GET") else b"")
    assert got.headers["etag"] == tag
    of_body = {"content-type", "content-length", "content-language"}
    kept = first.headers.keys() - {*of_body, "x-request-id"}
    assert {name: got.headers[name] for name in kept} == {n: first.headers[n] for n in kept}
    assert ("content-length" in got.headers) == (status == 200)


def test_H4_a_page_that_is_gone_is_404_even_with_its_tag(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    tag = _ask(service, ABOUT.encode()).headers["etag"].encode()

    service.load({"pages": [{"id": 10, "site": 7, "active": False}]})

    assert _ask(service, ABOUT.encode(), (b"if-none-match", tag)).status == 404
