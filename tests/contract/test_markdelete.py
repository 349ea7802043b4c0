"""`landing.landing.markDelete` moves a page into the trash and out of it (contract 4.9; P3, P7,
P8).
"""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import everything, page, row, stored, tree

from landyard.testing import Answer, Service

MARK = "landing.landing.markDelete"
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)


def _mark(service: Service, page_id: Any = 12, **more: Any) -> Answer:
    return service.call(MARK, {"lid": page_id, **more})


def _state(service: Service, page_id: int) -> tuple[bool, bool, str | None]:
    found = row(service, page_id)
    at = found["deleted_at"]
    return bool(found["active"]), bool(found["deleted"]), None if at is None else str(at)[:19]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree())


@pytest.mark.rule(
    f"{MARK} result", f"{MARK} lid", f"{MARK} mark", "state: markDelete true", "B17", "P4"
)
def test_4_9_a_page_in_the_trash_is_unpublished(make_service: MakeService) -> None:
    service = make_service(world=tree(), now=NOW)
    blocks = stored(service, "landing_block")

    for page_id in [11, 12, 14, 16, 17, 18, 20, 40]:
        before = row(service, page_id)
        assert _mark(service, page_id).result == page_id
        assert _state(service, page_id) == (False, True, "2026-03-01 12:00:05")
        after = row(service, page_id)
        changed = {name for name, value in after.items() if value != before[name]}
        assert changed <= {"active", "deleted", "deleted_at", "modified_at", "modified_by"}
    assert stored(service, "landing_block") == blocks


@pytest.mark.rule(f"{MARK} mark", "state: markDelete false", "P8")
def test_P8_a_restored_page_is_inactive(service: Service) -> None:
    marks: list[Any] = [False, 0, "N", "no", "false", "", "off"]

    for mark in marks:
        _mark(service, 12)
        assert _mark(service, 12, mark=mark).result == 12
        assert _state(service, 12) == (False, False, None)
        assert row(service, 12)["code"] == "page-12"


@pytest.mark.rule("P8")
def test_P8_marking_a_page_again_changes_nothing(make_service: MakeService) -> None:
    service = make_service(world=tree(), now=NOW)
    before = everything(service)
    marks: list[tuple[int, Any]] = [
        (13, True),
        (13, "Y"),
        (12, False),
        (10, False),
        (15, False),
        (14, "N"),
        (18, 0),
    ]

    for page_id, mark in marks:
        assert _mark(service, page_id, mark=mark).result == page_id
    assert everything(service) == before


@pytest.mark.rule("P8", "P3")
def test_P8_a_restored_page_gets_another_code_where_its_own_is_taken(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(page(21, code="page-13")))

    _mark(service, 13, mark=False)

    assert re.fullmatch("page-13_[a-z]{4}", row(service, 13)["code"])
    assert row(service, 21)["code"] == "page-13"


@pytest.mark.rule("P7", f"{MARK} CANT_DELETE_MAIN")
def test_P7_a_main_page_is_trashed_only_as_the_last_page(make_service: MakeService) -> None:
    service = make_service(world=tree(page(21, site=8, deleted=True)))
    before = everything(service)

    assert _mark(service, 10).error == "CANT_DELETE_MAIN"
    assert everything(service) == before
    assert _mark(service, 20).result == 20


@pytest.mark.rule("P7", "P8")
def test_P7_a_restored_main_page_is_the_main_page_again(service: Service) -> None:
    _mark(service, 20)

    _mark(service, 20, mark=False)
    service.load({"pages": [{"id": 20, "site": 8, "active": True}]})

    assert service.get("/site-8/").status_code == 200


@pytest.mark.rule(f"{MARK} UNABLE_DELETE_INCLUDE")
def test_4_9_an_area_cannot_be_trashed(make_service: MakeService) -> None:
    world = tree(page(21, area=True, deleted=True))
    world["sites"][0]["main_page"] = 15
    service = make_service(world=world)
    before = everything(service)

    assert _mark(service, 15).error == "UNABLE_DELETE_INCLUDE"
    assert _mark(service, 21).result == 21  # it is already marked so (P8)
    assert everything(service) == before


@pytest.mark.rule("C7", f"{MARK} mark")
def test_C7_a_null_mark_counts_as_true(service: Service) -> None:
    _mark(service, 12, mark=None)

    assert row(service, 12)["deleted"]


@pytest.mark.rule("B17", "R6", "state: markDelete true")
def test_B17_visitors_and_readers_do_not_find_a_page_in_the_trash(service: Service) -> None:
    def seen() -> tuple[Any, Any, Any]:
        return (
            service.get("/site-7/page-14/").status_code,
            service.call("landing.block.getlist", {"lid": 14}).error,
            service.call("landing.landing.getpublicurl", {"lid": 14}).error,
        )

    answers = [seen()]
    for mark in (True, False):
        _mark(service, 14, mark=mark)
        answers.append(seen())

    gone = "LANDING_NOT_EXIST"
    assert answers == [(200, None, None), (404, gone, gone), (404, None, None)]
