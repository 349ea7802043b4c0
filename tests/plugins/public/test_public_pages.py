"""Which page or answer visitors get at each address (P11, B17)."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from conftest import MakeService
from contract.worlds import as_user, page, world
from corpora import read_cases, read_data

from landyard.testing import Service
from landyard_landing.sites.urls import address_of

SHOWN: dict[str, Any] = {"active": True, "published": True}


def _page(page_id: int, code: str, **more: Any) -> dict[str, Any]:
    """A public page with one block that names the page."""
    text = f"<p>page {page_id}</p>"
    blocks = [{"id": page_id * 10, "code": "x", "content": text, "published_id": page_id * 10 + 1}]
    return page(page_id, *blocks, **{**SHOWN, "code": code, **more})


# Site 7 has no domain, site 8 has one, site 9 is inactive.
WORLD = read_data(__file__, "WORLD", dict[str, list[dict[str, Any]]])
WORLD["sites"][0] |= {"code": "site-7", "main_page": 10}

ADDRESSES = read_cases(__file__, "ADDRESSES", tuple[str, str, int | None])


def _seen(service: Service, host: str, path: str) -> int | None:
    answer = service.get(path, host=host)
    if answer.status_code == 404:
        return None
    assert answer.status_code == 200, path
    return int(answer.text.partition("<p>page ")[2].partition("<")[0])


@pytest.mark.rule("P11")
def test_P11_addresses_lead_to_pages(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    assert [(host, path, _seen(service, host, path)) for host, path, _ in ADDRESSES] == ADDRESSES


URLS = {
    10: "https://base.example/site-7/",  # the main page
    11: "https://base.example/site-7/about/",
    15: "https://base.example/site-7/catalog/",  # the index page of a folder
    16: "https://base.example/site-7/catalog/in-folder/",
    17: "https://base.example/site-7/catalog/inner/deep/",
    19: "https://base.example/site-7/",  # its site has a RULE, so the address has no code
    20: "https://base.example/site-7/catalog/",
    24: "https://base.example/site-7/no-index/empty-index/",
    30: "https://shop.example/",
    31: "https://shop.example/about/",
}
RULED = {19, 20}


@pytest.mark.rule("P11")
def test_P11_getpublicurl_answers_the_address_of_the_page(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    with service.kernel.store.session() as session:
        found = {page_id: address_of(session.connection(), page_id) for page_id in URLS}

    urls = {page_id: it.url("https://base.example") for page_id, it in found.items() if it}
    assert urls == URLS


@pytest.mark.rule("P11")
def test_P11_a_pages_url_resolves_to_it(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    urls = {page_id: urlsplit(url) for page_id, url in URLS.items() if page_id not in RULED}

    seen = {page_id: _seen(service, url.netloc, url.path) for page_id, url in urls.items()}

    assert seen == {page_id: page_id for page_id in urls}


@pytest.mark.rule("P11")
@pytest.mark.parametrize(
    ("path", "to"),
    read_data(__file__, "P11 without the slash", list[tuple[str, str]]),
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_an_address_without_the_slash_is_redirected(
    make_service: MakeService, path: str, to: str
) -> None:
    answer = make_service(world=WORLD).get(path)

    assert (answer.status_code, answer.headers["location"]) == (301, to)


@pytest.mark.rule("P11")
@pytest.mark.parametrize("path", ["/nowhere", "/site-7/hidden", "/off"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_a_missing_page_is_missing_with_and_without_the_slash(
    make_service: MakeService, path: str
) -> None:
    assert make_service(world=WORLD).get(path).status_code == 404


@pytest.mark.rule("B17")
def test_B17_a_trashed_page_is_gone_from_its_address_at_once(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    before = service.get("/site-7/about/").status_code

    service.load({"pages": [{"id": 11, "site": 7, "deleted": True}]})

    assert (before, service.get("/site-7/about/").status_code) == (200, 404)


@pytest.mark.rule("B1")
def test_B1_draft_edits_are_invisible(make_service: MakeService) -> None:
    built = world(_page(10, "home") | {"blocks": []})
    built["pages"][0]["blocks"] = [{"id": 100, "code": "test.all", "published_id": 200}]
    service = make_service(world=built)
    before = service.get("/site-7/home/")

    edit = {"lid": 10, "block": 100, "data": {".title": "Changed"}}
    service.result("landing.block.updatenodes", edit, **as_user(1))

    after = service.get("/site-7/home/")
    assert (after.text, after.headers["etag"]) == (before.text, before.headers["etag"])
    assert ">Old<" in after.text


@pytest.mark.rule("P11")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_rest_is_never_a_page(make_service: MakeService) -> None:
    service = make_service(world=WORLD)

    answer = service.get("/rest/about/", host="shop.example")

    assert answer.headers["content-type"].startswith("application/json")
