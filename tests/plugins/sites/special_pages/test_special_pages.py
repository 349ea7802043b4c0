"""The special pages of sites are set, answered, and removed."""

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

SET, GET = "landing.syspage.set", "landing.syspage.get"
URL = "landing.syspage.getSpecialPage"
OF_SITE, OF_PAGE = "landing.syspage.deleteForSite", "landing.syspage.deleteForLanding"
WORLD = world(
    page(10, title="Shop", active=True, published=True),
    page(11, title="Cart"),
    page(12, deleted=True),
    page(20, site=8),
    page(30, site=9),
    sites=[site(8), site(9, type="KNOWLEDGE")],
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(STRANGER, sites_access=True),
        user(OUTSIDER),
    ],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


def _told(service: Service, **more: Any) -> dict[str, str]:
    found = service.result(GET, id=7, **more)
    return {kind: each["LANDING_ID"] for kind, each in found.items()}


def test_a_site_has_one_page_for_each_purpose(service: Service) -> None:
    for kind, page_id in (("mainpage", 10), ("cart", 11), ("order", 11)):
        assert service.result(SET, id=7, type=kind, lid=page_id) is True

    cart = {"TYPE": "cart", "LANDING_ID": "11", "TITLE": "Cart", "DELETED": "N", "ACTIVE": "N"}
    assert service.result(GET, id=7, **as_user(VIEWER))["cart"] == cart
    assert _told(service, active=True) == {"mainpage": "10"}
    service.result(SET, id=7, type="cart", lid=10)
    assert _told(service) == {"mainpage": "10", "order": "11", "cart": "10"}
    service.result(SET, id=7, type="cart")
    assert _told(service) == {"mainpage": "10", "order": "11"}


def test_the_address_of_a_special_page_is_answered(service: Service) -> None:
    service.result(SET, id=7, type="personal", lid=10)
    here = f"{service.kernel.settings.base}/site-7/page-10/"
    params: dict[str, Any] = {"siteId": 7, "type": "personal"}

    assert service.result(URL, params, **as_user(VIEWER)) == here
    more = {"SECTION": "a b&c", "n": 1}
    assert service.result(URL, params | {"additional": more}) == f"{here}?SECTION=a%20b%26c&n=1"
    assert service.result(URL, params | {"additional": []}) == here
    assert service.result(URL, params | {"type": "cart"}) is None
    service.result("landing.landing.markDelete", lid=10)
    assert service.result(URL, params) is None


def test_a_deleted_page_is_no_special_page(service: Service) -> None:
    for kind, page_id in (("cart", 11), ("order", 10)):
        service.result(SET, id=7, type=kind, lid=page_id)

    service.result("landing.landing.delete", lid=11)
    assert _told(service) == {"order": "10"}
    service.result("landing.landing.move", lid=10, toSiteId=8)
    assert _told(service) == {}


def test_an_unset_page_is_no_special_page(service: Service) -> None:
    for kind, page_id in (("cart", 11), ("order", 10), ("payment", 10)):
        service.result(SET, id=7, type=kind, lid=page_id)
    service.result(SET, id=9, type="cart", lid=30)

    assert service.result(OF_PAGE, id=10) is True
    assert _told(service) == {"cart": "11"}
    assert service.result(OF_SITE, id=7) is True
    assert _told(service) == {}
    assert service.call(OF_PAGE, id=30).error == "ACCESS_DENIED"
    assert service.result(OF_PAGE, id=30, scope="KNOWLEDGE") is True
    assert stored(service, "landing_special_page") == []


def test_a_refused_call_changes_nothing(service: Service) -> None:
    service.result(SET, id=7, type="cart", lid=11)
    before = everything(service)
    calls: list[tuple[str, dict[str, Any]]] = [
        (SET, {"id": 7, "type": "cart", "lid": 10}),
        (GET, {"id": 7}),
        (URL, {"siteId": 7, "type": "cart"}),
        (OF_SITE, {"id": 7}),
        (OF_PAGE, {"id": 11}),
    ]
    for method, params in calls:
        key = next(iter(params))
        assert service.call(method).error == "MISSING_PARAMS"
        for who in (OUTSIDER, STRANGER):
            assert service.call(method, params, **as_user(who)).error == "ACCESS_DENIED"
        assert service.call(method, params | {key: 999}).error == "ACCESS_DENIED"
        if method not in (GET, URL):
            assert service.call(method, params, **as_user(VIEWER)).error == "ACCESS_DENIED"
    for page_id in (12, 20, 999, -1, "x", [10]):
        refused = service.call(SET, {"id": 7, "type": "cart", "lid": page_id})
        assert refused.error == "ACCESS_DENIED"
    for kind in ("nope", "CART", ["cart"], "", 7):
        assert service.call(SET, id=7, type=kind, lid=10).error == "MISSING_PARAMS"
    assert service.call(GET, id="x").error == "TYPE_ERROR"
    wrongs: list[dict[str, Any]] = [{"type": ["cart"]}, {"type": "nope"}, {"additional": "x"}]
    for wrong in (*wrongs, {"additional": {"a": {}}}):
        assert service.call(URL, {"siteId": 7, "type": "cart"} | wrong).error == "ERROR_ARGUMENT"
    assert everything(service) == before
