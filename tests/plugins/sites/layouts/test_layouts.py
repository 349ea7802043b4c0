"""Frames around pages: the pages in their areas, and the result for visitors."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    OUTSIDER,
    STRANGER,
    VIEWER,
    as_user,
    everything,
    page,
    site,
    stored,
    user,
    world,
)

from landyard.testing import Service

SET_SITE, GET_SITE = "landing.template.setSiteRef", "landing.template.getSiteRef"
SET_PAGE, GET_PAGE = "landing.template.setLandingRef", "landing.template.getLandingRef"
EVERY = (SET_SITE, GET_SITE, SET_PAGE, GET_PAGE)


def _page(page_id: int, **more: Any) -> dict[str, Any]:
    text = f"<p>page {page_id}</p>"
    blocks = [{"id": page_id * 10, "code": "x", "content": text, "published_id": page_id * 10 + 1}]
    return page(page_id, *blocks, **{"active": True, "published": True, **more})


WORLD = world(
    *(_page(each) for each in (10, 11, 12, 13)),
    _page(14, deleted=True),
    _page(15, active=False),
    _page(20, site=8),
    sites=[site(8)],
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(STRANGER, sites_access=True),
        user(OUTSIDER),
    ],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


def _seen(service: Service, page_id: int = 10) -> list[str]:
    """The pages whose blocks appear on a page, in order; `main` is the page's own place."""
    text = service.get(f"/site-7/page-{page_id}/", host="base.example").text
    return re.findall(r"page \d+|<main|</main|ly-frame-side", text.partition("<body>")[2])


def _areas(service: Service) -> list[int]:
    return [row["id"] for row in stored(service, "landing_page") if row["area"]]


def test_visitors_see_a_sites_frame_around_its_pages(service: Service) -> None:
    plain = ["<main", "page 10", "</main"]
    assert _seen(service) == plain
    service.result(SET_SITE, id=7, data={"1": 11, "2": "12"})
    assert _seen(service) == plain  # the site has no frame yet

    service.result("landing.site.update", id=7, fields={"TPL_ID": 1})

    assert _seen(service) == ["page 11", *plain, "page 12"]
    assert _seen(service, 11) == ["<main", "page 11", "</main"]  # an area has no frame itself
    service.result(SET_SITE, id=7, data=[0, 11])
    assert _seen(service) == ["page 11", *plain]
    assert service.result(GET_SITE, id=7) == {"1": 11}
    service.result("landing.landing.unpublic", lid=11)
    assert _seen(service) == plain


def test_a_page_may_have_a_frame_of_its_own(service: Service) -> None:
    service.result(SET_SITE, id=7, data={"1": 11})
    service.result("landing.site.update", id=7, fields={"TPL_ID": 4})
    service.result(SET_PAGE, id=10, data={"2": 12, "3": 13})
    assert _seen(service)[0] == "page 11"

    service.result("landing.landing.update", lid=10, fields={"TPL_ID": 2})

    own = ["ly-frame-side", "page 12", "<main", "page 10", "</main", "page 13"]
    assert _seen(service) == own
    assert service.result(GET_PAGE, id=10, **as_user(VIEWER)) == {"2": 12, "3": 13}
    rows = service.result("landing.site.getList", {"params": {"select": ["ID", "TPL_ID"]}})
    assert rows == [{"ID": "7", "TPL_ID": "4"}, {"ID": "8", "TPL_ID": None}]


def test_a_page_is_an_area_as_long_as_a_frame_names_it(service: Service) -> None:
    service.result(SET_SITE, id=7, data={"1": 11, "2": 12})
    service.result(SET_PAGE, id=10, data={"1": 12})
    assert _areas(service) == [11, 12]
    refused = service.call("landing.landing.markDelete", lid=12)
    assert refused.error == "UNABLE_DELETE_INCLUDE"

    assert service.result(SET_SITE, id=7) is True

    assert _areas(service) == [12]
    assert service.result(GET_SITE, id=7) is True
    service.result("landing.landing.delete", lid=12)
    assert service.result(GET_PAGE, id=10) is True


def test_a_page_that_leaves_its_site_leaves_its_frames(service: Service) -> None:
    """Its blocks are no longer shown on that site, nor are blocks of its own frame's pages shown on
    it.
    """
    service.result(SET_SITE, id=7, data={"1": 11, "2": 12})
    service.result(SET_PAGE, id=11, data={"1": 13})

    service.result("landing.landing.move", lid=11, toSiteId=8)

    assert service.result(GET_SITE, id=7) == {"2": 12}
    assert service.result(GET_PAGE, id=11) is True
    assert _areas(service) == [12]


def test_a_page_is_no_longer_an_area_when_the_page_of_the_frame_is_deleted(
    service: Service,
) -> None:
    service.result(SET_PAGE, id=10, data={"1": 11, "2": 12})
    service.result(SET_SITE, id=7, data={"1": 12})

    service.result("landing.landing.delete", lid=10)

    assert _areas(service) == [12]
    service.result("landing.landing.markDelete", lid=11)


def test_an_area_that_cannot_be_shown_is_left_out(service: Service) -> None:
    wanted = {"1": 11, "2": 20, "3": 14, "4": 999, "5": -1, "6": "", "7": None, "8": "x", "y": 12}

    answer = service.call(SET_SITE, id=7, data={**wanted, "0": 12, "9": [12], "1000": 12})
    service.result(SET_PAGE, id=10, data={"1": 10, "2": 12})

    assert answer.result is True
    assert service.result(GET_SITE, id=7) == {"1": 11}
    assert service.result(GET_PAGE, id=10) == {"2": 12}


def test_each_method_needs_its_rights_and_existing_pages(service: Service) -> None:
    before = everything(service)
    for method in EVERY:
        entity = 7 if "Site" in method else 10
        assert service.call(method).error == "MISSING_PARAMS"
        assert service.call(method, id=entity, **as_user(OUTSIDER)).error == "ACCESS_DENIED"
        assert service.call(method, id=entity, **as_user(STRANGER)).error == "ENTITY_NOT_FOUND"
        for nothing in (999, 0, "x", [7]):
            assert service.call(method, id=nothing).error == "ENTITY_NOT_FOUND"
    for method, entity in ((SET_SITE, 7), (SET_PAGE, 10)):
        sent = {"id": entity, "data": {"1": 11}}
        assert service.call(method, sent, **as_user(VIEWER)).error == "ACCESS_DENIED"
        assert service.call(method, sent | {"data": "x"}).error == "MISSING_PARAMS"
    assert service.call(GET_PAGE, id=14).error == "ENTITY_NOT_FOUND"
    assert everything(service) == before


def test_the_frames_are_listed(service: Service) -> None:
    chosen = {"select": ["ID", "XML_ID", "CONTENT"], "filter": {"AREA_COUNT": 2}}

    found = service.result("landing.template.getlist", {"params": chosen}, **as_user(STRANGER))

    assert found == [
        {"ID": "1", "XML_ID": "header_footer", "CONTENT": "#AREA_1#\n#CONTENT#\n#AREA_2#"}
    ]
    whole = service.result("landing.template.getlist")
    assert [row["SORT"] for row in whole] == ["100", "200", "300", "400", "500"]
    assert whole[0]["ACTIVE"] == "Y"
    refused = service.call("landing.template.getlist", {"params": {"filter": {"NO": 1}}})
    assert refused.error == "TYPE_ERROR"
    assert service.call("landing.template.getlist", **as_user(OUTSIDER)).error == "ACCESS_DENIED"
