"""The pages that link to a page are listed before it is moved to the trash."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import OUTSIDER, as_user, need_refused, page, site, user, world

from landyard.testing import Service

METHOD = "landyard.page.links"
BASE = "https://base.example"


def linking(block_id: int, *links: str, **more: Any) -> dict[str, Any]:
    html = "".join(f'<p><a href="{link}">There</a></p>' for link in links)
    return {"id": block_id, "code": "ly.text", "content": html, **more}


def service_of(make_service: MakeService, *pages: dict[str, Any], **site_fields: Any) -> Service:
    built = world(
        page(10, code="home", title="Home"),
        page(11, code="about", title="About", folder=1),
        *pages,
        sites=[site(8)],
        folders=[{"id": 1, "site": 7, "code": "us"}],
        users=[user(OUTSIDER, sites_access=False)],
    )
    built["sites"][0] |= {"main_page": 10, **site_fields}
    return make_service(world=built, public_base=BASE)


def linked(service: Service, page_id: int = 11) -> list[int]:
    return [each["id"] for each in service.result(METHOD, lid=page_id)]


@pytest.mark.parametrize(
    "link",
    [
        "/site-7/us/about/",
        "/site-7/us/about",
        "/site-7/us/about/?from=menu#team",
        f"{BASE}/site-7/us/about/",
        "//base.example/site-7/us/about/",
        "../us/about/",
    ],
)
def test_a_link_is_found_however_it_is_written(make_service: MakeService, link: str) -> None:
    service = service_of(make_service, page(12, linking(120, link), code="menu", title="Menu"))

    assert service.result(METHOD, lid=11) == [{"id": 12, "title": "Menu", "public": False}]


def test_links_to_other_places_are_not_counted(make_service: MakeService) -> None:
    links = [
        *("/site-7/us/about-us/", "/us/about/", "https://other.example/site-7/us/about/", "#about"),
        *("/site-7/us/about/more/", "mailto:about@base.example", "https://[broken/about"),
    ]
    service = service_of(make_service, page(12, linking(120, *links), code="menu"))

    assert linked(service) == []


def test_links_of_a_domain_and_to_the_main_page_are_found(make_service: MakeService) -> None:
    service = service_of(
        make_service,
        page(12, linking(120, "https://shop.example/us/about/"), code="a"),
        page(13, linking(130, "/us/about/"), code="b"),
        page(14, linking(140, "/"), code="c"),
        domain="shop.example",
    )

    assert linked(service) == [12, 13]
    assert linked(service, 10) == [14]


def test_each_page_outside_the_trash_is_listed_once(make_service: MakeService) -> None:
    link = "/site-7/us/about/"
    shown = page(13, linking(130, link, published_id=131), code="b", active=True, published=True)
    service = service_of(
        make_service,
        page(12, linking(120, link), linking(121, link), code="a"),
        shown,
        page(14, linking(140, link), code="c", deleted=True),
        page(15, linking(150, link, deleted=True), code="d"),
        page(16, linking(160, link), code="e", site=8),
    )

    found = service.result(METHOD, lid=11)

    assert [(each["id"], each["public"]) for each in found] == [(12, False), (13, True)]


def test_a_link_to_a_code_with_escaped_letters_is_found(make_service: MakeService) -> None:
    link = "/site-7/%D0%BB%D0%BE%D0%B4%D0%BA%D0%B8/"
    boats = page(17, code="лодки")
    service = service_of(make_service, boats, page(12, linking(120, link), code="menu"))

    assert linked(service, 17) == [12]


def test_a_caller_who_may_not_view_the_page_is_refused(make_service: MakeService) -> None:
    service = service_of(make_service)

    answer = service.call(METHOD, {"lid": 11}, **as_user(OUTSIDER))

    assert answer.error == "ACCESS_DENIED"
    need_refused(
        service, METHOD, [(1, {}, "MISSING_PARAMS"), (1, {"lid": 99}, "LANDING_NOT_EXIST")]
    )
