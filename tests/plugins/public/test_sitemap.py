"""Site maps and robots.txt for search engines (P11)."""

import re
import time
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.worlds import page, world
from corpora import read_data
from kernel import statements
from plugins.public.changes import run

from landyard.testing import Service
from landyard_landing.sites.urls import address_of
from landyard_landing.tables import PAGES
from landyard_public import sitemap

BASE = "https://base.example"
SHOWN: dict[str, Any] = {"active": True, "published": True, "modified_at": "2026-01-02T03:04:05Z"}
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
pytestmark = pytest.mark.rule("P11")
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _page(page_id: int, code: str, **more: Any) -> dict[str, Any]:
    return page(page_id, **{**SHOWN, "code": code, **more})


def _robots(index: Any) -> dict[str, Any]:
    return {"additional_fields": {"METAROBOTS_INDEX": index}}


LISTED = dict(read_data(__file__, "LISTED", list[tuple[int, str]]))
UNLISTED = read_data(__file__, "UNLISTED", list[dict[str, Any]])
WORLD = read_data(__file__, "WORLD", dict[str, list[dict[str, Any]]])
WORLD["sites"][0] |= {"main_page": 10}


def _listed(text: str) -> list[str]:
    return [str(found.text) for found in ET.fromstring(text).iter(f"{NAMESPACE}loc")]


def _made(make_service: MakeService) -> Service:
    service = make_service(world=WORLD, public_base=BASE)
    run(service, "UPDATE landing_page SET code = 'about' WHERE id = 27")
    return service


def test_P11_the_map_lists_the_pages_that_visitors_may_find(make_service: MakeService) -> None:
    service = _made(make_service)

    base = service.get("/sitemap.xml")
    shop = service.get("/sitemap.xml", host="shop.example:8080")

    assert sorted(_listed(base.text)) == sorted(BASE + path for path in LISTED.values())
    assert _listed(shop.text) == ["https://shop.example/", "https://shop.example/about/"]


def test_P11_every_url_of_the_map_leads_to_its_page(
    make_service: MakeService,
) -> None:
    service = _made(make_service)
    with service.kernel.store.session() as session:
        addresses = {number: address_of(session.connection(), number) for number in LISTED}

    urls = {number: address.url(BASE) for number, address in addresses.items() if address}

    assert urls == {number: BASE + path for number, path in LISTED.items()}
    for url in _listed(service.get("/sitemap.xml").text):
        assert service.get(urlsplit(url).path).status_code == 200, url


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/sitemap.xml", "application/xml; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ],
)
@on_sqlite
@pytest.mark.rule("H4")
def test_H4_site_maps_are_served_with_headers(
    make_service: MakeService, path: str, kind: str
) -> None:
    service = _made(make_service)

    answer = service.get(path)
    again = service.get(path, **{"if-none-match": answer.headers["etag"]})
    head = service.request("HEAD", path)

    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (again.status_code, again.content) == (304, b"")
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(
    ("host", "base"), [("any", BASE), ("shop.example", "https://shop.example")]
)
@on_sqlite
def test_P11_robots_txt_names_the_site_maps(
    make_service: MakeService, host: str, base: str
) -> None:
    text = _made(make_service).get("/robots.txt", host=host).text

    assert text == f"User-agent: *\nDisallow: /rest/\n\nSitemap: {base}/sitemap.xml\n"


def test_P11_the_map_has_the_time_of_each_pages_last_change(make_service: MakeService) -> None:
    text = _made(make_service).get("/sitemap.xml").text

    matches = set(re.findall("<lastmod>(.*?)</lastmod>", text))

    moments = {datetime.fromisoformat(each) for each in matches}
    assert moments == {datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)}


def test_P11_the_map_is_current(make_service: MakeService) -> None:
    service = _made(make_service)
    path = f"{BASE}/site-7/indexed/"
    seen = [path in _listed(service.get("/sitemap.xml").text) for _ in range(2)]

    service.load({"pages": [{"id": 17, "site": 7, "sitemap": "N"}]})

    assert (seen, path in _listed(service.get("/sitemap.xml").text)) == ([True, True], False)


@on_sqlite
def test_P11_without_pages_the_map_is_empty(make_service: MakeService) -> None:
    answer = make_service(world=world()).get("/sitemap.xml")

    assert (answer.status_code, _listed(answer.text)) == (200, [])


@on_sqlite
@pytest.mark.parametrize("limit", [{"MOST_URLS": 4}, {"MOST_BYTES": 500}])
def test_P11_a_large_map_has_parts(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, limit: dict[str, int]
) -> None:
    for name, value in limit.items():
        monkeypatch.setattr(sitemap, name, value)
    service = _made(make_service)

    index = service.get("/sitemap.xml").text

    assert index.startswith("<?xml")
    assert f"<sitemapindex xmlns={NAMESPACE[1:-1]!r}".replace("'", '"') in index
    parts = _listed(index)
    assert parts == [f"{BASE}/sitemap.xml?part={n + 1}" for n in range(len(parts))]
    texts = [service.get(part.removeprefix(BASE)).text for part in parts]
    assert len(texts) > 2
    assert all(len(text) < 700 for text in texts if "MOST_BYTES" in limit)
    urls = [url for text in texts for url in _listed(text)]
    assert sorted(urls) == sorted(BASE + path for path in LISTED.values())


@on_sqlite
@pytest.mark.parametrize("query", ["part=0", "part=4", "part=01", "part=x", "part=", "x=1", "%00"])
def test_P11_a_part_that_does_not_exist_is_missing(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(sitemap, "MOST_URLS", 4)

    assert _made(make_service).get(f"/sitemap.xml?{query}").status_code == 404


@on_sqlite
def test_P11_parts_are_rendered_once(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitemap, "MOST_URLS", 4)
    service = _made(make_service)
    service.get("/sitemap.xml")

    def again(*_: object) -> None:
        raise AssertionError("made again")

    monkeypatch.setattr(sitemap, "sitemaps", again)

    for path in ("/sitemap.xml", "/sitemap.xml?part=1", "/sitemap.xml?part=3"):
        assert service.get(path, host="another.example").status_code == 200
    for path in ("/sitemap.xml?part=9", "/sitemap.xml?x", "/sitemap.xml?part=1&x=1"):
        assert service.get(path).status_code == 404


@on_sqlite
@pytest.mark.parametrize("part", [2_500, pytest.param(sitemap.MOST_URLS, marks=pytest.mark.soak)])
def test_P11_many_pages_take_seconds_and_few_queries(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    """A hundred thousand pages with `make soak`."""
    monkeypatch.setattr(sitemap, "MOST_URLS", part)
    service = make_service(world=world())
    now = datetime(2026, 1, 2, tzinfo=UTC)
    row = {"site_id": 7, "active": True, "published": True, "modified_at": now, "created_at": now}
    with service.kernel.store.session(writes=True) as session:
        rows = [{**row, "code": f"page-{number}"} for number in range(2 * part + 1)]
        session.connection().execute(sa.insert(PAGES), rows)

    with statements.noted(service.kernel.store) as said:
        began = time.monotonic()
        index = service.get("/sitemap.xml").text
        took = time.monotonic() - began
        counts = [service.get(f"/sitemap.xml?part={n}").text.count("<url>") for n in (1, 2, 3)]

    assert len(_listed(index)) == 3
    assert counts == [part, part, 1]
    # queries of pages: translations, pictures
    assert len([each for each in said if "landing_page" in each]) == 3
    print(f"{took:.1f} s")
    assert took < 20
