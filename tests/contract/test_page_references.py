"""A call that names a page beside a call that removes or moves it leaves no reference to a missing
page.
"""

from collections.abc import Callable
from typing import Any

import pytest
from conftest import MakeService
from contract.consistency import assert_movable, assert_rows_belong_together
from contract.documents import SWITCHED_ON
from contract.two_calls import meet, on_postgres
from contract.worlds import block, page, site, stored, world

from landyard.testing import Answer, Service

WORLD = world(
    page(10, block(100)),
    page(11, block(110)),
    page(12, block(120)),
    sites=[site(8)],
    folders=[{"id": 1, "site": 7, "code": "folder"}],
)
NAMING: dict[str, tuple[str, dict[str, Any]]] = {
    "main page": ("landing.site.update", {"id": 7, "fields": {"LANDING_ID_INDEX": 11}}),
    "404": ("landing.site.update", {"id": 7, "fields": {"LANDING_ID_404": 11}}),
    "503": ("landing.site.update", {"id": 7, "fields": {"LANDING_ID_503": "11"}}),
    "index": (
        "landing.site.updateFolder",
        {"siteId": 7, "folderId": 1, "fields": {"INDEX_ID": 11}},
    ),
    "translation": (
        "landing.landing.update",
        {"lid": 10, "fields": {"TRANSLATION_OF": 11}},
    ),
    "new translation": (
        "landing.landing.add",
        {"fields": {"TITLE": "New", "SITE_ID": 7, "TRANSLATION_OF": 11}},
    ),
    "area of a site": ("landing.template.setSiteRef", {"id": 7, "data": {"1": 11}}),
    "area of a page": ("landing.template.setLandingRef", {"id": 10, "data": {"1": 11}}),
    "special page": ("landing.syspage.set", {"id": 7, "type": "cart", "lid": 11}),
    "redirect": ("landyard.redirect.add", {"siteId": 7, "from": "/old", "lid": 11}),
    "copy": ("landing.landing.copy", {"lid": 11}),
    "shared draft": ("landyard.draft.share", {"lid": 11}),
}
ERASE = ("landing.landing.delete", {"lid": 11})
LEAVE = ("landing.landing.move", {"lid": 11, "toSiteId": 8})
REFUSED = {"ACCESS_DENIED", "LANDING_NOT_EXIST"}


def _ask(service: Service, asked: tuple[str, dict[str, Any]]) -> Callable[[], Answer]:
    return lambda: service.call(*asked)


def _of_gone(service: Service) -> list[Any]:
    """Find references to missing pages that no rule of `consistency.BROKEN` covers."""
    there = {each["id"] for each in stored(service, "landing_page")}
    originals = {each["original_id"] for each in stored(service, "landing_page")} - {None}
    service.run_jobs()  # jobs delete redirects to missing pages
    led_to = {each["target_id"] for each in stored(service, "redirects_old", kind="path")}
    return sorted((originals | led_to) - there)


@on_postgres
@pytest.mark.parametrize("what", NAMING)
@pytest.mark.parametrize(
    ("other", "table"),
    [(ERASE, "landing_page"), (LEAVE, "landing_page"), (ERASE, "FOR ")],
    ids=["delete", "move", "delete behind a lock"],
)
def test_a_page_named_beside_its_removal_exists(
    make_service: MakeService, what: str, other: tuple[str, dict[str, Any]], table: str
) -> None:
    """The call that names the page stops after it has read pages, or after it has taken its
    lock.
    """
    service = make_service(world=WORLD, plugins=SWITCHED_ON)

    met = meet(service, _ask(service, NAMING[what]), _ask(service, other), after=table)

    assert met.first.error in REFUSED | {None}
    assert met.second.error is None or (met.second.error, met.first.error) == (
        "ACCESS_DENIED",
        None,
    )
    assert_rows_belong_together(service)
    if other is ERASE and met.second.error is None:
        assert _of_gone(service) == []
    assert_movable(service, plugins=SWITCHED_ON)


@on_postgres
@pytest.mark.parametrize("what", NAMING)
@pytest.mark.parametrize("lock", ["FOR ", "landing_area"])
def test_a_page_that_is_being_removed_cannot_be_named(
    make_service: MakeService, what: str, lock: str
) -> None:
    """The call that removes the page stops after its first lock, or after all its locks."""
    service = make_service(world=WORLD, plugins=SWITCHED_ON)

    met = meet(service, _ask(service, ERASE), _ask(service, NAMING[what]), after=lock)

    assert met.first.error is None
    # areas that cannot be used are ignored
    allowed = REFUSED | ({None} if what.startswith("area") else set())
    assert met.second.error in allowed
    assert_rows_belong_together(service)
    assert _of_gone(service) == []


@on_postgres
@pytest.mark.parametrize("column", ["LANDING_ID_404", "LANDING_ID_INDEX"])
def test_a_page_that_an_undo_removes_cannot_be_named(
    make_service: MakeService, column: str
) -> None:
    service = make_service(world=WORLD, plugins=SWITCHED_ON)
    added = service.call("landing.landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7}})
    name = ("landing.site.update", {"id": 7, "fields": {column: added.result}})
    undo = ("landyard.call.undo", {"id": added.request_id})

    met = meet(service, _ask(service, name), _ask(service, undo), after="landing_page")

    assert (met.first.error, met.second.error) == (None, "UNDO_CONFLICT")
    assert_rows_belong_together(service)


def test_the_creation_of_a_page_with_translations_is_not_undone(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    added = service.call("landing.landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7}})
    fields = {"TRANSLATION_OF": added.result}
    service.result("landing.landing.update", lid=10, fields=fields)

    undone = service.call("landyard.call.undo", {"id": added.request_id})

    assert undone.error == "UNDO_CONFLICT"
    assert _of_gone(service) == []


def test_translations_of_a_deleted_page_stay_linked_to_each_other(
    make_service: MakeService,
) -> None:
    service = make_service(world=WORLD)
    for each in (11, 12):
        service.result("landing.landing.update", lid=each, fields={"TRANSLATION_OF": 10})

    service.result("landing.landing.delete", lid=10)

    params = {"select": ["ID", "TRANSLATION_OF"], "order": {"ID": "ASC"}}
    rows = service.result("landing.landing.getList", params=params)
    assert [(each["ID"], each["TRANSLATION_OF"]) for each in rows] == [("11", None), ("12", "11")]
    assert _of_gone(service) == []
    assert_movable(service)
    service.result("landing.landing.update", lid=11, fields={"TRANSLATION_OF": 0})
    service.result("landing.landing.delete", lid=12)
    added = {"TITLE": "New", "SITE_ID": 7, "TRANSLATION_OF": 11}
    service.result("landing.landing.add", fields=added)
    assert _of_gone(service) == []
