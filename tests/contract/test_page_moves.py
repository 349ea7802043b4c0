"""A page comes to another place, whether by `move` or by `update` (P3, P6, P11)."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import page, row, stored, tree

from landyard.testing import Service

MOVE, UPDATE = "landing.landing.move", "landing.landing.update"


def _move(service: Service, page_id: int, site: int | None, folder: int | None) -> None:
    """Move a page, without a folder to the root of the site."""
    to = {"toSiteId": site, "toFolderId": folder}
    service.result(MOVE, {"lid": page_id, **to})


def _update(service: Service, page_id: int, site: int | None, folder: int | None) -> None:
    """Update a page; without a site and a folder it goes to the root of its own site."""
    fields: dict[str, Any] = {"SITE_ID": site} if site else {"FOLDER_ID": folder or 0}
    service.result(UPDATE, {"lid": page_id, "fields": fields})


Put = Callable[[Service, int, int | None, int | None], None]
each_way = pytest.mark.parametrize("put", [_move, _update])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    """The world `tree`, and three pages of one code: at the root, in a folder and on another
    site.
    """
    same = [page(21, code="same"), page(22, code="same", folder=1), page(23, code="same", site=8)]
    return make_service(world=tree(*same))


def _main_pages(service: Service) -> dict[int, int | None]:
    return {each["id"]: each["main_page_id"] for each in stored(service, "landing_site")}


def _index_pages(service: Service) -> dict[int, int | None]:
    return {each["id"]: each["index_page_id"] for each in stored(service, "landing_folder")}


@pytest.mark.rule("P6", "P11", "state: move", f"{UPDATE} fields.SITE_ID")
@each_way
def test_P6_P11_a_main_page_that_leaves_its_site_is_no_main_page(
    service: Service, put: Put
) -> None:
    put(service, 10, 8, None)

    assert _main_pages(service) == {6: None, 7: None, 8: 20, 9: None}
    url = service.result("landing.landing.getpublicurl", lid=10)
    assert url.endswith("/site-8/page-10/")
    assert service.get("/site-7/").status_code == 404
    assert service.get("/site-8/page-10/").status_code == 200


@pytest.mark.rule("P6", f"{UPDATE} fields.FOLDER_ID")
@each_way
def test_P6_inside_its_site_a_main_page_stays_the_main_page(service: Service, put: Put) -> None:
    put(service, 10, None, 2)
    put(service, 12, None, 2)

    assert _main_pages(service)[7] == 10
    assert _index_pages(service)[1] == 11


@pytest.mark.rule("P6", f"{UPDATE} fields.FOLDER_ID", f"{UPDATE} fields.SITE_ID")
@each_way
@pytest.mark.parametrize(("site", "folder"), [(None, None), (None, 2), (8, None)])
def test_P6_an_index_page_that_leaves_its_folder_is_no_index_page(
    service: Service, put: Put, site: int | None, folder: int | None
) -> None:
    put(service, 11, site, folder)

    assert _index_pages(service) == {1: None, 2: None, 3: None}


@pytest.mark.rule("P3")
@pytest.mark.parametrize(
    ("method", "sent"),
    [
        ("update", {"lid": 18, "fields": {"CODE": "catalog"}}),
        ("update", {"lid": 18, "fields": {"CODE": "inner", "FOLDER_ID": 1}}),
        ("move", {"lid": 23}),
        ("markDelete", {"lid": 24, "mark": False}),
    ],
)
def test_P3_the_code_of_a_folder_is_taken(
    make_service: MakeService, method: str, sent: Any
) -> None:
    pages = (page(23, folder=1, code="catalog"), page(24, code="catalog", deleted=True))
    service = make_service(world=tree(*pages))

    service.result(f"landing.landing.{method}", sent)

    assert re.fullmatch("(catalog|inner)_[a-z]{4}", row(service, sent["lid"])["code"])


@pytest.mark.rule("P3", "P4", f"{MOVE} toSiteId", f"{MOVE} toFolderId")
@each_way
@pytest.mark.parametrize(
    ("page_id", "site", "folder"),
    [(21, 8, None), (21, None, 1), (22, None, None), (22, 8, None)],
)
def test_P3_P4_the_code_is_checked_at_the_new_place(
    service: Service, put: Put, page_id: int, site: int | None, folder: int | None
) -> None:
    put(service, page_id, site, folder)

    assert re.fullmatch("same_[a-z]{4}", row(service, page_id)["code"])
