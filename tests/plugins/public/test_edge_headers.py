"""Public answers have tags and lifetimes for edges where the settings say so, and else none."""

import base64
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG
from contract.worlds import block, page, site, world
from kernel.statements import noted

from landyard.testing import Service

TODAY = "public, max-age=0, must-revalidate"
SHOWN: dict[str, Any] = {"active": True, "published": True}
WORLD = world(
    page(10, block(100, published_id=101), **SHOWN),
    page(11, language="de", translation_of=10, **SHOWN),
    page(12, site=8, translation_of=10, **SHOWN),
    page(13, **SHOWN),
    sites=[site(8, language="ru", domain="ru.example")],
)
ALL = ["Surrogate-Key", "Cache-Tag", "xkey", "Cache-Groups"]
PATHS = ("/site-7/page-10/", "/sitemap.xml", "/robots.txt", "/site-7/none/", "/site-7/page-10")


def tags_of(service: Service, path: str, host: str = "") -> list[str]:
    return service.get(path, host=host).headers["xkey"].split(" ")


@pytest.mark.parametrize("path", PATHS)
def test_answers_have_no_header_for_edges_by_default(make_service: MakeService, path: str) -> None:
    answer = make_service(world=WORLD).get(path)
    assert {name.lower() for name in ALL}.isdisjoint(answer.headers)
    if answer.status_code == 200:
        assert answer.headers["cache-control"] == TODAY


def test_a_page_has_its_tags_in_each_header(make_service: MakeService) -> None:
    service = make_service(world=WORLD, public={"tag_headers": ALL})
    headers = service.get("/site-7/page-13/").headers
    tags = ["page-13", "site-7", "theme-harbour", "landyard"]
    assert headers["surrogate-key"] == headers["xkey"] == " ".join(tags)
    assert headers["cache-tag"] == ",".join(tags)
    assert headers["cache-groups"] == ", ".join(f'"{tag}"' for tag in tags)
    assert headers["cache-control"] == TODAY


def test_a_page_has_the_tags_of_its_translations_and_their_sites(make_service: MakeService) -> None:
    service = make_service(world=WORLD, public={"tag_headers": ["xkey"]})
    group = {"page-10", "page-11", "page-12", "site-7", "site-8", "theme-harbour", "landyard"}
    assert set(tags_of(service, "/site-7/page-10/")) == group
    assert set(tags_of(service, "/site-7/page-11/")) == group
    assert set(tags_of(service, "/page-12/", "ru.example")) == group
    assert tags_of(service, "/page-12/", "ru.example")[0] == "page-12"


def test_a_page_has_the_tags_of_the_pages_in_its_frame(make_service: MakeService) -> None:
    service = make_service(world=WORLD, public={"tag_headers": ["xkey"]})
    areas = {"fields": {"TPL_ID": 1}, "id": 7}
    service.result("landing.site.update", areas)
    service.result("landing.template.setsiteref", id=7, data={1: 13})
    assert {"page-10", "page-13"} <= set(tags_of(service, "/site-7/page-10/"))


def test_a_file_has_a_tag_of_its_own(make_service: MakeService) -> None:
    service = make_service(world=WORLD, public={"tag_headers": ["xkey"]})
    picture = ["dot.png", base64.b64encode(PNG).decode()]
    uploaded: Any = service.result("landing.block.uploadfile", {"block": 100, "picture": picture})
    path = "/files/" + uploaded["src"].partition("/files/")[2]
    key = path.split("/")[2]
    assert tags_of(service, path) == [f"file-{key}", "landyard"]


@pytest.mark.parametrize("path", ["/sitemap.xml", "/robots.txt"])
def test_answers_that_list_pages_have_a_tag_of_their_own(
    make_service: MakeService, path: str
) -> None:
    service = make_service(world=WORLD, public={"tag_headers": ["xkey"]})
    assert tags_of(service, path) == ["lists", "landyard"]


@pytest.mark.parametrize(
    ("stale", "more"), [(0, ", s-maxage=60"), (30, ", s-maxage=60, stale-while-revalidate=30")]
)
def test_an_edge_may_keep_what_is_found(make_service: MakeService, stale: int, more: str) -> None:
    service = make_service(world=WORLD, public={"s_maxage": 60, "stale_while_revalidate": stale})
    for path in PATHS[:3]:
        answer = service.get(path)
        assert answer.headers["cache-control"] == TODAY + more
        again = service.get(path, **{"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.headers["cache-control"]) == (304, TODAY + more)
    for path in PATHS[3:]:
        assert "s-maxage" not in service.get(path).headers.get("cache-control", "")


def test_without_tags_no_statement_looks_for_them(make_service: MakeService) -> None:
    def statements(**public: Any) -> int:
        service = make_service(world=WORLD, public=public)
        with noted(service.kernel.store) as seen:
            service.get("/site-7/page-10/")
        return len(seen)

    assert statements(s_maxage=60) == statements() < statements(tag_headers=["xkey"])
