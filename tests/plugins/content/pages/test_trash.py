"""Pages are trashed, restored, and removed for good (P3, P8, P10)."""

import re
from datetime import UTC, datetime

import pytest
from conftest import MakeService
from contract.worlds import everything, page, row, stored, tree

from landyard.testing import Service
from landyard_content.files.records import file_store
from landyard_content.pages.erasing import erase_pages
from landyard_content.pages.trash import restore_page, trash_page

NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)


def _trash(service: Service, page_id: int) -> None:
    service.kernel.store.run(lambda unit: trash_page(unit.connection, page_id, NOW, 5), writes=True)


def _restore(service: Service, page_id: int) -> None:
    service.kernel.store.run(
        lambda unit: restore_page(unit.connection, page_id, NOW, 5), writes=True
    )


def _erase(service: Service, *page_ids: int) -> None:
    store = file_store(service.kernel)
    service.kernel.store.run(lambda unit: erase_pages(unit, store, page_ids), writes=True)


@pytest.mark.rule("P8", "B17")
def test_P8_a_page_is_trashed_and_restored(make_service: MakeService) -> None:
    service = make_service(world=tree())
    before = row(service, 12)

    _trash(service, 12)
    trashed = row(service, 12)
    _restore(service, 12)
    restored = row(service, 12)

    assert (bool(trashed["deleted"]), bool(trashed["active"])) == (True, False)
    assert str(trashed["deleted_at"]).startswith("2026-03-01 12:00:05")
    assert trashed["modified_by"] == restored["modified_by"] == 5
    signed = {name: restored[name] for name in ("modified_at", "modified_by")}
    assert restored == before | {"active": restored["active"]} | signed
    assert not restored["active"]


@pytest.mark.rule("P8")
def test_P8_trashing_twice_changes_nothing(make_service: MakeService) -> None:
    service = make_service(world=tree())
    before = everything(service)

    _trash(service, 13)
    _restore(service, 12)
    for page_id in (99, -1):
        _trash(service, page_id)
        _restore(service, page_id)

    assert everything(service) == before


@pytest.mark.rule("P3", "P8")
def test_P3_a_restored_page_gets_another_code_where_its_own_is_taken(
    make_service: MakeService,
) -> None:
    service = make_service(world=tree(page(21, code="page-13")))

    _restore(service, 13)

    assert re.fullmatch("page-13_[a-z]{4}", row(service, 13)["code"])


@pytest.mark.rule("P10")
def test_P10_erased_pages_leave_nothing_behind(make_service: MakeService) -> None:
    """Main pages and locked ones too: the caller of the erasure has checked the rules."""
    world = tree()
    world["sites"][0] |= {"page_404": 12, "page_503": 14}
    service = make_service(world=world)
    edit = {"lid": 10, "block": 100, "data": {".title": "New"}}
    service.result("landing.block.updatenodes", edit)

    _erase(service, 10, 11, 12, 13, 14, 15, 99, 20)

    assert [each["id"] for each in stored(service, "landing_page")] == [16, 17, 18, 30, 40]
    assert {each["page_id"] for each in stored(service, "landing_block")} == {16, 17, 30, 40}
    assert stored(service, "landing_history") == []
    for name in ("main_page_id", "page_404_id", "page_503_id"):
        assert {each[name] for each in stored(service, "landing_site")} == {None}
    assert {each["index_page_id"] for each in stored(service, "landing_folder")} == {None}


@pytest.mark.rule("P10")
def test_P10_erasing_nothing_changes_nothing(make_service: MakeService) -> None:
    service = make_service(world=tree())
    before = everything(service)

    _erase(service)
    _erase(service, 99)

    assert everything(service) == before
