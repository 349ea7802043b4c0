"""What visitors get at which address (P11, B17)."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from conftest import MakeService
from contract.worlds import as_user, page, site, world

from landyard.testing import Service
from landyard_landing.urls import address_of

SHOWN: dict[str, Any] = {"active": True, "published": True}


def _page(page_id: int, code: str, **more: Any) -> dict[str, Any]:
    """A public page whose only block says which page it is."""
    text = f"<p>page {page_id}</p>"
    blocks = [{"id": page_id * 10, "code": "x", "content": text, "published_id": page_id * 10 + 1}]
    return page(page_id, *blocks, **{**SHOWN, "code": code, **more})


# Site 7 has no domain, site 8 has one; 9 is switched off.
WORLD = (
    world(
        _page(10, "home"),
        _page(11, "about"),
        _page(12, "hidden", active=False),
        _page(13, "trashed", deleted=True),
        _page(14, "unpublished", published=False),
        _page(15, "index", folder=1),
        _page(16, "in-folder", folder=1),
        _page(17, "deep", folder=2),
        _page(18, "catalog"),  # a folder has this code too
        _page(19, "ruled", rule="item-([0-9]+)(/[a-z]+)?"),
        _page(20, "ruled-below", folder=1, rule="n[0-9]{3}"),
        _page(21, "broken-rule", rule="(((("),
        _page(22, "backtracking", rule="(?=x)x"),
        _page(23, "ünï cödé".replace(" ", "-")),
        _page(24, "empty-index", folder=3),
        _page(30, "home", site=8),
        _page(31, "about", site=8),
        _page(32, "site-7", site=8),
        _page(40, "home", site=9),
        sites=[
            site(8, code="shop", domain="shop.example", main_page=30),
            site(9, code="off", main_page=40, active=False),
            site(6, code="bare"),
        ],
        folders=[
            {"id": 1, "site": 7, "code": "catalog", "index_page": 15},
            {"id": 2, "site": 7, "parent": 1, "code": "inner"},
            {"id": 3, "site": 7, "code": "no-index"},
        ],
    )
    | {}
)
WORLD["sites"][0] |= {"code": "site-7", "main_page": 10}

ADDRESSES: list[tuple[str, str, int | None]] = [
    ("testserver", "/site-7/", 10),
    ("testserver", "/site-7/home/", 10),
    ("testserver", "/site-7/about/", 11),
    ("testserver", "/site-7/catalog/", 15),  # a folder wins over a page of the same code
    ("testserver", "/site-7/catalog/in-folder/", 16),
    ("testserver", "/site-7/catalog/inner/deep/", 17),
    ("testserver", "/site-7/item-7/", 19),
    ("testserver", "/site-7/item-7/red/", 19),
    ("testserver", "/site-7/catalog/n123/", 20),
    ("testserver", "/site-7/%C3%BCn%C3%AF-c%C3%B6d%C3%A9/", 23),
    ("testserver", "/site-7/no-index/empty-index/", 24),
    ("shop.example", "/", 30),
    ("SHOP.example", "/", 30),
    ("shop.example:8000", "/", 30),
    ("shop.example", "/about/", 31),
    ("shop.example", "/site-7/", 32),
    # nothing there
    ("testserver", "/", None),
    ("testserver", "/nowhere/", None),
    ("testserver", "/bare/", None),
    ("testserver", "/site-7/hidden/", None),
    ("testserver", "/site-7/trashed/", None),
    ("testserver", "/site-7/unpublished/", None),
    ("testserver", "/site-7/in-folder/", None),
    ("testserver", "/site-7/deep/", None),
    ("testserver", "/site-7/catalog/deep/", None),
    ("testserver", "/site-7/catalog/inner/", None),
    ("testserver", "/site-7/no-index/", None),
    ("testserver", "/site-7/about/more/", None),
    ("testserver", "/site-7/ABOUT/", None),
    ("testserver", "/site-7/ruled/", None),
    ("testserver", "/site-7/item-7x/", None),  # a rule matches as a whole
    ("testserver", "/site-7/xitem-7/", None),
    ("testserver", "/site-7/item-7/RED/", None),
    ("testserver", "/site-7/n123/", None),
    ("testserver", "/site-7/catalog/item-7/", None),
    ("testserver", "/site-7/broken-rule/", None),
    ("testserver", "/site-7/x/", None),
    ("testserver", "/site-7/%00/", None),
    ("testserver", "/%00/", None),
    ("testserver", "/site-7/%FF%FE/", None),
    ("testserver", "/off/", None),
    ("testserver", "/shop/", None),  # a site with a domain is there and nowhere else
    ("shop.example", "/hidden/", None),
    ("other.example", "/", None),
]


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
    15: "https://base.example/site-7/catalog/",  # a folder's index page
    16: "https://base.example/site-7/catalog/in-folder/",
    17: "https://base.example/site-7/catalog/inner/deep/",
    19: "https://base.example/site-7/",  # RULE: without the code
    20: "https://base.example/site-7/catalog/",
    24: "https://base.example/site-7/no-index/empty-index/",
    30: "https://shop.example/",
    31: "https://shop.example/about/",
}
RULED = {19, 20}


@pytest.mark.rule("P11")
def test_P11_a_pages_url(make_service: MakeService) -> None:
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
    [
        ("/site-7", "/site-7/"),
        ("/site-7/about", "/site-7/about/"),
        ("/site-7/about?a=1&b=%20", "/site-7/about/?a=1&b=%20"),
        ("/site-7/%C3%BCn%C3%AF-c%C3%B6d%C3%A9", "/site-7/%C3%BCn%C3%AF-c%C3%B6d%C3%A9/"),
        ("http://testserver//site-7/about", "/site-7/about/"),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_without_the_slash_visitors_are_sent_on(
    make_service: MakeService, path: str, to: str
) -> None:
    answer = make_service(world=WORLD).get(path)

    assert (answer.status_code, answer.headers["location"]) == (301, to)


@pytest.mark.rule("P11")
@pytest.mark.parametrize("path", ["/nowhere", "/site-7/hidden", "/off"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_nothing_is_nothing_with_and_without_the_slash(
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
