"""`landing.landing.` getpreview, getadditionalfields and resolveIdByPublicUrl: their answers
(P11).
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    EVERY_RIGHT,
    OUTSIDER,
    STRANGER,
    as_user,
    need_refused,
    page,
    tree,
    user,
)
from corpora import read_data

from landyard.testing import Service

PREVIEW, FIELDS = "landing.landing.getpreview", "landing.landing.getadditionalfields"
RESOLVE, ADDRESS = "landing.landing.resolveIdByPublicUrl", "landing.landing.getpublicurl"
USERS = [
    user(STRANGER, sites_access=True, rights={"8": ["view"]}),
    user(OUTSIDER, rights={"*": EVERY_RIGHT}),
]
NOT_THERE, DENIED = "LANDING_NOT_EXIST", "ACCESS_DENIED"
STORED = {"METAOG_IMAGE": "/files/x.png", "VIEW_TYPE": "no", "EMPTY": "", "PRICE": ["BASE"], "N": 1}
FOUND = read_data(__file__, "FOUND", list[tuple[int, str, int | None]])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    pages = [page(50, additional_fields=STORED, deleted=False)]
    return make_service(world=tree(*pages, users=USERS), public_base="https://yard.example")


def test_the_preview_is_the_pages_picture_or_an_existing_one(service: Service) -> None:
    usual = service.result(PREVIEW, lid=12)

    assert service.result(PREVIEW, lid=50) == "https://yard.example/files/x.png"
    assert service.get(usual.removeprefix("https://yard.example")).status_code == 200


def test_only_additional_fields_with_a_value_are_answered(service: Service) -> None:
    assert service.result(FIELDS, lid=12) == {}
    assert service.result(FIELDS, lid=50) == {k: v for k, v in STORED.items() if k != "EMPTY"}


def test_callers_without_the_right_and_missing_pages_are_refused(service: Service) -> None:
    absent: list[tuple[int, Any, str]] = [
        (1, {}, "MISSING_PARAMS"),
        *((1, {"lid": each}, NOT_THERE) for each in (99, 13, 30, "x", 2**70)),
        (STRANGER, {"lid": 12}, NOT_THERE),
    ]
    need_refused(service, PREVIEW, [*absent, (OUTSIDER, {"lid": 12}, NOT_THERE)])
    need_refused(service, FIELDS, [*absent, (OUTSIDER, {"lid": 12}, DENIED)])


@pytest.mark.rule("P11")
def test_P11_every_public_url_leads_back_to_its_page(service: Service) -> None:
    shown = {10: 7, 11: 7, 12: 7, 14: 7, 15: 7, 20: 8, 40: 6}
    urls = {page_id: service.result(ADDRESS, lid=page_id) for page_id in shown}

    found = {
        page_id: service.result(RESOLVE, landingUrl=urls[page_id], siteId=site_id)
        for page_id, site_id in shown.items()
    }

    assert found == {page_id: page_id for page_id in shown}


@pytest.mark.rule("P11")
def test_P11_an_address_finds_the_page_that_visitors_see_there(service: Service) -> None:
    found = [
        (site_id, url, service.result(RESOLVE, landingUrl=url, siteId=site_id))
        for site_id, url, _ in FOUND
    ]

    assert found == FOUND


def test_resolving_needs_the_right_to_view(service: Service) -> None:
    wrong: list[Any] = [{"a": 1}, ["x"]]
    need_refused(
        service,
        RESOLVE,
        [
            (1, {}, "MISSING_PARAMS"),
            (1, {"landingUrl": "/"}, "MISSING_PARAMS"),
            (1, {"siteId": 7}, "MISSING_PARAMS"),
            (1, {"landingUrl": "/", "siteId": "x"}, "TYPE_ERROR"),
            *((1, {"landingUrl": each, "siteId": 7}, "TYPE_ERROR") for each in wrong),
            (OUTSIDER, {"landingUrl": "/", "siteId": 7}, DENIED),
        ],
    )
    here = {"landingUrl": "/page-12/", "siteId": 7}
    assert service.result(RESOLVE, here, **as_user(STRANGER)) is None
